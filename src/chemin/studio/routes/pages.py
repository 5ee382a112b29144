"""What does a person see? One function for each page."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chemin.exceptions import StudyError
from chemin.report.blocks import Section
from chemin.report.material import Material
from chemin.report.sections import report_of
from chemin.report.sections.cases import the_cases
from chemin.report.sections.look import a_look
from chemin.report.sections.scores import told_score
from chemin.report.sections.short import title_of
from chemin.report.words import Words
from chemin.studio import reading
from chemin.studio.comparing import compared, judged_alike, same_models
from chemin.studio.desk import BUDGET, Desk
from chemin.studio.history import LEARN, Entry
from chemin.studio.home import SAMPLES
from chemin.studio.routes.shown import (
    desk_of,
    entry_of,
    entry_page,
    page,
    project_of,
    told,
    words_of,
)
from chemin.study import Study
from chemin.study.document import ModelFacts
from chemin.study.steps.explaining import case_of

_FOLDED = 40  # columns whose types stand open
_ELSEWHERE = ("look", "data")  # sections of a report that have a page of their own
_MOST_NAMES = 5000  # of rows that a page offers


@told
def home(request: Request) -> Response:
    """Choose a file, or go on with a project."""
    found = desk_of(request).home
    projects = [found.project(name) for name in found.names]
    return page(request, "home", projects=projects, samples=SAMPLES, folder=found.folder)


@told
def project(request: Request) -> Response:
    """Go to the last entry."""
    last = project_of(request).entries[-1]
    step = "model" if last.kind == LEARN else "data"
    return RedirectResponse(f"/p/{request.path_params['name']}/{last.number}/{step}", 303)


@told
def data(request: Request) -> Response:
    """Show what was read and guessed, to be corrected."""
    _, entry = entry_of(request)
    found = desk_of(request).reading(entry)
    table = found.table
    guesses = [] if table is None else list(table.guesses)
    of_file = [one for one in guesses if not one.what.startswith(("type of", "missing in"))]
    given = {
        name: reading.as_typed(name, entry.recipe.read.get(name)) for name in reading.ARGUMENTS
    }
    return entry_page(
        request,
        "data",
        error=found.error,
        table=table,
        source=found.source,
        preview=found.preview(words_of(request).number),
        first_columns=found.first_columns(),
        guessed={one.argument: reading.as_typed(one.argument, one.given) for one in of_file},
        evidence={one.argument: one.evidence for one in of_file},
        labels=reading.LABELS,
        given=given,
        choices=reading.CHOICES,
        arguments=reading.ARGUMENTS if table is None else reading.offered(entry.recipe.source),
        asked=[
            name
            for name in reading.ARGUMENTS
            if given[name] or any(one.argument == name for one in of_file)
        ],
        types=reading.TYPES,
        typed={
            name: type if isinstance(type, str) else ", ".join(map(str, type))
            for name, type in entry.recipe.read.get("types", {}).items()
        },
        folded=table is not None and len(table.columns) > _FOLDED,
    )


def _to_data(request: Request) -> Response:
    """Lead to the page that says why there is nothing to learn from, and asks for what is missing."""
    project, entry = entry_of(request)
    return RedirectResponse(f"/p/{project.name}/{entry.number}/data", 303)


@told
def look(request: Request) -> Response:
    """Show findings, and where the pictures will be."""
    project, entry = entry_of(request)
    if desk_of(request).reading(entry).source is None:
        return _to_data(request)
    document = desk_of(request).looks.document(project, entry.recipe)
    section = a_look(Material(document, {}), words_of(request))
    return entry_page(request, "look", section=section, split=document.split)


@told
def kernels(request: Request) -> Response:
    """Compose kernels, beginning with those of an entry."""
    _, entry = entry_of(request)
    desk = desk_of(request)
    source = desk.reading(entry).source
    if source is None:
        return _to_data(request)
    points = desk.composer.points(source, entry.recipe)
    return entry_page(
        request,
        "kernels",
        variables=[] if source.table.image_shape else list(points.columns),
        rows=[source.row_names[row] for row in points.rows],
        image_shape=source.table.image_shape,
        text="\n".join(entry.recipe.kernels),
        labels=source.labels,
        budget=f"{BUDGET:g}",
        l2=_typed(entry.recipe.l2),
        compared=entry.recipe.against != ("none",) and entry.kind == LEARN,
    )


@told
def model(request: Request) -> Response:
    """Show what was learned, or how far learning is."""
    project, entry = entry_of(request)
    desk = desk_of(request)
    folder = project.study_folder(entry.number)
    if entry.kind != LEARN:
        return RedirectResponse(f"/p/{project.name}/{entry.number}/kernels", 303)
    job = desk.jobs.of(folder)
    if not project.is_learned(entry.number) or (job is not None and not job.is_over):
        return entry_page(
            request, "learning", running=desk.jobs.is_running(folder), budget=job.budget if job else BUDGET,
            seconds=job.seconds if job else 0.0,
        )  # fmt: skip
    study = desk.study(project, entry.number)
    report = report_of(Material(study.document, study.arrays), words_of(request))
    row = request.query_params.get("row", "")
    shown = [_staying(one) for one in report.sections if one.name not in _ELSEWHERE]
    learned = project.learned()
    others = [one for one in learned if one.number != entry.number]
    alike = [one for one in learned if replace(one.recipe, l2=entry.recipe.l2) == entry.recipe]
    ridges = {one.recipe.l2: one.number for one in (*alike, entry)}
    return entry_page(
        request, "model", sections=shown, document=study.document, others=others, row=row,
        asked=_explained(desk, study, entry, row, words_of(request)) if row else None,
        rows=desk.reading(entry).learned_from().row_names[:_MOST_NAMES], l2=_typed(entry.recipe.l2),
        ridges=[(ridges[l2], _typed(l2)) for l2 in sorted(ridges, key=lambda l2: l2 or 0.0)],
    )  # fmt: skip


def _typed(l2: float | None) -> str:
    """Return λ₂ as a form has it."""
    return "" if l2 is None else f"{l2:g}"


def _staying(section: Section) -> Section:
    """Return a section without the caution to whoever sends a page: this one stays on the machine."""
    blocks = (one for one in section.blocks if getattr(one, "kind", "") != "caution")
    return replace(section, blocks=tuple(blocks))


def _explained(desk: Desk, study: Study, entry: Entry, row: str, words: Words) -> Section | None:
    """Return why each model decides so about one row."""
    source = desk.reading(entry).learned_from()
    place = desk.composer.points(source, entry.recipe).place(row)
    cases = tuple(
        case_of(model.name, study.model(model.name), source, place, row, words("as asked"))
        for model in study.document.models
    )
    return the_cases(Material(replace(study.document, cases=cases), study.arrays), words)


@told
def history(request: Request) -> Response:
    """Show all entries as a tree."""
    project = project_of(request)
    learned = {one.number for one in project.learned()}
    running = {
        one.number
        for one in project.entries
        if desk_of(request).jobs.is_running(project.study_folder(one.number))
    }
    left, right = (0, 0, *sorted(learned))[-2:]
    depth: dict[int, int] = {0: -1}
    for one in project.entries:
        depth[one.number] = depth[one.parent] + 1
    return page(
        request, "history", project=project, learned=learned, running=running, depth=depth, left=left,
        right=right,
        entry=project.entries[-1], step="history", line=[], scores=_scores(request),
    )  # fmt: skip


def _scores(request: Request) -> dict[int, list[tuple[str, str]]]:
    """Return every model of every entry, and how long and how good it is."""
    words = words_of(request)
    project = project_of(request)
    desk = desk_of(request)
    found = {}
    for one in project.learned():
        models = desk.study(project, one.number).document.models
        found[one.number] = [(title_of(model, words), _in_short(model, words)) for model in models]
    return found


def _in_short(model: ModelFacts, words: Words) -> str:
    """Return how long a model is, and its first measure."""
    told = [
        words.count(model.length, "term"),
        *(told_score(one, words) for one in model.scores[:1]),
    ]
    return ", ".join(told)


@told
def compare(request: Request) -> Response:
    """Show two branches side by side."""
    project = project_of(request)
    numbers = [_whole(request.query_params.get(side, "")) for side in ("a", "b")]
    for number in numbers:
        if not project.is_learned(project.entry(number).number):
            raise StudyError(f"entry {number} is not learned: go on with it first")
    desk = desk_of(request)
    words = words_of(request)
    studies = [desk.study(project, number) for number in numbers]
    entries = [project.entry(number) for number in numbers]
    source = desk.reading(entries[0]).source if judged_alike(studies) else None
    section = compared(studies, numbers, source, words)
    return page(
        request, "compare", project=project, entries=entries, section=section, entry=entries[0], step="history",
        line=[], models=[
            [
                (model.name, title_of(model, words))
                for model in study.document.models
                if model.name not in same_models(studies)
            ]
            for study in studies
        ],
    )  # fmt: skip


def _whole(text: str) -> int:
    """Return a number of an entry, 0 for what is none."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0
