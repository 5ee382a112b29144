"""The command ``chemin``: one file per verb, which parses, asks the library, and shows."""

from __future__ import annotations

import signal
import sys
from typing import Any

__all__ = ["main"]

_MISSING = 3  # exit code where a library is missing, as `chemin.cli.console` has it


def main() -> None:
    """Run the command line."""
    try:
        from chemin.cli.app import run
    except ImportError as error:
        if error.name not in ("typer", "rich", "pydantic"):
            raise
        sys.stderr.write(f"chemin needs {error.name} here: pip install 'chemin[cli]'\n")
        sys.exit(_MISSING)
    signal.signal(signal.SIGTERM, _stop)  # as Ctrl-C: what is done is kept
    sys.exit(run(sys.argv[1:]))


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt
