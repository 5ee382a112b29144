"""What do these kernels say, and what would they cost? Lines of the closed grammar, read before anything is learned.

Each line is a kernel or a family. With n rows learned from, c of them centres, and k kernels there are c·k couples,
whose columns take 8·n·c·k bytes where they are all computed.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import CheminError, InvalidInputError
from chemin.kernels import Kernel, is_positive, parse_kernels, write_kernel
from chemin.kernels.base import On, Product, Scaled, Sum
from chemin.kernels.blocks import Columns
from chemin.kernels.elementary import (
    Constant,
    Epanechnikov,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
)
from chemin.study import Recipe
from chemin.study.estimate import estimate_study
from chemin.study.steps.learning import centers_of
from chemin.study.steps.reading import Source, split_rows
from chemin.tables import Prepare

_CHECKED = 150  # rows on which positivity is measured where it is not known
_MOST_LINES = 40
_LONGEST = 4000  # characters of a line
_KEPT = 2
_SHAPE = re.compile(r", shape=\([^)]*\)")  # of a window, which is that of the images


@dataclass(frozen=True, eq=False)
class Points:
    """Rows as kernels see them.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The rows learned from, prepared.
    columns : dict
        The names of the columns made of each variable.
    rows : ndarray
        Which rows of the source they are.
    """

    source: Source
    prepare: Prepare = field(repr=False)
    X: Floats = field(repr=False)
    columns: Mapping[str, list[str]]
    rows: Indices = field(repr=False)

    def place(self, name: str) -> int:
        """Return the number of a row of the source."""
        names = self.source.row_names
        if name not in names:
            raise InvalidInputError(
                f"there is no row {name!r}: rows are called such as {names[0]!r}"
            )
        return names.index(name)

    def kernels(self, line: str) -> tuple[Kernel, ...]:
        """Return the kernels of a line."""
        shape = self.source.table.image_shape
        return parse_kernels(line, columns=self.columns, image_shape=shape)

    def at(self, name: str) -> Floats:
        """Return one row of the source, by its name, prepared."""
        place = self.place(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of categories that training rows have not
            return _dense(self.prepare.transform(_safe_indexing(self.source.X, [place])))


class Composer:
    """Reads kernels on the rows of recipes; the last few preparations are kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Points] = OrderedDict()
        self._lock = threading.Lock()

    def points(self, source: Source, recipe: Recipe) -> Points:
        """Return the rows that will be learned from, as the study prepares them."""
        key = repr((source.digest, recipe.test, recipe.random_state))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _prepared(source, recipe)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def _prepared(source: Source, recipe: Recipe) -> Points:
    train = split_rows(source, recipe)[1]["train"]
    scale: Any = "together" if source.table.image_shape else True
    prepare = Prepare(source.subject.types, scale=scale)
    X = _dense(prepare.fit_transform(_safe_indexing(source.X, train), source.y[train]))
    columns: dict[str, list[str]] = {}
    for origin, made in zip(prepare.origins_, prepare.get_feature_names_out(), strict=True):
        columns.setdefault(origin.variable, []).append(str(made))
    return Points(source, prepare, X, columns, train)


def as_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a text that say something.

    Examples
    --------
    >>> as_lines("linear\n\n  gaussian(1).on(age)  ")
    ('linear', 'gaussian(1).on(age)')
    """
    lines = tuple(line.strip().rstrip(",") for line in text.splitlines() if line.strip())
    if len(lines) > _MOST_LINES or any(len(line) > _LONGEST for line in lines):
        raise InvalidInputError(
            f"kernels are too many: write at most {_MOST_LINES} lines of {_LONGEST} characters"
        )
    return lines


def check(
    points: Points, lines: tuple[str, ...], recipe: Recipe, pair: tuple[str, str]
) -> dict[str, Any]:
    """Return what is to be known of kernels before they are learned with: for a page, as JSON has it."""
    told = [_line(points, line, pair) for line in lines]
    kernels = sum(len(one["kernels"]) for one in told)
    return {
        "lines": told,
        "fine": bool(told) and not any(one["error"] for one in told),
        "cost": _cost(points, kernels, recipe),
    }


def _line(points: Points, line: str, pair: tuple[str, str]) -> dict[str, Any]:
    """Return what one line says, or what is wrong with it."""
    try:
        kernels = points.kernels(line)
        names = [str(name) for name in points.prepare.get_feature_names_out()]
        bound = [kernel.bind(names) for kernel in kernels]
        found = [_kernel(points, *both, pair) for both in zip(kernels, bound, strict=True)]
        return {
            "text": line,
            "kernels": found,
            "tree": _tree(line, points.source.table.image_shape),
            "error": "",
        }
    except CheminError as error:
        return {"text": line, "kernels": [], "tree": None, "error": str(error)}


def _kernel(points: Points, kernel: Kernel, bound: Kernel, pair: tuple[str, str]) -> dict[str, Any]:
    some = points.X[:: max(len(points.X) // _CHECKED, 1)]
    return {
        "name": kernel.name,
        "typical": _typical(bound(some, some)),
        "positive": is_positive(bound, some),
        "known": kernel.positive is not None,
        "similarity": _similarity(points, bound, pair),
    }


def _typical(matrix: Floats) -> float | None:
    """Return the median of |k(a, b)|/√(k(a, a) k(b, b)) over two different rows."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    above = np.triu_indices(len(matrix), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.abs(matrix[above]) / (size[above[0]] * size[above[1]])
    known = share[np.isfinite(share)]
    return float(np.median(known)) if len(known) else None


def _similarity(
    points: Points, kernel: Kernel, pair: tuple[str, str]
) -> dict[str, float | None] | None:
    """Return k(a, b), and k(a, b)/√(k(a, a) k(b, b)), for two rows; None if none are asked for."""
    if not all(pair):
        return None
    both = np.vstack([points.at(name) for name in pair])
    matrix = kernel(both, both)
    size = float(matrix[0, 0] * matrix[1, 1])
    value = float(matrix[0, 1])
    return {"value": value, "share": value / size**0.5 if size > 0.0 else None}


def _cost(points: Points, kernels: int, recipe: Recipe) -> dict[str, Any]:
    n, p = points.X.shape
    centers = centers_of(len(points.source.y), n)
    classes = len(points.source.labels)
    machines = classes * (classes - 1) // 2 if classes > 2 else 1
    couples = kernels * centers
    cost = estimate_study(n, p, machines, recipe.folds, 0.0, couples=couples)
    return {"couples": couples, "bytes": 8 * n * couples, "seconds": cost.seconds["basis"]}


def _tree(line: str, shape: tuple[int, int] | None) -> list[list[dict[str, Any]]] | None:
    """Return a line as a sum of products of elementary kernels on blocks of variables; None if it is something else."""
    kernels = parse_kernels(line, image_shape=shape)
    if len(kernels) != 1:
        return None
    parts = kernels[0].parts if isinstance(kernels[0], Sum) else (kernels[0],)
    products = [_factors(part) for part in parts]
    return None if None in products else [one for one in products if one is not None]


def _factors(kernel: Kernel) -> list[dict[str, Any]] | None:
    factors = kernel.parts if isinstance(kernel, Product) else (kernel,)
    found = [_atom(one) for one in factors]
    return None if None in found else [one for one in found if one is not None]


def _atom(kernel: Kernel) -> dict[str, Any] | None:
    factor, block, text = 1.0, [], ""
    if isinstance(kernel, Scaled):
        factor, kernel = kernel.factor, kernel.kernel
    if isinstance(kernel, On):
        text = _SHAPE.sub("", write_kernel(kernel).partition(".on(")[2][:-1])
        if isinstance(kernel.block, Columns):
            block = [str(item) for item in kernel.block.items]
        kernel = kernel.kernel
    match kernel:
        case Linear():
            parameters = {}
        case Constant():
            parameters = {"value": kernel.value}
        case Polynomial():
            parameters = {"degree": kernel.degree, "offset": kernel.offset}
        case Gaussian() | Laplacian() | Epanechnikov():
            if isinstance(kernel.width, tuple):
                return None
            parameters = {"width": kernel.width}
        case _:
            return None
    kind = type(kernel).__name__.lower()
    return {"kind": kind, "parameters": parameters, "block": block, "on": text, "factor": factor}


def _dense(values: Any) -> Floats:
    return values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=float)
