"""How does a long path survive the end of its process? It is written to a file on the way, certified.

A checkpoint holds everything recorded so far and the point where the path stands. Where one is written the engine
starts anew from it, which is what a resumed engine does: both then make the same steps, bit for bit. The file is an npz
of plain arrays, replaced in one move: not even a writer that is killed leaves half of one.
"""

from __future__ import annotations

import os
import warnings
import zipfile
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats
from chemin.engine.exact.snapshot import Snapshot
from chemin.exceptions import CheckpointError, InvalidInputError
from chemin.problems import Problem

_VERSIONS = {2: "0.1", 3: "0.2"}
_FORMAT = 3  # raised with every change of what a file holds
_FEWEST_EVENTS, _SHARE = (
    500,
    0.1,
)  # between two checkpoints: at least so many events, and this share of those so far
_SAME_DATA = 1e-10


@dataclass(frozen=True, eq=False)
class Saved:
    """What a path needs to go on: where it stands, what it has recorded, and what it has counted."""

    point: Snapshot
    record: dict[str, Any]  # its arrays
    first: tuple[float, float]  # l1 and ‖α‖ where the path begins
    repairs: list[float]
    counters: tuple[int, int, int, int]  # draws of ties, events, rows and columns evaluated


@dataclass
class Checkpoint:
    """A file, and what the path in it belongs to.

    Attributes
    ----------
    file : path
    probe : ndarray
        Numbers that tell its data and parameters from others (`probe_of`, and the digest of arrays).
    last : int
        The number of events when it was last written or read.
    """

    file: FilePath
    probe: Floats
    last: int = 0

    def is_due(self, n_events: int) -> bool:
        """Say whether enough has happened since the last time."""
        return n_events >= self.due() and n_events - self.last >= int(_SHARE * n_events)

    def due(self) -> int:
        """Return the number of events before which nothing is written."""
        return self.last + max(_FEWEST_EVENTS, int(_SHARE * self.last))

    def write(self, saved: Saved) -> None:
        """Write what a path needs to go on, in place of what was there before."""
        arrays: dict[str, Any] = {"format": np.array(_FORMAT), "probe": self.probe}
        arrays |= {
            name: np.array(getattr(saved, name)) for name in ("first", "repairs", "counters")
        }
        arrays |= {
            f"point_{field.name}": getattr(saved.point, field.name) for field in fields(Snapshot)
        }
        arrays |= {f"record_{name}": buffer for name, buffer in saved.record.items()}
        self.last = saved.counters[1]
        part = self.file.with_name(self.file.name + ".part")
        try:
            with open(part, "wb") as stream:
                np.savez(stream, **arrays)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, self.file)
        except OSError as error:  # a full disk must not end the path
            with suppress(OSError):
                part.unlink(missing_ok=True)
            warnings.warn(
                f"{self.file} could not be written ({error}): make room; the path goes on",
                stacklevel=2,
            )

    def read(self) -> Saved:
        """Return what a path needs to go on, once it is sure that it is the same path."""
        try:
            return self._saved(_arrays_of(self.file))
        except CheckpointError:
            raise
        except Exception as error:  # a damaged zip file fails in more ways than can be listed
            raise CheckpointError(
                f"{self.file} is not a whole checkpoint ({error}): restore a copy of it, or start anew with another "
                "file name"
            ) from error

    def _saved(self, stored: dict[str, Any]) -> Saved:
        if "format" not in stored:
            raise CheckpointError(
                f"{self.file} is no checkpoint of a path: pass the name of one, or of a new file"
            )
        if stored["format"] != _FORMAT:
            raise CheckpointError(
                f"{self.file} was written by chemin {_VERSIONS.get(int(stored['format']), 'of another version')}: "
                "resume with that version, or start anew with another file name"
            )
        if stored["probe"].shape != self.probe.shape or not np.allclose(
            stored["probe"], self.probe, _SAME_DATA, 0.0
        ):
            raise CheckpointError(
                f"{self.file} belongs to other data, weights or l2: pass those it was begun with, or another file name"
            )
        point = Snapshot(*(stored[f"point_{field.name}"] for field in fields(Snapshot)))
        draws, events, rows, columns = stored["counters"].tolist()
        self.last = events
        first_l1, first_dual = stored["first"].tolist()
        record = {
            name.removeprefix("record_"): values
            for name, values in stored.items()
            if name.startswith("record_")
        }
        counters = (draws, events, rows, columns)
        return Saved(point, record, (first_l1, first_dual), stored["repairs"].tolist(), counters)


class File(NamedTuple):
    """The file asked for, and the digest of the data of its path."""

    path: FilePath
    digest: Floats


def checkpoint_file(checkpoint: Any, resume: bool, dictionary: Dictionary) -> File | None:
    """Return the file, once it is sure that nothing there would be lost."""
    if checkpoint is None:
        if resume:
            raise InvalidInputError(
                "resume needs a checkpoint: pass the file name that the path was begun with"
            )
        return None
    if not isinstance(checkpoint, str | os.PathLike) or not str(checkpoint):
        raise InvalidInputError(f"checkpoint is {checkpoint!r}: pass the name of a file")
    file = FilePath(checkpoint).expanduser()
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder: pass the name of a file in it")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise InvalidInputError(
            f"{file.parent} is not a folder to write to: create it, or choose another one"
        )
    if file.exists() and not resume:
        raise CheckpointError(
            f"{file} exists: pass resume=True to go on from it, or another file name to start anew"
        )
    return File(file, dictionary.digest())


def probe_of(problem: Problem, row_norm: Floats, column_norm: Floats) -> Floats:
    """Return numbers that tell this problem from others: sums over rows and columns with random factors."""
    n, p = problem.dictionary.shape
    rng = np.random.default_rng(0)
    rows, columns = rng.uniform(1.0, 2.0, n), rng.uniform(1.0, 2.0, p)
    signed = problem.dictionary.correlations(rows * problem.label) / np.where(
        column_norm > 0, column_norm, 1.0
    )
    sums = (
        signed @ columns,
        row_norm @ rows,
        column_norm @ columns,
        problem.weight @ rows,
        problem.l1_weight @ columns,
        rows @ problem.loss.kink.sum(axis=1),
        rows @ problem.loss.slope[:, 0],
        rows @ problem.loss.slope[:, -1],
    )
    penalty = problem.penalty
    others = (
        () if penalty.is_plain else (*penalty.bend, *penalty.curve, penalty.only_of(p) @ columns)
    )
    return np.array([n, p, problem.l2, problem.label @ rows, *sums, *others])


def _arrays_of(file: FilePath) -> dict[str, Any]:
    with zipfile.ZipFile(file) as whole:
        damaged = (
            whole.testzip()
        )  # NumPy stops reading an array before its checksum would be compared
    if damaged:
        raise ValueError(f"{damaged} is damaged")
    with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
