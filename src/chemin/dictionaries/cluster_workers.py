"""Who holds which block, how is it asked, and what if its worker dies?

Every block is a Dask actor on one worker. All questions go through `Workers.ask`: a block whose worker is gone is built
again, from the same data, on the worker that has the fewest, and is asked again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Dictionary
from chemin.dictionaries.cluster_blocks import Block, Part, parts_of
from chemin.exceptions import CheminError, ClusterError, InvalidInputError

_WAITING = 2.0  # seconds without an answer before somebody checks that the worker lives
_ANSWERING = 30.0  # seconds for the scheduler to say which workers there are
_REPLACING = 15.0  # seconds for a nanny to start a worker in the place of one that died
_PAUSE = 0.1
_MOST_LOSSES = 3  # of one block, over one question
_USABLE, _PROCESS = (
    0.8,
    2**27,
)  # a worker pauses at this share of its memory; Python and its libraries need some
_GIB, _NUMBER = 2**30, 8  # bytes
_RESUME = "pass checkpoint= to svm_path, and resume=True to go on from there with another cluster"

Message = tuple[str, tuple[Any, ...]]  # the name of a method of `Block`, and its arguments


@dataclass
class Traffic:
    """What went over the wire: messages, the bytes of the arrays in them, and the blocks that were sent.

    Attributes
    ----------
    messages : int
        Questions, each to one worker.
    sent, received : int
        Bytes of questions and of answers.
    placed : int
        Bytes of the blocks' data, sent once, and once more for each block that is rebuilt.
    rebuilt : int
        Blocks whose worker died.
    """

    messages: int = 0
    sent: int = 0
    received: int = 0
    placed: int = 0
    rebuilt: int = 0


@dataclass
class Placed:
    """A block and the worker that has it; `survey` and `steps` say what the block knows of which survey."""

    part: Part
    address: str
    future: Any
    actor: Any
    survey: object = None
    steps: int = 0


class _LostError(Exception):
    """The worker of a block is gone."""


class Workers:
    """The blocks of a dictionary, each on a worker."""

    def __init__(self, client: Any, dictionary: Dictionary) -> None:
        self.client, self.traffic = client, Traffic()
        found = self._living()
        if not found:
            raise ClusterError(
                f"the cluster at {client.scheduler.address} has no workers: start some, for example with 'dask worker "
                f"{client.scheduler.address}', or cluster.scale(4)"
            )
        parts = parts_of(dictionary, len(found))
        _check_memory(parts, found)
        self.placed: list[Placed] = []
        for part in parts:
            self.placed.append(self._place(part))

    def ask(self, numbers: Iterable[int], message: Callable[[Placed], Message]) -> list[Any]:
        """Put a question to some blocks at once; return their answers in the same order.

        The question is asked anew of a block that had to be rebuilt, which then knows of no survey.
        """
        begun = [(number, self._begin(number, message)) for number in numbers]
        return [self._answer(number, message, pending) for number, pending in begun]

    def close(self) -> None:
        """Let the workers forget their blocks."""
        self._forget(self.placed)
        self.placed = []

    def _begin(self, number: int, message: Callable[[Placed], Message]) -> Any:
        placed = self.placed[number]
        method, arguments = message(placed)
        self.traffic.messages += 1
        self.traffic.sent += bytes_of(arguments)
        try:
            return getattr(placed.actor, method)(*arguments)
        except RuntimeError:  # the scheduler has already noticed that this worker is gone
            return None

    def _answer(self, number: int, message: Callable[[Placed], Message], pending: Any) -> Any:
        for losses in range(_MOST_LOSSES):
            if losses:
                self._replace(number)
                pending = self._begin(number, message)
            with suppress(_LostError):
                answer = self._wait(self.placed[number], pending)
                self.traffic.received += bytes_of(answer)
                return answer
        raise ClusterError(
            f"{_MOST_LOSSES} workers died one after another while they held the same columns: give each more memory, "
            f"or start more workers; {_RESUME}"
        )

    def _wait(self, placed: Placed, pending: Any) -> Any:
        """Return an answer, however long it takes, unless the worker dies."""
        while pending is not None:
            try:
                return pending.result(timeout=_WAITING)
            except TimeoutError:
                if placed.future.status != "finished" or placed.address not in self._living():
                    break
            except OSError:
                break
        raise _LostError

    def _replace(self, number: int) -> None:
        lost = self.placed[number]
        self._forget([lost])
        self.placed[number] = self._place(lost.part, lost.address)
        self.traffic.rebuilt += 1

    def _forget(self, some: Sequence[Placed]) -> None:
        if (
            self.client.status == "running"
        ):  # by force, because actors are referred to from more places than this one
            self.client.cancel([placed.future for placed in some], force=True)

    def _place(self, part: Part, lost: str = "") -> Placed:
        """Build a block on a worker; not on the lost one, which the scheduler may still believe in."""
        for _ in range(_MOST_LOSSES):
            address = self._roomiest(part, lost)
            try:
                return self._build(part, address)
            except _LostError:
                lost = address
        raise ClusterError(
            f"workers die while they build their columns: give each more memory; {_RESUME}"
        )

    def _build(self, part: Part, address: str) -> Placed:
        from distributed import CancelledError, KilledWorker

        block = part.cut()
        try:
            with (
                self.client.as_current()
            ):  # an actor speaks through the client that is current where it is received
                data = self.client.scatter(block, workers=[address], hash=False)
                future = self.client.submit(Block, data, actor=True, workers=[address], pure=False)
                actor = self._built(future, address)
        except (OSError, CancelledError, KilledWorker) as error:
            raise _LostError from error
        except (CheminError, _LostError):
            raise
        except Exception as error:
            if address not in self._living():  # it died while its block was cut or on its way
                raise _LostError from error
            remedy = "install the same chemin, and what your kernels need, wherever a worker runs"
            raise ClusterError(
                f"worker {address} cannot take its columns ({error}): {remedy}"
            ) from error
        self.traffic.placed += bytes_of(list(vars(block).values()))
        return Placed(part, address, future, actor)

    def _built(self, future: Any, address: str) -> Any:
        """Return the actor, however long it takes to be built, unless the worker dies or pauses for lack of memory."""
        while True:
            try:
                return future.result(timeout=_WAITING)
            except TimeoutError:
                if not _is_running(self._living().get(address)):
                    future.cancel()
                    raise _LostError from None

    def _roomiest(self, part: Part, lost: str) -> str:
        """Return the worker with the fewest blocks that has memory for one more, waiting for one if need be."""
        begin = time.monotonic()
        while True:
            waited = time.monotonic() - begin
            running = {a: info for a, info in self._living().items() if _is_running(info)}
            found = {a: info for a, info in running.items() if a != lost or waited > _WAITING}
            held = {a: sum(placed.address == a for placed in self.placed) for a in found}
            fits = [a for a in found if (held[a] + 1) * part.memory <= _room(found[a])]
            if fits:
                return min(fits, key=lambda address: held[address])
            if waited > _REPLACING or self.client.status != "running":
                raise ClusterError(f"{self._trouble(len(found))}: {_RESUME}")
            time.sleep(_PAUSE)

    def _trouble(self, others: int) -> str:
        if self.client.status != "running":
            return "the cluster's scheduler no longer answers"
        if not others and self._living():
            return "every worker of the cluster pauses, its memory full"
        if not others:
            return "the cluster's last worker died, and no other came in its place"
        return f"a worker of the cluster died, and none of the {others} others has memory for its columns"

    def _living(self) -> dict[str, Any]:
        """Return the workers that the scheduler knows, and what it knows about them."""
        if self.client.status != "running":
            return {}
        try:  # not what the client remembers, which it goes on telling when its scheduler is gone
            known = self.client.sync(
                self.client.scheduler.identity, n_workers=-1, callback_timeout=_ANSWERING
            )
        except TimeoutError as error:
            raise ClusterError(
                f"the cluster's scheduler has not answered for {_ANSWERING:g} s: {_RESUME}"
            ) from error
        except OSError:
            return {}
        return dict(known.get("workers", {}))


def bytes_of(values: Any) -> int:
    """Return the bytes of the arrays and numbers in a message.

    Examples
    --------
    >>> bytes_of((np.zeros(3), 1.0, [np.zeros(2)]))
    48
    """
    if sparse.issparse(values):
        return bytes_of([values.data, values.indices, values.indptr])
    if isinstance(values, tuple | list):
        return sum(bytes_of(value) for value in values)
    return int(getattr(values, "nbytes", _NUMBER if isinstance(values, int | float) else 0))


def _is_running(info: dict[str, Any] | None) -> bool:
    """Say whether a worker takes work; one whose memory is full pauses."""
    return info is not None and info.get("status", "running") == "running"


def _room(info: dict[str, Any]) -> float:
    """Return the bytes that a worker can hold; no limit is written as 0."""
    limit = info.get("memory_limit") or 0
    return _USABLE * limit - _PROCESS if limit else np.inf


def _check_memory(parts: Sequence[Part], found: dict[str, Any]) -> None:
    largest, room = max(part.memory for part in parts), min(_room(info) for info in found.values())
    if largest <= room:
        return
    limit = min(info["memory_limit"] for info in found.values() if info.get("memory_limit"))
    enough = (largest + _PROCESS) / _USABLE
    several = (
        f"start {int(np.ceil(len(parts) * largest / room))} workers like these, or "
        if room > 0
        else ""
    )
    raise InvalidInputError(
        f"each of the {len(found)} workers needs {largest / _GIB:.3g} GiB to take its columns and has "
        f"{limit / _GIB:.3g} GiB of memory in all: {several}give each {enough / _GIB:.3g} GiB "
        f"(memory_limit={int(np.ceil(enough))})"
    )
