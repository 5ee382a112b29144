"""Where do the columns live while a path is followed? In memory, on a GPU, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from chemin.dictionaries.base import Dictionary
from chemin.dictionaries.cluster import on_cluster
from chemin.dictionaries.dense import DenseDictionary
from chemin.dictionaries.gpu import GpuDictionary
from chemin.dictionaries.joined import JoinedDictionary
from chemin.dictionaries.kernel import KernelDictionary
from chemin.dictionaries.tensors import ComputedTensors, StoredTensors, torch_module
from chemin.exceptions import InvalidInputError

_ENTRY = 8  # bytes
_SPARE = 1.2  # memory of the device per byte of columns: tiles and vectors come on top
_SAME = 1e-9  # how far entries computed there and here may differ, relative
_WORTH = 50_000_000  # entries below which a device takes longer to be asked than a core to answer


@contextmanager
def placed(
    dictionary: Dictionary, device: str = "cpu", cluster: Any = None
) -> Iterator[Dictionary]:
    """Hold columns where they are to be while the context lasts.

    Parameters
    ----------
    dictionary : Dictionary
        The columns.
    device : str
        ``"cpu"``; a device of PyTorch such as ``"cuda"`` or ``"cuda:1"``; or ``"auto"``, a GPU if there is one, the
        columns fit and are many enough for it to pay.
    cluster : str, dask.distributed.Client or cluster, optional
        Workers to spread the columns over: see `chemin.dictionaries.cluster.on_cluster`.

    Examples
    --------
    >>> with placed(DenseDictionary(np.eye(3))) as columns:
    ...     columns.shape
    (3, 3)
    """
    chosen = _chosen(dictionary, device)
    if cluster is not None:
        if device != "cpu":
            raise InvalidInputError(
                "columns live on a cluster or on a device: pass one of cluster and device"
            )
        with on_cluster(dictionary, cluster) as columns:
            yield columns
    elif chosen == "cpu":
        with dictionary.resident() as columns:
            yield columns
    else:
        yield on_device(dictionary, chosen)


def on_device(dictionary: Dictionary, device: str, stored: bool = True) -> GpuDictionary:
    """Return the same columns on a device of PyTorch, stored if they fit and that is wanted, or computed when asked."""
    if isinstance(dictionary, GpuDictionary):
        return dictionary
    if isinstance(dictionary, JoinedDictionary):
        return on_device(dictionary.dense(), device, stored)
    torch = torch_module()
    where, room = torch.device(device), _free(device)
    fits = _SPARE * _ENTRY * float(np.prod(dictionary.shape)) <= room
    if isinstance(dictionary, DenseDictionary):
        if not fits:
            n, p = dictionary.shape
            raise InvalidInputError(
                f"{n} × {p} columns take {_ENTRY * n * p / 2**30:.3g} GiB and {device} has {room / 2**30:.3g} free: "
                f"pass at most {int(room / _SPARE / _ENTRY / n)} columns, or device='cpu'"
            )
        return GpuDictionary(StoredTensors(_tensor(dictionary.data, where)), dictionary.names)
    computed = _computed(dictionary, where)
    if computed is None:
        raise InvalidInputError(
            f"columns of {type(dictionary).__name__} cannot be moved to {device}: pass a dense array, kernels with a "
            "formula on rows of numbers, or device='cpu'"
        )
    _check_formulas(dictionary, computed)
    return GpuDictionary(computed.stored() if stored and fits else computed)


def _check_formulas(dictionary: Dictionary, computed: ComputedTensors) -> None:
    """Make sure that a device computes the same columns, by one column of each kernel."""
    index = np.arange(len(computed.kernels)) * computed.centers.shape[0]
    here = dictionary.columns(index)
    there = (
        computed.entries(None, torch_module().as_tensor(index, device=computed.device))
        .cpu()
        .numpy()
    )
    size = np.maximum(np.abs(here).max(axis=0), np.abs(here).max() * np.finfo(float).eps / _SAME)
    wrong = np.flatnonzero(np.abs(there - here).max(axis=0) > _SAME * size)
    if len(wrong):
        raise InvalidInputError(
            f"kernel {wrong[0]} has other values on {computed.device} than here: pass device='cpu', or mend the "
            "formula that its on_tensors returns"
        )


def _computed(dictionary: Dictionary, where: Any) -> ComputedTensors | None:
    """Return the columns of kernels as tensors; None for other columns, or if a kernel has no formula for tensors."""
    if not isinstance(dictionary, KernelDictionary):
        return None
    offered = [getattr(kernel, "on_tensors", lambda: None)() for kernel in dictionary.kernels]
    functions = [function for function in offered if function is not None]
    points = (dictionary.points, dictionary.centers)
    if len(functions) < len(offered) or not all(
        isinstance(some, np.ndarray) and some.dtype.kind in "fiub" for some in points
    ):
        return None
    X, Z = (_tensor(some, where) for some in points)
    return ComputedTensors(
        X, Z, functions, None if dictionary.scale is None else _tensor(dictionary.scale, where)
    )


def _tensor(values: Any, where: Any) -> Any:
    """Return an array as float64 on a device; one that is read-only, which PyTorch would warn of, is copied first."""
    return torch_module().as_tensor(np.require(values, np.float64, ["C", "W"]), device=where)


def _chosen(dictionary: Dictionary, device: str) -> str:
    """Return the device meant, checked: no GPU where there is none, and a reason to use it where it is left open."""
    if not isinstance(device, str):
        raise InvalidInputError(
            f"device is {device!r}: pass 'cpu', 'auto', or a device of PyTorch such as 'cuda'"
        )
    if device == "cpu":
        return device
    if device == "auto":
        if float(np.prod(dictionary.shape)) < _WORTH or find_spec("torch") is None:
            return "cpu"
        if not torch_module().cuda.is_available() or not _can_move(dictionary):
            return "cpu"
        return "cuda"
    torch = torch_module()
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        reason = str(error).splitlines()[0][:100]
        raise InvalidInputError(
            f"device={device!r} cannot be used ({reason}): pass device='auto' for a GPU if there is one, or 'cpu'"
        ) from error
    return device


def _can_move(dictionary: Dictionary) -> bool:
    fits = _SPARE * _ENTRY * float(np.prod(dictionary.shape)) <= _free("cuda")
    return _computed(dictionary, "cpu") is not None or (
        isinstance(dictionary, DenseDictionary | JoinedDictionary) and fits
    )


def _free(device: str) -> float:
    """Return the free bytes of a GPU, what PyTorch holds back included; other devices use ordinary memory."""
    torch = torch_module()
    if torch.device(device).type != "cuda":
        return np.inf
    torch.cuda.empty_cache()
    return float(torch.cuda.mem_get_info(device)[0])
