"""What does a page carry of a study, so that a browser can compute what Python has computed?

Coefficients and dual values at all breakpoints, the rows that were learned from, the kernels as formulas: decisions
and the duality gap follow from these at every λ₁. Where the rows are too many, or may not be shown, or a kernel has no
formula, the page says so, and takes Python's word.

A page has a largest size. The paths may take so many numbers of it, shared evenly by all machines; where they have
more, breakpoints are left out, evenly along log λ₁. At those that are kept the solution is exact, between them it is
the chord, and the page computes its gap as everywhere. Where the page is still too large, paths get a quarter, and then
the rows are left out too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.report.explorer.packing import Packed, pack
from chemin.report.french import OF_SCRIPTS
from chemin.report.material import Material
from chemin.report.words import ENGLISH, Words
from chemin.results import plain
from chemin.study.document import ModelFacts

Arrays = Mapping[str, NDArray[Any]]

_LARGEST = 5_000_000  # characters of what a page carries
_MOST_NUMBERS = 240_000  # of all paths of a page, 8 bytes each
_MOST_ROWS = 300_000  # numbers of the rows
_MOST_COLUMNS = 4_000_000  # numbers that a browser computes from them
_FEWEST_KEPT = 20  # breakpoints of a path, however many machines there are
_CURVE = 300  # places of a curve of errors,
_CURVES = 1800  # of all curves of a model,
_SHORTEST_CURVE = 40  # and of one at least
_CERTIFIED = 1e-9


class Budget(NamedTuple):
    """How many numbers the paths of a page may have, and whether it carries rows."""

    numbers: int
    shows_rows: bool


def page_data(material: Material, words: Words, room: int = 1) -> dict[str, Any]:
    """Return all that the scripts of a page are given: as much as fits.

    Parameters
    ----------
    material : Material
        The study.
    words : Words
        Of the page.
    room : int, default 1
        How many times as large as a file that is sent the page may be.
    """
    numbers = room * _MOST_NUMBERS
    size = material.arrays.get("points/X", np.empty(0)).size
    shows_rows = 0 < size < _MOST_ROWS
    data: dict[str, Any] = {}
    for budget in (
        Budget(numbers, shows_rows),
        Budget(numbers // 4, shows_rows),
        Budget(numbers // 4, False),
    ):
        data = _within(budget, material, words)
        if len(json.dumps(data)) <= room * _LARGEST:
            break
    return data


def _within(budget: Budget, material: Material, words: Words) -> dict[str, Any]:
    models = material.document.models
    return {
        "language": words.language,
        "words": {} if words.language == ENGLISH else OF_SCRIPTS,
        "task": material.document.data.task,
        "image_shape": material.document.data.image_shape,
        "rows": _rows(material, budget.shows_rows),
        "models": {model.name: _model(material, model, budget) for model in models},
    }


def _model(material: Material, model: ModelFacts, budget: Budget) -> dict[str, Any]:
    """Return what the page carries of a model: all that JSON holds."""
    count = len(model.machines)
    share = budget.numbers // (count * len(material.document.models))
    machines = [_machine(material, model, k, share, budget.shows_rows) for k in range(count)]
    return {"names": _texts(material.arrays["points/names"]), "machines": machines}


def _rows(material: Material, shown: bool) -> dict[str, Any]:
    """Return the rows that all models of a page share: those learned from, and those explained."""
    arrays = material.arrays
    if not shown:
        return {"learned": None, "cases": [], "names": None}
    X = arrays["points/X"]
    names = _texts(arrays["points/rows"])
    found: dict[str, Any] = {"learned": [pack(column) for column in X.T], "names": names}
    cases = arrays.get("cases/X", np.empty((0, 0)))
    told: dict[str, Any] = {}
    for case, row in zip(material.document.cases, cases, strict=True):
        told.setdefault(
            case.row, {"name": plain(case.row), "truth": plain(case.truth), "x": pack(row)}
        )
    found["cases"] = list(told.values())
    return found


def _machine(
    material: Material, model: ModelFacts, place: int, share: int, shown: bool
) -> dict[str, Any]:
    facts = model.machines[place]
    mine = _under(material.arrays, f"{model.name}/{place}/")
    path = _under(mine, "path/")
    kept = _kept(path, share)
    columns = _columns(mine)
    entries = len(mine["rows"]) * len(mine["l1_weight"])
    told: dict[str, Any] = {
        "name": plain(facts.name),
        "sides": _texts(mine["sides"]),
        "sign": float(mine["sign"]),
        "l1": pack(path["l1"][kept]),
        "breakpoints": len(path["l1"]),
        "intercept": pack(path["intercept"][kept]),
        "coef": _series(path, "coef", kept),
        "chosen": float(mine["l1"]),
        "interval": _bounded(facts.interval, float(path["l1"][0])),
        "tolerance": max(float(mine["tol"]), _CERTIFIED),
        "is_exact": float(mine["tol"]) == 0.0,
        "thinned": len(kept) < len(path["l1"]),
        "l2": float(mine["l2"]),
        "events": _events(path, kept, material.redacted),
        "choice": _choice(_under(mine, "choice/"), len(model.machines)),
        "columns": columns,
        "count": len(mine["l1_weight"]),
        "margin": _margin(path, kept, mine),
        "computes": shown and columns is not None and entries < _MOST_COLUMNS,
    }
    if told["computes"]:
        return told | _problem(mine, path, kept) | {"error": facts.error}
    return told | {"gap": pack(_worst(path["gap"], kept))}


def _problem(mine: Arrays, path: Arrays, kept: NDArray[Any]) -> dict[str, Any]:
    """Return what the duality gap is computed from, beside coefficients and rows."""
    kink, slope = mine["loss/kink"], mine["loss/slope"]
    told: dict[str, Any] = {
        "rows": pack(mine["rows"]),
        "label": pack(mine["label"]),
        "l1_weight": pack(mine["l1_weight"]),
        "kink": [pack(one) for one in kink.T],
        "slope": [pack(one) for one in slope.T],
        "width": pack(mine["loss/width"]) if "loss/width" in mine else None,
        "dual": _series(path, "dual", kept) if "dual/series" in path else None,
    }
    if "use/coef" in mine:
        told["use"] = {name: pack(mine[f"use/{name}"]) for name in ("columns", "coef", "dual")} | {
            name: float(mine[f"use/{name}"]) for name in ("l1", "l2", "intercept")
        }
    return told


def _columns(mine: Arrays) -> dict[str, Any] | None:
    """Return how columns follow from rows; None where a kernel has no formula."""
    told: dict[str, Any] = {"unit": pack(mine["unit"]) if "unit" in mine else None}
    if "kernels" not in mine:
        return told
    trees = [json.loads(str(text)) for text in mine["kernels"]]
    if None in trees:
        return None
    return told | {
        "kernels": trees,
        "kernel_names": _texts(mine["kernel_names"]),
        "centers": pack(mine["centers"]),
        "scale": pack(mine["scale"]) if "scale" in mine else None,
        "kernel_unit": pack(mine["kernel_unit"]) if "kernel_unit" in mine else None,
    }


def _kept(path: Arrays, share: int) -> NDArray[Any]:
    """Return the breakpoints that a page carries: all of them, or as many as its share of numbers allows."""
    count = len(path["l1"])
    numbers = sum(len(path[name]) for name in ("coef/value", "dual/value") if name in path)
    if numbers <= share:
        return np.arange(count)
    wanted = max(int(count * share / numbers), _FEWEST_KEPT)
    l1 = np.log(np.maximum(path["l1"], 1e-3 * path["l1"][0]))
    levels = np.linspace(l1[0], l1[-1], min(wanted, count))
    return np.unique(np.r_[0, np.searchsorted(-l1, -levels), count - 1].clip(0, count - 1))


def _series(path: Arrays, name: str, kept: NDArray[Any]) -> dict[str, Packed]:
    """Return series by their knots at the breakpoints that are kept."""
    whole = {part: path[f"{name}/{part}"] for part in ("series", "start", "at", "value")}
    if len(kept) == len(path["l1"]):
        return _knots(whole)
    start, at, value = [0], [], []
    for first, last in zip(whole["start"][:-1], whole["start"][1:], strict=True):
        knots = np.searchsorted(whole["at"][first:last], kept, side="right") - 1
        one = whole["value"][first:last][knots]
        moves = one[1:] != one[:-1]
        stay = np.flatnonzero(np.r_[True, moves] | np.r_[moves, False])
        at.append(stay)
        value.append(one[stay])
        start.append(start[-1] + len(stay))
    ends = {"at": np.empty(0, int), "value": np.empty(0)}
    return _knots({
        "series": whole["series"],
        "start": np.array(start),
        "at": np.concatenate([*at, ends["at"]]),
        "value": np.concatenate([*value, ends["value"]]),
    })  # fmt: skip


def _knots(whole: Arrays) -> dict[str, Packed]:
    """Return knots; their breakpoints as steps from one to the next, which are small, each series from 0."""
    step = np.diff(whole["at"], prepend=0)
    step[whole["start"][:-1]] = 0  # every series begins at breakpoint 0
    return {
        "series": pack(whole["series"]),
        "start": pack(whole["start"]),
        "step": pack(step),
        "value": pack(whole["value"]),
    }


def _worst(gap: NDArray[Any], kept: NDArray[Any]) -> NDArray[Any]:
    """Return the gap at the kept breakpoints, rounded up to what one reads."""
    digits = 10.0 ** np.floor(np.log10(np.maximum(gap[kept], 1e-300)))
    return np.where(gap[kept] > 0.0, np.ceil(gap[kept] / digits) * digits, 0.0)


def _events(path: Arrays, kept: NDArray[Any], redacted: bool) -> dict[str, Packed]:
    """Return what happened at the kept breakpoints: all events, those left out at the next one that is kept."""
    at = np.searchsorted(kept, path["at"])
    mine = np.isin(path["at"], kept)
    index = path["index"][mine]
    if redacted:
        index = np.where(np.isin(path["kind"][mine], (3, 4, 5)), -1, index)
    return {"kind": pack(path["kind"][mine]), "index": pack(index), "at": pack(at[mine])}


def _margin(path: Arrays, kept: NDArray[Any], mine: Arrays) -> Packed:
    """Return how many rows are at a kink at each breakpoint."""
    if "dual/series" not in path:
        return pack(np.full(len(kept), -1))
    count = np.zeros(len(path["l1"]), dtype=np.int64)
    lowest, highest = -mine["loss/slope"][:, -1], -mine["loss/slope"][:, 0]
    for k, row in enumerate(path["dual/series"]):
        first, last = path["dual/start"][k], path["dual/start"][k + 1]
        value = path["dual/value"][first:last]
        inside = (value > lowest[row]) & (value < highest[row])
        np.add.at(count, path["dual/at"][first:last][inside], 1)
    return pack(count[kept])


def _bounded(interval: tuple[float, float] | None, first: float) -> tuple[float, float] | None:
    """Return an interval of l1 up to the first breakpoint; that of an empty model has no end."""
    return None if interval is None else (interval[0], min(interval[1], first))


def _choice(curve: Arrays, machines: int) -> dict[str, Packed]:
    """Return the cross-validated error at a few hundred places, its steps kept where there are fewer."""
    most = min(_CURVE, max(_CURVES // machines, _SHORTEST_CURVE))
    known = np.flatnonzero(np.isfinite(curve["error"]) & (curve["l1"] > 0.0))
    order = known[np.argsort(-curve["l1"][known], kind="stable")]
    if len(order) > most:
        l1 = np.log(curve["l1"][order])
        levels = np.linspace(l1[0], l1[-1], most)
        order = order[np.unique(np.searchsorted(-l1, -levels).clip(0, len(order) - 1))]
    return {
        "l1": _short(curve["l1"][order]),
        "error": _short(curve["error"][order]),
        "spread": _short(np.nan_to_num(curve["spread"][order])),
    }


def _texts(values: NDArray[Any]) -> list[str]:
    return [plain(text) for text in values.tolist()]


def _short(values: NDArray[Any]) -> Packed:
    """Return numbers that are only drawn, to six digits."""
    return pack(np.array([float(f"{value:.6g}") for value in values]))


def _under(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): value
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
