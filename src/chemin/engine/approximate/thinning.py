"""Which breakpoints of an exact path are enough for a tolerance?

From a breakpoint kept, the next one kept is the last for which the bound over the whole way
(`chemin.engine.proof.between`) is within the tolerance. Every k-th breakpoint is tried, and those
between two of them where these are too far apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.engine.approximate.set_changes import SetRecorder
from chemin.engine.proof.between import Proved, bound_between, prove
from chemin.engine.result import Path, Status
from chemin.problems import Problem

_TRIED_PER_KEPT = 6
_AT_ONCE = 1_000_000  # numbers


def thinned(path: Path, tol: float) -> Path:
    """Return a path through some of the breakpoints, with a relative gap of at most ``tol``.

    Parameters
    ----------
    path : Path
        An exact path.
    tol : float
        The largest relative gap.

    Examples
    --------
    >>> import chemin
    >>> from chemin.datasets import benchmark_gaussian
    >>> exact = chemin.svm_path(*benchmark_gaussian(200, 20), min_l1=1.0)
    >>> few = thinned(exact, 1e-3)
    >>> len(few.l1) < len(exact.l1) / 10, bool(few.gap_between().max() <= 1e-3)
    (True, True)
    """
    with path.problem.dictionary.resident() as columns:
        problem = replace(path.problem, dictionary=columns)
        kept, largest = _kept(path, problem, tol)
    recorder = SetRecorder(problem.loss)
    for some in _chunks(path, kept):
        coef = path.coef[some].toarray()
        dual = path.breakpoints.dual(some, problem.loss)
        for place, k in enumerate(some):
            intercept = float(path.breakpoints.intercept[k])
            recorder.add(float(path.l1[k]), coef[place], intercept, dual[place])
    promise = f"{len(kept)} of them keep the relative gap to at most {largest:.3g} everywhere."
    sentence = f"{path.status} {promise}"
    # what is kept is proved here
    code = "repaired" if path.status.code == "uncertified" else path.status.code
    status = Status(code if largest <= tol else "uncertified", sentence)
    return replace(path, status=status, breakpoints=recorder.breakpoints())


def _kept(path: Path, problem: Problem, tol: float) -> tuple[Indices, float]:
    """Return the breakpoints to keep, and what is proved: tol, unless the exact path is worse."""
    last, largest = len(path.l1) - 1, tol
    stride = max(1, int(last * np.sqrt(tol) / _TRIED_PER_KEPT))
    proofs = _proofs(
        path,
        problem,
        np.append(np.arange(0, last, stride), last) if last else np.zeros(1, dtype=int),
    )
    anchor = reached = next(proofs)
    kept = [anchor[0]]
    for proof in proofs:
        ahead = [proof]
        while ahead:
            bound = float(bound_between(problem, anchor[1], ahead[-1][1])[0])
            if bound <= tol:
                reached = ahead.pop()
            elif reached is not anchor:
                anchor = reached
                kept.append(anchor[0])
            elif ahead[-1][0] > anchor[0] + 1:
                ahead += [*_proofs(path, problem, np.arange(anchor[0] + 1, ahead[-1][0]))][::-1]
            else:  # a piece of the exact path: its gap is rounding
                reached, largest = ahead.pop(), max(largest, bound)
    return np.array([*kept, last] if last else kept), largest


def _proofs(path: Path, problem: Problem, tried: Indices) -> Iterator[tuple[int, Proved]]:
    """Hand out some breakpoints and what is proved of each, one by one."""
    norm = problem.dictionary.column_norms()
    for some in _chunks(path, tried):
        dual = path.breakpoints.dual(some, problem.loss)
        intercept = path.breakpoints.intercept[some]
        proved = prove(problem, path.coef[some], intercept, path.l1[some], dual, norm)
        for place, k in enumerate(some):
            yield int(k), proved[place : place + 1]


def _chunks(path: Path, rows: Indices) -> Iterator[Indices]:
    size = max(1, _AT_ONCE // max(path.problem.dictionary.shape))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
