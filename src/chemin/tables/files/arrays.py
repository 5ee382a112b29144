"""What is in an npz file, or in a folder of images? Arrays of numbers, with names where there are some.

Layout of an npz file: ``X`` of n rows and p columns, or of n images; optionally ``y`` of n labels or numbers, ``names``
(or ``feature_names``) of the p columns, ``row_labels`` of the n rows, and ``class_names``, what the labels are called,
from the smallest on. Nothing in it is unpickled.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import MissingLibraryError, TableError
from chemin.memory import GIB
from chemin.tables.cells.texts import as_text
from chemin.tables.files.grid import Grid, Wanted, distinct
from chemin.tables.files.source import Source
from chemin.tables.notes import Guess, Loss, brief, listed

_LAYOUT = "X of n rows and p columns, y of n entries, names of p, row_labels of n, class_names"
_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")


def read_arrays(source: Source) -> Grid:
    """Return the columns of ``X``, ``y`` as a column "y", and row labels as a column "row"."""
    try:
        with np.load(io.BytesIO(source.bytes()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files if name in _KNOWN}
            others = [name for name in held.files if name not in _KNOWN]
            wrong = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
            if wrong:
                raise ValueError(f"{wrong[0]} is no array")
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
    ) as error:
        raise TableError(
            f"{source.name} cannot be read as arrays ({brief(error)}): save it with numpy.savez, without objects"
        ) from error
    if "X" not in arrays:
        raise TableError(
            f"{source.name} has no array X: it has {listed(others)}; the layout is {_LAYOUT}"
        )
    X = arrays["X"]
    shape = (X.shape[1], X.shape[2]) if X.ndim == 3 else None
    if X.ndim > 2:
        X = X.reshape(len(X), -1)
    if X.ndim != 2 or not X.size or X.dtype.kind not in "biufUM":
        raise TableError(
            f"X of {source.name} has shape {arrays['X'].shape} and type {X.dtype}: rows of numbers are needed"
        )
    guesses: list[Guess] = []
    names = _names(arrays, X.shape[1], source, guesses, shape)
    columns = [_column(X[:, j]) for j in range(X.shape[1])]
    target = None
    for name, called in (("y", "y"), ("row_labels", "row")):
        if name not in arrays:
            continue
        values = arrays[name]
        if values.shape != (len(X),):
            raise TableError(
                f"{name} of {source.name} has shape {values.shape} where ({len(X)},) is needed"
            )
        if name == "y" and "class_names" in arrays:
            values, guess = _called(values, arrays["class_names"], source)
            guesses.append(guess)
        while called in names:
            called += "_"
        names.append(called)
        columns.append(_column(values))
        target = called if name == "y" else target
    losses = [Loss("arrays left out", source.name, len(others), listed(others))] if others else []
    return Grid(names, columns, guesses=guesses, losses=losses, target=target, image_shape=shape)


_KNOWN = ("X", "y", "names", "feature_names", "row_labels", "class_names")


def _column(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(object) if values.dtype.kind in "US" else values


def _names(
    arrays: dict[str, NDArray[Any]],
    width: int,
    source: Source,
    guesses: list[Guess],
    shape: tuple[int, int] | None,
) -> list[str]:
    given = arrays.get("names", arrays.get("feature_names"))
    if given is None:
        return _pixels(shape) if shape else [f"x{j}" for j in range(width)]
    names = [as_text(name) or "" for name in given.ravel().tolist()]
    if len(names) != width:
        raise TableError(
            f"{source.name} has {len(names)} names for the {width} columns of X: give one for each"
        )
    return distinct(names, guesses)


def _pixels(shape: tuple[int, int]) -> list[str]:
    return [f"pixel {row},{column}" for row in range(shape[0]) for column in range(shape[1])]


def _called(
    values: NDArray[Any], names: NDArray[Any], source: Source
) -> tuple[NDArray[Any], Guess]:
    known = np.unique(values)
    words = [as_text(name) or "" for name in names.ravel().tolist()]
    if len(known) > len(words):
        raise TableError(
            f"{source.name} has {len(words)} class_names for {len(known)} labels: name each label, from the smallest on"
        )
    pairs = ", ".join(
        f"{label} is {word}" for label, word in zip(known.tolist(), words, strict=False)
    )
    named = np.array(words, dtype=object)[np.searchsorted(known, values)]
    return named, Guess("labels", pairs, "class_names, in the order of the labels", "types")


def read_images(folder: Path, wanted: Wanted) -> Grid:
    """Return the grey levels of images in one folder per class, row by row."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise MissingLibraryError(
            "reading images needs Pillow: pip install 'chemin[tables]'"
        ) from error
    files = _image_files(folder)
    files = files[: wanted.rows]
    size = wanted.size
    memory = wanted.memory
    losses: list[str] = []
    pixels: list[NDArray[Any]] = []
    kept: list[tuple[str, Path]] = []
    for label, file in files:
        try:
            with Image.open(file) as image:
                if size is None:
                    size = (image.height, image.width)
                    _check_budget(len(files), size, memory, folder)
                elif (image.height, image.width) != size and not pixels:
                    _check_budget(len(files), size, memory, folder)
                grey = image.convert("L")
                if (image.height, image.width) != size:
                    grey = grey.resize((size[1], size[0]))
                pixels.append(np.asarray(grey, dtype=np.uint8).ravel())
                kept.append((label, file))
        except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
            losses.append(f"{file.name} ({type(error).__name__})")
    if not pixels or size is None:
        raise TableError(
            f"no image in {folder.name!r} can be opened ({listed(losses)}): check the files"
        )
    X = np.vstack(pixels)
    columns = [X[:, j] for j in range(X.shape[1])]
    columns.append(np.array([label for label, _ in kept], dtype=object))
    columns.append(np.array([f"{label}/{file.name}" for label, file in kept], dtype=object))
    classes = sorted({label for label, _ in kept})
    guesses = [
        Guess("target", "'class'", f"one folder per class: {listed(classes)}", "target", "class"),
        Guess(
            "size",
            f"{size[0]} × {size[1]}",
            "the first image; others are brought to it",
            "size",
            size,
        ),
    ]
    lost = (
        [Loss("images left out", repr(folder.name), len(losses), listed(losses))] if losses else []
    )
    return Grid(
        [*_pixels(size), "class", "file"],
        columns,
        guesses=guesses,
        losses=lost,
        target="class",
        image_shape=size,
    )


def _image_files(folder: Path) -> list[tuple[str, Path]]:
    """Return label and file of every image, class by class."""
    found = [
        (sub.name, file)
        for sub in sorted(folder.iterdir())
        if sub.is_dir() and not sub.name.startswith(".")
        for file in sorted(sub.iterdir())
        if file.suffix.lower() in _SUFFIXES
    ]
    if not found:
        inside = sorted(entry.name for entry in folder.iterdir())
        raise TableError(
            f"{folder.name!r} holds no folders of images (it has {listed(inside) or 'nothing'}): put the images "
            "of each class into a folder of its name, or pass a file"
        )
    return found


def _check_budget(count: int, size: tuple[int, int], memory: int, folder: Path) -> None:
    need = 9 * count * size[0] * size[1]
    if need > memory:
        raise TableError(
            f"{count} images of {size[0]} × {size[1]} in {folder.name!r} need {need / GIB:.3g} GiB, and "
            f"{memory / GIB:.3g} GiB are allowed: pass a smaller size=(rows, columns), or a larger memory= (in GiB)"
        )
