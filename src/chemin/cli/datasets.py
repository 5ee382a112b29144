"""``chemin datasets``: which data come along, by name."""

from __future__ import annotations

from chemin.cli import options
from chemin.cli.console import Voice
from chemin.tables import read
from chemin.tables.files.bundled import BUNDLED, PATIENTS

_WHAT = {
    PATIENTS: "made-up patients: a French CSV with dates, text and gaps",
    "breast-cancer": "tumours, benign or malignant, by measures of their cells",
    "diabetes": "progress of the disease after a year, a number",
    "digits": "handwritten digits, images of 8 × 8",
    "iris": "three kinds of iris by four lengths",
    "wine": "three growers of wine by chemical measures",
}
_TARGETS = {PATIENTS: "diagnostic"}


@options.shared
def datasets(*, voice: Voice) -> None:
    """List the bundled data; each name is a FILE to every other command."""
    rows = []
    for name in (PATIENTS, *BUNDLED):
        table = read(name)
        target = _TARGETS.get(name, table.target)
        rows.append((name, *table.shape, target, _WHAT[name]))
    head = ("name", "rows", "columns", "target", "what it is")
    if voice.json:
        voice.answer([dict(zip(head, row, strict=True)) for row in rows])
        return
    voice.show("bundled data", head, rows)
    voice.tell("", "Try: chemin learn breast-cancer, or chemin learn patients --target diagnostic")
