"""By which way is a path followed? Exactly, mended where it is lost; or to a tolerance, by whichever way is shorter.

Within a tolerance a path of exact events, thinned (`chemin.engine.approximate.thinning`), and a
walk (`chemin.engine.approximate.walk`) are equally good. The exact path has some twelve events per
point of the smaller class; the walk has 1.5/√tol breakpoints, and each of them takes as long as
some three or four events per variable. What is expected to be shorter is tried first, the other one
if that does not reach the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chemin.engine import thresholds
from chemin.engine.approximate.thinning import thinned
from chemin.engine.approximate.walk import approximate_path
from chemin.engine.breakpoints import Breakpoints
from chemin.engine.end import End, TimeSpentError
from chemin.engine.exact.engine import REMEDY, Engine, Report
from chemin.engine.exact.snapshot import Snapshot
from chemin.engine.recovery.checkpoint import Checkpoint, File
from chemin.engine.result import Path, Status
from chemin.exceptions import CheckpointError, EngineError, OutOfTimeError
from chemin.problems import Problem

_EVENTS_PER_POINT, _EVENTS_PER_VARIABLE, _BREAKPOINTS = 12.0, 3.5, 1.5
_FEW = 10_000  # events, which take less than a second
_SPARE = 2.0  # how often as many events as were expected are followed before another way is taken
_LAST_RESORT = 200_000  # events that are followed where nothing else is left
_HELD = 2.0**30  # bytes that an attempt may take beside the columns


@dataclass(frozen=True, eq=False)
class Call:
    """What was asked for: a problem, the same with its columns in place, its classes, where to end, whom to tell.

    ``keeps_interrupted`` says that Ctrl-C ends the path where it is, rather than raising.
    """

    problem: Problem
    there: Problem
    classes: NDArray[Any]
    end: End
    report: Report
    screening: bool
    keeps_interrupted: bool


class Limits(NamedTuple):
    """Events and bytes after which a path ends where it is."""

    events: int = sys.maxsize
    memory: float = np.inf


def exact(
    call: Call,
    limits: Limits,
    file: File | None = None,
    resume: bool = False,
    start: Snapshot | None = None,
) -> Path:
    """Follow the exact path, from its first point or from another that is known."""
    penalty = call.there.penalty
    least = replace(call.there, l2=penalty.least_ridge(call.there.l2))  # its pieces bend more
    engine = Engine(least, call.screening, file, limits.memory)
    begin = engine.begin if start is None else partial(engine.begin_at, start)
    if resume and engine.checkpoint and engine.checkpoint.file.exists():
        begin = partial(_resume, engine, engine.checkpoint, call.end)
    try:
        status = followed(engine, call.end, limits.events, call.report, begin)
    except (KeyboardInterrupt, TimeSpentError) as ended:
        status = _ended_early(engine, ended, call.keeps_interrupted)
    path = Path(call.problem, call.classes, status, Breakpoints.of(engine.record), _stats(engine))
    return _doubly_checked(path) if engine.draws > 1 else path


def to_tolerance(call: Call, tol: float) -> Path:
    """Follow a path whose relative gap is at most ``tol`` at every l1."""
    found: list[Path] = []
    failures: list[Exception] = []
    for follow in _ways(call, tol):
        try:
            found.append(follow())
        except (EngineError, np.linalg.LinAlgError) as failure:
            failures.append(failure)
            continue
        if found[-1].status.code in ("complete", "repaired", "interrupted"):
            return found[-1]
    if not found:
        raise failures[0]
    return min(found, key=lambda path: (path.status.code == "uncertified", float(path.l1[-1])))


def _ways(call: Call, tol: float) -> list[Callable[[], Path]]:
    """Return the ways to follow a path to a tolerance, the one expected to be shorter first."""
    problem = call.problem
    smaller = min(
        np.count_nonzero((problem.label == sign) & (problem.weight > 0.0)) for sign in (-1.0, 1.0)
    )
    worth = max(
        _BREAKPOINTS / np.sqrt(tol) * _EVENTS_PER_VARIABLE * min(problem.dictionary.shape), _FEW
    )
    at_length = partial(_by_events, call, tol, max(_SPARE * worth, _LAST_RESORT))
    walking = partial(_by_walking, call, tol)
    if not problem.loss.is_hinge:  # what the walk is written for
        return [at_length]
    if _EVENTS_PER_POINT * smaller <= worth:
        return [partial(_by_events, call, tol, _SPARE * worth), walking]
    return [walking, at_length]


def _by_events(call: Call, tol: float, most: float) -> Path:
    path = exact(call, Limits(int(most), _HELD))
    if path.status.code == "stopped" and "max_time" not in path.status.sentence:
        sentence = f"The path is certified down to l1 = {path.l1[-1]:.6g}: raise tol, or pass tol=0, to go on."
        path = replace(path, status=Status("stopped", sentence))
    return thinned(path, tol)


def _by_walking(call: Call, tol: float) -> Path:
    status, breakpoints = approximate_path(
        call.there, call.end, tol, call.report, keeps_interrupted=call.keeps_interrupted
    )
    return Path(call.problem, call.classes, status, breakpoints)


def _stats(engine: Engine) -> dict[str, float]:
    """Return what was done: events, how many rows and columns were evaluated for each, and new starts on the way."""
    rows, columns = engine.evaluated
    each = max(engine.n_events, 1)
    per_event = {"rows_per_event": rows / each, "columns_per_event": columns / each}
    rounded = {"rounded_from": engine.rounded_at or 0.0}
    return {"events": engine.n_events, **per_event, "restarts": engine.draws - 1, **rounded}


def followed(
    engine: Engine, end: End, max_events: int, report: Report, start: Callable[[], None]
) -> Status:
    """Run the engine to the end, putting it back on its path when it loses its certificate."""
    while True:
        try:
            start()
            finished = engine.run(end, max_events, report)
            break
        except (EngineError, np.linalg.LinAlgError) as lost:
            remedy = _remedy(engine)
            if remedy is None:
                return _given_up(engine, lost)
            start = remedy
    count = engine.record.count
    if not finished:
        where = f"Stopped after {engine.n_events} events at l1 = {engine.record.last_l1:.6g}"
        advice = (
            "raise max_events" if engine.n_events >= max_events else "raise memory, which is spent,"
        )
        return Status("stopped", f"{where}: {advice} to go on.")
    reached = f"down to l1 = {engine.record.last_l1:g}"
    sentence = f"The path is complete, {reached}, in {count} breakpoint{'s' * (count > 1)}."
    if engine.rounded_at is not None:
        share = f"{thresholds.TRUSTED_GAP:g} of the objective"
        sentence += (
            f" From l1 = {engine.rounded_at:.3g} on, the rounding of scores is more than {share}."
        )
    if engine.repairs:
        where = ", ".join(f"{l1:.6g}" for l1 in engine.repairs)
        return Status("repaired", f"{sentence} It was re-solved independently at l1 = {where}.")
    return Status("complete", sentence)


def _ended_early(engine: Engine, ended: BaseException, keeps_interrupted: bool) -> Status:
    """Go back to the last certified point and say why the path ends there, if it is to be kept."""
    if isinstance(ended, KeyboardInterrupt) and not (keeps_interrupted and engine.is_under_way):
        raise ended
    if not engine.is_under_way:
        raise OutOfTimeError(f"{ended} before the path began: raise max_time") from ended
    certified = f"the path is certified down to l1 = {float(engine.go_back().l1):.6g}"
    if isinstance(ended, KeyboardInterrupt):
        return Status("interrupted", f"Interrupted; {certified}.")
    return Status("stopped", f"Stopped, since {ended}; {certified}: raise max_time to go on.")


def _remedy(engine: Engine) -> Callable[[], None] | None:
    """Return what to do about a lost way: ties in other orders, then another solver; nothing when all was done."""
    engine.retries.note(engine.foothold)
    count = engine.retries.count
    if count <= thresholds.MOST_TRIES and engine.draws <= thresholds.MOST_STARTS:
        return engine.try_again
    may_repair = (
        engine.ray is None
        and engine.problem.penalty.is_plain
        and engine.is_resolved
        and engine.is_under_way
        and len(engine.repairs) < thresholds.MOST_REPAIRS
    )
    return (
        engine.repair
        if may_repair and count <= thresholds.MOST_TRIES + thresholds.MOST_REPAIRS
        else None
    )


def _resume(engine: Engine, checkpoint: Checkpoint, end: End) -> None:
    """Put the engine where a file says, unless that is below where the path is to end."""
    saved = checkpoint.read()
    reached, asked = float(saved.point.l1), end.after(float(saved.record["l1"][0]))
    if reached < asked:
        raise CheckpointError(
            f"{checkpoint.file} has come down to l1 = {reached:.6g} and the path is to end at {asked:.6g}: pass a "
            "smaller min_l1 or min_ratio (the path holds all larger l1 too), or another file name"
        )
    engine.resume_at(saved)


def _doubly_checked(path: Path) -> Path:
    """Certify every breakpoint of a path that was lost on the way; end it before the first that is not optimal.

    A path that found its way again is left whole, and says so.
    """
    gap = path.certificate().gap
    resolved = path.l1 > path.stats["rounded_from"]
    bad = np.flatnonzero(resolved & ~(gap <= thresholds.TRUSTED_GAP))
    if not len(bad):
        return path
    if path.status.code == "lost" and bad[0] > 0:
        kept = path.breakpoints.first(int(bad[0]))
        sentence = f"{_down_to(kept.l1[-1])} its relative gap grows to {gap[bad[0]]:.0e}{REMEDY}."
        return replace(path, status=Status("lost", sentence), breakpoints=kept)
    sentence = f"{path.status} Its worst relative gap is {gap.max():.0e}: see certificate() before you use it."
    return replace(path, status=Status("uncertified", sentence))


def _given_up(engine: Engine, lost: Exception) -> Status:
    """Keep what is certified and say where the rest was lost; nothing to keep is an error."""
    if not engine.is_under_way:
        raise lost
    l1 = float(engine.go_back().l1)
    return Status("lost", f"{_down_to(l1)} {lost}.")


def _down_to(l1: float) -> str:
    return f"The path is certified down to l1 = {l1:.6g}; below,"
