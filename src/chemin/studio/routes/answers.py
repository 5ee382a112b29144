"""What do the scripts of a page ask for? Data as JSON, the steps of a job as they come, files to be kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import numpy as np
from sklearn.utils import _safe_indexing
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from chemin.exceptions import CheminError
from chemin.report.explorer import page_data
from chemin.report.explorer.packing import pack
from chemin.report.material import Material
from chemin.studio import composing, exporting
from chemin.studio.routes.begin import texts
from chemin.studio.routes.shown import desk_of, entry_of, told, words_of
from chemin.study.steps.reading import split_rows

_ROOM = 8  # times as much as a report carries: nothing is sent to anyone
_EVERY = 0.1  # seconds after which a job is looked at again
_EXAMPLES = 3  # images of each class


@told
def pictures(request: Request) -> Response:
    """Return the points of the pictures of a look."""
    project, entry = entry_of(request)
    found = desk_of(request).looks.pictures(project, entry.recipe)
    return Response(found, media_type="application/json")


@told
def explorer(request: Request) -> Response:
    """Return the paths of an entry, to be moved on in the page; with the row that is asked for among its cases."""
    project, entry = entry_of(request)
    desk = desk_of(request)
    study = desk.study(project, entry.number)
    words = words_of(request)
    found = page_data(Material(study.document, study.arrays), words, _ROOM)
    row = request.query_params.get("row", "")
    if (
        row
        and found["rows"]["learned"]
        and row not in [one["name"] for one in found["rows"]["cases"]]
    ):
        source = desk.reading(entry).learned_from()
        points = desk.composer.points(source, entry.recipe)
        truth = str(source.y[points.place(row)])
        found["rows"]["cases"].append({"name": row, "truth": truth, "x": pack(points.at(row)[0])})
    return JSONResponse(found)


@told
def images(request: Request) -> Response:
    """Return the mean image of each class, and a few of its images, of the rows that are learned from."""
    _, entry = entry_of(request)
    source = desk_of(request).reading(entry).learned_from()
    train = split_rows(source, entry.recipe)[1]["train"]
    values = np.asarray(_safe_indexing(source.X, train), dtype=float)
    names = [source.row_names[row] for row in train]
    found = []
    for label in source.labels:
        mine = np.flatnonzero(source.y[train] == label)
        found.append(
            {"label": label, "row": "", "pixels": np.round(values[mine].mean(axis=0), 2).tolist()}
        )
        found += [
            {"label": label, "row": names[i], "pixels": values[i].tolist()}
            for i in mine[:_EXAMPLES]
        ]
    return JSONResponse(
        {"shape": source.table.image_shape, "most": float(values.max()), "images": found}
    )


async def check(request: Request) -> Response:
    """Return what kernels say and would cost, before anything is learned."""
    form = texts(await request.form())
    return await run_in_threadpool(_check, request, form)


def _check(request: Request, form: dict[str, str]) -> Response:
    try:
        _, entry = entry_of(request)
        desk = desk_of(request)
        points = desk.composer.points(desk.reading(entry).learned_from(), entry.recipe)
        pair = (form.get("a", ""), form.get("b", ""))
        lines = composing.as_lines(form.get("kernels", ""))
        return JSONResponse(composing.check(points, lines, entry.recipe, pair))
    except CheminError as error:
        return JSONResponse({"error": str(error)}, 422)


def events(request: Request) -> Response:
    """Return the steps of a job as they come, from its first one."""
    project, entry = entry_of(request)
    job = desk_of(request).jobs.of(project.study_folder(entry.number))

    async def told() -> AsyncIterator[str]:
        sent = 0
        while job is not None:
            for event in job.events[sent:]:
                yield f"id: {sent}\ndata: {json.dumps(event)}\n\n"
                sent += 1
                if event["event"] == "over":
                    return
            await asyncio.sleep(_EVERY)
        yield 'data: {"event": "over", "why": "unknown", "at": 0}\n\n'

    return StreamingResponse(told(), media_type="text/event-stream")


@told
def export(request: Request) -> Response:
    """Return what was learned as a file."""
    project, entry = entry_of(request)
    desk = desk_of(request)
    study = desk.study(project, entry.number)
    model = request.query_params.get("model", "")
    what: Any = request.path_params["what"]
    name = f"{project.name}-{entry.number}"
    made = exporting.exported(what, study, entry.recipe, name, words_of(request).language, model)
    named = f"attachment; filename*=UTF-8''{quote(made.name)}"
    return Response(made.content, media_type=made.kind, headers={"content-disposition": named})
