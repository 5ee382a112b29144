"""Where do the images come from? MNIST and Fashion-MNIST from local files or from OpenML, and the draw of a pair.

Local data are a folder of the four IDX files, compressed or not, or one npz file. An IDX file is a big-endian header,
the bytes 0, 0, type (8 for bytes) and number of axes, then the length of each axis in four bytes, then the data.

References: http://yann.lecun.com/exdb/mnist/; H. Xiao, K. Rasul, R. Vollgraf, *Fashion-MNIST*, 2017.
"""

from __future__ import annotations

import gzip
import math
import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from chemin.datasets.generators import Labels
from chemin.dictionaries.base import Floats
from chemin.exceptions import CheminError, InvalidInputError

__all__ = ["Images", "Pair", "fashion_mnist", "mnist", "pair"]

Bytes = NDArray[np.uint8]

_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_KEYS = (("X_train", "y_train", "X_test", "y_test"), ("x_train", "y_train", "x_test", "y_test"))
_TRAINING = 60_000  # OpenML keeps the training images first, then the test images


@dataclass(frozen=True, eq=False)
class Images:
    """Grey images of a training and a test set, with their labels.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (n, height × width), of bytes
        One image per row, row after row of pixels.
    y_train, y_test : ndarray of shape (n,)
        Labels, from 0.
    shape : tuple of int
        Height and width.
    """

    X_train: Bytes
    y_train: Labels
    X_test: Bytes
    y_test: Labels
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pair:
    """Training and validation images of two classes, disjoint, with pixels from 0 to 1; the first class is labelled −1.

    Attributes
    ----------
    X_train, X_validation : ndarray of shape (n, height × width)
        Pixels; the first class comes first.
    y_train, y_validation : ndarray of shape (n,)
        −1 for the first class and +1 for the second.
    classes : tuple of int
        The two labels.
    shape : tuple of int
        Height and width of an image.
    """

    X_train: Floats
    y_train: Labels
    X_validation: Floats
    y_validation: Labels
    classes: tuple[int, int]
    shape: tuple[int, int]


def mnist(path: str | os.PathLike[str] | None = None) -> Images:
    """Return the handwritten digits: 60 000 training and 10 000 test images of 28 × 28 pixels.

    Parameters
    ----------
    path : path-like, optional
        A folder with the four IDX files under their usual names, with or without ``.gz``; or an npz file, or its
        folder, with the arrays ``X_train, y_train, X_test, y_test`` (``x_train`` and ``x_test`` will do). None asks
        OpenML, which needs a network the first time; scikit-learn keeps a copy.

    Returns
    -------
    Images

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from chemin.datasets import mnist
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     images, labels = np.zeros((3, 28, 28), dtype=np.uint8), np.arange(3)
    ...     np.savez(f"{folder}/digits.npz", X_train=images, y_train=labels, X_test=images, y_test=labels)
    ...     digits = mnist(f"{folder}/digits.npz")
    >>> digits.X_train.shape, digits.shape
    ((3, 784), (28, 28))
    """
    return _from_openml("mnist_784") if path is None else _from_files(FilePath(path))


def fashion_mnist(path: str | os.PathLike[str] | None = None) -> Images:
    """Return ten kinds of clothing, in files of the same form as the digits.

    Parameters
    ----------
    path : path-like, optional
        As for `mnist`.

    Returns
    -------
    Images
    """
    return _from_openml("Fashion-MNIST") if path is None else _from_files(FilePath(path))


def pair(
    images: Images,
    a: int,
    b: int,
    n_train: int = 1000,
    n_validation: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> Pair:
    """Draw training and validation images of two classes, half of each, none of them twice.

    Parameters
    ----------
    images : Images
        Where to draw from; only its training images are used.
    a, b : int
        The two classes; the first is labelled −1.
    n_train, n_validation : int, default 1000
        Even numbers of images.
    random_state : int, Generator or None, default 0
        Passed to `numpy.random.default_rng`.

    Returns
    -------
    Pair
    """
    if a == b:
        raise InvalidInputError(f"a and b are both {a}: pass two different classes")
    for name, count in (("n_train", n_train), ("n_validation", n_validation)):
        if count < 2 or count % 2:
            raise InvalidInputError(
                f"{name} is {count}: pass an even number from 2 up, half for each class"
            )
    rng = np.random.default_rng(random_state)
    half, need = n_train // 2, (n_train + n_validation) // 2
    drawn = []
    for label in (a, b):
        members = np.flatnonzero(images.y_train == label)
        if len(members) < need:
            message = f"class {label} has {len(members)} training images and {need} are needed: ask for fewer"
            raise InvalidInputError(message)
        drawn.append(rng.choice(members, need, replace=False))
    train, rest = (
        np.concatenate(part) for part in zip(*((d[:half], d[half:]) for d in drawn), strict=True)
    )
    labels = [np.repeat(np.array([-1, 1]), len(rows) // 2) for rows in (train, rest)]
    X = images.X_train
    return Pair(X[train] / 255.0, labels[0], X[rest] / 255.0, labels[1], (a, b), images.shape)


def _from_files(path: FilePath) -> Images:
    if path.is_dir() and len(stored := list(path.glob("*.npz"))) == 1:
        path = stored[0]
    if path.is_dir():
        return _images(
            str(path), [_read_idx(_find(path, name), 3 if "idx3" in name else 1) for name in _FILES]
        )
    if path.suffix == ".npz" and path.is_file():
        return _images(str(path), _read_npz(path))
    raise InvalidInputError(
        f"{path} is neither a folder nor an npz file: pass the folder of {_FILES[0]} and its three companions, "
        "an npz file, or None to ask OpenML"
    )


def _find(folder: FilePath, name: str) -> FilePath:
    # some copies of the files have a dot where the original names have a hyphen
    for candidate in (
        name,
        f"{name}.gz",
        name.replace("-idx", ".idx"),
        f"{name.replace('-idx', '.idx')}.gz",
    ):
        if (folder / candidate).is_file():
            return folder / candidate
    raise InvalidInputError(
        f"{folder} has no {name}, nor {name}.gz: put the four IDX files {', '.join(_FILES)} there"
    )


def _read_idx(file: FilePath, axes: int) -> Bytes:
    again = "download it again"
    try:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidInputError(f"{file} cannot be decompressed ({error}): {again}") from error
    start = 4 + 4 * axes
    if len(content) < start:
        raise InvalidInputError(
            f"{file} is truncated: {len(content)} bytes, its header alone has {start}; {again}"
        )
    magic, expected = int.from_bytes(content[:4], "big"), 0x0800 + axes
    if magic != expected:
        raise InvalidInputError(
            f"{file} starts with the number {magic} where {expected} was expected: it is not an IDX file of bytes with "
            f"{axes} axes; check that images and labels are not swapped, or {again}"
        )
    shape = tuple(int(length) for length in np.frombuffer(content, ">u4", axes, offset=4))
    if len(content) - start != math.prod(shape):
        found, promised = len(content) - start, math.prod(shape)
        raise InvalidInputError(
            f"{file} is truncated or too long: {found} bytes, its header says {promised}; {again}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _read_npz(file: FilePath) -> list[Any]:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            for keys in _KEYS:
                if set(keys) <= set(arrays.files):
                    return [arrays[key] for key in keys]
            found = ", ".join(sorted(arrays.files)) or "nothing"
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError) as error:
        raise InvalidInputError(
            f"{file} cannot be read as npz ({error}): save it again with numpy.savez"
        ) from error
    raise InvalidInputError(f"{file} holds {found}: save the arrays {', '.join(_KEYS[0])} in it")


def _from_openml(name: str) -> Images:
    try:
        bunch = fetch_openml(name, version=1, as_frame=False, parser="liac-arff")
    except OSError as error:  # what urllib raises without a network, and what a full disk raises
        remedy = (
            f"download the files elsewhere and pass their folder, as in {_caller(name)}('folder')"
        )
        raise CheminError(f"OpenML could not be reached for {name} ({error}): {remedy}") from error
    X, y = np.asarray(bunch.data).reshape(-1, 28, 28), np.asarray(bunch.target).astype(np.int64)
    return _images(f"OpenML's {name}", [X[:_TRAINING], y[:_TRAINING], X[_TRAINING:], y[_TRAINING:]])


def _caller(name: str) -> str:
    return "mnist" if name == "mnist_784" else "fashion_mnist"


def _images(source: str, arrays: list[Any]) -> Images:
    X_train, y_train, X_test, y_test = arrays
    for X, y in ((X_train, y_train), (X_test, y_test)):
        if X.ndim != 3 or y.shape != X.shape[:1] or X.shape[1:] != X_train.shape[1:]:
            raise InvalidInputError(
                f"{source} has images of shape {X.shape} and labels of shape {y.shape}: "
                "images must be (n, height, width), alike in both sets, with one label each"
            )
        if X.size and (X.min() < 0 or X.max() > 255 or not np.array_equal(X, X.astype(np.uint8))):
            raise InvalidInputError(
                f"{source} has pixels that are not whole numbers from 0 to 255: store them so"
            )
    height, width = X_train.shape[1:]
    flat = [np.ascontiguousarray(X.reshape(len(X), -1), dtype=np.uint8) for X in (X_train, X_test)]
    return Images(
        flat[0],
        y_train.astype(np.int64),
        flat[1],
        y_test.astype(np.int64),
        (int(height), int(width)),
    )
