"""How does a long training survive the end of its process? What it needs to go on is in a file after every epoch.

The file holds tensors and plain values only, never code, and is replaced in one move: an interrupted writer leaves the
one before. Everything random in an epoch is drawn from (seed, epoch), so that a resumed training makes the same steps,
bit for bit on a CPU.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chemin.exceptions import CheckpointError, InvalidInputError, MissingLibraryError
from chemin.models.networks.batches import torch_module
from chemin.models.networks.weights import load_plain

_FORMAT = 1  # raised with every change of what a file holds


@dataclass
class Progress:
    """Where a training stands after an epoch.

    Attributes
    ----------
    seed : int
        What all that is random is drawn from.
    epochs : list of list of float
        Per epoch: training loss and error, held-out loss and error, learning rate, seconds.
    best : int
        The epoch of the least held-out loss, counted from 1; 0 if nobody asks.
    best_weights : dict, optional
        Its weights.
    reason : str
        Why training ended; "" as long as it goes on.
    """

    seed: int
    epochs: list[list[float]] = field(default_factory=list)
    best: int = 0
    best_weights: dict[str, Any] | None = None
    reason: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """A file, and what the training in it belongs to.

    Attributes
    ----------
    file : Path
        Its name.
    digest : str
        Tells its data, network and settings from others.
    """

    file: Path
    digest: str

    def write(self, progress: Progress, network: Any, optimiser: Any) -> None:
        """Write what the training needs to go on, in place of what was there before."""
        stored = {
            "format": _FORMAT,
            "digest": self.digest,
            "progress": vars(progress),
            "network": network.state_dict(),
            "optimiser": optimiser.state_dict(),
        }
        part = self.file.with_name(self.file.name + ".part")
        with open(part, "wb") as stream:
            torch_module().save(stored, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, self.file)

    def read(self, network: Any, optimiser: Any) -> Progress | None:
        """Bring network and optimiser to where the training stood, or return None if there is no file."""
        if not self.file.exists():
            return None
        try:
            stored = load_plain(self.file)
        except MissingLibraryError:
            raise
        except Exception as error:  # a damaged file fails in more ways than can be listed
            raise CheckpointError(
                f"{self.file} is not a whole checkpoint ({type(error).__name__}): delete it, or pass another file name"
            ) from error
        if not isinstance(stored, dict) or stored.get("format") != _FORMAT:
            raise CheckpointError(
                f"{self.file} is no checkpoint of a training: pass the name of one, or of a new file"
            )
        if stored["digest"] != self.digest:
            raise CheckpointError(
                f"{self.file} belongs to other data, another network or other settings: pass those it was begun "
                "with, or another file name"
            )
        network.load_state_dict(stored["network"])
        optimiser.load_state_dict(stored["optimiser"])
        return Progress(**stored["progress"])


def as_file(checkpoint: Any) -> Path:
    """Return the file of a checkpoint, once it is sure that it can be written."""
    if not isinstance(checkpoint, str | os.PathLike) or not str(checkpoint):
        raise InvalidInputError(f"checkpoint is {checkpoint!r}: pass the name of a file")
    file = Path(checkpoint).expanduser()
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder: pass the name of a file in it")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise InvalidInputError(
            f"{file.parent} is not a folder to write to: create it, or choose another one"
        )
    return file


def digest_of(tensors: list[Any], *settings: object) -> str:
    """Return what tells data and settings from others."""
    digest = hashlib.blake2b(repr(settings).encode(), digest_size=16)
    for tensor in tensors:
        digest.update(repr((tuple(tensor.shape), str(tensor.dtype))).encode())
        bytes_of = tensor.cpu().contiguous().flatten().view(torch_module().uint8)
        digest.update(memoryview(bytes_of.numpy()))
    return digest.hexdigest()
