"""How does a network get weights that were trained elsewhere? From a local file that holds names and numbers, no code.

Entries are named as in torchvision: ``features.0.weight``, ``features.0.bias``, and so on. Everything is checked before
anything is copied: names, shapes, kinds of numbers, and that all of them are finite.

    .pth, .pt       what ``torch.save(network.state_dict(), file)`` writes; read without running code of its pickle
    .safetensors    the same numbers without a pickle
    .npz            NumPy arrays, none of them of objects
"""

from __future__ import annotations

import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.models.networks.batches import torch_module

_SHOWN = 3  # names listed of each kind of mistake
_SAFE_SINCE = (2, 6)  # earlier versions of PyTorch could be made to run code of a file of weights


def load_weights(network: Any, path: str | os.PathLike[str], *, only: str | None = None) -> Any:
    """Copy the weights of a file into a network.

    Parameters
    ----------
    network : torch Module
        The network, of the same architecture as the one that was trained; left as it was if the file does not fit.
    path : path
        A file that ends in ``.pth``, ``.pt``, ``.safetensors`` or ``.npz``.
    only : str, optional
        The part that is loaded, such as "features"; the file may hold others, or none, of the rest.

    Returns
    -------
    torch Module
        The network itself.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from chemin.models.networks.vgg import vgg
    >>> trained = vgg([(4, 1)], hidden=8, classes=1000, random_state=0)
    >>> mine = vgg([(4, 1)], hidden=8, classes=5, random_state=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save_weights(trained, pathlib.Path(folder) / "trained.npz")
    ...     mine = load_weights(mine, file, only="features")
    >>> bool((mine.features[0].weight == trained.features[0].weight).all())
    True
    """
    torch = torch_module()
    if not isinstance(network, torch.nn.Module):
        raise InvalidInputError(f"network is {network!r}: pass a torch Module, such as vgg16()")
    file = Path(path)
    wanted = _part(network.state_dict(), only)
    if not wanted:
        parts = ", ".join(sorted({name.split(".")[0] for name in network.state_dict()}))
        raise InvalidInputError(
            f"only is {only!r}, and the network has no such part: pass one of {parts}"
        )
    if any(numbers.is_meta for numbers in wanted.values()):
        raise InvalidInputError("the network has shapes but no numbers: build it with device='cpu'")
    found = _part(_entries(file, torch), only)
    _check_fit(file, wanted, found, torch)
    with torch.no_grad():
        for name, numbers in wanted.items():
            numbers.copy_(found[name])
    return network


def save_weights(network: Any, path: str | os.PathLike[str]) -> Path:
    """Write the weights of a network to a file that `load_weights` reads, in place of what was there before.

    Parameters
    ----------
    network : torch Module
        The network.
    path : path
        A file that ends in ``.pth``, ``.pt``, ``.safetensors`` or ``.npz``.

    Returns
    -------
    Path
        The file.
    """
    file = Path(path)
    _, write = _layout(file)
    entries = {
        name: numbers.detach().cpu().contiguous() for name, numbers in network.state_dict().items()
    }
    part = file.with_name(file.name + ".part")
    try:
        write(entries, part)
        with open(part, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
    return file


def load_plain(file: Path, *, mapped: bool = False) -> Any:
    """Return what PyTorch wrote to a file, if it is tensors and plain values; no code of its pickle is run.

    Parameters
    ----------
    file : Path
        Which one.
    mapped : bool, default False
        Leave the numbers on the disk until they are asked for.
    """
    torch = torch_module()
    version = tuple(int(digits) for digits in torch.__version__.split(".")[:2])
    if version < _SAFE_SINCE:
        raise MissingLibraryError(
            f'PyTorch {torch.__version__} may run code of such a file: pip install "chemin[deep]", or pass an npz file'
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about pickles that are refused
        return torch.load(file, map_location="cpu", weights_only=True, mmap=mapped)


def _part(entries: Mapping[str, Any], only: str | None) -> dict[str, Any]:
    """Return the entries of one part of a network, or all of them."""
    return {name: e for name, e in entries.items() if only is None or name.startswith(f"{only}.")}


def _entries(file: Path, torch: Any) -> dict[str, Any]:
    """Return what a file holds, by name."""
    read, _ = _layout(file)
    if not file.is_file():
        raise InvalidInputError(f"there is no file {os.fspath(file)!r}: pass the path of one")
    held = read(file, torch)
    if isinstance(held, Mapping) and isinstance(held.get("state_dict"), Mapping):
        held = held["state_dict"]
    if not isinstance(held, Mapping):
        raise InvalidInputError(
            f"{file.name} holds a {type(held).__name__} instead of numbers by name: save network.state_dict()"
        )
    entries = {str(name): numbers for name, numbers in held.items()}
    wrapped = all(name.startswith("module.") for name in entries)  # by DataParallel
    return {name.removeprefix("module."): e for name, e in entries.items()} if wrapped else entries


def _check_fit(file: Path, wanted: dict[str, Any], found: dict[str, Any], torch: Any) -> None:
    """Refuse a file that does not hold exactly what is wanted, and say in what it differs."""
    shared = [name for name in wanted if name in found]
    plain = [name for name in shared if _is_plain(found[name], torch)]
    whole = [name for name in plain if found[name].shape == wanted[name].shape]
    alike = [
        name for name in whole if _is_convertible(found[name].dtype, wanted[name].dtype, torch)
    ]
    mistakes = {
        "missing": [name for name in wanted if name not in found],
        "unknown to the network": [name for name in found if name not in wanted],
        "not an array of numbers": [
            f"{name}, {type(found[name]).__name__}" for name in shared if name not in plain
        ],
        "of another shape": [
            f"{name}, {tuple(found[name].shape)} for {tuple(wanted[name].shape)}"
            for name in plain
            if name not in whole
        ],
        "of another kind": [
            f"{name}, {_kind(found[name])} for {_kind(wanted[name])}"
            for name in whole
            if name not in alike
        ],
        "not finite": [
            name for name in alike if not _is_finite(found[name], wanted[name].dtype, torch)
        ],
    }
    told = [
        f"{what}: {len(names)} ({'; '.join(names[:_SHOWN])}{'; …' * (len(names) > _SHOWN)})"
        for what, names in mistakes.items()
        if names
    ]
    if told:
        raise InvalidInputError(
            f"{file.name} does not fit the network, which was left as it was; {', '.join(told)}. Pass weights of the "
            "same architecture, or only= with the part that is the same, such as only='features'"
        )


def _is_plain(numbers: Any, torch: Any) -> bool:
    """Say whether this is a tensor with all its numbers."""
    return (
        isinstance(numbers, torch.Tensor)
        and numbers.layout == torch.strided
        and not numbers.is_meta
    )


def _is_convertible(found: Any, wanted: Any, torch: Any) -> bool:
    floats = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    return found == wanted or (found in floats and wanted in floats)


def _is_finite(numbers: Any, wanted: Any, torch: Any) -> bool:
    """Say whether all numbers are finite in the precision of the network; no other array is made."""
    if not numbers.is_floating_point() or not numbers.numel():
        return True
    least, most = map(float, torch.aminmax(numbers))  # NaN if any is
    largest = torch.finfo(wanted).max
    return -largest <= least and most <= largest


def _kind(numbers: Any) -> str:
    return str(numbers.dtype).removeprefix("torch.")


# Layouts


def _read_torch(file: Path, torch: Any) -> Any:
    try:
        # files of PyTorch 1.5 and older are no archives
        return load_plain(file, mapped=zipfile.is_zipfile(file))
    except MissingLibraryError:
        raise
    except Exception as error:  # a damaged pickle fails in more ways than can be listed
        raise InvalidInputError(
            f"{file.name} is damaged or holds more than numbers by name ({type(error).__name__}). It was not loaded, "
            "since a pickle can run any code: ask its author for torch.save(network.state_dict(), file), or for a "
            ".safetensors file"
        ) from error


def _write_torch(entries: dict[str, Any], file: Path) -> None:
    torch_module().save(entries, file)


def _safetensors() -> Any:
    try:
        return import_module("safetensors.torch")
    except ImportError as missing:
        raise MissingLibraryError(
            "a .safetensors file is read by a library of its own: pip install safetensors, or pass a .pth or .npz file"
        ) from missing


def _read_safetensors(file: Path, torch: Any) -> Any:
    library = _safetensors()
    try:
        return library.load_file(file)
    except Exception as error:
        raise InvalidInputError(
            f"{file.name} is damaged ({error}): restore a copy of it"
        ) from error


def _write_safetensors(entries: dict[str, Any], file: Path) -> None:
    _safetensors().save_file(entries, file)


def _read_npz(file: Path, torch: Any) -> Any:
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
            return {name: _as_tensor(stored[name], torch) for name in stored.files}
    except Exception as error:
        raise InvalidInputError(
            f"{file.name} is not a whole npz file of numbers ({error}): restore a copy of it, or write it by "
            "np.savez(file, **arrays)"
        ) from error


def _as_tensor(array: Any, torch: Any) -> Any:
    """Return an array of numbers as a tensor, and any other as it is."""
    if array.dtype.kind not in "biuf":
        return array
    return torch.from_numpy(np.asarray(array, array.dtype.newbyteorder("=")))


def _write_npz(entries: dict[str, Any], file: Path) -> None:
    try:
        arrays = {name: numbers.numpy() for name, numbers in entries.items()}
    except TypeError as error:
        raise InvalidInputError(
            f"an npz file cannot hold the network ({error}): save it as .pth or .safetensors"
        ) from error
    with open(file, "wb") as stream:
        np.savez(stream, **arrays)


_LAYOUTS: dict[str, tuple[Callable[[Path, Any], Any], Callable[[dict[str, Any], Path], None]]] = {
    ".pth": (_read_torch, _write_torch),
    ".pt": (_read_torch, _write_torch),
    ".safetensors": (_read_safetensors, _write_safetensors),
    ".npz": (_read_npz, _write_npz),
}


def _layout(file: Path) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Return how a file of that name is read and written."""
    if file.suffix not in _LAYOUTS:
        known = ", ".join(_LAYOUTS)
        raise InvalidInputError(
            f"{file.name!r} is not named as a file of weights: its name ends in one of {known}"
        )
    return _LAYOUTS[file.suffix]
