"""How are columns spread over a cluster, and what do its workers tell?

Blocks of columns live on Dask's workers (`chemin.dictionaries.cluster_workers`). The engine asks about all of them only
now and then: each worker then brings its own correlations up to date and returns its few nearest columns; the smallest
limit of all blocks holds for all columns. Entries are computed here where that takes less time than a message, and
fetched from the workers otherwise. Nothing is sent at most events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.dictionaries.cluster_blocks import Facts, Step
from chemin.dictionaries.cluster_workers import Message, Placed, Traffic, Workers
from chemin.dictionaries.kernel import KernelDictionary
from chemin.dictionaries.survey import Ahead, ArraySurvey, Nearest, Units
from chemin.exceptions import ClusterError, InvalidInputError, MissingLibraryError

_CONNECTING = 10.0  # seconds to find the scheduler
_MESSAGE = 2e6  # multiplications that take as long as a message
_ROUND = 5e6  # the same for a question to all workers
_GIVE = (
    "pass the scheduler's address (for example 'tcp://10.0.0.1:8786'), a dask.distributed Client, or a cluster such as "
    "LocalCluster(n_workers=4)"
)


@contextmanager
def on_cluster(dictionary: Dictionary, cluster: Any) -> Iterator[ClusterDictionary]:
    """Spread the columns of a dictionary over the workers of a cluster while the context lasts.

    Parameters
    ----------
    dictionary : DenseDictionary, SparseDictionary or KernelDictionary
        The columns.
    cluster : str, dask.distributed.Client or cluster
        The scheduler's address, a client of it, or a cluster such as ``LocalCluster``. There must be workers, with
        chemin installed.

    Yields
    ------
    ClusterDictionary
        The same columns. A worker that dies is replaced: its columns are built again from the data, and the path goes
        on.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached, has no workers, or has lost the last one.
    InvalidInputError
        If the workers have too little memory, or the dictionary is of another kind.

    Examples
    --------
    >>> import chemin
    >>> from chemin.datasets import benchmark_gaussian
    >>> from chemin.dictionaries import DenseDictionary
    >>> X, y = benchmark_gaussian(200, 20000, 0)
    >>> from distributed import LocalCluster  # doctest: +SKIP
    >>> with LocalCluster(n_workers=4) as cluster, on_cluster(DenseDictionary(X), cluster) as columns:  # doctest: +SKIP
    ...     path = chemin.svm_path(columns, y, max_events=200)
    """
    with _connected(cluster) as client:
        workers = Workers(client, dictionary)
        try:
            yield ClusterDictionary(dictionary, workers)
        finally:
            workers.close()


@contextmanager
def _connected(cluster: Any) -> Iterator[Any]:
    """Return a client of the cluster, and close it again unless it is the user's own."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingLibraryError(
            "a cluster needs dask.distributed: pip install 'chemin[cluster]'"
        ) from error
    if getattr(cluster, "asynchronous", False):
        raise InvalidInputError(
            "this cluster is asynchronous: pass one made with asynchronous=False, or its address"
        )
    if isinstance(cluster, Client):
        if cluster.status != "running":
            raise ClusterError(
                f"this client is {cluster.status}: pass an open one, or the scheduler's address"
            )
        yield cluster
        return
    if not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
        raise InvalidInputError(f"cluster is {cluster!r}: {_GIVE}")
    options = {
        "set_as_default": False,
        "direct_to_workers": True if isinstance(cluster, LocalCluster) else None,
    }
    try:
        _shake_hands(cluster)
        client = Client(cluster, timeout=_CONNECTING, **options)  # type: ignore[no-untyped-call]
    except Exception as error:  # whatever answers there may say anything
        reason = str(error) or f"not within {_CONNECTING:g} s"
        remedy = f"start it ('dask scheduler', then 'dask worker ADDRESS'), or {_GIVE}"
        raise ClusterError(f"no scheduler answers at {cluster} ({reason}): {remedy}") from error
    with client:
        yield client


def _shake_hands(cluster: Any) -> None:
    """Raise if no scheduler answers in time: Dask's client would wait for ever where somebody else does."""
    from distributed.comm.core import connect
    from distributed.security import Security

    address = cluster if isinstance(cluster, str) else cluster.scheduler_address
    security = getattr(cluster, "security", None) or Security()  # type: ignore[no-untyped-call]

    async def meet() -> None:
        async with asyncio.timeout(_CONNECTING):
            arguments = security.get_connection_args("client")
            met = await connect(address, timeout=_CONNECTING, **arguments)  # type: ignore[no-untyped-call]
            await met.write({"op": "identity", "reply": True})
            who = (await met.read()).get("type")
            await met.close()
        if who != "Scheduler":
            raise ValueError(f"that is a {who}")

    with ThreadPoolExecutor(
        1
    ) as elsewhere:  # the caller's thread may have a loop of its own, in a notebook for one
        elsewhere.submit(lambda: asyncio.run(meet())).result()


class ClusterDictionary:
    """The columns of another dictionary, on the workers of a cluster; once these are left, that dictionary itself.

    Attributes
    ----------
    source : Dictionary
        The dictionary they were taken from.
    traffic : Traffic
        Messages and bytes so far.
    """

    def __init__(self, source: Dictionary, workers: Workers) -> None:
        self.source, self.workers = source, workers
        self.shape, self.names = source.shape, source.names
        members = [placed.part.members for placed in workers.placed]
        self.members, self.owner, self.place = (
            members,
            *(np.empty(self.shape[1], dtype=np.intp) for _ in range(2)),
        )
        for number, mine in enumerate(members):
            self.owner[mine], self.place[mine] = number, np.arange(len(mine))

    @property
    def traffic(self) -> Traffic:
        return self.workers.traffic

    @property
    def most_columns(self) -> int:
        return min(self.source.most_columns, self.shape[1] // 2)

    @cached_property
    def look_cost(self) -> float:
        return max(self.workers.ask(range(len(self.members)), lambda placed: ("look_cost", ())))

    def resident(self) -> AbstractContextManager[Dictionary]:
        return nullcontext(self) if self.workers.placed else self.source.resident()

    def columns(self, index: Indices) -> Floats:
        if self._is_quick(self.shape[0], len(index)):
            return self.source.columns(index)
        return self._fetch("columns", (), self.shape[0], index)

    def block(self, rows: Indices, index: Indices) -> Floats:
        if self._is_quick(len(rows), len(index)):
            return self.source.block(rows, index)
        return self._fetch("block", (rows,), len(rows), index)

    def correlations(self, u: Floats, rows: Indices | None = None) -> Floats:
        return self._all("correlations", (u, rows))

    def scores(self, coef: Any) -> Floats:
        return self.source.scores(coef)

    def column_norms(self) -> Floats:
        return self._all("column_norms", ())

    def column_ranges(self) -> Floats:
        return self._all("column_ranges", ())

    def row_norms(self) -> Floats:
        return np.asarray(np.sqrt(sum(norms**2 for norms in self._ask("row_norms", ()))))

    def at_hand(self) -> Floats | None:
        return None

    def nbytes(self) -> int:
        return 0

    def digest(self) -> Floats:
        return self.source.digest()

    def survey(
        self, norm: Floats, ranges: Floats, weight: Floats, excluded: Indices
    ) -> ClusterSurvey:
        return ClusterSurvey(self, Facts(norm, ranges, weight, excluded))

    def local(self, index: Indices) -> list[Indices]:
        """Return which of some columns each block has, by their places there."""
        owner, place = self.owner[index], self.place[index]
        return [place[owner == number] for number in range(len(self.members))]

    def _is_quick(self, rows: int, columns: int) -> bool:
        """Say whether entries are at hand, or computed here in less time than a message takes."""
        if not isinstance(self.source, KernelDictionary) or not self.workers.placed:
            return True
        kind, points = (
            getattr(self.source.points, "dtype", np.dtype(object)).kind,
            self.source.points,
        )
        return kind != "O" and rows * columns * points.shape[1] <= _MESSAGE

    def _fetch(self, verb: str, arguments: tuple[Any, ...], rows: int, index: Indices) -> Floats:
        """Return entries of some columns, each from the block that has it."""
        out, owner, local = np.empty((rows, len(index))), self.owner[index], self.local(index)
        asked = [number for number, mine in enumerate(local) if len(mine)]

        def message(placed: Placed) -> Message:
            return "ask", (verb, (*arguments, local[placed.part.number]))

        for number, answer in zip(asked, self.workers.ask(asked, message), strict=True):
            out[:, owner == number] = answer
        return out

    def _all(self, verb: str, arguments: tuple[Any, ...]) -> Floats:
        """Return one number, or one row of numbers, for every column."""
        answers = self._ask(verb, arguments)
        if not self.workers.placed:
            return answers[0]
        out = np.empty((self.shape[1], *answers[0].shape[1:]))
        for mine, answer in zip(self.members, answers, strict=True):
            out[mine] = answer
        return out

    def _ask(self, verb: str, arguments: tuple[Any, ...]) -> list[Floats]:
        """Return every block's answer."""
        if not self.workers.placed:
            return [getattr(self.source, verb)(*arguments)]
        return self.workers.ask(range(len(self.members)), lambda placed: ("ask", (verb, arguments)))


class ClusterSurvey:
    """All correlations, each where its column lives.

    What changes is sent to a block together with the next question. The steps since all correlations were last computed
    afresh are kept here: a block that was rebuilt makes them again, and stands where the lost one stood, to the bit.
    """

    axes = ArraySurvey.axes

    def __init__(self, dictionary: ClusterDictionary, facts: Facts) -> None:
        self.dictionary = dictionary
        dealt = zip(dictionary.members, dictionary.local(facts.excluded), strict=True)
        norm, ranges, weight, _ = facts
        self.facts = [
            Facts(norm[mine], ranges[mine], weight[mine], excluded) for mine, excluded in dealt
        ]
        self.steps: list[Step] = []
        self.before = 0  # steps that the present ones have made irrelevant

    def cost(self, share: float) -> float:
        return 0.4 * share * self.dictionary.look_cost + 40.0 * len(self.facts[0].norm) + _ROUND

    def read(self, u: Floats) -> None:
        self.before += len(self.steps)
        self.steps = [Step("read", (u,))]

    def update(self, change: Floats, rows: Indices) -> None:
        self.steps.append(Step("update", (change, rows)))

    def measure_by(self, units: Units) -> None:
        self.steps.append(Step("measure_by", (units,)))

    def nearest(
        self, l1: float, count: int, active: Indices, ahead: Ahead | None = None
    ) -> Nearest:
        # Dealt at random, count/B ± its root would be in each block: two roots more keep the smallest limit large.
        share = count / len(self.facts)
        few = (
            count
            if count >= len(self.dictionary.owner)
            else int(np.ceil(share + 2.0 * np.sqrt(share)))
        )
        local = self.dictionary.local(active)
        answers = self._ask("nearest", [(l1, few, mine, ahead) for mine in local])
        columns, correlation, pace = self._gathered([found[:3] for found in answers])
        return Nearest(columns, correlation, pace, min(found.limit for found in answers))

    def beyond(self, l1: float, also: Indices) -> tuple[Indices, Floats]:
        columns, correlation = self._gathered(
            self._ask("beyond", [(l1, mine) for mine in self.dictionary.local(also)])
        )
        return columns, correlation

    def _ask(self, verb: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Bring every block up to date and ask it."""
        workers, last = self.dictionary.workers, self.before + len(self.steps)

        def message(placed: Placed) -> Message:
            number, known = placed.part.number, placed.survey is self
            placed.survey = None  # until it has answered, nobody knows where it stands
            steps = self.steps[max(placed.steps - self.before, 0) :] if known else self.steps
            return "look", (None if known else self.facts[number], steps, verb, arguments[number])

        answers = workers.ask(range(len(self.facts)), message)
        for placed in workers.placed:
            placed.survey, placed.steps = self, last
        return answers

    def _gathered(self, answers: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Return what the blocks have found, by the numbers that the columns have here, in order."""
        found = zip(self.dictionary.members, answers, strict=True)
        columns = np.concatenate([mine[answer[0]] for mine, answer in found])
        order = np.argsort(columns)
        return columns[order], *(
            np.concatenate(values)[order] for values in list(zip(*answers, strict=True))[1:]
        )
