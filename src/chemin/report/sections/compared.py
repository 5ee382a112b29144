"""Compared with what?"""

from __future__ import annotations

from chemin.report.blocks import Cell, Number, Section, Span, Table, Text
from chemin.report.material import Material
from chemin.report.sections.short import called
from chemin.report.words import Words
from chemin.study.document import ComparisonFacts, RowFacts


def compared(material: Material, words: Words) -> Section | None:
    """Return the other models on the same splits; nothing if there was no comparison."""
    found = material.document.comparison
    if found is None:
        return None
    lead = words(
        "All models on the same splits of the rows that are learned from ({splits}); those of group 1 cannot be told "
        "apart from the best. The simplest of them is {name}.",
        splits=found.splits,
        name=called(found.recommended, material, words) if found.recommended else "–",
    )
    return Section(
        "compared", words("Beside other models"), (Text(lead), _table(found, material, words))
    )


def _table(found: ComparisonFacts, material: Material, words: Words) -> Table:
    rate = found.measure == "error"
    ends = [end for row in found.rows for end in (row.low, row.high, row.error) if end is not None]
    least = 0.0 if rate else min(ends, default=0.0)
    most = max(ends, default=1.0)
    shown = words.percent if rate else words.number

    def row(one: RowFacts) -> tuple[Cell, ...]:
        told = "" if one.status == "finished" else f"{words.term(one.status)}: {one.why}"
        length = (
            f"{words.number(one.length)} {words.term(one.unit)}" if one.length is not None else ""
        )
        return (
            called(one.name, material, words),
            Number(shown(one.error)),
            Number(shown(one.low)),
            Number(shown(one.high)),
            Span(one.low, one.error, one.high, least, most) if one.error is not None else told,
            Number(str(one.group + 1) if one.group >= 0 else ""),
            length,
            Number(words.number(one.seconds, ".3g")),
        )

    head = (
        words("model"), words.term(found.measure), words("from"), words("to"), "", words("group"), words("length"),
        words("seconds"),
    )  # fmt: skip
    return Table(words("Errors with 95 % intervals"), head, tuple(map(row, found.rows)))
