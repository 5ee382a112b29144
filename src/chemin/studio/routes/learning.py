"""What begins to learn, goes on, or stops?"""

from __future__ import annotations

from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chemin.exceptions import CheminError, InvalidInputError
from chemin.studio.composing import as_lines
from chemin.studio.desk import BUDGET
from chemin.studio.routes.begin import SEE, texts
from chemin.studio.routes.shown import desk_of, entry_of, wrong
from chemin.study import Recipe
from chemin.study.steps.comparing import NONE

_LONGEST_BUDGET = 24 * 3600.0


async def learn(request: Request) -> Response:
    """Begin an entry, and learn it."""
    form = texts(await request.form())
    return await run_in_threadpool(_learn, request, form)


async def again(request: Request) -> Response:
    """Go on with what was stopped."""
    form = texts(await request.form())
    return await run_in_threadpool(_again, request, form)


def cancel(request: Request) -> Response:
    """Stop; what is done is kept."""
    try:
        project, entry = entry_of(request)
        job = desk_of(request).jobs.of(project.study_folder(entry.number))
        if job is not None:
            job.stop()
        return RedirectResponse(f"/p/{project.name}/{entry.number}/model", SEE)
    except CheminError as error:
        return wrong(request, str(error))


def _learn(request: Request, form: dict[str, str]) -> Response:
    try:
        project, entry = entry_of(request)
        recipe = recipe_of(entry.recipe, form)
        budget = _budget(form)
        new = desk_of(request).learn(project, entry.number, recipe, form.get("reason", ""), budget)
        return RedirectResponse(f"/p/{project.name}/{new.number}/model", SEE)
    except (CheminError, OSError) as error:
        return wrong(request, str(error))


def _again(request: Request, form: dict[str, str]) -> Response:
    try:
        project, entry = entry_of(request)
        desk_of(request).go_on(project, entry, _budget(form))
        return RedirectResponse(f"/p/{project.name}/{entry.number}/model", SEE)
    except (CheminError, OSError) as error:
        return wrong(request, str(error))


def recipe_of(recipe: Recipe, form: dict[str, str]) -> Recipe:
    r"""Return a recipe with what a form says of learning; what it does not say stays as it was.

    Examples
    --------
    >>> recipe_of(Recipe("iris", against=("none",)), {"kernels": "linear\ngaussian(1)", "compared": "yes"}).kernels
    ('linear', 'gaussian(1)')
    """
    kernels = as_lines(form["kernels"]) if "kernels" in form else recipe.kernels
    against = () if form.get("compared") else (NONE,)
    return replace(
        recipe, kernels=kernels, against=against, positive=form.get("positive", recipe.positive),
        l2=_penalty(form["l2"]) if "l2" in form else recipe.l2,
    )  # fmt: skip


def _penalty(text: str) -> float | None:
    """Return λ₂; None for that which a model has by default."""
    if not text.strip():
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InvalidInputError(f"λ₂ is {text!r}: pass a number above 0, such as 0.1") from None


def _budget(form: dict[str, str]) -> float:
    text = form.get("budget", "").replace(",", ".") or str(BUDGET)
    try:
        budget = float(text)
    except ValueError:
        budget = 0.0
    if not 0.0 < budget <= _LONGEST_BUDGET:
        raise InvalidInputError(f"the budget is {text!r}: pass seconds, such as {BUDGET:g}")
    return budget
