"""Where does a study live, and what of it is done already? A folder that only ever holds whole files.

    NAME-study/
      study.json   arrays.npz   models/*.skops      a finished study
      parts/                                        what is done of one that is not: begun.json, STEP.json

Every file is written beside its place and moved there when it is whole, the JSON of a step last: a step whose JSON is
there is done, whatever happened afterwards. One process works in a folder at a time, and takes away first what one that
was killed has left half written.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import InvalidInputError, StudyError
from chemin.study.codec import from_json, to_json
from chemin.study.document import NUMBERS_IN_JSON, Recipe

Arrays = Mapping[str, NDArray[Any]]
T = TypeVar("T")

STUDY = "study.json"
ARRAYS = "arrays.npz"
MODELS = "models"
_PARTS = "parts"
_BEGUN = "begun.json"
_LOCK = "lock"
_HALF = ".part"  # suffix of what is not yet whole
_LARGEST = 4 * 2**30  # bytes of arrays, unpacked


@dataclass(frozen=True)
class Begun:
    """What a study was begun with: whoever goes on with it must have the same.

    Attributes
    ----------
    recipe : Recipe
        What was asked.
    digest : str
        A hash of the data.
    made_with : dict of str to str
        Versions, as in the document.
    """

    recipe: Recipe
    digest: str
    made_with: dict[str, str]


@dataclass(frozen=True)
class Kept(Generic[T]):
    """The facts of a step, and what they took."""

    facts: T
    seconds: float

    __pydantic_config__ = NUMBERS_IN_JSON


class Workspace:
    """The folder of a study.

    Parameters
    ----------
    folder : path
        Where; it is made when the first file is written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def is_finished(self) -> bool:
        """Whether a whole study is there."""
        return (self.folder / STUDY).is_file()

    @property
    def is_begun(self) -> bool:
        """Whether part of a study is there."""
        return (self.folder / _PARTS / _BEGUN).is_file()

    @property
    def is_foreign(self) -> bool:
        """Whether something is there that is not of a study."""
        if not self.folder.exists():
            return False
        if not self.folder.is_dir():
            return True
        own = {STUDY, ARRAYS, MODELS, _PARTS, _LOCK}
        entries = [one for one in self.folder.iterdir() if one.name not in own]
        for name, suffix in _INSIDE.items():
            entries += [one for one in _inside(self.folder / name) if one.suffix != suffix]
        return any(one.suffix != _HALF for one in entries)

    def begin(self, begun: Begun) -> None:
        """Write what a study is begun with."""
        self._write(_PARTS, _BEGUN, to_json(begun))

    def begun(self) -> Begun:
        """Return what a study that is not finished was begun with."""
        return self._part(_BEGUN, Begun)

    def done(self, step: str) -> bool:
        """Whether a step is done."""
        return (self.folder / _PARTS / f"{step}.json").is_file()

    def facts(self, step: str, kind: type[T]) -> T:
        """Return the facts that a step has found."""
        return self._part(f"{step}.json", kind)

    def keep(self, step: str, facts: Any, kind: Any) -> None:
        """Write what a step has found; from then on it is done."""
        self._write(_PARTS, f"{step}.json", to_json(facts, kind))

    def keep_model(self, name: str, save: Callable[[Path], None]) -> str:
        """Let a model be saved, and return where, as seen from the folder."""
        place = self.folder / MODELS / f"{name}.skops"
        with self._whole(place) as beside:
            save(beside)
        return f"{MODELS}/{name}.skops"

    def finish(self, document: Any, arrays: Arrays) -> None:
        """Write the whole study, and take away the parts."""
        self._write("", ARRAYS, packed(arrays))
        self._write("", STUDY, to_json(document))
        self._empty(_PARTS)

    def clear(self) -> None:
        """Take away what is there of a study, and nothing else; the document first, without which it is none."""
        for name in (STUDY, ARRAYS):
            (self.folder / name).unlink(missing_ok=True)
        for name in _INSIDE:
            self._empty(name)

    def leave_nothing(self) -> None:
        """Empty the folder if no step is done in it; it goes with the lock."""
        steps = [part for part in (self.folder / _PARTS).glob("*.json") if part.name != _BEGUN]
        if not (self.is_finished or self.is_foreign or steps):
            self.clear()

    def _empty(self, name: str) -> None:
        """Take away a folder of the study with the files that are of it."""
        for one in _inside(self.folder / name):
            if one.suffix in (_INSIDE[name], _HALF):
                one.unlink()
        _remove(self.folder / name)

    def _sweep(self) -> None:
        """Take away what was left half written."""
        for name in ("", *_INSIDE):
            for one in _inside(self.folder / name):
                if one.suffix == _HALF:
                    one.unlink()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out while work is going on here."""
        self._make(self.folder)
        place = self.folder / _LOCK
        with locked(place):
            try:
                self._sweep()
                yield
            finally:
                place.unlink(missing_ok=True)
                _remove(self.folder)  # if nothing else is in it

    def _part(self, name: str, kind: type[T]) -> T:
        place = self.folder / _PARTS / name
        try:
            return from_json(kind, place.read_bytes(), str(place))
        except InvalidInputError as error:
            raise StudyError(f"{error}: take {self.folder} away, and learn again") from error

    def _write(self, room: str, name: str, content: bytes) -> None:
        with self._whole(self.folder / room / name) as beside:
            beside.write_bytes(content)

    @contextmanager
    def _whole(self, place: Path) -> Iterator[Path]:
        self._make(place.parent)
        with whole_file(place) as beside:
            yield beside

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(
                f"{folder} cannot be made ({error.strerror}): pass --out a folder you may write in"
            ) from error


_INSIDE = {MODELS: ".skops", _PARTS: ".json"}  # folder → suffix of what is in it


def _inside(folder: Path) -> list[Path]:
    """Return what is in a folder; nothing if it is none, or a link to one."""
    return list(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []


def _remove(folder: Path) -> None:
    """Take an empty folder away."""
    with suppress(OSError):  # of one that is not empty, or not there
        folder.rmdir()


def check_place(place: Path, force: bool) -> None:
    """Raise if a file is not to be written there: something else is, or a file that ``force`` does not give up."""
    if place.exists() and not place.is_file():
        raise StudyError(f"{place} is there and is no file: pass --out another-name")
    if place.exists() and not force:
        raise StudyError(f"{place} is there already: pass --force to take its place")


@contextmanager
def whole_file(place: Path) -> Iterator[Path]:
    """Hand out a place beside a file, and move what is written there to the file when it is whole.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as beside:
    ...         size = beside.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text(), len(list(Path(folder).iterdir()))
    ('whole', 1)
    """
    beside = place.with_name(f".{place.name}.{os.getpid()}{_HALF}")
    try:
        yield beside
        os.replace(beside, place)
    except OSError as error:
        raise StudyError(
            f"{place} cannot be written ({error.strerror or error}): pass --out a folder with room, where you may write"
        ) from error
    finally:
        with suppress(OSError):  # of a place that is none
            beside.unlink(missing_ok=True)


def packed(arrays: Arrays) -> bytes:
    """Return arrays as an npz file, the same bytes for the same arrays."""
    stream = io.BytesIO()
    held: dict[str, Any] = {name: arrays[name] for name in sorted(arrays)}
    np.savez_compressed(stream, **held)
    return stream.getvalue()


def read_arrays(place: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file; nothing is unpickled, and no more than some GiB unpacked."""
    try:
        with zipfile.ZipFile(place) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _LARGEST:
            raise ValueError(f"it unpacks to {size / 2**30:.3g} GiB")
        with np.load(place, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise StudyError(f"{place} is damaged ({error}): learn again with --force") from None


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Hold a file that no other process holds."""
    try:
        stream = open(place, "w")  # noqa: SIM115  # closed below
    except OSError as error:
        raise StudyError(
            f"{place.parent} cannot be written in ({error.strerror}): pass --out a folder where you may write"
        ) from error
    with stream:
        try:
            _lock(stream)
        except OSError:
            raise StudyError(
                f"another process works in {place.parent}: wait for it, or pass --out another-folder"
            ) from None
        yield


def _lock(stream: Any) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows, where two processes in one folder are not kept apart
        return
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
