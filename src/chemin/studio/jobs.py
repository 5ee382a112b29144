"""How does learning run, so that it can be stopped and nothing is lost? A process of its own that tells its steps.

    starting → learning → finished | cancelled | budget | failed

A process that is told to stop keeps the steps that are done, and the same entry goes on from there. One that does not
stop is killed, with all it has started; what it has kept stays whole. One whose studio is gone ends by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from chemin.exceptions import StudyError
from chemin.studio.worker import Order, work

MOST = 2  # at a time
_GRACE = 5.0  # seconds that a process has to keep what is done
_LOADED = ["chemin.studio.worker", "skops.io"]  # each takes more than a second

Event = dict[str, Any]
Ended = Callable[[str], None]


@dataclass(eq=False)
class Job:
    """One learning process, and what it has told so far.

    Attributes
    ----------
    budget : float
        Seconds it may take.
    events : list of dict
        In the order in which they came; the last one says how it ended.
    """

    order: Order
    budget: float
    ended: Ended
    events: list[Event] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    _why: str = ""

    def start(self, context: Any) -> None:
        """Start the process, and listen to it."""
        mine, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, self.order), daemon=False)
        self._process.start()
        theirs.close()
        self._listener = threading.Thread(target=self._listen, args=(mine,), daemon=True)
        self._listener.start()
        self._clock = threading.Timer(self.budget, self.stop, args=("budget",))
        self._clock.daemon = True
        self._clock.start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(self.events) and self.events[-1]["event"] == "over"

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self.began

    def stop(self, why: str = "cancelled") -> None:
        """Let it keep what is done and end; kill it if it does not."""
        if self.is_over or self._why:
            return
        self._why = why
        self._signal("SIGTERM")
        self._killer = threading.Timer(_GRACE, self._signal, args=("SIGKILL",))
        self._killer.daemon = True
        self._killer.start()

    def wait(self, seconds: float) -> bool:
        """Wait for its end; return whether it has come."""
        self._listener.join(seconds)
        return self.is_over

    def _signal(self, name: str) -> None:
        """Signal the process and all it has started."""
        if not self._process.is_alive():
            return
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg") and os.getpgid(self._process.pid) == self._process.pid:
                os.killpg(self._process.pid, getattr(signal, name))
            else:
                self._process.terminate()

    def _listen(self, connection: Connection) -> None:
        """Take down what it tells until it ends."""
        end = ""
        with connection, suppress(EOFError, OSError):
            while True:
                event: Event = connection.recv()
                if event["event"] == "over":
                    end = event["why"]
                else:
                    self.events.append(event | {"at": round(self.seconds, 2)})
        self._process.join()
        self._process.close()
        self._clock.cancel()
        if hasattr(self, "_killer"):
            self._killer.cancel()
        why = "finished" if end == "finished" else self._why or end or "it was killed"
        self.ended(why)
        self.events.append({"event": "over", "why": why, "at": round(self.seconds, 2)})


class Jobs:
    """All learning of a studio, by the folder of its study."""

    def __init__(self) -> None:
        methods = multiprocessing.get_all_start_methods()
        method = "forkserver" if "forkserver" in methods else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(_LOADED)
        self._jobs: dict[Path, Job] = {}
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Let the libraries be loaded, once for all processes to come: while somebody looks at the first page."""
        process = self._context.Process(target=int)
        process.start()
        process.join()
        process.close()

    def start(self, order: Order, budget: float, ended: Ended) -> Job:
        """Begin to learn."""
        with self._lock:
            self.check_room()
            job = Job(order, budget, ended)
            self._jobs[Path(order.folder)] = job
            job.start(self._context)
        return job

    def check_room(self) -> None:
        """Raise if as much is being learned as may be at a time."""
        if sum(not job.is_over for job in self._jobs.values()) >= MOST:
            raise StudyError(
                f"{MOST} models are being learned already: wait for one, or cancel one"
            )

    def of(self, folder: Path) -> Job | None:
        """Return the job of a study; None if there was none in this launch."""
        return self._jobs.get(folder)

    def is_running(self, folder: Path) -> bool:
        """Whether a study is being learned."""
        job = self.of(folder)
        return job is not None and not job.is_over

    def end(self) -> None:
        """Stop all of them, and wait until they are gone."""
        running = [job for job in self._jobs.values() if not job.is_over]
        for job in running:
            job.stop()
        for job in running:
            job.wait(2.0 * _GRACE)
