"""What is in this file? Its first bytes say so, not its name; nothing is unpacked beyond a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from chemin.exceptions import TableError
from chemin.memory import GIB
from chemin.tables.notes import brief

_MAGIC = (
    (b"PAR1", "parquet"),
    (b"\xd0\xcf\x11\xe0", "workbook"),
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"ARROW1", "an Arrow file"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"SQLite format 3", "a database"),
    (b"\x89HDF", "an HDF5 file"),
)
_TABLES = ("text", "parquet", "workbook", "npz")
_REMEDIES = {
    "a PDF document": "copy its table into a spreadsheet or a CSV file",
    "an image": "pass the folder that holds one folder of images per class",
    "an Arrow file": "read it with pyarrow or polars and pass the DataFrame, or save it as Parquet",
    "a pickle": "loading a pickle runs whatever its author put into it; if you trust it, load it yourself and pass the "
    "DataFrame, or save it as Parquet",
    "a database": "query it with pandas or polars and pass the DataFrame, or save the answer as CSV",
    "an HDF5 file": "read it with pandas or h5py and pass the DataFrame or the array, or save it as npz",
    "a JSON file": "read it with pandas.read_json or polars.read_json and pass the DataFrame, or save it as CSV",
    "a web page": "download the table itself, as CSV or as a spreadsheet",
}
_UNPACK: dict[str, Callable[[BinaryIO], Any]] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
_PACKING_ERRORS = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    ValueError,
    NotImplementedError,
)
_MANY_ZEROS = 0.3  # share of the letters that have a zero on one side,
_FEW_ZEROS = 0.1  # and on the other
_HEAD = 4096  # bytes looked at


@dataclass(frozen=True)
class Source:
    """A file that can be opened several times, whatever it is packed in.

    Attributes
    ----------
    name : str
        What it is called in messages.
    kind : str
        "text", "parquet", "workbook" or "npz".
    open : callable
        Returns a stream of its bytes, from the first.
    size : int
        How many there are, as far as the file says so.
    """

    name: str
    kind: str
    open: Callable[[], BinaryIO]
    size: int

    def bytes(self) -> bytes:
        """Return everything."""
        with self.open() as stream:
            return stream.read()


def open_source(given: Any, limit: int, member: str | None = None) -> Source:
    """Return a file on disk, or an open binary stream, as a source; packed ones are unpacked up to ``limit`` bytes."""
    source = _of_stream(given, limit) if hasattr(given, "read") else _of_path(Path(given), limit)
    unpacked = 0
    while source.kind in (*_UNPACK, "zip"):
        unpacked += 1
        if unpacked > 3:
            raise TableError(f"{source.name} is packed more than three times over: unpack it first")
        source = (
            _of_zip(source, limit, member) if source.kind == "zip" else _unpacked(source, limit)
        )
    if source.kind not in _TABLES:
        remedy = _REMEDIES.get(source.kind, "pass a CSV, Excel, ODS, Parquet or npz file")
        raise TableError(f"{source.name} is {source.kind}, not a table: {remedy}")
    return source


def _of_path(path: Path, limit: int) -> Source:
    name = repr(path.name)
    if re.match(r"\w{2,}:/", os.fspath(path)):
        raise TableError(
            f"{os.fspath(path)!r} is an address, and only files are read: download it first"
        )
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        reason = error.strerror or str(error)
        raise TableError(
            f"{os.fspath(path)!r} cannot be opened ({reason}): check the path{_near(path)}"
        ) from error
    except ValueError as error:
        raise TableError(f"{os.fspath(path)!r} is not a path ({error}): check it") from error
    if not size:
        raise TableError(f"{name} is empty: check that it was saved or downloaded completely")
    return Source(name, _kind(head), lambda: path.open("rb"), size)


def _near(path: Path) -> str:
    """Return a hint at files of a like name beside the one asked for."""
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, names, n=2)
    return f"; there is {' and '.join(map(repr, close))}" if close else ""


def _of_stream(stream: Any, limit: int) -> Source:
    data = stream.read(limit + 1)
    if isinstance(data, str):
        data = data.encode("utf-8")
    name = repr(os.path.basename(str(getattr(stream, "name", "the stream"))))
    if len(data) > limit:
        raise _too_large(name, limit)
    if not data:
        raise TableError(f"{name} is empty: pass a stream that is at its beginning")
    return Source(name, _kind(data[:_HEAD]), lambda: io.BytesIO(data), len(data))


def _unpacked(source: Source, limit: int) -> Source:
    """Return what is packed in a source."""
    with source.open() as packed:
        return _read_whole(source.name, lambda: _UNPACK[source.kind](packed), limit)


def _of_zip(source: Source, limit: int, member: str | None) -> Source:
    """Return the one file in an archive, or the one that was asked for; an office document is a workbook as it is."""
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            names = {entry.filename: entry for entry in entries}
            office = "[Content_Types].xml" in names or "content.xml" in names
            total = sum(entry.file_size for entry in entries)
    except _PACKING_ERRORS as error:
        raise TableError(
            f"{source.name} is a damaged archive ({brief(error)}): fetch or save it again"
        ) from error
    arrays = bool(names) and all(name.endswith(".npy") for name in names)
    if (office or arrays) and total > limit:
        raise _too_large(source.name, limit, total)
    if office or arrays:
        return replace(source, kind="workbook" if office else "npz")
    wanted = [
        name
        for name in names
        if not name.startswith("__MACOSX") and not name.endswith("/.DS_Store")
    ]
    if member is not None and member not in names:
        raise TableError(f"{source.name} has no member {member!r}: it has {_some(wanted)}")
    if not wanted:
        raise TableError(f"{source.name} holds no file: pack the table into it, or pass the table")
    if member is None and len(wanted) != 1:
        raise TableError(
            f"{source.name} holds {len(wanted)} files ({_some(wanted)}): pass member= to choose one"
        )
    chosen = names[member or wanted[0]]
    if chosen.file_size > limit:
        raise _too_large(f"{chosen.filename!r} in {source.name}", limit, chosen.file_size)
    if chosen.flag_bits & 1:
        raise TableError(f"{source.name} is protected by a password: unpack it first")

    name = f"{chosen.filename!r} in {source.name}"
    with source.open() as packed, zipfile.ZipFile(packed) as archive:
        return _read_whole(name, lambda: archive.open(chosen), limit)


def _read_whole(name: str, opened: Callable[[], Any], limit: int) -> Source:
    """Return what a packed stream holds, if it is not more than the limit."""
    try:
        with opened() as stream:
            data = stream.read(limit + 1)
    except _PACKING_ERRORS as error:
        raise TableError(f"{name} is damaged ({brief(error)}): fetch or save it again") from error
    if len(data) > limit:
        raise _too_large(name, limit)
    if not data:
        raise TableError(f"{name} is empty once unpacked: check it")
    return Source(name, _kind(data[:_HEAD]), lambda: io.BytesIO(data), len(data))


def _kind(head: bytes) -> str:
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if start.startswith((b'{"', b"[{", b"{\n", b"[\n")):
        return "a JSON file"
    if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return "text" if utf16_without_mark(head) else "a file of bytes that are no text"
    return "text"


def utf16_without_mark(head: bytes) -> str | None:
    """Return which UTF-16 has no mark at its beginning, None if it is none.

    Its letters have a zero on one side, almost all of them; other zeros are no text.
    """
    odd = head[1::2].count(0)
    even = head[::2].count(0)
    half = len(head) / 2
    if max(odd, even) < _MANY_ZEROS * half or min(odd, even) > _FEW_ZEROS * half:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _too_large(name: str, limit: int, size: int | None = None) -> TableError:
    told = "more than" if size is None else f"{size / GIB:.3g} GiB, more than"
    return TableError(
        f"{name} unpacks to {told} the {limit / GIB:.3g} GiB allowed: pass a larger memory= (in GiB) if you trust it, "
        "or cut it into parts"
    )


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(map(repr, names[:most])) + ", …" * (len(names) > most)
