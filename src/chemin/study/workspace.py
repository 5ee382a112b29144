"""Where does a study live, and what of it is done already? A folder that only ever holds whole files.

    NAME-study/
      study.json   arrays.npz   models/*.skops      a finished study
      parts/                                        what is done of one that is not: recipe.json, STEP.json

Every file is written beside its place and moved there when it is whole, the JSON of a step last: a step whose JSON is
there is done, whatever happened afterwards. One process works in a folder at a time.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from chemin.exceptions import StudyError
from chemin.study.codec import from_json, to_json
from chemin.study.document import Recipe

Arrays = Mapping[str, NDArray[Any]]
T = TypeVar("T")

STUDY = "study.json"
ARRAYS = "arrays.npz"
MODELS = "models"
_PARTS = "parts"
_RECIPE = "recipe.json"
_LOCK = "lock"


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
        return (self.folder / _PARTS / _RECIPE).is_file()

    @property
    def is_foreign(self) -> bool:
        """Whether something is there that is not a study."""
        if not self.folder.exists():
            return False
        if not self.folder.is_dir():
            return True
        own = {STUDY, ARRAYS, MODELS, _PARTS, _LOCK}
        return any(entry.name not in own for entry in self.folder.iterdir())

    def begin(self, recipe: Recipe, digest: str) -> None:
        """Write what is asked for, and a hash of the data."""
        self._write(_PARTS, _RECIPE, to_json(recipe))
        self._write(_PARTS, "digest", digest.encode())

    def begun_with(self) -> tuple[Recipe, str]:
        """Return the recipe and the hash of the data of a study that is not finished."""
        place = self.folder / _PARTS
        recipe = from_json(Recipe, (place / _RECIPE).read_bytes(), str(place / _RECIPE))
        digest = place / "digest"
        return recipe, digest.read_text() if digest.is_file() else ""

    def done(self, step: str) -> bool:
        """Whether a step is done."""
        return (self.folder / _PARTS / f"{step}.json").is_file()

    def facts(self, step: str, kind: type[T]) -> T:
        """Return the facts that a step has found."""
        place = self.folder / _PARTS / f"{step}.json"
        return from_json(kind, place.read_bytes(), str(place))

    def keep(self, step: str, facts: Any) -> None:
        """Write what a step has found; from then on it is done."""
        self._write(_PARTS, f"{step}.json", to_json(facts))

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
        shutil.rmtree(self.folder / _PARTS, ignore_errors=True)

    def clear(self) -> None:
        """Take away what is there of a study, and nothing else."""
        for name in (STUDY, ARRAYS):
            (self.folder / name).unlink(missing_ok=True)
        for name in (_PARTS, MODELS):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def leave_nothing(self) -> None:
        """Take the folder away if no step is done in it."""
        steps = [part for part in (self.folder / _PARTS).glob("*.json") if part.name != _RECIPE]
        if not self.is_finished and not self.is_foreign and not steps:
            shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes out while work is going on here."""
        self._make(self.folder)
        place = self.folder / _LOCK
        with open(place, "w") as lock:
            try:
                _lock(lock)
            except OSError as error:
                raise StudyError(
                    f"another process works in {self.folder}: wait for it, or pass --out another-folder"
                ) from error
            try:
                yield
            finally:
                place.unlink(missing_ok=True)

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
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        yield beside
        os.replace(beside, place)
    except OSError as error:
        raise StudyError(
            f"{place} cannot be written ({error.strerror or error}): pass --out a folder with room, where you may write"
        ) from error
    finally:
        beside.unlink(missing_ok=True)


def packed(arrays: Arrays) -> bytes:
    """Return arrays as an npz file, the same bytes for the same arrays."""
    stream = io.BytesIO()
    held: dict[str, Any] = {name: arrays[name] for name in sorted(arrays)}
    np.savez_compressed(stream, **held)
    return stream.getvalue()


def read_arrays(place: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file; nothing is unpickled."""
    try:
        with np.load(place, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except (OSError, ValueError) as error:
        raise StudyError(f"{place} cannot be read ({error}): learn again with --force") from error


def _lock(stream: Any) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows, where two processes in one folder are not kept apart
        return
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
