"""How is a study made? Step after step; what is done is kept, so that the same call goes on where it was stopped.

    read → split → look → learn each model → compare → explain

The facts of a step that is done are read back instead of being found again. Everything that is drawn comes from the
recipe's ``random_state``, so a study that was stopped and gone on with is the one that was never stopped.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from chemin.dictionaries.base import Indices
from chemin.exceptions import InvalidInputError, StudyError
from chemin.persistence import load, save
from chemin.results import plural
from chemin.study.brief import said_score
from chemin.study.choice import called
from chemin.study.codec import from_json, to_json
from chemin.study.document import (
    FORMAT,
    CaseFacts,
    ComparisonFacts,
    DataFacts,
    Document,
    LookFacts,
    ModelFacts,
    Recipe,
    SplitFacts,
)
from chemin.study.estimate import StudyCost, estimate_study
from chemin.study.lending import Lender, borrow
from chemin.study.steps import comparing, explaining, learning, looking, reading
from chemin.study.steps.curves import curves_of, points_of
from chemin.study.steps.reading import Source
from chemin.study.study import Study, read_study
from chemin.study.workspace import Begun, Kept, Workspace

_LIBRARIES = ("chemin", "numpy", "scipy", "scikit-learn")
_MOST_TEST = 0.9
_LARGEST_SEED = 2**32 - 1


class Listener:
    """What is told while a study is made; this one says nothing."""

    def found(self, data: DataFacts) -> None:
        """Take notice of what was read, guessed and lost."""

    def estimated(self, cost: StudyCost) -> None:
        """Take notice of what the study is estimated to take."""

    def begun(self, step: str) -> None:
        """Take notice that a step begins."""

    def ended(self, step: str, said: str, seconds: float, before: bool) -> None:
        """Take notice of what a step has found, and whether it was done before."""


@dataclass(eq=False)
class _Run:
    """A study that is being made."""

    source: Source
    recipe: Recipe
    split: SplitFacts
    rows: dict[str, Indices]
    workspace: Workspace
    listener: Listener
    progress: bool
    seconds: dict[str, float] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def step(
        self, name: str, kind: Any, find: Callable[[], Any], tell: Callable[[Any], str]
    ) -> Any:
        """Return the facts of a step, found now or before."""
        before = self.workspace.done(name)
        if not before:
            self.listener.begun(name)
            began = time.perf_counter()
            facts = find()
            seconds = round(time.perf_counter() - began, 3)
            self.workspace.keep(name, Kept(facts, seconds), Kept[kind])
        kept = self.workspace.facts(name, Kept[kind])  # what was written, so that both ways are one
        self.seconds[name] = kept.seconds
        self.listener.ended(name, tell(kept.facts), kept.seconds, before)
        return kept.facts

    def learned(self, name: str, train: Indices, test: Indices) -> tuple[ModelFacts, Pipeline]:
        """Return a model and its facts."""
        fitted: list[Pipeline] = []

        def find() -> ModelFacts:
            model = learning.learn(name, self.source, train, self.recipe, self.progress)
            file = self.workspace.keep_model(name, lambda place: save(model, place))
            fitted.append(model)
            return learning.facts_of(name, model, file, self.source, train, test, self.recipe)

        facts = self.step(name, ModelFacts, find, _of_model)
        model = fitted[0] if fitted else load(self.workspace.folder / facts.file)
        self.arrays |= {f"{name}/{key}": value for key, value in curves_of(model).items()}
        if len(test):
            predicted = model.predict(_safe_indexing(self.source.X, test))
            self.arrays[f"{name}/predicted"] = np.asarray(predicted)
        return facts, model


def learn(
    recipe: Recipe,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    memory: float | None = None,
    listener: Listener | None = None,
    lenders: Sequence[Lender] = (),
    progress: bool = False,
) -> Study:
    """Make a study, or go on with one that was stopped.

    Parameters
    ----------
    recipe : Recipe
        What to do.
    folder : path
        Where to keep it. A finished study of the same recipe and data is read back; of another one, ``force`` is needed
        to take its place.
    force : bool, default False
        Take the place of whatever study is there. One that was stopped and is the same is gone on with all the same.
    memory : float, optional
        Gibibytes that the table may take, half of what is free by default.
    listener : Listener, optional
        Who is told of the steps.
    lenders : sequence of Lender, optional
        Other studies, whose steps are taken over where they are the same.
    progress : bool, default False
        Draw a bar for what takes long inside a step.

    Returns
    -------
    Study

    Raises
    ------
    KeyboardInterrupt
        If it is interrupted; what is done is kept, and the same call goes on.
    """
    recipe = from_json(Recipe, to_json(recipe), "the recipe")  # as it will be read back
    _check(recipe)
    workspace = Workspace(folder)
    if workspace.is_foreign:
        raise StudyError(
            f"{workspace.folder} is there and holds other things than a study: pass --out another-folder"
        )
    listener = listener or Listener()
    began = time.perf_counter()
    source = reading.read_source(recipe, memory)
    comparing.check_against(recipe, source.task)
    learning.check_asked(source, recipe)
    split, rows = reading.split_rows(source, recipe)
    with workspace.alone():
        if not force and workspace.is_finished:
            return _finished(workspace, recipe, source)
        new = Begun(recipe, source.digest, made_with())
        goes_on = _goes_on(workspace, new, force)
        try:
            if not goes_on:
                workspace.clear()
                workspace.begin(new)
            borrow(workspace, new, lenders)
            run = _Run(source, recipe, split, rows, workspace, listener, progress)
            run.seconds["read"] = round(time.perf_counter() - began, 3)
            workspace.finish(_follow(run), run.arrays)
        except InvalidInputError:  # which the same recipe would meet again
            workspace.clear()
            raise
        except BaseException:
            workspace.leave_nothing()
            raise
    return read_study(workspace.folder)


def _follow(run: _Run) -> Document:
    """Take one step after the other."""
    source, recipe = run.source, run.recipe
    data = reading.facts_of(source)
    run.listener.found(data)
    run.listener.ended(
        "read", f"{data.rows} rows, {len(data.columns)} columns", run.seconds["read"], False
    )
    split, train, test = run.split, run.rows["train"], run.rows["test"]
    run.arrays |= run.rows
    cost = _cost(source, split.train, recipe)
    run.listener.estimated(cost)
    look = run.step(
        "look",
        LookFacts,
        lambda: looking.look_at(source, train, recipe.random_state, run.progress),
        _of_look,
    )
    learned = {name: run.learned(name, train, test) for name in recipe.models}
    comparison = run.step(
        "compare", ComparisonFacts | None,
        lambda: comparing.compare_models(source, train, cost.compared, recipe, run.progress),
        lambda found: _of_comparison(found, recipe),
    )  # fmt: skip
    judged = test if len(test) else train

    def explain() -> tuple[CaseFacts, ...]:
        return tuple(
            case
            for name, (_, model) in learned.items()
            for case in explaining.explain_cases(name, model, source, judged, recipe)
        )

    cases = run.step(
        "explain", tuple[CaseFacts, ...], explain, lambda some: f"{len(some)} decisions"
    )
    _, first = next(iter(learned.values()))  # rows are prepared alike for all models
    explained = np.array([case.place for case in cases], dtype=np.intp)
    run.arrays |= points_of(first, _safe_indexing(source.X, train), "points")
    run.arrays["points/rows"] = np.array(source.row_names, dtype=str)[train]
    run.arrays |= points_of(first, _safe_indexing(source.X, explained), "cases")
    return Document(
        FORMAT, made_with(), recipe, data, split, look, tuple(facts for facts, _ in learned.values()),
        comparison, cases, run.seconds,
    )  # fmt: skip


def _check(recipe: Recipe) -> None:
    """Raise if a recipe asks for what there is not."""
    for name in recipe.models:
        if name not in learning.MODELS:
            raise InvalidInputError(
                f"models has {name!r}: pass {' or '.join(map(repr, learning.MODELS))}"
            )
    if not recipe.models:
        raise InvalidInputError("models is empty: pass 'linear', 'basis', or both")
    if not 0.0 <= recipe.test <= _MOST_TEST:
        raise InvalidInputError(f"test is {recipe.test}: pass a share from 0 to {_MOST_TEST}")
    for name, least in (("folds", 2), ("cases", 0), ("random_state", 0)):
        if getattr(recipe, name) < least:
            raise InvalidInputError(f"{name} is {getattr(recipe, name)}: pass {least} or more")
    if recipe.random_state > _LARGEST_SEED:
        raise InvalidInputError(
            f"random_state is {recipe.random_state}: pass a number up to {_LARGEST_SEED}"
        )
    if not recipe.budget > 0.0:
        raise InvalidInputError(f"budget is {recipe.budget}: pass seconds, such as 300")


def _finished(workspace: Workspace, recipe: Recipe, source: Source) -> Study:
    """Return a study that is there, if it is of the same recipe and data."""
    study = read_study(workspace.folder)
    found = Begun(study.document.recipe, study.document.data.digest, {})
    asked = Begun(recipe, source.digest, {})
    if found != asked:
        raise StudyError(
            f"{workspace.folder} holds {_other(found, asked)}: pass --force to take its place, or --out another-folder"
        )
    return study


def _goes_on(workspace: Workspace, new: Begun, force: bool) -> bool:
    """Return whether the study that is there was begun as this one is; raise if it was not and is not to be lost."""
    if workspace.is_finished or not workspace.is_begun:
        return False
    begun = workspace.begun()
    if begun != new and not force:
        raise StudyError(
            f"{workspace.folder} holds the beginning of {_other(begun, new)}: pass --force to begin anew, or "
            "--out another-folder"
        )
    return begun == new


def _other(begun: Begun, new: Begun) -> str:
    """Return in what a study differs from the one that is asked for."""
    if begun.recipe != new.recipe:
        return "a study that was asked for otherwise"
    return "a study of other data" if begun.digest != new.digest else "a study by other versions"


def _cost(source: Source, rows: int, recipe: Recipe) -> StudyCost:
    """Return what is left to do is estimated to take."""
    classes = len(source.labels)
    machines = classes * (classes - 1) // 2 if classes > 2 else 1
    budget = 0.0 if recipe.against == (comparing.NONE,) else recipe.budget
    return estimate_study(rows, len(source.subject.inputs), machines, recipe.folds, budget)


def made_with() -> dict[str, str]:
    """Return the versions of what counts."""
    return {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}


def _of_look(look: LookFacts) -> str:
    counts: dict[str, int] = {}
    for finding in look.findings:
        counts[finding.severity] = counts.get(finding.severity, 0) + 1
    told = ", ".join(f"{count} {severity}{'s' * (count > 1)}" for severity, count in counts.items())
    return told or "nothing to report"


def _of_model(facts: ModelFacts) -> str:
    told = plural(facts.length, "term")
    if not facts.scores:
        return told
    return f"{told}, {said_score(facts.scores[0])} on the test rows"


def _of_comparison(found: ComparisonFacts | None, recipe: Recipe) -> str:
    if found is None:
        return "no comparison"
    done = sum(row.status == "finished" for row in found.rows)
    best = called(found.recommended, recipe) if found.recommended else "none"
    return f"{done} of {plural(len(found.rows), 'model')}, recommended: {best}"
