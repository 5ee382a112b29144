"""What was studied, read back? The document, its arrays, and its models, from a folder."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from chemin.exceptions import StudyError
from chemin.persistence import load
from chemin.results import Result
from chemin.study.choice import recommended_of
from chemin.study.codec import from_json
from chemin.study.document import FORMAT, Document
from chemin.study.recipe import as_command
from chemin.study.workspace import ARRAYS, STUDY, Arrays, Workspace, read_arrays


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """A finished study.

    Attributes
    ----------
    folder : Path
        Where it is kept.
    document : Document
        All its facts.
    """

    folder: Path
    document: Document = field(repr=False)

    @cached_property
    def arrays(self) -> Arrays:
        """Which rows learned and judged, what was predicted, paths and curves of errors."""
        return read_arrays(self.folder / ARRAYS)

    def model(self, name: str = "") -> Any:
        """Return a fitted pipeline, which takes rows as the source has them; the recommended one by default."""
        facts = self.document.model(name or self.recommended)
        place = (self.folder / facts.file).resolve()
        if not place.is_relative_to(self.folder.resolve()):
            raise StudyError(f"{self.folder} names a model outside itself: do not trust it")
        return load(place)

    @property
    def recommended(self) -> str:
        """The model that is used where none is named, as `recommended_of` says."""
        return recommended_of(self.document)

    def __str__(self) -> str:
        from chemin.study.brief import in_brief

        return "\n".join(in_brief(self.document))


def read_study(folder: str | os.PathLike[str]) -> Study:
    """Read a study back; nothing in it can run as code.

    Parameters
    ----------
    folder : path
        The folder that `learn` wrote, or the ``study.json`` in it.

    Returns
    -------
    Study
    """
    place = Path(folder)
    if place.name == STUDY:
        place = place.parent
    workspace = Workspace(place)
    if not workspace.is_finished:
        if workspace.is_begun:
            raise StudyError(
                f"{place} is a study that is not finished: go on with {_again(workspace)}"
            )
        raise StudyError(f"{place} is no study: pass the folder that chemin learn has written")
    text = (place / STUDY).read_bytes()
    _check_format(text, place)
    return Study(place, from_json(Document, text, str(place / STUDY)))


def _again(workspace: Workspace) -> str:
    """Return the command that goes on with a study."""
    command = as_command(workspace.begun().recipe)
    return f"{command} --out {quote(str(workspace.folder))}" if command else "the same recipe"


def _check_format(text: bytes, place: Path) -> None:
    try:
        found = json.loads(text)["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StudyError(
            f"{place / STUDY} is damaged, or no study: learn again with --force"
        ) from None
    if found != FORMAT:
        raise StudyError(
            f"{place} has format {found!r}, and this version of Chemin reads {FORMAT}: install the version of Chemin "
            f"that {STUDY} names under made_with, or learn again with --force"
        )
