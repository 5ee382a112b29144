"""What was tried, in which order, from where, and why? The entries of a project, a tree that only ever grows.

    PROJECT/
      history.json        every entry: its number, the one it was changed from, its recipe, a reason
      source/FILE         what was uploaded
      entries/N/          the study of entry N, finished or as far as it came
      looks/KEY.json      what was seen of data as read one way

To undo is to stand on an earlier entry; to change something there begins a branch.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from chemin.exceptions import StudyError
from chemin.study import Recipe
from chemin.study.codec import from_json, to_json
from chemin.study.workspace import Workspace, whole_file

READ, LEARN = "read", "learn"
_FORMAT = 1
_MOST_SAID = 60  # letters
_HISTORY = "history.json"


@dataclass(frozen=True)
class Entry:
    """A step: data read in one way, or models learned by one recipe.

    Attributes
    ----------
    number : int
        From 1.
    parent : int
        The entry that was changed, 0 for none.
    kind : str
        "read" or "learn".
    recipe : Recipe
        All that was asked up to here.
    reason : str
        In the words of whoever asked; may be empty.
    made : str
        When.
    end : str
        How learning ended where there is no study: "cancelled", "budget", or what went wrong.
    """

    number: int
    parent: int
    kind: str
    recipe: Recipe
    reason: str
    made: str
    end: str = ""

    @property
    def when(self) -> str:
        """When it was made, by the clock of this machine."""
        return f"{datetime.fromisoformat(self.made).astimezone():%Y-%m-%d %H:%M}"

    @property
    def said(self) -> str:
        """What tells it from others: the reason that was given, else the beginning of its kernels."""
        told = self.reason or ("; ".join(self.recipe.kernels) if self.kind == LEARN else "")
        return told if len(told) <= _MOST_SAID else f"{told[:_MOST_SAID]}…"


@dataclass(frozen=True)
class _Kept:
    """What a file of a history holds."""

    format: int
    entries: tuple[Entry, ...]


class Project:
    """A source and all that was tried on it.

    Parameters
    ----------
    folder : path
        Where it is kept; its name is that of the project.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._entries: tuple[Entry, ...] = ()
        if (folder / _HISTORY).is_file():
            kept = from_json(_Kept, (folder / _HISTORY).read_bytes(), str(folder / _HISTORY))
            if kept.format != _FORMAT:
                raise StudyError(
                    f"{folder} has format {kept.format}, and this version of Chemin reads {_FORMAT}: install the "
                    "version that made it, or pass --folder another-folder"
                )
            self._entries = kept.entries

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder.name

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order in which they were made."""
        return self._entries

    def entry(self, number: int) -> Entry:
        """Return one entry."""
        for one in self._entries:
            if one.number == number:
                return one
        raise StudyError(f"{self.name} has no entry {number}: the last one is {len(self._entries)}")

    def line(self, number: int) -> list[Entry]:
        """Return an entry and those it was changed from, the first one first."""
        found: list[Entry] = []
        while number:
            found.insert(0, self.entry(number))
            number = found[0].parent
        return found

    def add(self, parent: int, kind: str, recipe: Recipe, reason: str = "") -> Entry:
        """Keep a new step."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            entry = Entry(len(self._entries) + 1, parent, kind, recipe, reason.strip(), now)
            self._keep((*self._entries, entry))
        return entry

    def end(self, number: int, end: str) -> None:
        """Keep how learning ended."""
        with self._lock:
            changed = (
                replace(one, end=end) if one.number == number else one for one in self._entries
            )
            self._keep(tuple(changed))

    def study_folder(self, number: int) -> Path:
        """Return where the study of an entry is."""
        return self.folder / "entries" / str(number)

    def is_learned(self, number: int) -> bool:
        """Whether an entry has a finished study."""
        return Workspace(self.study_folder(number)).is_finished

    def learned(self) -> list[Entry]:
        """Return the entries that have a finished study."""
        return [one for one in self._entries if self.is_learned(one.number)]

    def _keep(self, entries: tuple[Entry, ...]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(self.folder / _HISTORY) as beside:
            beside.write_bytes(to_json(_Kept(_FORMAT, entries)))
        self._entries = entries
