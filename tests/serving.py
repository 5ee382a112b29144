"""Who serves the studio in the tests? The command itself, in a process that can be killed and started again."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

_PATIENCE = 120.0  # seconds until it tells its address, on a machine with much else to do


class Served:
    """A studio that runs.

    Attributes
    ----------
    address : str
        Where, with its token.
    """

    def __init__(self, folder: Path, *arguments: str, port: int = 0):
        self.folder = folder
        command = [
            sys.executable, "-m", "chemin", "studio", *arguments, "--no-browser", "--folder", str(folder),
            "--port", str(port),
        ]  # fmt: skip
        given = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given)
        self.address = self._told()

    def _told(self) -> str:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            if select.select([self.process.stdout], [], [], 1.0)[0]:
                line = self.process.stdout.readline()
                if line.startswith("studio"):
                    return line.split()[1]
        raise AssertionError("the studio told no address")

    @property
    def origin(self) -> str:
        """What every address of it begins with."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(urlsplit(self.address).port or 0)

    def kill(self) -> None:
        """End it at once, without a word."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        self.process.communicate()
