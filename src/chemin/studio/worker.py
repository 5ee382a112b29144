"""What does a learning process do? The study's own steps, told one by one to whoever has started it."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from chemin import study
from chemin.exceptions import CheminError
from chemin.study import Listener, Recipe
from chemin.study.estimate import StudyCost
from chemin.study.lending import Lender, read_lender


@dataclass(frozen=True)
class Order:
    """What to learn.

    Attributes
    ----------
    recipe : Recipe
        What to do.
    folder : str
        Where the study is kept.
    lenders : tuple of str
        Studies of other entries, and looks, whose steps are taken over where they are the same.
    """

    recipe: Recipe
    folder: str
    lenders: tuple[str, ...] = ()


def work(connection: Connection, order: Order) -> None:
    """Make a study, or go on with one, and tell its steps."""
    if hasattr(os, "setsid"):
        os.setsid()  # so that it ends with all it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, which is the studio's to hear
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    warnings.simplefilter("ignore")
    why = "finished"
    try:
        study.learn(
            order.recipe, order.folder, listener=_Telling(connection), lenders=_lenders(order)
        )
    except KeyboardInterrupt:
        why = "cancelled"
    except MemoryError:
        why = "there is not enough memory: read fewer rows"
    except (CheminError, OSError) as error:
        why = str(error)
    except Exception as error:  # told to whoever asked, as the command line does
        why = f"{type(error).__name__}: {error}"
    connection.send({"event": "over", "why": why})


class _Telling(Listener):
    """Sends every step on."""

    def __init__(self, connection: Connection) -> None:
        self._send = connection.send

    def estimated(self, cost: StudyCost) -> None:
        self._send({"event": "estimated", "seconds": round(cost.total, 1), "said": str(cost)})

    def begun(self, step: str) -> None:
        self._send({"event": "begun", "step": step})

    def ended(self, step: str, said: str, seconds: float, before: bool) -> None:
        event = {"event": "ended", "step": step, "said": said, "seconds": seconds, "before": before}
        self._send(event)


def _lenders(order: Order) -> list[Lender]:
    """Return who can be read of those that were named."""
    found = []
    for place in order.lenders:
        try:
            found.append(read_lender(place))
        except (CheminError, OSError):  # a study that has gone lends nothing
            continue
    return found


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def _end_with(connection: Connection) -> None:
    """End when the studio has ended, which closes the connection."""
    try:
        connection.recv()
    except (EOFError, OSError):
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
