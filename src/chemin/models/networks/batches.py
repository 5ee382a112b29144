"""Where are the rows, and which ones come next? Tensors on a device of PyTorch, and batches of them in a drawn order.

An epoch looks at every row once, in a new random order, in batches B₁, B₂, … of nearly the same size.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 9.4.4.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError, MissingLibraryError

DEVICES = ("auto", "cpu", "cuda")
_AT_ONCE = {"cpu": 2**18, "cuda": 2**22}  # entries of inputs that are looked at together


def torch_module() -> Any:
    """Return PyTorch, or say how to have it."""
    try:
        return importlib.import_module("torch")
    except ImportError as missing:
        raise MissingLibraryError(
            'networks are trained by PyTorch: pip install "chemin[deep]"'
        ) from missing


def as_device(device: str) -> Any:
    """Return the device of a name; "auto" is a GPU if there is one."""
    torch = torch_module()
    if device not in DEVICES:
        raise InvalidInputError(f"device is {device!r}: pass one of {', '.join(DEVICES)}")
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidInputError("device is 'cuda', but PyTorch sees no GPU: pass 'cpu' or 'auto'")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


def as_tensor(values: Any, dtype: Any) -> Any:
    """Return an array or a tensor as a tensor of some type; memory that cannot be written is copied."""
    torch = torch_module()
    if not isinstance(values, torch.Tensor):
        array = np.asarray(values)
        values = torch.from_numpy(np.require(array, requirements=["C", "W"]))
    return values.to(dtype)


@contextmanager
def seeded(seed: int, device: Any = None) -> Iterator[None]:
    """Let PyTorch draw from a seed for a while (initial weights, dropout), and then go on as if nothing had been."""
    torch = torch_module()
    drawing = [device] if device is not None and device.type == "cuda" else []
    with torch.random.fork_rng(devices=drawing):
        torch.manual_seed(seed)
        yield


class Rows:
    """Inputs and targets, on the device if they take less than half of its free memory, else sent batch after batch."""

    def __init__(self, inputs: Any, targets: Any, device: Any) -> None:
        self.device = device
        bytes_needed = inputs.nbytes + targets.nbytes
        there = device if _fits(bytes_needed, device) else inputs.device
        self.inputs = inputs.to(there)
        self.targets = targets.to(there)

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, index: Any) -> tuple[Any, Any]:
        """Return some rows and their targets, on the device."""
        index = index.to(self.inputs.device)
        return self.inputs[index].to(self.device), self.targets[index].to(self.device)


def drawn_batches(n: int, size: int | None, generator: Any) -> tuple[Any, ...]:
    """Return the numbers of n rows in random order, as batches of at most `size` rows; None is all at once.

    They are as equal as can be: a single row that is left over would have no variance to be normalised by.
    """
    torch = torch_module()
    order = torch.randperm(n, generator=generator)
    count = 1 if size is None else -(-n // size)
    batches: tuple[Any, ...] = order.tensor_split(count)
    return batches


def in_order(inputs: Any, device: Any) -> tuple[Any, ...]:
    """Return the numbers of all rows in order, as batches that a device can look at together."""
    size = max(1, _AT_ONCE[device.type] // max(1, inputs[:1].numel()))
    batches: tuple[Any, ...] = torch_module().arange(len(inputs)).split(size)
    return batches


def outputs_of(network: Any, inputs: Any) -> Any:
    """Return what a network makes of rows, as an array; dropout is off, and nothing is learnt.

    Parameters
    ----------
    network : torch.nn.Module
        It is asked where it lies, and left in evaluation mode.
    inputs : array or tensor
        The rows.

    Returns
    -------
    ndarray
        One row of outputs per row.
    """
    torch = torch_module()
    first = next(network.parameters())
    network.eval()
    with torch.inference_mode():
        inputs = as_tensor(inputs, first.dtype)
        found = [
            network(inputs[index].to(first.device)).cpu()
            for index in in_order(inputs, first.device)
        ]
    return torch.cat(found).numpy()


def _fits(count: int, device: Any) -> bool:
    """Return whether so many bytes are less than half of what is free on the device."""
    if device.type != "cuda":
        return True
    free, _ = torch_module().cuda.mem_get_info(device)
    return bool(2 * count < free)
