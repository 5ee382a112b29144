"""Which images, seen through which windows, tell two digits apart? One machine of the MNIST protocol.

    f(x) = b0 + Σ_j Σ_l B_jl k(x_j, x) on window l,   k = (x_j·x + offset)^degree or exp(−½ ‖x_j − x‖²/width²),

one path over all training images × windows, its l1 the breakpoint of least hinge loss (or fewest errors) on other
images, then Platt's sigmoid on these. The penalties see each column divided by a power of its root mean square over the
training images, so that bold handwriting is not so much cheaper than fine handwriting; B belongs to the kernels as they
are.

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, section 3.5.4.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.datasets import Images, Pair, pair
from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.dictionaries.places import on_device
from chemin.engine.entry import svm_path
from chemin.engine.pieces import Pieces
from chemin.engine.result import Path
from chemin.estimators.kernel_basis import Couples
from chemin.estimators.platt import Sigmoid, fit_sigmoid
from chemin.exceptions import InvalidInputError
from chemin.kernels import Gaussian, Kernel, Polynomial, windows

__all__ = ["MEMORY", "PairResult", "Settings", "load_pair", "mnist_pair", "save_pair"]

MEMORY = (
    600 * 2**20
)  # bytes for the columns: the 392 MB of 1000 images × 49 windows and what the engine adds
_WHITE = 255.0
_CHUNK = 2_000_000  # decisions held at once
_ARRAYS = ("images", "rows", "shares")
_FACTS = (
    "digits", "l1", "first_l1", "intercept", "events", "breakpoints", "seconds", "validation_error", "test_error",
    "status", "peak_memory",
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What is done for every pair of digits.

    Parameters
    ----------
    n_train, n_validation : int
        Images drawn for a machine, half of each digit, none of them twice.
    size, stride, positions : int
        Side of the windows, step between them, and how many down and across; None takes all that fit.
    degree, offset : int, float
        The kernel (x·z + offset)^degree on a window, for pixels from 0 to 1.
    width : float or None
        Of a Gaussian kernel in its place, if one is given.
    power : float
        The penalties see a column divided by its root mean square to this power: as it is for 0, and all columns of
        one size for 1.
    l2 : float
        The ridge parameter.
    min_ratio : float
        Share of its first l1 at which a path ends. Between a thousandth and a millionth next to nothing happens; at
        some 1e-12 the ridge takes over from l1, and the exact path becomes very long.
    choice : {"hinge", "errors"}
        What l1 makes small on the validation images: the mean hinge loss, or the number of errors. Of several
        breakpoints with the fewest errors the first is taken, which has the largest l1.
    random_state : int
        With the two digits, what the images are drawn by.
    """

    n_train: int = 1000
    n_validation: int = 1000
    size: int = 7
    stride: int = 3
    positions: int | None = 7
    degree: int = 3
    offset: float = 1.0
    power: float = 0.75
    l2: float = 1e-9
    min_ratio: float = 1e-6
    choice: str = "hinge"
    random_state: int = 0
    width: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.power <= 1.0:
            raise InvalidInputError(
                f"power is {self.power!r}: pass a number from 0 (columns as they are) to 1"
            )
        if self.choice not in _CHOICES:
            raise InvalidInputError(f"choice is {self.choice!r}: pass one of {', '.join(_CHOICES)}")

    def kernels(self, shape: tuple[int, int]) -> tuple[Kernel, ...]:
        """Return the kernel on every window of an image."""
        kernel = (
            Polynomial(self.degree, self.offset) if self.width is None else Gaussian(self.width)
        )
        return windows(shape, self.size, self.stride, kernel, self.positions)

    def draw(self, images: Images, a: int, b: int) -> Pair:
        """Return the training and validation images of two digits."""
        rng = np.random.default_rng([self.random_state, a, b])
        return pair(images, a, b, self.n_train, self.n_validation, rng)

    def couples(
        self, X: Floats, shape: tuple[int, int], memory: int = MEMORY, device: str = "cpu"
    ) -> Couples:
        """Return the columns: every kernel centred on every training image."""
        columns = Couples(X, np.arange(len(X)), self.kernels(shape), None, memory, None)
        if not self.power:
            return columns
        there = columns.of(X) if device == "cpu" else on_device(columns.of(X), device, stored=False)
        size = there.column_norms() / np.sqrt(len(X))
        return replace(columns, scale=np.where(size > 0, size, 1.0) ** self.power)


@dataclass(frozen=True, eq=False)
class PairResult:
    """One machine, with all that is needed to decide about new images.

    Attributes
    ----------
    settings : Settings
        Those asked for.
    digits : tuple of int
        The two labels; positive decisions speak for the second.
    l1, first_l1 : float
        The chosen l1, and the one where the path begins.
    coef : csr_array of shape (c, m)
        B: one row per active image, one column per window.
    intercept : float
    images : ndarray of shape (c, height × width), of bytes
        The active images.
    rows : ndarray of shape (c,)
        Which of the training images of ``settings.draw`` they are: the first half shows the first digit.
    shares : ndarray of shape (couples,)
        What each entry of ``coef`` carries of the decisions on the training images; they sum to 1.
    sigmoid : Sigmoid
        From decisions to probabilities of the second digit.
    events, breakpoints, status : int, int, str
        Of the path.
    seconds : float
        For the path and the choice of l1.
    validation_error, test_error : float
        Shares of wrong decisions, on the validation images and on all test images of the two digits.
    peak_memory : int
        Most bytes the process had held when the machine was done; 0 where the system does not say.
    """

    settings: Settings
    shape: tuple[int, int]
    digits: tuple[int, int]
    l1: float
    first_l1: float
    coef: sparse.csr_array
    intercept: float
    images: NDArray[np.uint8]
    rows: Indices
    shares: Floats
    sigmoid: Sigmoid
    events: int
    breakpoints: int
    status: str
    seconds: float
    validation_error: float
    test_error: float
    peak_memory: int

    @property
    def couples(self) -> int:
        """The number of active couples."""
        return int(self.coef.nnz)

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Which couples have a window without ink: nothing of their image is in it."""
        B = self.coef.tocoo()
        kernels = self.settings.kernels(self.shape)
        places = [np.array(kernel.columns_needed, dtype=np.intp) for kernel in kernels]
        inked = np.array([self.images[:, place].any(axis=1) for place in places])
        return ~inked[B.col, B.row]

    def decisions(self, X: Any) -> Floats:
        """Return f(x) for images of bytes, one per row."""
        kernels = self.settings.kernels(self.shape)
        columns = KernelDictionary(np.asarray(X) / _WHITE, self.images / _WHITE, kernels)
        return columns.scores(self.coef.T.toarray().ravel()) + self.intercept

    def probability(self, X: Any) -> Floats:
        """Return the probability of the second digit for images of bytes, one per row."""
        return self.sigmoid.probability(self.decisions(X))


def mnist_pair(
    images: Images,
    a: int,
    b: int,
    settings: Settings | None = None,
    *,
    memory: int = MEMORY,
    device: str = "cpu",
    progress: bool | Callable[[int, float], None] = False,
) -> PairResult:
    """Train the machine of two digits.

    Parameters
    ----------
    images : Images
        From `chemin.datasets.mnist` or `fashion_mnist`.
    a, b : int
        The two digits; positive decisions speak for the second.
    settings : Settings, optional
        Those of the protocol if None.
    memory : int
        Bytes that the columns may take; with less than they need, the path is the same and slower.
    device : str
        Where the columns live, as for `chemin.svm_path`.
    progress : bool or callable
        As for `chemin.svm_path`.

    Returns
    -------
    PairResult

    Examples
    --------
    >>> from chemin.experiments.mnist import Settings, mnist_pair
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.integers(0, 256, (40, 16)).astype(np.uint8), np.repeat([0, 1], 20)
    >>> X[y == 1, :4] //= 8
    >>> few = Settings(n_train=20, n_validation=20, size=2, stride=2, positions=None)
    >>> mnist_pair(Images(X, y, X, y, (4, 4)), 0, 1, few).validation_error < 0.2
    True
    """
    settings = settings or Settings()
    drawn = settings.draw(images, a, b)
    begin = time.perf_counter()
    columns = settings.couples(drawn.X_train, drawn.shape, memory, device)
    path = svm_path(
        columns.of(drawn.X_train), drawn.y_train, l2=settings.l2, min_ratio=settings.min_ratio, device=device,
        progress=progress,
    )  # fmt: skip
    unseen, positive = columns.of(drawn.X_validation), drawn.y_validation > 0
    pieces = path.pieces()
    there = unseen if device == "cpu" else on_device(unseen, device, stored=False)
    best = _best(pieces, there, positive, _CHOICES[settings.choice])
    seconds = time.perf_counter() - begin
    # With so small a ridge the model moves at almost fixed l1: it is read at the breakpoint, not at its l1.
    l1, coef, intercept = (
        float(pieces.l1[best]),
        pieces.coef[[best]].toarray()[0],
        float(pieces.intercept[best]),
    )
    decisions = unseen.scores(coef) + intercept
    B, rows, shares = _active(columns, drawn.X_train, coef)
    machine = PairResult(
        settings=settings, shape=drawn.shape, digits=(a, b), l1=l1, first_l1=float(path.l1[0]),
        coef=B, intercept=intercept, images=np.round(drawn.X_train[rows] * _WHITE).astype(np.uint8), rows=rows,
        shares=shares, sigmoid=fit_sigmoid(decisions, positive, np.ones(len(positive))),
        events=_count(path), breakpoints=len(path.l1), status=path.status.code, seconds=seconds,
        validation_error=float(np.mean((decisions > 0) != positive)), test_error=np.nan, peak_memory=0,
    )  # fmt: skip
    tested = np.isin(images.y_test, (a, b))
    wrong = (machine.decisions(images.X_test[tested]) > 0) != (images.y_test[tested] == b)
    return replace(machine, test_error=float(np.mean(wrong)), peak_memory=_peak())


def _hinge(margins: Floats) -> Floats:
    return np.maximum(0.0, 1.0 - margins).mean(axis=1)


def _errors(margins: Floats) -> Floats:
    return np.mean(margins <= 0.0, axis=1)


_CHOICES: dict[str, Callable[[Floats], Floats]] = {"hinge": _hinge, "errors": _errors}


def _best(
    pieces: Pieces,
    unseen: Dictionary,
    positive: NDArray[np.bool_],
    loss: Callable[[Floats], Floats],
) -> int:
    """Return the first breakpoint of least loss on other images."""
    sign, size = np.where(positive, 1.0, -1.0), max(1, _CHUNK // len(positive))
    losses = []
    for start in range(0, len(pieces.l1), size):
        some = slice(start, start + size)
        decisions = unseen.scores(pieces.coef[some].T).T + pieces.intercept[some, None]
        losses.append(loss(sign * decisions))
    return int(np.argmin(np.concatenate(losses)))


def save_pair(machine: PairResult, file: str | os.PathLike[str]) -> None:
    """Write a machine to an npz file of plain arrays; a reader never sees half of it."""
    facts = {name: getattr(machine, name) for name in _FACTS} | {
        "settings": asdict(machine.settings), "shape": machine.shape, "sigmoid": asdict(machine.sigmoid),
        "coef_shape": machine.coef.shape,
    }  # fmt: skip
    B = machine.coef
    arrays = {name: getattr(machine, name) for name in _ARRAYS}
    part = FilePath(file).with_suffix(".part")
    with open(part, "wb") as stream:
        np.savez_compressed(
            stream,
            facts=np.array(json.dumps(facts)),
            data=B.data,
            indices=B.indices,
            indptr=B.indptr,
            **arrays,
        )
    os.replace(part, file)


def load_pair(file: str | os.PathLike[str]) -> PairResult:
    """Read back what `save_pair` wrote."""
    with np.load(file, allow_pickle=False) as stored:
        facts = json.loads(str(stored["facts"]))
        arrays = {name: stored[name] for name in _ARRAYS}
        coef = sparse.csr_array(
            (stored["data"], stored["indices"], stored["indptr"]),
            shape=tuple(facts.pop("coef_shape")),
        )
    facts["settings"], facts["sigmoid"] = Settings(**facts["settings"]), Sigmoid(**facts["sigmoid"])
    facts["digits"], facts["shape"] = tuple(facts["digits"]), tuple(facts["shape"])
    return PairResult(**facts, **arrays, coef=coef)


def _active(columns: Couples, X: Floats, coef: Floats) -> tuple[sparse.csr_array, Indices, Floats]:
    """Return B of the kernels as they are, over the active images only, which these are, and the couples' shares."""
    active = np.flatnonzero(coef)
    window, point = np.divmod(active, len(X))
    order = np.lexsort((window, point))  # that of a csr array
    active, window, point = active[order], window[order], point[order]
    carried = np.abs(coef[active]) * np.abs(columns.of(X).columns(active)).sum(axis=0)
    raw = coef[active] if columns.scale is None else coef[active] / columns.scale[active]
    rows, place = np.unique(point, return_inverse=True)
    B = sparse.csr_array((raw, (place, window)), shape=(len(rows), len(columns.kernels)))
    return B, rows, carried / (carried.sum() or 1.0)


def _count(path: Path) -> int:
    return int(np.count_nonzero(~np.isin(path.events["kind"], ("start", "end"))))


def _peak() -> int:
    try:
        import resource
    except ImportError:  # Windows has no such count
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)
