"""``chemin report``: what a study says, again, as a page, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chemin import report as reports
from chemin.cli import options
from chemin.cli.console import Voice
from chemin.cli.learn import report_place, told_report
from chemin.exceptions import InvalidInputError
from chemin.study import Study, read_study
from chemin.study.workspace import check_place, whole_file

_FORMS = ("html", "md", "json")


@options.shared
def report(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="A study that chemin learn has written.", show_default=False
        ),
    ],
    form: Annotated[str, typer.Option("--format", "-f", help="html, md or json.")] = "html",
    language: options.Language = "en",
    redact: options.Redact = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            help="Where to write; beside the study by default, - for standard output.",
        ),
    ] = None,
    force: options.Force = False,
    *,
    voice: Voice,
) -> None:
    """Write the report of a study: the same bytes whenever and wherever it is written.

    Examples:
      chemin report patients-study --language fr --force
      chemin report patients-study --redact --out patients-without-rows.html
      chemin report patients-study --format md --out -
    """
    if form not in _FORMS:
        raise InvalidInputError(f"--format {form!r}: pass one of {', '.join(_FORMS)}")
    study = read_study(folder)
    text = _written(study, form, language, redact)
    if out == "-":
        voice.tell(text.rstrip("\n"))
        return
    place = Path(out) if out is not None else report_place(study.folder).with_suffix(f".{form}")
    check_place(place, force or _holds(place, text))
    with whole_file(place) as beside:
        beside.write_bytes(text.encode())
    if voice.json:
        voice.answer({"report": str(place)})
    else:
        voice.tell(told_report(place, redact))


def _holds(place: Path, text: str) -> bool:
    return place.is_file() and place.read_bytes() == text.encode()


def _written(study: Study, form: str, language: str, redact: bool) -> str:
    if form == "json":
        return reports.json(study, redact=redact)
    write = reports.html if form == "html" else reports.markdown
    return write(study, language, redact=redact)
