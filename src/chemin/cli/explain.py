"""``chemin explain``: why a model decides so about one row."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from chemin.cli import options
from chemin.cli.console import Voice
from chemin.cli.models import Asked, asked_for
from chemin.exceptions import InvalidInputError
from chemin.results import figures
from chemin.study import Recipe
from chemin.study.steps.explaining import explain_row, told_of
from chemin.tables import Table


@options.shared
def explain(
    model: options.Model,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Where the row is; the data of the study by default.",
            show_default=False,
        ),
    ] = None,
    row: Annotated[
        str,
        typer.Option(
            "--row", "-r", help="Its name, where an identifier names rows, or its number from 0."
        ),
    ] = "0",
    which: options.Which = None,
    top: Annotated[int, typer.Option(help="How many terms are told one by one.")] = 12,
    *,
    reading: options.Reading,
    voice: Voice,
) -> None:
    """Tell the terms of one decision, the largest first: they add up to it exactly.

    Examples:
      chemin explain patients-study --row P0011
      chemin explain patients-study new.csv --row 12
    """
    asked = asked_for(model, which)
    if source is None:
        recipe = _recipe_of(asked, model)
        source = recipe.source
        reading = replace(reading, given=recipe.read | reading.given)
    table = asked.read(source, reading)
    place = _place(table, row)
    one = table.frame()[place : place + 1]
    found = explain_row(asked.model, one)
    voice.note(f"row {row}: {_told(asked.model.predict(one)[0])}, {asked.said}")
    if voice.json:
        voice.answer(told_of(found) | {"row": row, "decision": found.decision})
        return
    voice.tell(*found.summary(top).splitlines())


def _told(predicted: Any) -> str:
    return figures(predicted) if isinstance(predicted, float) else str(predicted)


def _recipe_of(asked: Asked, model: str) -> Recipe:
    """Return what says where the data of the study are, and how they are read."""
    if asked.study is None:
        raise InvalidInputError(f"{model} does not know its data: name a FILE that holds the row")
    return asked.study.document.recipe


def _place(table: Table, row: str) -> int:
    """Return the place of a row, by its name or its number."""
    for column in table.columns:
        if column.field.type == "identifier":
            named = [str(value) for value in column.values.tolist()]
            if row in named:
                return named.index(row)
    rows = table.shape[0]
    if row.isdecimal() and int(row) < rows:
        return int(row)
    raise InvalidInputError(
        f"--row {row!r}: no identifier names a row so, and the numbers go from 0 to {rows - 1}"
    )
