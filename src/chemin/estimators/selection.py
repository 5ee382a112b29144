"""Which variables would be selected again on other data? Selection frequencies along the exact path, under resampling.

The path is followed on pairs of disjoint subsamples with as many points of each class. A variable is selected on
unions of intervals of l1, known exactly, so its selection frequency is an exact, piecewise constant function of l1.
The loss is a sum: the m_c points of class c in a subsample weigh n_c / m_c, which makes its loss an unbiased estimate
of that of all data, and l1 comparable. With q of p variables selected on average, at some l1 ≥ min_l1, and π > 1/2,

    E[number of variables of frequency ≥ π that one subsample selects with probability ≤ q/p]  ≤  q² / ((2π − 1) p):

Shah and Samworth (2013), *Variable selection with error control*, JRSSB 75, theorem 1, for any procedure; Meinshausen
and Bühlmann (2010), *Stability selection*, JRSSB 72, for all false variables, if these are exchangeable and the
procedure is no worse than guessing. Both take min_l1 as given.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from chemin.dictionaries import DenseDictionary, SparseDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.engine.entry import svm_path
from chemin.engine.result import Path
from chemin.estimators.basis import Variables
from chemin.exceptions import EngineError, InvalidInputError, OutOfRangeError
from chemin.frames import as_frame, kind_of
from chemin.problems import Problem
from chemin.progress import Bar
from chemin.validation import as_problem, check_min_l1

_LOWEST = 0.01  # of the largest l1: no further without being asked
_MARGIN = 1.25  # the first pair goes on until it has selected this many times what is wanted
_ROUNDING = 1e-9

Subsample = tuple[Indices, Floats]  # rows and the weights of their points
Stays = NDArray[Any]  # where variables are selected, as records
STAY = np.dtype([("variable", np.intp), ("resample", np.intp), ("low", float), ("high", float)])


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How often each variable is selected, at every l1 ≥ `min_l1`.

    Attributes
    ----------
    names : ndarray of shape (p,), or None where the data had no names
    penalised : ndarray of bool of shape (p,)
        The variables that l1 penalises. The others are always selected; `n_selected` and the bound leave them out.
    resamples, threshold, l2, min_l1 : as asked for, or chosen
    l1_max : float, the largest l1 at which a subsample selects a penalised variable
    stays : structured array
        A row says that ``variable`` is selected on subsample ``resample`` for all l1 in [``low``, ``high``]. On a
        continuous path a stay has open ends; they are stored as the floating-point numbers just inside it.
    status : str, which says whether all paths were followed as far as asked, and what to do if not
    """

    names: NDArray[Any] | None
    penalised: NDArray[np.bool_]
    resamples: int
    threshold: float
    l2: float
    min_l1: float
    l1_max: float
    stays: Stays
    status: str
    kind: str | None = None

    def frequency_at(self, l1: float | Floats) -> Floats:
        """Return the exact frequencies at any l1 ≥ `min_l1`: shape (p,), or (k, p) for k values."""
        levels, stays = np.atleast_1d(np.asarray(l1, dtype=float)), self.stays
        if not np.all(levels >= self.min_l1):
            outside = f"l1 = {levels[~(levels >= self.min_l1)][0]:g} is below {self.min_l1:g}, where this ends"
            raise OutOfRangeError(
                f"{outside}: ask for a larger l1, or call stability with a smaller min_l1"
            )
        inside = ((stays["low"] <= level) & (level <= stays["high"]) for level in levels)
        counts = np.array(
            [np.bincount(stays["variable"][now], minlength=len(self.penalised)) for now in inside]
        )
        return (counts if np.ndim(l1) else counts[0]) / self.resamples

    @property
    def max_frequency(self) -> Floats:
        """The largest frequency of each variable over all l1 ≥ `min_l1`."""
        return self._peaks[0] / self.resamples

    @cached_property
    def n_selected(self) -> float:
        """q, the number of penalised variables that a subsample selects at some l1 ≥ `min_l1`, on average."""
        return len(_entries(self.stays, self.penalised)) / self.resamples

    def selected(self, threshold: float | None = None, *, l1: float | None = None) -> Indices:
        """Return the variables whose frequency reaches `threshold` somewhere, or at one `l1`; most frequent first."""
        least = _check_between(
            self.threshold if threshold is None else threshold, "threshold", 0.0, 1.0
        )
        frequency = self.max_frequency if l1 is None else self.frequency_at(float(l1))
        order = np.argsort(-frequency, kind="stable")
        return np.asarray(order[frequency[order] >= least])

    def false_bound(
        self, threshold: float | None = None, *, l1: float | None = None, unimodal: bool = False
    ) -> float:
        """Return a bound on the expected number of variables in ``selected(threshold, l1=l1)`` that are there by luck.

        It is q² / ((2π − 1) p). With `unimodal` it is that of Shah and Samworth's theorem 2, about half as large or
        infinite: the share of pairs whose two halves both select a variable is then supposed unimodal.
        """
        level = _check_between(
            self.threshold if threshold is None else threshold, "threshold", 0.5, 1.0
        )
        q = (
            self.n_selected
            if l1 is None
            else float(self.frequency_at(float(l1))[self.penalised].sum())
        )
        p, part = (
            max(int(self.penalised.sum()), 1),
            1.0 / self.resamples,
        )  # part is 1 / (2B), for B pairs
        if not unimodal:
            return q**2 / ((2.0 * level - 1.0) * p)
        squared = (q / p) ** 2
        if 3.0 * squared > 1.0 or level < 0.5 + max(
            2.0 * part, min(squared, part + 0.75 * squared)
        ):
            return np.inf
        factor = (
            0.5 / (2.0 * level - 1.0 - part)
            if level <= 0.75
            else 4.0 * (1.0 - level + part) / (1.0 + 2.0 * part)
        )
        return factor * q**2 / p

    def frame(self) -> Any:
        """Return the variables ever selected, and the largest l1 where they are most often, as a DataFrame."""
        index = self.selected(_ROUNDING)
        columns: dict[str, Any] = {"index": index} | (
            {} if self.names is None else {"name": self.names[index]}
        )
        columns |= {"max_frequency": self.max_frequency[index], "l1": self._peaks[1][index]}
        return as_frame(columns, self.kind, instead="max_frequency")

    def summary(self) -> str:
        """Return the stable variables with their frequencies, the bound and the status, as text."""
        names = (
            [f"x{j}" for j in range(len(self.penalised))]
            if self.names is None
            else self.names.tolist()
        )
        lines = [f"{self.max_frequency[j]:5.2f}  {names[j]}" for j in self.selected()]
        return "\n".join(
            [
                repr(self),
                *lines,
                f"Expected by luck: {self.false_bound():.2g} or fewer.",
                self.status,
            ]
        )

    def __repr__(self) -> str:
        stable = f"{len(self.selected())} of {len(self.penalised)} variables at {self.threshold:g} or more"
        return f"<Stability: {stable}, {self.resamples} subsamples, l1 ≥ {self.min_l1:.4g}, q = {self.n_selected:.1f}>"

    @cached_property
    def _peaks(self) -> tuple[Indices, Floats]:
        """The largest number of subsamples that select each variable at once, and the largest l1 where they do."""
        stays, p = self.stays, len(self.penalised)
        variable, level = (
            np.tile(stays["variable"], 2),
            np.concatenate([stays["high"], stays["low"]]),
        )
        step = np.repeat([1, -1], len(stays))
        # Downwards in l1, one variable after the other; at one l1 what begins is counted before what ends.
        order = np.lexsort((-step, -level, variable))
        variable, level, running = variable[order], level[order], np.cumsum(step[order])
        count, where = np.zeros(p, dtype=np.intp), np.full(p, np.nan)
        np.maximum.at(count, variable, running)
        reached = np.flatnonzero(running == count[variable])
        found, first = np.unique(variable[reached], return_index=True)
        where[found] = np.minimum(level[reached[first]], self.l1_max)
        return count, where


def stability(
    X: Any, y: Any, *, l2: float = 1.0, resamples: int = 100, fraction: float = 0.5, threshold: float = 0.75,
    expected_false: float = 1.0, min_l1: float | None = None, standardize: bool = False, sample_weight: Any = None,
    l1_weight: Any = None, max_events: int | None = None, random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None, verbose: bool = False,
) -> Stability:  # fmt: skip
    """Follow the path on many subsamples and count how often each variable is selected, at every l1.

    Parameters
    ----------
    X, y, l2, sample_weight, l1_weight, max_events
        As for `chemin.svm_path`. A path that `max_events` stops raises `min_l1` to where it ends.
    resamples, fraction : int and float, default 100 and 0.5
        Number of subsamples, two per pair, hence even; share of each class in each of them, at most one half.
    threshold : float, default 0.75
        The frequency π from which a variable is called stable; the literature advises 0.6 to 0.9.
    expected_false, min_l1 : float, default 1.0 and None
        The smallest l1 to look at is `min_l1`, or the one at which q² / ((2π − 1) p) reaches `expected_false`, or else
        a hundredth of the largest useful l1.
    standardize : bool, default False
        Divide each column by its standard deviation in the subsample.
    random_state, n_jobs, verbose
        What `numpy.random.default_rng` takes; number of processes; whether to show a progress bar on standard error.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from chemin.datasets import breast_cancer
    >>> sample = breast_cancer()
    >>> found = stability(sample.columns, sample.y, resamples=20, random_state=0)
    >>> found.names[found.selected()].tolist()
    ['worst radius', 'mean concave points', 'worst concave points', 'worst perimeter']
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight)
    if not isinstance(problem.dictionary, DenseDictionary | SparseDictionary):
        raise InvalidInputError(
            "subsamples are rows of X: pass an array, a SciPy sparse array or a DataFrame"
        )
    if (
        isinstance(resamples, bool)
        or not isinstance(resamples, int | np.integer)
        or resamples < 2
        or resamples % 2
    ):
        raise InvalidInputError(
            f"resamples is {resamples!r}: pass an even number, 2 or more, such as 100"
        )
    _check_between(fraction, "fraction", 0.0, 0.5)
    _check_between(threshold, "threshold", 0.5, 1.0)
    _check_between(expected_false, "expected_false", 0.0, 1e9)
    asked = None if min_l1 is None else check_min_l1(min_l1)
    parts = _subsamples(problem, classes, fraction, int(resamples) // 2, random_state)
    data, penalised = problem.dictionary.data, problem.l1_weight > 0.0
    options = {"l2": problem.l2, "l1_weight": problem.l1_weight, "max_events": max_events}
    follow = partial(_follow, data, problem.label, standardize, options)
    run = partial(_follow_all, follow, n_jobs, verbose)
    if asked is None:
        # q² / ((2π − 1) p) ≤ E as long as no more than √(E (2π − 1) p) variables are selected on average.
        most = float(np.sqrt(expected_false * (2.0 * threshold - 1.0) * penalised.sum()))
        largest = _follow(
            data, problem.label, standardize, options | {"max_events": 1}, parts[0], 0.0
        )[1]
        pilot = partial(_follow_all, follow, None, False)
        stays, ends, asked = _follow_until(pilot, run, parts, penalised, most, largest)
    else:
        stays, ends = run(parts, asked)
    reached, status = max([asked, *ends]), f"All paths were followed down to l1 = {asked:.6g}."
    if reached > asked:
        status = f"A path ended at l1 = {reached:.6g}, not {asked:.6g}: raise max_events, or scale the columns."
    stays = stays[stays["high"] >= reached]
    names, l1_max = (
        problem.dictionary.names,
        max([reached, *_entries(stays, penalised)[:1].tolist()]),
    )
    return Stability(
        names,
        penalised,
        len(parts),
        float(threshold),
        problem.l2,
        reached,
        l1_max,
        stays,
        status,
        kind_of(X),
    )


def _subsamples(
    problem: Problem, classes: Any, fraction: float, pairs: int, random_state: Any
) -> list[Subsample]:
    """Draw pairs of disjoint subsamples, as many points of each class in each, with the weights of their points."""
    members = [
        np.flatnonzero((problem.label == sign) & (problem.weight > 0.0)) for sign in (-1.0, 1.0)
    ]
    sizes, weight = (
        [int(fraction * len(points) + _ROUNDING) for points in members],
        problem.weight.copy(),
    )
    for points, size, name in zip(members, sizes, classes.tolist(), strict=True):
        if size == 0:
            raise InvalidInputError(
                f"class {name!r} has {len(points)} members, too few: add some, or raise fraction"
            )
        weight[points] *= len(points) / size
    parts, rng = [], np.random.default_rng(random_state)
    for _ in range(pairs):
        order = [rng.permutation(points) for points in members]
        for half in (0, 1):
            taken = [
                points[half * size :][:size] for points, size in zip(order, sizes, strict=True)
            ]
            rows = np.concatenate(taken)
            parts.append((rows, weight[rows]))
    return parts


def _follow(
    data: Any,
    label: Floats,
    standardize: bool,
    options: dict[str, Any],
    part: Subsample,
    min_l1: float,
) -> tuple[Stays, float]:
    """Return the stays on one subsample, and where its path ends."""
    X, positive, weight = data[part[0]], label[part[0]] > 0, part[1]
    columns = Variables(standardize).learn(X, positive, weight).of(X)
    path = svm_path(columns, positive, sample_weight=weight, min_l1=min_l1, **options)
    if path.status.code == "uncertified":
        raise EngineError(
            f"the path of a subsample is not certified: scale the columns, or raise l2. {path.status}"
        )
    return stays_of(path), float(path.l1[-1])


def stays_of(path: Path) -> Stays:
    """Return where the variables of a path are selected: b is affine in l1 between breakpoints."""
    coef, l1 = path.coef.tocsc(), path.l1
    rows, variable = coef.indices, np.repeat(np.arange(coef.shape[1]), np.diff(coef.indptr))
    first = np.append(True, (np.diff(rows) != 1) | (np.diff(variable) != 0))[: len(rows)]
    begin, end = rows[first], rows[np.append(first[1:], True)[: len(rows)]]
    above, below = np.append(np.inf, l1)[begin], np.append(l1, -np.inf)[end + 1]
    stays = np.zeros(len(begin), dtype=STAY)
    stays["variable"], stays["low"] = variable[first], np.nextafter(below, np.inf)
    # Zero at the breakpoints before and after, hence open; but where b moves at a fixed l1, its last value counts.
    stays["high"] = np.where(above > l1[begin], np.nextafter(above, -np.inf), l1[begin])
    return stays[stays["low"] <= stays["high"]]


def _entries(stays: Stays, counted: NDArray[np.bool_]) -> Floats:
    """Return where each counted variable is first selected on each subsample, all in decreasing order."""
    stays = np.sort(stays[counted[stays["variable"]]], order="high")[::-1]
    key = stays["resample"] * len(counted) + stays["variable"]
    return stays["high"][np.sort(np.unique(key, return_index=True)[1])]


def _follow_all(
    follow: Callable[..., tuple[Stays, float]],
    n_jobs: int | None,
    verbose: bool,
    parts: list[Subsample],
    l1: float,
) -> tuple[Stays, list[float]]:
    """Follow all paths down to `l1`; return all stays, and where each path ends."""
    arriving = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(follow)(part, l1) for part in parts
    )
    found, ends = zip(*Bar("paths", len(parts), verbose).over(arriving), strict=True)
    stays = np.concatenate(found)
    stays["resample"] = np.repeat(np.arange(len(parts)), [len(some) for some in found])
    return stays, list(ends)


def _follow_until(
    pilot: Any,
    run: Any,
    parts: list[Subsample],
    penalised: NDArray[np.bool_],
    most: float,
    largest: float,
) -> tuple[Stays, list[float], float]:
    """Follow one pair, then all, until more than `most` variables are selected on average; return that l1 too."""
    level, lowest = 0.5 * largest, _LOWEST * largest
    for follow, some, wanted in ((pilot, parts[:2], _MARGIN * most), (run, parts, most)):
        stays, ends = follow(some, level)
        while level > lowest and len(_entries(stays, penalised)) <= wanted * len(some):
            level = max(0.5 * level, lowest)
            stays, ends = follow(some, level)
    entries, allowed = _entries(stays, penalised), int(most * len(parts))
    if len(entries) <= allowed:
        return stays, ends, level
    # Halfway between two entries: the last one that may be counted, and the next.
    entries = np.append(2.0 * entries[0], entries)
    k = int(np.searchsorted(-entries, -entries[allowed + 1]))
    return stays, ends, float(np.sqrt(entries[k - 1] * entries[k]))


def _check_between(value: Any, what: str, low: float, high: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Real)
        or not low < float(value) <= high
    ):
        raise InvalidInputError(
            f"{what} is {value!r}: pass a number above {low:g} and not above {high:g}"
        )
    return float(value)
