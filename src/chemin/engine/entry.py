"""How does one ask for a path? The public entry: validate, and have it followed where the columns are to live."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from chemin.dictionaries.places import placed
from chemin.engine.approximate.walk import check_tol
from chemin.engine.budget import check_budget
from chemin.engine.exact.loop import End
from chemin.engine.recovery.checkpoint import checkpoint_file
from chemin.engine.result import Path
from chemin.engine.strategy import Call, Limits, exact, to_tolerance
from chemin.exceptions import InvalidInputError
from chemin.problems import Problem
from chemin.progress import Line
from chemin.validation import (
    as_problem,
    check_max_events,
    check_min_l1,
    check_min_ratio,
    check_progress,
)

_WORTH_LIMITING = 200_000  # entries of X


def svm_path(
    X: Any,
    y: Any,
    *,
    l2: float = 1.0,
    min_l1: float = 0.0,
    min_ratio: float = 0.0,
    max_events: int | None = None,
    tol: float = 0.0,
    memory: float | None = None,
    sample_weight: Any = None,
    l1_weight: Any = None,
    screening: bool = True,
    device: str = "cpu",
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | Callable[[int, float], None] = False,
) -> Path:
    """Compute the whole exact l1 path of the doubly regularized SVM.

    Minimises ``Σ w_i max(0, 1 − y_i (b0 + x_i·b)) + (l2/2) ‖b‖₂² + l1 Σ v_j |b_j|`` for every l1 from the largest
    useful one, where b leaves zero, down to `min_l1`. Columns are used as they are: standardise them first if their
    units differ.

    Parameters
    ----------
    X : array, SciPy sparse array, DataFrame or Dictionary, of shape (n, p)
        The columns. NaN, text and complex values are refused with what to do about them.
    y : array of shape (n,)
        Any two labels; the second in sorted order is the positive class.
    l2 : float, default 1.0
        Ridge parameter. 0 gives the 1-norm SVM.
    min_l1 : float, default 0.0
        Where to stop.
    min_ratio : float, default 0.0
        Stop at this share of the first l1, if that comes before `min_l1`.
    max_events : int, optional
        Give up after so many changes of the sets; the path then holds what was followed, and its status says so.
    tol : float, default 0.0
        0 follows the exact path. A larger one, such as 1e-4, gives a path with far fewer breakpoints whose relative
        gap is at most `tol` at every l1, between breakpoints too, and is proved (`Path.gap_between`): for many points,
        since the number of exact events grows with theirs.
    memory : float, optional
        Gibibytes that the engine and the path it keeps may take beside the columns. A path that would take more ends,
        certified, where it is; one that cannot even begin is refused. See `chemin.estimate_path`.
    sample_weight : array of shape (n,), optional
        Weights w_i ≥ 0 of the points.
    l1_weight : array of shape (p,), optional
        Weights v_j ≥ 0 of the variables in the L1 norm; 0 means never penalised by it.
    screening : bool, default True
        Leave alone what provably cannot change the sets yet. False evaluates every row and column at every event: the
        same path, slower; `Path.stats` counts the evaluations.
    device : str, default "cpu"
        Where the columns live: ``"cuda"`` for a GPU, ``"auto"`` for one if there is any and it pays. Needs PyTorch.
    cluster : str, dask.distributed.Client or cluster, optional
        Spread the columns over its workers: the scheduler's address, or a ``LocalCluster``. A worker that dies is
        replaced, and the path goes on. Needs dask.distributed.
    checkpoint : path, optional
        A file to which the path is written on the way, certified up to there.
    resume : bool, default False
        Go on from the checkpoint if the file exists: the result is that of the same call never interrupted, to the last
        bit. The data, weights and l2 must be those it was begun with; `min_l1` may be smaller, `max_events` larger.
    progress : bool or callable, default False
        Show a line of progress on the standard error stream, or call ``progress(events, l1)``. With it, Ctrl-C
        returns the part of the path already followed instead of raising.

    Returns
    -------
    Path

    Examples
    --------
    >>> import chemin
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = chemin.svm_path(scale(X), y, min_l1=10.0)
    >>> int((path.coef_at(50.0) != 0).sum())
    6
    >>> bool(path.certificate().worst_gap < 1e-12)
    True
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight)
    end, most = (
        End(check_min_l1(min_l1), check_min_ratio(min_ratio)),
        check_max_events(max_events) or sys.maxsize,
    )
    report, line = (
        check_progress(progress),
        Line(shown=progress is not False and not callable(progress)),
    )
    for name, value in {"screening": screening, "resume": resume}.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidInputError(f"{name} is {value!r}: pass True or False")
    told = report if callable(report) else line.report
    file = checkpoint_file(checkpoint, bool(resume), problem.dictionary)
    limits = Limits(most, check_budget(problem.dictionary, memory, bool(screening)))
    tol = _checked_tol(tol, {"max_events": max_events, "memory": memory, "checkpoint": checkpoint})
    with (
        placed(problem.dictionary, device, cluster) as columns,
        _one_thread(problem, tol > 0.0),
        closing(line),
    ):
        there = replace(problem, dictionary=columns)
        call = Call(
            problem, there, classes, end, told, bool(screening), patient=progress is not False
        )
        return to_tolerance(call, tol) if tol else exact(call, limits, file, bool(resume))


def _checked_tol(tol: Any, of_the_exact_path: dict[str, Any]) -> float:
    """Return a tolerance, once nothing was asked for that only the exact path has."""
    tol = check_tol(tol)
    for name, value in of_the_exact_path.items():
        if tol and value is not None:
            raise InvalidInputError(
                f"{name} is for the exact path: pass tol=0 with it, or tol without it"
            )
    return tol


def _one_thread(problem: Problem, always: bool) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread while the path is followed: its products are short, and threads only wait for each other.

    Finding the libraries takes milliseconds, so that it is left out for small problems, whose products are not split.
    """
    n, p = problem.dictionary.shape
    return (
        threadpool_limits(limits=1, user_api="blas")
        if always or n * p > _WORTH_LIMITING
        else nullcontext()
    )
