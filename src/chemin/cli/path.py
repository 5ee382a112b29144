"""``chemin path``: the whole regularization path, event by event, with its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import chemin
from chemin.cli import options
from chemin.cli.console import Voice
from chemin.cli.predict import as_csv
from chemin.exceptions import InvalidInputError
from chemin.exploration.subject import as_subject
from chemin.study.workspace import check_place, whole_file
from chemin.tables import Prepare

_SHOWN = 20  # events on the terminal
_MOVES = ("enter", "leave")  # events of variables; the others are of rows


@options.shared
def path(
    source: options.Source,
    target: options.Target = None,
    l2: Annotated[float, typer.Option(help="The ridge λ₂.")] = 1.0,
    min_ratio: Annotated[
        float,
        typer.Option("--min-ratio", help="Follow the path down to this share of the first λ₁."),
    ] = 0.01,
    tol: Annotated[
        float, typer.Option(help="Relative gap that is allowed, 0 for the exact path.")
    ] = 0.0,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="A CSV file for all events.")
    ] = None,
    force: options.Force = False,
    *,
    reading: options.Reading,
    voice: Voice,
) -> None:
    """Follow the path of the sparse SVM (two classes) or of least squares (a number): what enters, what leaves.

    Examples:
      chemin path breast-cancer --min-ratio 0.1
      chemin path diabetes --out events.csv
    """
    place = None if out is None else Path(out)
    if place is not None:
        check_place(place, force)
    table = reading.table(source, target=target)
    subject = as_subject(table)
    y = table.y
    if subject.has_classes and len(np.unique(y)) != 2:
        raise InvalidInputError(
            f"the target has {len(np.unique(y))} classes, and a path is between two: learn from the file instead, "
            "which follows one path for each pair"
        )
    X = Prepare(subject.types).fit_transform(table.X, y)
    loss = "hinge" if subject.has_classes else "squared"
    target_values = y if subject.has_classes else np.asarray(y, dtype=float)
    found = chemin.path(X, target_values, loss=loss, l2=l2, min_ratio=min_ratio, tol=tol)
    events = _events(found)
    if place is not None:
        with whole_file(place) as beside:
            beside.write_text(as_csv(events), encoding="utf-8")
        voice.note(f"{len(events['l1'])} events written to {place}")
    _tell(found, events, voice)


def _events(found: Any) -> dict[str, list[Any]]:
    """Return what happened, in the order in which it did."""
    frame = found.frame()
    return {name: frame[name].to_list() for name in ("l1", "kind", "index", "name", "active")}


def _tell(found: Any, events: dict[str, list[Any]], voice: Voice) -> None:
    gap = found.certificate(midpoints=True).worst_gap
    moves = [
        (l1, f"{name} {kind}s", active)
        for l1, kind, _, name, active in zip(*events.values(), strict=True)
        if kind in _MOVES
    ]
    if voice.json:
        voice.answer(
            {
                "status": str(found.status),
                "worst_gap": gap,
                "events": [
                    dict(zip(events, row, strict=True))
                    for row in zip(*events.values(), strict=True)
                ],
            }
        )
        return
    first = found.coef_at(found.l1[min(1, len(found.l1) - 1)])
    begun = " and ".join(str(found.names[j]) for j in np.flatnonzero(first)) or "no variable"
    moves.insert(0, (events["l1"][0], f"start with {begun}", events["active"][0]))
    voice.show("the first variables to enter or leave", ("λ₁", "event", "active"), moves[:_SHOWN])
    voice.tell(
        "",
        f"{found.status} {len(events['l1'])} events in all; --out writes them to a file.",
        f"Certified: the worst relative duality gap, between breakpoints too, is {gap:.1e}.",
    )
