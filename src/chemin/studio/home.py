"""Where do projects live, and under which names? One folder, whose paths never come from a page."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

from chemin.exceptions import InvalidInputError, StudyError
from chemin.studio.history import LEARN, READ, Project
from chemin.study import Recipe, read_study
from chemin.study.workspace import Workspace, locked
from chemin.tables.files.bundled import BUNDLED, PATIENTS

SAMPLES = (*sorted(BUNDLED), PATIENTS)
_LONGEST = 60  # characters of a name
_NAME = re.compile(r"[^\w\-]+")
_LOCK = "lock"


class Home:
    """The folder of all projects; one studio works in it at a time.

    Parameters
    ----------
    folder : path
        Where.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        self._projects: dict[str, Project] = {}

    def alone(self) -> AbstractContextManager[None]:
        """Return a context in which no other studio works here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return locked(self.folder / _LOCK)

    @property
    def names(self) -> list[str]:
        """The projects that are there."""
        if not self.folder.is_dir():
            return []
        return sorted(one.parent.name for one in self.folder.glob("*/history.json"))

    def project(self, name: str) -> Project:
        """Return a project that is there."""
        if name not in self.names:
            raise StudyError(f"there is no project {name!r}")
        return self._projects.setdefault(name, Project(self.folder / name))

    def upload(self, file_name: str, content: bytes) -> Project:
        """Begin a project with a file that was sent; of its name only what is harmless is taken."""
        place = Path(safe_name(file_name))
        project = self._new(place.name.split(".")[0])
        folder = project.folder / "source"
        folder.mkdir(parents=True)
        (folder / place).write_bytes(content)
        project.add(0, READ, Recipe(str(folder / place)))
        return project

    def open(self, source: str, target: str = "") -> Project:
        """Begin a project with a file, a bundled name, or a study; take it up again if it is there already."""
        workspace = Workspace(source)
        if workspace.is_finished or workspace.is_begun:
            return self._from_study(workspace.folder)
        if source not in SAMPLES or Path(source).exists():
            if not Path(source).exists():
                raise InvalidInputError(
                    f"there is no file {source!r}: pass a file, a study, or one of {', '.join(SAMPLES)}"
                )
            source = str(Path(source).absolute())
        recipe = Recipe(source, target=target)
        for name in self.names:
            first = self.project(name).entries[0]
            if first.recipe == recipe:
                return self.project(name)
        project = self._new(Path(source).name.split(".")[0])
        project.add(0, READ, recipe)
        return project

    def _from_study(self, folder: Path) -> Project:
        """Begin a project with a study as its first learned entry; the study itself is left as it is."""
        study = read_study(folder)
        project = self._new(folder.absolute().name.removesuffix("-study"))
        recipe = _absolute(study.document.recipe)
        project.add(0, READ, Recipe(recipe.source, recipe.target, recipe.read))
        entry = project.add(1, LEARN, recipe)
        shutil.copytree(folder, project.study_folder(entry.number))
        return project

    def _new(self, wanted: str) -> Project:
        """Return a project of a name that is not taken."""
        stem = safe_name(wanted).split(".")[0]
        name, count = stem, 1
        while (self.folder / name).exists():
            count += 1
            name = f"{stem}-{count}"
        return self._projects.setdefault(name, Project(self.folder / name))


def _absolute(recipe: Recipe) -> Recipe:
    """Return a recipe whose source is found from everywhere."""
    place = Path(recipe.source)
    return replace(recipe, source=str(place.absolute())) if place.exists() else recipe


def safe_name(given: str) -> str:
    r"""Return a name of a file that is one everywhere: no path, no sign that a system takes for its own.

    Examples
    --------
    >>> safe_name("../../etc/pass wd.csv"), safe_name("C:\\données.CSV.gz"), safe_name("..")
    ('pass-wd.csv', 'données.CSV.gz', 'data')
    >>> safe_name("con.csv"), safe_name(".bashrc")
    ('con-.csv', 'bashrc')
    """
    last = re.split(r"[/\\:]", normalize("NFC", given).replace("\0", ""))[-1]
    parts = [_NAME.sub("-", part).strip("-")[:_LONGEST] for part in last.split(".")[:4]]
    stem, *suffixes = [part for part in parts if part] or ["data"]
    if stem.casefold() in {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{one}{k}" for one in ("com", "lpt") for k in range(10)),
    }:
        stem += "-"
    return ".".join([stem, *suffixes])
