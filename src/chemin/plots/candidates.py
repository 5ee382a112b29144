"""Which models did cross-validation compare? Those of the path and relaxed ones, with error and size, as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.problems.losses import as_loss
from chemin.tables import opened


@dataclass(frozen=True, eq=False)
class Candidates:
    """Models that were compared: where, how relaxed, how wrong on held-out points, and how long."""

    l1: Floats
    relax: Floats
    error: Floats
    standard_error: Floats
    size: Floats


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a cross-validation found for one machine.

    Attributes
    ----------
    path : Candidates
        The models of the path at the chosen l2: error number k is that of all l1 from ``l1[k]`` to ``l1[k − 1]``.
    relaxed : Candidates
        Those whose terms were chosen at l1 and shrunk less.
    others : list of Candidates
        The models of the path at the other l2.
    chosen : Candidates
        The one that was chosen.
    scoring : str or None
        What was compared; None is the error rate.
    loss : str or None
        The loss that was compared, where numbers are predicted.
    """

    path: Candidates
    relaxed: Candidates
    others: list[Candidates]
    chosen: Candidates
    scoring: str | None
    loss: str | None = None

    @property
    def is_rate(self) -> bool:
        """Whether errors are shares of points."""
        return self.scoring is None and self.loss is None

    @property
    def compared(self) -> Candidates:
        """All models at the chosen l2."""
        names = Candidates.__dataclass_fields__
        parts = (self.path, self.relaxed)
        return Candidates(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in names)
        )

    @property
    def label(self) -> str:
        """What is on the axis of the errors."""
        if self.loss is not None:
            return f"cross-validated {self.loss} loss"
        return (
            "cross-validated error" if self.scoring is None else f"cross-validated {self.scoring}"
        )

    def shown(self, error: Floats) -> Floats:
        """Return errors as they are drawn: a score, whose negative was minimised, as itself."""
        return error if self.scoring is None else -error

    def worded(self, error: float) -> str:
        """Return an error as text."""
        if self.is_rate:
            return f"{100 * error:.1f} %"
        return f"{float(self.shown(np.array([error]))[0]):.4g}"


def comparison_of(model: Any, machine: Any = None) -> Comparison:
    """Return what the cross-validation of a fitted model found, for one machine of it."""
    model = opened(model)
    results = getattr(model, "cv_results_", None)
    if results is None:
        raise InvalidInputError(
            f"this {type(model).__name__} has compared no models: fit one with CV in its name, which chooses l1"
        )
    mine = results if isinstance(results, Mapping) else results[model.reading(machine).number]
    which = int(mine["chosen"])
    scoring = getattr(model, "scoring", None)
    at = {
        "l1": mine["l1"],
        "relax": mine["relax"],
        "error": mine["error"],
        "standard_error": mine["standard_error"],
        "size": mine["size"],
    }
    relaxed = mine["relaxed"]
    found = relaxed[which] if isinstance(relaxed, list | tuple) else relaxed
    return Comparison(
        path=_of_path(mine["curve"][which]),
        relaxed=_of_relaxed(found),
        others=[_of_path(curve) for k, curve in enumerate(mine["curve"]) if k != which],
        chosen=Candidates(**{name: np.array([float(some[which])]) for name, some in at.items()}),
        scoring=None if scoring in (None, "accuracy") else str(scoring),
        loss=_loss_of(model),
    )


def _loss_of(model: Any) -> str | None:
    """Return the name of the loss by which numbers were judged; None for classes."""
    if hasattr(model, "classes_") or not hasattr(model, "loss"):
        return None
    return as_loss(model.loss).name.replace("_", "-")


def staircase(candidates: Candidates) -> tuple[Floats, Floats]:
    """Return the corners of the best error for every size: sizes at which it falls, and what it falls to.

    Examples
    --------
    >>> some = np.array([3.0, 1.0, 2.0])
    >>> sizes, errors = staircase(Candidates(some, some, np.array([0.1, 0.3, 0.4]), some, some))
    >>> sizes.tolist(), errors.tolist()
    ([1.0, 3.0], [0.3, 0.1])
    """
    order = np.lexsort((candidates.error, candidates.size))
    error = np.minimum.accumulate(candidates.error[order])
    falls = np.append(True, error[1:] < error[:-1])
    return candidates.size[order][falls], error[falls]


def _of_path(curve: Mapping[str, Any]) -> Candidates:
    l1 = np.asarray(curve["l1"], dtype=float)
    error, spread, size = (
        np.asarray(curve[name], dtype=float) for name in ("mean_error", "standard_error", "size")
    )
    return Candidates(l1, np.ones(len(l1)), error, spread, size)


def _of_relaxed(some: Mapping[str, Any]) -> Candidates:
    names = ("l1", "relax", "mean_error", "standard_error", "size")
    empty: list[float] = []
    return Candidates(*(np.asarray(some.get(name, empty), dtype=float) for name in names))
