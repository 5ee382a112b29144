"""What begins a project, or reads its source in another way?"""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chemin.exceptions import CheminError, InvalidInputError
from chemin.report.words import LANGUAGES
from chemin.studio.history import READ
from chemin.studio.home import SAMPLES
from chemin.studio.reading import corrected
from chemin.studio.routes.shown import LANGUAGE, desk_of, entry_of, wrong

SEE = 303  # the status of an answer that leads to a page
_MOST_FIELDS = 20_000  # of a form: a type for every column


def texts(form: FormData) -> dict[str, str]:
    """Return the fields of a form that are texts."""
    return {name: value for name, value in form.items() if isinstance(value, str)}


async def language(request: Request) -> Response:
    """Keep the language that somebody chooses."""
    form = texts(await request.form())
    back = form.get("back", "/")
    here = back if back.startswith("/") and not back.startswith("//") and "\\" not in back else "/"
    answer = RedirectResponse(here, SEE)
    if form.get("language") in LANGUAGES:
        answer.set_cookie(LANGUAGE, form["language"], samesite="strict")
    return answer


async def open_source(request: Request) -> Response:
    """Begin a project with what was sent, or a bundled name."""
    try:
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            if isinstance(file, UploadFile) and file.filename:
                content = await file.read()
                return await run_in_threadpool(_uploaded, request, file.filename, content)
            return await run_in_threadpool(_bundled, request, texts(form).get("sample", ""))
    except (CheminError, OSError) as error:
        return wrong(request, str(error))


def _uploaded(request: Request, name: str, content: bytes) -> Response:
    if not content:
        raise InvalidInputError(f"{Path(name).name} is empty")
    project = desk_of(request).home.upload(name, content)
    return RedirectResponse(f"/p/{project.name}/1/data", SEE)


def _bundled(request: Request, name: str) -> Response:
    if name not in SAMPLES:
        raise InvalidInputError(f"choose a file, or one of {', '.join(SAMPLES)}")
    project = desk_of(request).home.open(name)
    return RedirectResponse(f"/p/{project.name}", SEE)


async def read_again(request: Request) -> Response:
    """Begin a branch whose source is read otherwise."""
    form = texts(await request.form(max_fields=_MOST_FIELDS))
    try:
        project, entry = entry_of(request)
        recipe = corrected(entry.recipe, form)
        if recipe == entry.recipe:
            return RedirectResponse(f"/p/{project.name}/{entry.number}/data", SEE)
        new = project.add(entry.number, READ, recipe, form.get("reason", ""))
        return RedirectResponse(f"/p/{project.name}/{new.number}/data", SEE)
    except (CheminError, OSError) as error:
        return wrong(request, str(error))
