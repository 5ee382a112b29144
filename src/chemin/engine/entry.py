"""How does one ask for a path? The public entry: validate, and have it followed where the columns are to live."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from chemin.dictionaries.places import placed
from chemin.engine.approximate.walk import check_tol
from chemin.engine.budget import check_budget
from chemin.engine.end import End, within
from chemin.engine.recovery.checkpoint import checkpoint_file
from chemin.engine.result import Path
from chemin.engine.strategy import Call, Limits, exact, to_tolerance
from chemin.exceptions import InvalidInputError
from chemin.problems import Loss, Penalty, Problem
from chemin.progress import Line
from chemin.validation import (
    as_problem,
    check_max_events,
    check_max_time,
    check_min_l1,
    check_min_ratio,
    check_progress,
)

_WORTH_LIMITING = 200_000  # entries of X: products of fewer are not split over threads


def path(
    X: Any,
    y: Any,
    *,
    loss: str | Loss = "hinge",
    penalty: str | Penalty = "l1",
    l2: float = 1.0,
    min_l1: float = 0.0,
    min_ratio: float = 0.0,
    max_events: int | None = None,
    max_time: float | None = None,
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
    """Compute the whole exact l1 path of a loss of lines and parabolas with L1 and L2 penalties.

    Minimises ``Σ w_i ℓ(y_i, b0 + x_i·b) + (l2/2) ‖b‖₂² + l1 Σ v_j |b_j|`` for every l1 from the largest useful one,
    where b leaves zero, down to `min_l1`; a `penalty` puts another function of b_j and l1 v_j in place of the last sum.
    Columns are used as they are: standardise them first if their units differ.

    Parameters
    ----------
    X : array, SciPy sparse array, DataFrame or Dictionary, of shape (n, p)
        The columns. NaN, text and complex values are refused with what to do about them.
    y : array of shape (n,)
        For the hinges any two labels, of which the second in sorted order is the positive class; numbers for the
        other losses.
    loss : str or Loss, default "hinge"
        For classes ``"hinge"``, ``"squared_hinge"`` or ``"huberized"``; for numbers ``"squared"`` (½ (y − f)²: the
        Lasso and the elastic net), ``"huber"``, ``"absolute"``, ``"quantile"`` or ``"epsilon_insensitive"``; or an
        object of `chemin.problems` that has a parameter, such as ``Huber(0.5)`` or ``Quantile(0.9)``.
    penalty : str or Penalty, default "l1"
        ``"l1"``, ``"nonnegative"`` (the L1 penalty on coefficients that may not be negative), ``"mcp"`` or ``"scad"``,
        which do not shrink large coefficients; or an object of `chemin.problems` that has a parameter, such as
        ``MCP(2.0)`` or ``L1(sign=[1, 0, -1])``. Together with `l2` it must be convex: l2 > 1/gamma, or l2 > 1/(a − 1);
        elsewhere there is `chemin.stationary_path`.
    l2 : float, default 1.0
        Ridge parameter. 0 leaves the L1 penalty alone.
    min_l1 : float, default 0.0
        Where to stop.
    min_ratio : float, default 0.0
        Stop at this share of the first l1, if that comes before `min_l1`.
    max_events : int, optional
        Give up after so many changes of the sets; the path then holds what was followed, and its status says so.
    max_time : float, optional
        Seconds after which the path ends, certified, where it is.
    tol : float, default 0.0
        0 follows the exact path. A larger one, such as 1e-4, gives a path with far fewer breakpoints whose relative
        gap is at most `tol` at every l1, between breakpoints too, and is proved (`Path.gap_between`): for many points,
        since the number of exact events grows with theirs. Where almost no point pays any more, `tol` is relative to
        the largest weight of a point rather than to the objective.
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
    The conditional median, from the empty model down:

    >>> import chemin
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = chemin.path(X, y, loss="absolute", l2=1e-3, min_ratio=0.1)
    >>> round(path.intercept_at(path.l1[0]), 1)
    140.5
    >>> bool(path.certificate().worst_gap < 1e-10)
    True
    """
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight, loss, penalty)
    end = End(check_min_l1(min_l1), check_min_ratio(min_ratio))
    most = check_max_events(max_events) or sys.maxsize
    told = check_progress(progress)
    _check_flags(screening=screening, resume=resume)
    file = checkpoint_file(checkpoint, bool(resume), problem.dictionary)
    limits = Limits(most, check_budget(problem.dictionary, memory, bool(screening)))
    only_exact = {"max_events": max_events, "memory": memory, "checkpoint": checkpoint}
    tol = _checked_tol(tol, only_exact)
    if tol and not problem.penalty.is_plain:
        raise InvalidInputError(
            "tol is for the L1 penalty: pass tol=0 with another one, or min_ratio to end sooner"
        )
    line = Line(shown=progress is not False and not callable(progress))
    with (
        placed(problem.dictionary, device, cluster) as columns,
        one_thread(problem, tol > 0.0),
        closing(line),
    ):
        call = Call(
            problem=problem,
            there=replace(problem, dictionary=columns),
            classes=classes,
            end=end,
            report=within(check_max_time(max_time), told if callable(told) else line.report),
            screening=bool(screening),
            keeps_interrupted=progress is not False,
        )
        return to_tolerance(call, tol) if tol else exact(call, limits, file, bool(resume))


def svm_path(X: Any, y: Any, **options: Any) -> Path:
    """Compute the whole exact l1 path of the doubly regularized SVM: `path` with the hinge loss.

    Minimises ``Σ w_i max(0, 1 − y_i (b0 + x_i·b)) + (l2/2) ‖b‖₂² + l1 Σ v_j |b_j|`` for every l1.

    Parameters
    ----------
    X : array, SciPy sparse array, DataFrame or Dictionary, of shape (n, p)
        The columns.
    y : array of shape (n,)
        Any two labels; the second in sorted order is the positive class.
    **options
        `l2`, `min_l1`, `sample_weight` and all others of `path`, but `loss`.

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
    if "loss" in options:
        raise TypeError("svm_path has the hinge loss: call chemin.path for another one")
    return path(X, y, loss="hinge", **options)


def _check_flags(**flags: Any) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidInputError(f"{name} is {value!r}: pass True or False")


def _checked_tol(tol: Any, of_the_exact_path: dict[str, Any]) -> float:
    """Return a tolerance, once nothing was asked for that only the exact path has."""
    tol = check_tol(tol)
    for name, value in of_the_exact_path.items():
        if tol and value is not None:
            raise InvalidInputError(
                f"{name} is for the exact path: pass tol=0 with it, or tol without it"
            )
    return tol


@cache
def _thread_controller() -> ThreadpoolController:
    """Find the BLAS libraries once: that takes milliseconds."""
    return ThreadpoolController()


def one_thread(problem: Problem, always: bool) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread while the path is followed: its products are short, threads would wait."""
    n, p = problem.dictionary.shape
    if always or n * p > _WORTH_LIMITING:
        return _thread_controller().limit(limits=1, user_api="blas")
    return nullcontext()
