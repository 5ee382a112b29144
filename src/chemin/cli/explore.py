"""``chemin explore``: what a table looks like, before anything is learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from chemin.cli import options
from chemin.cli.console import Voice, as_options
from chemin.exceptions import CheminError, InvalidInputError
from chemin.exploration import Exploration
from chemin.exploration import explore as look_at
from chemin.study.workspace import check_place, whole_file

_ASSOCIATIONS = 8  # pairs of columns that are told
_PARTS = ("description", "findings", "dependence", "projection", "groups", "densities")


@options.shared
def explore(
    source: options.Source,
    target: options.Target = None,
    picture: Annotated[
        str | None, typer.Option("--picture", help="A file to draw a page in: .png, .svg or .pdf.")
    ] = None,
    budget: Annotated[
        float,
        typer.Option(help="Seconds for each part, beyond which it looks at some of the rows."),
    ] = 60.0,
    force: options.Force = False,
    *,
    reading: options.Reading,
    voice: Voice,
) -> None:
    """Describe every column, check the table, and tell what depends on what and whether there are groups.

    Examples:
      chemin explore patients.csv --target diagnostic
      chemin explore iris --picture iris.png
    """
    place = None if picture is None else _place(picture, force)
    table = reading.table(source, target=target)
    look = look_at(table, budget=budget, progress=voice.draws_bars)
    if voice.json:
        voice.answer(_as_data(look))
    else:
        _tell(look, voice)
    if place is not None:
        with whole_file(place) as beside:
            look.plot().savefig(beside, format=place.suffix[1:], dpi=150)
        voice.note(f"picture  {place}")


def _place(picture: str, force: bool) -> Path:
    place = Path(picture)
    if place.suffix not in (".png", ".svg", ".pdf"):
        raise InvalidInputError(
            f"--picture {picture!r}: name a file that ends in .png, .svg or .pdf"
        )
    check_place(place, force)
    return place


def _tell(look: Exploration, voice: Voice) -> None:
    table = look.subject.table
    for note in (
        *(one for one in table.guesses if not one.what.startswith("type of")),
        *table.losses,
    ):
        voice.note(f"  {as_options(str(note))}")
    columns = look.description.columns
    voice.show(
        f"{table.name}: {look.said}",
        ("column", "type", "what it holds"),
        [(one.name, one.type + " (target)" * (one.role == "target"), str(one)) for one in columns],
    )
    voice.tell("", *as_options(str(look.findings)).splitlines())
    for part in ("dependence", "groups"):
        try:
            lines = str(getattr(look, part)).splitlines()
        except CheminError as error:  # such as one column alone
            lines = [f"{part}: {error}"]
        voice.tell("", *lines[: _ASSOCIATIONS + 1])


def _as_data(look: Exploration) -> dict[str, Any]:
    """Return every part as rows, or why it is not there."""
    found: dict[str, Any] = {"name": look.subject.table.name, "rows": look.said}
    for part in _PARTS:
        try:
            made = getattr(look, part)
            frame = made.frame()
            found[part] = {"said": str(made).splitlines()[0], "rows": _records(frame)}
        except CheminError as error:
            found[part] = {"said": str(error), "rows": []}
    return found


def _records(frame: Any) -> list[dict[str, Any]]:
    columns = {name: frame[name].to_numpy().tolist() for name in frame.columns}
    return [{name: values[row] for name, values in columns.items()} for row in range(len(frame))]
