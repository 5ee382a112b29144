"""How is a peer kept within its budget?

It runs in a process of its own, which is ended when a single value outlasts the budget, since
compiled code cannot be interrupted; a crash there costs one result. Only the time spent inside the
peer counts, its set-up included; starting the process and sending results back do not.
"""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import numpy as np
from peers import Peer
from problems import Problem

GRACE = 30.0  # seconds to start the process and to finish a value begun within the budget
VALUE, REPEAT, FAILURE = "value", "repeat", "failure"


@dataclass
class Visit:
    """What a peer brought back from the grid."""

    coefs: dict[int, list[np.ndarray]] = field(default_factory=dict)
    seconds: float = 0.0
    repeats: list[float] = field(default_factory=list)
    failure: str = ""


@dataclass(frozen=True)
class Order:
    """What a peer is asked to do."""

    peer: Peer
    problem: Problem
    l1: np.ndarray
    l2: float
    budget: float
    repeat: int


def spread_order(count: int) -> list[int]:
    """0 .. count-1 in bit-reversed order: any beginning of it covers the whole range."""
    bits = max(1, (count - 1).bit_length())
    reversed_bits = (int(f"{k:0{bits}b}"[::-1], 2) for k in range(2**bits))
    return [k for k in reversed_bits if k < count]


def walk(order: Order, connection: Connection | None, budget: float) -> tuple[float, bool]:
    """Value after value until the grid or the budget ends: the seconds, and whether it ended."""
    start = time.perf_counter()
    solver = order.peer.build(order.problem.X, order.problem.y, order.l2)
    elapsed, count = time.perf_counter() - start, len(order.l1)
    for k in range(count) if order.peer.warm else spread_order(count):
        start = time.perf_counter()
        coefs = solver.solve(float(order.l1[k]), budget - elapsed)
        elapsed += time.perf_counter() - start
        if elapsed > budget:
            return elapsed, False
        if connection is not None:
            connection.send((VALUE, k, coefs, elapsed))
    return elapsed, True


def work(connection: Connection, order: Order) -> None:
    """The life of the peer's process: one walk that is kept, then repeats for the clock alone."""
    try:
        order.peer.version()  # imports the package before the clock starts
        seconds, complete = walk(order, connection, order.budget)
        repeats = order.repeat if complete else 0
        for _ in range(min(repeats - 1, int(order.budget / max(seconds, 1e-9)) - 1)):
            connection.send((REPEAT, walk(order, None, np.inf)[0]))
    except Exception as error:  # a peer's failure is a result of the comparison, not ours
        connection.send((FAILURE, f"{type(error).__name__}: {error}"))
    connection.close()


def visit_grid(order: Order) -> Visit:
    """Everything the peer finishes before its time is up."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(sender, order), daemon=True)
    process.start()
    sender.close()
    deadline = time.perf_counter() + 2 * order.budget + GRACE
    visit = Visit()
    try:
        while receiver.poll(max(0.0, deadline - time.perf_counter())):
            record(visit, receiver.recv())
    except EOFError:
        process.join(timeout=GRACE)
    if process.is_alive():
        process.kill()
        process.join()
    elif process.exitcode:
        visit.failure = visit.failure or f"its process ended with code {process.exitcode}"
    return visit


def record(visit: Visit, message: tuple) -> None:
    """Add one message of the peer's process to what it brought back."""
    kind, *content = message
    if kind == VALUE:
        k, coefs, visit.seconds = content
        visit.coefs[k] = coefs
    elif kind == REPEAT:
        visit.repeats.append(content[0])
    else:
        visit.failure = content[0]
