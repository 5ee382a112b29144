"""How does one ask for a path? The public entry: validate, follow, repair if need be, report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from chemin.exceptions import EngineError
from chemin.path.loop import TRUSTED_GAP, Engine, Report
from chemin.path.replay import Breakpoints
from chemin.path.result import Path, Status
from chemin.problems import Problem
from chemin.progress import Line
from chemin.validation import as_problem, check_max_events, check_min_l1, check_progress

_MOST_REPAIRS = 3
_WORTH_LIMITING = 200_000  # entries of X


def svm_path(
    X: Any,
    y: Any,
    *,
    l2: float = 1.0,
    min_l1: float = 0.0,
    max_events: int | None = None,
    sample_weight: Any = None,
    l1_weight: Any = None,
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
    max_events : int, optional
        Give up after so many changes of the sets; the path then holds what was followed, and its status says so.
    sample_weight : array of shape (n,), optional
        Weights w_i ≥ 0 of the points.
    l1_weight : array of shape (p,), optional
        Weights v_j ≥ 0 of the variables in the L1 norm; 0 means never penalised by it.
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
    lowest, most = check_min_l1(min_l1), check_max_events(max_events) or sys.maxsize
    report, line = check_progress(progress), Line(shown=progress is not False and not callable(progress))
    with problem.dictionary.resident() as columns, _one_thread(problem):
        engine = Engine(replace(problem, dictionary=columns))
        try:
            status = _follow(engine, lowest, most, report if callable(report) else line.report)
        except KeyboardInterrupt:
            if not progress or not (engine.begun and engine.record.is_open):
                raise
            l1 = engine.go_back().l1
            status = Status("interrupted", f"Interrupted; the path is certified down to l1 = {l1:.6g}.")
        finally:
            line.close()
    path = Path(problem, classes, status, Breakpoints.of(engine.record))
    return _doubly_checked(path) if status.code in ("repaired", "lost") else path


def _one_thread(problem: Problem) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread while the path is followed: its products are short, and threads only wait for each other.

    Finding the libraries takes milliseconds, so small problems, which BLAS does not split anyway, are left alone.
    """
    n, p = problem.dictionary.shape
    return threadpool_limits(limits=1, user_api="blas") if n * p > _WORTH_LIMITING else nullcontext()


def _follow(engine: Engine, min_l1: float, max_events: int, report: Report) -> Status:
    """Run the engine to the end, putting it back on its path when it loses its certificate."""
    engine.begin()
    repairs: list[float] = []
    for attempt in range(_MOST_REPAIRS + 1):
        try:
            if attempt:
                repairs.append(engine.repair())
            finished = engine.run(min_l1, max_events, report)
            break
        except (EngineError, np.linalg.LinAlgError) as lost:
            if attempt == _MOST_REPAIRS or not engine.record.is_open:
                return _given_up(engine, lost)
    count = len(engine.record.l1)
    if not finished:
        where = f"Stopped after {engine.n_events} events at l1 = {engine.record.l1[-1]:.6g}"
        return Status("stopped", f"{where}: raise max_events to go on.")
    sentence = f"The path is complete, down to l1 = {min_l1:g}, in {count} breakpoint{'s' * (count > 1)}."
    if repairs:
        where = ", ".join(f"{l1:.6g}" for l1 in repairs)
        return Status("repaired", f"{sentence} It was re-solved independently at l1 = {where}.")
    return Status("complete", sentence)


def _doubly_checked(path: Path) -> Path:
    """Certify every breakpoint of a path that was lost on the way, and say so if one of them is not optimal."""
    gap = path.certificate().worst_gap
    if gap <= TRUSTED_GAP:
        return path
    sentence = f"{path.status} Its worst relative gap is {gap:.0e}: see certificate() before you use it."
    return replace(path, status=Status("uncertified", sentence))


def _given_up(engine: Engine, lost: Exception) -> Status:
    """Keep what is certified and say where the rest was lost; nothing to keep is an error."""
    if not engine.record.is_open:
        raise lost
    l1 = engine.go_back().l1
    return Status("lost", f"The path is certified down to l1 = {l1:.6g}; below, {lost}.")
