"""Who does the work, and what if a model takes too long? Processes that are ended when their time is up.

A fit cannot be stopped from inside, so each worker is a process of its own; when a model has used up its time, its
process is ended and a new one begun for the next model. Without workers everything runs here, and a model is stopped
between two splits only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from chemin.dictionaries.base import Indices
from chemin.models.comparison.task import Data, Outcome, run
from chemin.progress import Bar
from chemin.tables.notes import brief

_SHARE = 3.0  # times an equal part of the time that is left, which a model may take
_GLANCE = 0.01  # seconds between two looks at a process
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class _TimeUp(Exception):  # noqa: N818  # no error: it ends a model
    """The time of a model is up."""


_held: list[Data] = []  # what a worker's process works on

Split = tuple[Indices, Indices]


@dataclass(eq=False)
class Attempt:
    """What became of one model: an outcome per split, and how it ended."""

    name: str
    outcomes: list[Outcome] = field(default_factory=list)
    status: str = "waiting"
    why: str = ""

    @property
    def seconds(self) -> float:
        """What its finished splits took."""
        return sum(outcome.seconds for outcome in self.outcomes)


class Crew:
    """Workers that try models, one after the other, until all are done or time is up.

    Parameters
    ----------
    data : Data
        What to fit.
    splits : list of (train, test)
        The rows of each split.
    budget : float or None
        Seconds for all of them.
    workers : int
        How many processes; 0 for none.
    unlimited : list of str
        Models that may take all that is left of the budget.
    """

    def __init__(
        self,
        data: Data,
        splits: Sequence[Split],
        budget: float | None,
        workers: int,
        unlimited: Sequence[str] = (),
    ) -> None:
        self.data = data
        self.splits = list(splits)
        self.ends = None if budget is None else time.monotonic() + budget
        self.workers = workers
        self.unlimited = unlimited
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.waiting: list[Attempt] = []

    def try_all(self, names: Sequence[str], bar: Bar) -> list[Attempt]:
        """Return what became of each model; after an interrupt, what is finished so far."""
        attempts = [Attempt(name) for name in names]
        self.waiting = list(attempts)
        slots = [threading.Thread(target=self._work, args=(bar,)) for _ in range(self.workers)]
        bar.write(str(bar))
        try:
            if not slots:
                self._work(bar)
            for slot in slots:
                slot.start()
            while any(slot.is_alive() for slot in slots):
                time.sleep(0.05)
        except KeyboardInterrupt:
            self.stopped.set()
        finally:
            for slot in slots:
                if slot.ident is not None:  # else it has not begun
                    slot.join()
            bar.close()
        for attempt in attempts:
            if attempt.status in ("waiting", "running"):
                attempt.status = "cancelled"
                attempt.why = "stopped before it was finished"
        return attempts

    def _work(self, bar: Bar) -> None:
        """Try one model after the other."""
        hands = _Here(self.data) if not self.workers else _Process(self.data, self.stopped)
        while (attempt := self._next()) is not None:
            hands.get_ready()  # which no model has to pay for
            self._try(attempt, hands, self._limit(attempt.name))
            with self.lock:
                bar.done += 1
                bar.write(str(bar))
        hands.close()

    def _next(self) -> Attempt | None:
        with self.lock:
            if self.stopped.is_set() or not self.waiting:
                return None
            attempt = self.waiting.pop(0)
            attempt.status = "running"
            return attempt

    def _limit(self, name: str) -> float | None:
        """Return when the model that is begun now must end."""
        if self.ends is None or name in self.unlimited:
            return self.ends
        now = time.monotonic()
        left = max(self.ends - now, 0.0)
        share = left * max(self.workers, 1) / (len(self.waiting) + 1)
        return now + min(left, _SHARE * share)

    def _try(self, attempt: Attempt, hands: _Here | _Process, ends: float | None) -> None:
        for split, (train, test) in enumerate(self.splits):
            left = None if ends is None else ends - time.monotonic()
            if left is not None and left <= 0.0:
                attempt.status, attempt.why = "timed out", self._told(attempt)
                return
            try:
                outcome = hands.do(left, attempt.name, split, train, test)
            except _TimeUp:
                attempt.status, attempt.why = "timed out", self._told(attempt)
                return
            except KeyboardInterrupt:
                attempt.status, attempt.why = "cancelled", "stopped before it was finished"
                if not self.workers:
                    self.stopped.set()
                return
            except Exception as error:  # of any library: the row says what it was, the others go on
                attempt.status, attempt.why = "failed", f"{type(error).__name__}: {brief(error)}"
                return
            if outcome.skipped:
                attempt.status, attempt.why = "skipped", outcome.skipped
                return
            attempt.outcomes.append(outcome)
        attempt.status = "finished"

    def _told(self, attempt: Attempt) -> str:
        done = f"{len(attempt.outcomes)} of {len(self.splits)} splits were done"
        return f"its time was up, {done}: raise the budget"


class _Here:
    """Work in this process."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def get_ready(self) -> None:
        pass

    def do(self, limit: float | None, *task: Any) -> Outcome:
        return run(self.data, *task)

    def close(self) -> None:
        pass


class _Process:
    """Work in a process that can be ended."""

    def __init__(self, data: Data, stopped: threading.Event) -> None:
        self.data = data
        self.stopped = stopped
        self.executor: Any = None

    def get_ready(self) -> None:
        """Start the process, if there is none, and give it the data."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self.executor is not None:
            return
        self.executor = ProcessPoolExecutor(
            1, initializer=_hold, initargs=(self.data,), env=_ONE_THREAD
        )
        answer = self.executor.submit(_are_ready)
        while not answer.done() and not self.stopped.is_set():
            time.sleep(_GLANCE)

    def do(self, limit: float | None, *task: Any) -> Outcome:
        """Return what a process makes of a task, unless its time is up before."""
        self.get_ready()
        ends = None if limit is None else time.monotonic() + limit
        try:
            future = self.executor.submit(_run, *task)
            while not future.done():
                if self.stopped.is_set():
                    self.close()
                    raise KeyboardInterrupt
                if ends is not None and time.monotonic() > ends:
                    self.close()
                    raise _TimeUp
                time.sleep(_GLANCE)
            outcome: Outcome = future.result()
        except BrokenProcessPool as error:
            self.close()
            raise RuntimeError("its process died, perhaps for want of memory") from error
        return outcome

    def close(self) -> None:
        if self.executor is not None:
            self.executor.shutdown(wait=True, kill_workers=True)
            self.executor = None


def _hold(data: Data) -> None:
    _held[:] = [data]


def _are_ready() -> bool:
    return bool(_held)


def _run(name: str, split: int, train: Indices, test: Indices) -> Outcome:
    return run(_held[0], name, split, train, test)
