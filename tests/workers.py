"""Which cluster do the tests have? A scheduler and workers, each a process of its own, which may be killed at will.

No nanny stands behind a worker: one that dies is replaced when a test asks for all of them, not before, and nothing
waits for a process to leave of its own accord.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import distributed

_PATIENCE = 120.0  # seconds for processes to come, on a machine that has much else to do
_ALONE = (
    "300"  # seconds after which a scheduler that nobody uses, and workers that have lost it, leave
)


class Workers:
    """A scheduler, so many workers, and a client of theirs."""

    def __init__(self, count: int, folder: Path) -> None:
        self.count, self.names, self.workers = count, itertools.count(), {}
        file = str(folder / "scheduler.json")
        self.scheduler = _started(
            "scheduler", "--scheduler-file", file, "--port", "0", "--idle-timeout", _ALONE
        )
        try:
            wait_until(Path(file).exists, _PATIENCE)
            self.client = distributed.Client(scheduler_file=file, timeout=_PATIENCE)
        except BaseException:
            self._dismiss()
            raise

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.client.close(timeout=10.0)
        finally:
            self._dismiss()

    def _dismiss(self) -> None:
        for process in (*self.workers.values(), self.scheduler):
            process.kill()
            process.wait()

    def all_running(self) -> distributed.Client:
        """Start workers in the place of the dead, and return the client when the scheduler knows the living ones."""
        self.workers = {
            name: process for name, process in self.workers.items() if process.poll() is None
        }
        for name in itertools.islice(map(str, self.names), self.count - len(self.workers)):
            where = self.client.scheduler.address
            self.workers[name] = _started(
                "worker",
                where,
                "--name",
                name,
                "--no-nanny",
                "--nthreads",
                "1",
                "--death-timeout",
                _ALONE,
            )
        wait_until(lambda: sorted(self._known()) == sorted(self.workers), _PATIENCE)
        return self.client

    def _known(self) -> list[str]:
        """Return the names of the workers that the scheduler knows and that take work."""
        known = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return [str(worker["name"]) for worker in known if worker["status"] == "running"]


def _started(what: str, *options: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        f"distributed.cli.dask_{what}",
        "--host",
        "127.0.0.1",
        "--no-dashboard",
        *options,
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(true, patience=20.0):
    """Wait for something to become true."""
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline, f"not within {patience:g} s"
        time.sleep(0.05)
