"""Which machine of a model is meant, and between which classes does it decide?

A model of two classes is one machine. One of more classes has several: machine l has the classes k whose code (k, l) is
−1 on one side and those whose code is +1 on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError

_SHOWN = 12  # most machines listed in a message


class Machine(Protocol):
    """A fitted binary machine: the decision is intercept_ + Σ coef_[j] ψ_j(x) for the columns ψ of ``columns_``."""

    columns_: Any
    coef_: Floats
    intercept_: float
    rows_: Indices
    path_: Path
    l1_: float
    relax_: float
    model_path_: Path
    model_l1_: float
    l2_: float
    dual_: Floats

    def decision_function(self, X: Any) -> Floats:
        """Return the decision about every point."""


class Model(Protocol):
    """What is asked of a model: its machines, how they share the classes, and what it was trained on.

    One that predicts numbers has no ``classes_``. That of a pipeline is a `chemin.tables.Piped`.
    """

    classes_: NDArray[Any]
    estimators_: list[Any]
    scheme_: Any
    n_features_in_: int
    _labels: NDArray[Any]
    _table_kind: str | None
    _row_labels: NDArray[Any] | None
    positive: Any

    def _check_ready(self) -> None:
        """Raise if there is no machine to look at."""

    def _checked(self, X: Any) -> Any:
        """Return points as the machines take them."""


@dataclass(frozen=True)
class Sides:
    """The classes on the two sides of a machine, among ``count`` classes in all.

    Examples
    --------
    >>> print(Sides((4,), (7,), 10)), print(Sides((1, 2), (0,), 3))
    4 vs 7
    0 vs rest
    (None, None)
    >>> Sides((4,), (7,), 10).toward(-0.3)
    '4'
    """

    negative: tuple[Any, ...]
    positive: tuple[Any, ...]
    count: int

    def __str__(self) -> str:
        sides = [self.toward(-1.0), self.toward(1.0)]
        return " vs ".join(sides[::-1] if sides[0] == "rest" else sides)

    @property
    def flipped(self) -> Sides:
        """The same sides, the other way round."""
        return Sides(self.positive, self.negative, self.count)

    def toward(self, decision: float) -> str:
        """Return the side that a decision, or a term of it, speaks for."""
        labels = self.positive if decision > 0 else self.negative
        return "rest" if 1 < len(labels) == self.count - 1 else ", ".join(map(str, labels))


@dataclass(frozen=True)
class Number:
    """The two directions of a prediction, where a machine predicts a number and decides between no classes.

    Examples
    --------
    >>> Number().toward(-0.3), str(Number())
    ('lower', 'prediction')
    """

    negative: tuple[Any, ...] = ("lower",)
    positive: tuple[Any, ...] = ("higher",)

    def __str__(self) -> str:
        return "prediction"

    @property
    def flipped(self) -> Number:
        """The same: a number has no other side."""
        return self

    def toward(self, decision: float) -> str:
        """Return where a term takes the prediction."""
        return "higher" if decision > 0 else "lower"


def check_positive(positive: Any, classes: NDArray[Any]) -> None:
    """Raise unless ``positive`` is None, or one of two classes.

    Examples
    --------
    >>> check_positive("ill", np.array(["ill", "well"]))
    >>> check_positive("sick", np.array(["ill", "well"]))
    Traceback (most recent call last):
    ...
    chemin.exceptions.InvalidInputError: positive is 'sick': pass one of the classes, 'ill' or 'well'
    """
    known = classes.tolist()
    if positive is None:
        return
    if len(known) != 2:
        raise InvalidInputError(
            f"positive is {positive!r}, and there are {len(known)} classes: it says which of two classes tables and "
            "pictures speak for, leave it None"
        )
    if positive not in known:
        names = " or ".join(repr(label) for label in known)
        raise InvalidInputError(f"positive is {positive!r}: pass one of the classes, {names}")


def sides_of(model: Model) -> list[Sides | Number]:
    """Return the two sides of every machine; of two classes, ``model.positive`` is on the positive side."""
    if not hasattr(model, "classes_"):
        return [Number()]
    labels = model.classes_.tolist()
    code = np.array([[-1], [1]]) if model.scheme_ is None else model.scheme_.code_

    def side(column: Any, wanted: int) -> tuple[Any, ...]:
        return tuple(label for label, sign in zip(labels, column, strict=True) if sign == wanted)

    sides = [Sides(side(column, -1), side(column, 1), len(labels)) for column in code.T]
    turned = orientation(model) < 0
    return [some.flipped if turned else some for some in sides]


def orientation(model: Model) -> float:
    """Return −1 where words speak for the class against which the machine decides when positive, else 1."""
    positive = model.positive
    if positive is None or model.scheme_ is not None:
        return 1.0
    return 1.0 if positive == model.classes_[1] else -1.0


def which(model: Model, machine: Any = None) -> int:
    """Return the number of the machine that is meant: by its number, its name, or the two classes it tells apart."""
    sides = sides_of(model)
    if machine is None and len(sides) == 1:
        return 0
    names = [str(some) for some in sides]
    known = ", ".join(f"{k} ({name})" for k, name in enumerate(names[:_SHOWN])) + ", …" * (
        len(names) > _SHOWN
    )
    remedy = f"pass the number of a machine, its name, or the pair of classes it separates; there are {known}"
    if machine is None:
        raise InvalidInputError(
            f"{len(names)} machines decide between {len(model.classes_)} classes: {remedy}"
        )
    if (
        isinstance(machine, Integral)
        and not isinstance(machine, bool)
        and 0 <= int(machine) < len(names)
    ):
        return int(machine)
    if isinstance(machine, str):
        for number, some in enumerate(sides):
            if machine in (str(some), str(some.flipped)):
                return number
    if isinstance(machine, tuple | list) and len(machine) == 2:
        for number, some in enumerate(sides):
            if [*some.negative, *some.positive] in (list(machine), list(machine)[::-1]):
                return number
    raise InvalidInputError(f"machine is {machine!r}: {remedy}")
