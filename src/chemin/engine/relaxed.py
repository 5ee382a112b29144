"""What if the columns are kept and shrunk less? The path on the columns that are active at some l1, from there down.

The L1 penalty does two things: it chooses columns, and it shrinks their coefficients. Restricted to
the columns V that are active at l1, the problem has the same solution there, and for φ l1 with
φ < 1 one with the same columns, or fewer, and weaker shrinkage: that of a ridge SVM on V at φ = 0.
It is a path again, of few columns, exact and certified as any other. The ridge l2 may be another one there, too: what
chooses columns well is not what shrinks them well.

Reference: Meinshausen (2007), *Relaxed lasso*.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np

from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.engine.approximate.smoothing import SmoothedSolver
from chemin.engine.approximate.walk import check_tol
from chemin.engine.end import End
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.result import Path
from chemin.engine.strategy import Call, Limits, exact, to_tolerance
from chemin.exceptions import InvalidInputError
from chemin.problems import Problem
from chemin.validation import check_l2, check_max_events, check_min_l1, check_penalty


@dataclass(frozen=True, eq=False)
class RelaxedPath:
    """A path on some of the columns.

    Attributes
    ----------
    support : ndarray
        The columns, by their places among all.
    path : Path
        The path on them.
    count : int
        The number of all columns.
    """

    support: Indices
    path: Path
    count: int

    def coef_at(self, l1: float | Floats) -> Floats:
        """Return the coefficients of all columns at any l1: shape (p,), or (k, p) for k values."""
        inside = self.path.coef_at(l1)
        coef = np.zeros((*inside.shape[:-1], self.count))
        coef[..., self.support] = inside
        return coef


def relaxed_path(
    path: Path,
    l1: float,
    *,
    l2: float | None = None,
    min_l1: float = 0.0,
    tol: float = 0.0,
    max_events: int | None = None,
) -> RelaxedPath:
    """Follow the path on the columns that are active at ``l1``, from there down.

    Parameters
    ----------
    path : Path
        A path that reaches ``l1``.
    l1 : float
        Where the columns are chosen.
    l2 : float, optional
        The ridge on these columns, if not that of the path; they are then followed from the top.
    min_l1 : float, default 0.0
        Where to stop; 0 is the ridge SVM on these columns.
    tol : float, default 0.0
        0 follows the exact path, which begins at ``l1`` if the given one is exact. A larger one is that of
        `chemin.path`, which begins at the top.
    max_events : int, optional
        Give up after so many events.

    Returns
    -------
    RelaxedPath

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = chemin.svm_path(scale(X), y, min_l1=50.0)
    >>> relaxed = chemin.relaxed_path(path, 50.0)
    >>> relaxed.support.tolist() == path.coef_at(50.0).nonzero()[0].tolist()
    True
    >>> bool(abs(relaxed.coef_at(50.0) - path.coef_at(50.0)).max() < 1e-10)
    True
    >>> bool(relaxed.path.certificate().worst_gap < 1e-12)
    True
    """
    end = End(check_min_l1(min_l1))
    most = check_max_events(max_events) or sys.maxsize
    tol = check_tol(tol)
    before, share = _inside_a_segment(path, l1)
    support = support_at(path, l1)
    part = restricted(path.problem, support, l2)
    count = path.problem.dictionary.shape[1]
    call = Call(
        problem=part,
        there=part,
        classes=path.classes,
        end=end,
        report=lambda events, l1: None,
        screening=True,
        keeps_interrupted=False,
    )
    if tol:
        _check_plain(part)
        return RelaxedPath(support, to_tolerance(call, tol), count)
    limits = Limits(most)
    on_the_path = share > 0.0 and part.l2 == path.problem.l2 and not part.penalty.is_bent
    places = np.arange(len(support))
    start = point_on(path, before, share, part, support, places) if on_the_path else None
    found = exact(call, limits, start=start)
    if found.status.code in ("lost", "uncertified"):
        found = exact(call, limits)
    return RelaxedPath(support, found, count)


def restricted(problem: Problem, support: Indices, l2: float | None = None) -> Problem:
    """Return the problem on some of its columns, with its own ridge or another one."""
    ridge = problem.l2 if l2 is None else check_l2(l2)
    weight = problem.l1_weight[support]
    penalty = problem.penalty.of(support)
    check_penalty(penalty, ridge, weight)
    names = problem.dictionary.names
    columns = DenseDictionary(
        problem.dictionary.columns(support), None if names is None else names[support]
    )
    return replace(
        problem,
        dictionary=columns,
        l1_weight=weight,
        l2=ridge,
        penalty=penalty,
    )


def relaxed_solution(
    path: Path, l1: float, relaxed_l1: float, *, l2: float | None = None, gap: float = 1e-6
) -> tuple[Indices, Floats, float]:
    """Solve for the columns that are active at ``l1`` once more, at one smaller l1, to a relative gap.

    No path is followed, which is quicker where there are many points. Returns columns, coefficients and intercept.

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = chemin.svm_path(scale(X), y, min_l1=50.0)
    >>> support, coef, intercept = relaxed_solution(path, 50.0, 0.0, l2=10.0)
    >>> relaxed = chemin.relaxed_path(path, 50.0, l2=10.0).path
    >>> bool(abs(coef - relaxed.coef_at(0.0)).max() < 1e-3)
    True
    """
    _check_plain(path.problem)
    support = support_at(path, l1)
    part = restricted(path.problem, support, l2)
    solver = SmoothedSolver(part)
    first = path.coef_at(l1)[support]
    found = solver.solve(relaxed_l1, first, float(path.intercept_at(l1)), gap, 0.0)
    return support, found.coef, found.intercept


def _check_plain(problem: Problem) -> None:
    """Raise where the penalty is not the L1 penalty alone."""
    if not problem.penalty.is_plain:
        raise InvalidInputError(
            "a path to a tolerance is for the L1 penalty: call relaxed_path with tol=0, which follows all of them"
        )


def support_at(path: Path, l1: float) -> Indices:
    """Return the columns that are active at an l1, in increasing order."""
    before, share = _inside_a_segment(path, l1)
    active = path.breakpoints.active[path.breakpoints.active_at(before)]
    if share == 0.0:  # nothing has moved yet
        active = active[path.problem.l1_weight[active] == 0.0]
    return np.sort(active).astype(np.intp)


def _inside_a_segment(path: Path, l1: float) -> tuple[int, float]:
    """Return the breakpoint before an l1, and the share of the way to the next; 0 above all segments.

    At a breakpoint itself several events may be due; from the middle of the segment above, none is.
    """
    (before,), (share,) = path.places(l1)
    if share > 0.0:
        return int(before), float(share)
    above = int(np.count_nonzero(path.l1 > l1)) - 1
    return (above, 0.5) if above >= 0 else (0, 0.0)


def point_on(
    path: Path, k: int, share: float, part: Problem, support: Indices, places: Indices
) -> Snapshot:
    """Return a solution after breakpoint k of a path as a point of the path of a problem.

    Its active columns are ``support`` in the path, and ``places`` among those of the problem.
    """
    kept = path.breakpoints
    where = (np.array([k]), np.array([share]))
    after = min(k + 1, len(path.l1) - 1)
    coef = kept.coef_between(*where, path.problem.dictionary.shape[1])[0, support]
    dual = kept.dual_between(*where, part.loss)[0]
    elbow = kept.elbow[kept.elbow_at(k)].astype(np.intp)
    correlations = part.dictionary.correlations(part.label * dual)[places]
    sign = np.sign(correlations)  # where b_j ≠ 0, that of b_j
    moves = part.loss.slope.min(axis=1) < part.loss.slope.max(axis=1)
    return Snapshot(
        l1=np.array((1.0 - share) * kept.l1[k] + share * kept.l1[after]),
        base=np.array((1.0 - share) * kept.intercept[k] + share * kept.intercept[after]),
        active=places,
        sign=np.where(part.l1_weight[places] > 0.0, sign, 0.0),
        beta=np.append(0.0, coef),
        elbow=elbow,
        alpha=dual[elbow],
        position=np.where(moves, kept.positions(k), -1).astype(np.int16),
    )
