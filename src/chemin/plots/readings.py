"""What does a picture ask of a fitted model? `chemin.interpret` answers; nothing here depends on how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.engine.result import Path
from chemin.exceptions import InvalidInputError


class Sides(Protocol):
    """The classes on the two sides of a decision."""

    @property
    def negative(self) -> tuple[Any, ...]: ...
    @property
    def positive(self) -> tuple[Any, ...]: ...
    def toward(self, decision: float) -> str: ...


class Stays(Protocol):
    """When columns were active; ``left`` is NaN for those that stay."""

    @property
    def columns(self) -> Indices: ...
    @property
    def entered(self) -> Floats: ...
    @property
    def left(self) -> Floats: ...


class Reading(Protocol):
    """One machine, made readable; see `chemin.interpret.Reading`."""

    @property
    def sides(self) -> Sides: ...
    @property
    def labels(self) -> NDArray[Any]: ...
    @property
    def names(self) -> NDArray[Any] | None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def origins(self) -> Sequence[Any] | None: ...
    @property
    def path(self) -> Path: ...
    @property
    def l1(self) -> float: ...
    @property
    def relax(self) -> float: ...
    @property
    def sign(self) -> float: ...
    @property
    def number(self) -> int: ...
    @property
    def has_couples(self) -> bool: ...
    @property
    def has_variables(self) -> bool: ...
    @property
    def active(self) -> Indices: ...
    @property
    def couple_places(self) -> Indices: ...
    @property
    def coefficients(self) -> Floats: ...
    @property
    def shares(self) -> Floats: ...
    @property
    def kernels(self) -> tuple[Any, ...]: ...
    @property
    def kernel_numbers(self) -> Indices: ...
    @property
    def rows(self) -> Indices: ...
    @property
    def points(self) -> list[Any]: ...
    @property
    def centers(self) -> Any: ...
    @property
    def support(self) -> Indices: ...
    @property
    def stays(self) -> Stays: ...
    def describe(self, columns: Indices) -> Sequence[Any]: ...
    def called(self, rows: Indices) -> list[Any]: ...
    def unit_factors(self, columns: Indices) -> Floats: ...
    def decision(self, X: Any) -> Floats: ...


class Model(Protocol):
    """A fitted classifier."""

    def reading(self, machine: Any = None) -> Reading: ...


def what_is_active(reading: Reading) -> str:
    """Return how many variables and couples are active, in words.

    Of the kinds that were offered: "4 active variables", "3 active variables and 1 couple".
    """
    couples = len(reading.couple_places)
    counts = {"variable": len(reading.active) - couples} if reading.has_variables else {}
    if reading.has_couples:
        counts["couple"] = couples
    words = [f"{count} {what}" + "s" * (count != 1) for what, count in counts.items()]
    return " and ".join([words[0].replace(" ", " active ", 1), *words[1:]])


def kind_of_items(reading: Reading) -> str:
    """Return what the terms are called: "variables", "couples" or "terms"."""
    if reading.has_variables and reading.has_couples:
        return "terms"
    return "couples" if reading.has_couples else "variables"


def as_dense(points: Any) -> Floats:
    """Return points as one dense array."""
    return np.asarray(points.toarray() if hasattr(points, "toarray") else points, dtype=float)


def check_decides(model: Any) -> None:
    """Raise if a model predicts numbers, where a picture is about classes."""
    if hasattr(model, "predict") and not hasattr(model, "classes_"):
        raise InvalidInputError(
            f"a {type(model).__name__} predicts numbers, and this picture is about classes: draw plot_path, "
            "plot_choice or plot_explanation"
        )
