"""``chemin learn``: a study of a file, and its report beside it."""

from __future__ import annotations

import re
from json import loads
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from chemin import report, study
from chemin.cli import options
from chemin.cli.console import Voice
from chemin.exceptions import StudyError
from chemin.study import Listener, Recipe, Study
from chemin.study.brief import in_brief
from chemin.study.codec import to_json
from chemin.study.document import DataFacts
from chemin.study.estimate import StudyCost
from chemin.study.recipe import from_options
from chemin.study.workspace import Workspace, whole_file

_LONGEST = 80  # letters of a name that is made of a file's


class _Telling(Listener):
    """Notes of every step on standard error."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice

    def found(self, data: DataFacts) -> None:
        for guess in data.guesses:
            self.voice.note(f"    {guess.what}: {guess.value} ({guess.evidence})")
        for loss in data.losses:
            self.voice.note(f"    {loss}")

    def estimated(self, cost: StudyCost) -> None:
        self.voice.note(f"this will take {cost}, roughly; Ctrl-C keeps what is done")

    def ended(self, step: str, said: str, seconds: float, before: bool) -> None:
        when = "done before" if before else f"{seconds:.1f} s"
        self.voice.note(f"  {step:<8} {said} ({when})")


@options.shared
def learn(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="What to learn from: a file, a folder of images, a bundled name, or a recipe (.toml).",
            show_default=False,
        ),
    ],
    target: options.Target = None,
    kernels: Annotated[
        list[str] | None,
        typer.Option(
            "--kernel",
            "-k",
            metavar="KERNEL",
            help="What makes two rows alike, such as 'gaussian(1).on(age, weight)'; widths are in standard "
            "deviations. Repeat it.",
        ),
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="linear, basis, or both between commas.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Models to compare with, between commas, or none; chemin compare --list names them."
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="Of two classes, the one that words speak for.")
    ] = None,
    l2: Annotated[
        float | None,
        typer.Option(
            "--l2",
            help="Second penalty of both models: larger, and terms that are alike share a decision.",
        ),
    ] = None,
    test: Annotated[
        float | None, typer.Option(help="Share of the rows kept for the test, 0.2 by default.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Of cross-validation, 5 by default.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Seconds that the comparison may take, 300 by default.")
    ] = None,
    cases: Annotated[
        int | None, typer.Option(help="How many test rows are explained, 6 by default.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="What everything is drawn from, 0 by default.")
    ] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Folder of the study.")] = None,
    language: options.Language = "en",
    redact: options.Redact = False,
    force: options.Force = False,
    *,
    reading: options.Reading,
    voice: Voice,
) -> None:
    """Read, look, learn, compare, explain; write a study and its report.

    The study is a folder named after the file, and the report one HTML file beside it, which opens offline. Both carry
    rows of the data, the report unless --redact is passed. Some rows are kept aside, and judge models that have not
    seen them. A study that was stopped goes on with the same command.

    Examples:
      chemin learn breast-cancer
      chemin learn patients.csv --target diagnostic
      chemin learn patients.csv -t diagnostic -k "gaussian(1).on(age, weight)"
    """
    asked: dict[str, Any] = {
        "target": target,
        "kernels": kernels or None,
        "models": _listed(models),
        "against": _listed(against),
        "positive": positive,
        "l2": l2,
        "test": test,
        "folds": folds,
        "budget": budget,
        "cases": cases,
        "random_state": seed,
    }
    told = {name: value for name, value in asked.items() if value is not None}
    recipe = from_options(source, told, reading.given)
    folder = Path(out or f"{_name_of(recipe.source)}-study")
    report.check_language(language)
    place = report_place(folder)
    _check_report(place, folder, force)
    made = _learned(recipe, folder, force, reading.memory, voice)
    _write_report(report.html(made, language, redact=redact), place, force)
    if voice.json:
        voice.answer({"study": str(folder), "report": str(place)} | _json_of(made))
        return
    if not voice.quiet:
        voice.tell(*in_brief(made.document), "")
    voice.tell(f"study   {folder}", told_report(place, redact))
    for lead, command in zip(("next", ""), _next(made), strict=True):
        voice.note(f"{lead:<7} {command}")


def _next(made: Study) -> tuple[str, str]:
    """Return what can be done with a study."""
    named = quote(str(made.folder))
    row = made.document.cases[0].row if made.document.cases else "0"
    return f"chemin explain {named} --row {quote(row)}", f"chemin predict {named} FILE"


def _learned(
    recipe: Recipe, folder: Path, force: bool, memory: float | None, voice: Voice
) -> Study:
    try:
        return study.learn(
            recipe, folder, force=force, memory=memory,
            listener=_Telling(voice), progress=voice.draws_bars,
        )  # fmt: skip
    except KeyboardInterrupt:
        if Workspace(folder).is_begun:
            voice.note(f"stopped; what is done is kept in {folder}, and the same command goes on")
        raise


def report_place(folder: Path) -> Path:
    """Return where the report of a study is: beside its folder.

    Examples
    --------
    >>> report_place(Path("work/patients-study")).as_posix(), report_place(Path("here")).as_posix()
    ('work/patients.html', 'here.html')
    """
    return folder.with_name(f"{folder.name.removesuffix('-study')}.html")


def _check_report(place: Path, folder: Path, force: bool) -> None:
    """Refuse to take the place of a file that is not the report of the study there."""
    if place.exists() and not force and not Workspace(folder).is_finished:
        raise StudyError(
            f"{place} is there already: pass --force to take its place, or --out another-folder"
        )


def told_report(place: Path, redacted: bool) -> str:
    """Return where a report is, and whether whoever reads it reads rows of the data."""
    carried = "without values and names of rows" if redacted else "it carries rows of the data"
    return f"report  {place} ({carried})"


def _write_report(text: str, place: Path, force: bool) -> None:
    page = text.encode()
    if place.exists() and place.read_bytes() == page:
        return
    if place.exists() and not force:
        raise StudyError(
            f"{place} is there already, and is another report: pass --force to take its place"
        )
    with whole_file(place) as beside:
        beside.write_bytes(page)


def _name_of(source: str) -> str:
    """Return a name for a study, made of a file's, that is a name of a file everywhere."""
    name = Path(source).name or "data"
    stem = name.split(".")[0] or "data"
    safe = re.sub(r"[^\w\- ]", "-", stem).strip("- ")[:_LONGEST]
    return safe or "data"


def _listed(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [part.strip() for part in text.split(",") if part.strip()]


def _json_of(made: Study) -> dict[str, Any]:
    found: dict[str, Any] = loads(to_json(made.document))
    return found
