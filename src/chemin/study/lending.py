"""Which steps of a study are those of another one? Those whose data and whose part of the recipe are the same.

An expert changes one kernel: the look, the linear model and the comparison do not depend on it, and are taken over
instead of being found again. What is taken over is what would have been found, since all that is drawn comes from the
recipe.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chemin.exceptions import StudyError
from chemin.study.codec import from_json
from chemin.study.document import ComparisonFacts, Document, LookFacts, ModelFacts, Recipe
from chemin.study.workspace import STUDY, Begun, Kept, Workspace

_ALL = ("target", "test", "random_state")  # what every step depends on, beside data and versions
_NEEDS = {  # step → what else of the recipe it depends on
    "look": (),
    "linear": ("positive", "l2", "folds"),
    "basis": ("positive", "l2", "folds", "kernels"),
    "compare": ("folds", "against", "budget"),
}


@dataclass(frozen=True)
class Lender:
    """What another study knows.

    Attributes
    ----------
    document : Document
        Its facts.
    folder : Path
        Where its models are.
    """

    document: Document
    folder: Path


def read_lender(place: str | os.PathLike[str]) -> Lender:
    """Return a finished study, or a look that was kept as a document of its own, as a lender."""
    found = Path(place)
    file = found / STUDY if found.is_dir() else found
    return Lender(from_json(Document, file.read_bytes(), str(file)), file.parent)


def borrow(workspace: Workspace, begun: Begun, lenders: Sequence[Lender]) -> None:
    """Keep in a workspace the steps that lenders know and that would be found the same."""
    for lender in lenders:
        document = lender.document
        if document.data.digest != begun.digest or document.made_with != begun.made_with:
            continue
        for step in _NEEDS:
            if not workspace.done(step) and _same(step, begun.recipe, document.recipe):
                _take(step, lender, workspace)


def _same(step: str, one: Recipe, other: Recipe) -> bool:
    """Whether two recipes ask the same of a step."""
    if step in ("linear", "basis") and not (step in one.models and step in other.models):
        return False
    return all(getattr(one, name) == getattr(other, name) for name in (*_ALL, *_NEEDS[step]))


def _take(step: str, lender: Lender, workspace: Workspace) -> None:
    document = lender.document
    kind: Any
    facts: Any
    if step not in document.seconds:  # a look that was kept alone
        return
    if step == "look":
        kind, facts = LookFacts, document.look
    elif step == "compare":
        kind, facts = ComparisonFacts | None, document.comparison
    else:
        kind, facts = ModelFacts, document.model(step)
        source = (lender.folder / facts.file).resolve()
        if not source.is_relative_to(lender.folder.resolve()):
            raise StudyError(f"{lender.folder} names a model outside itself: do not trust it")
        workspace.keep_model(step, lambda place: _copy(source, place))
    workspace.keep(step, Kept(facts, document.seconds[step]), Kept[kind])


def _copy(source: Path, place: Path) -> None:
    shutil.copyfile(source, place)
