"""How is a decision told in the user's own variables? Terms of columns that are made of one variable add up to one.

A pipeline makes columns of variables: one per category, per word, or for a gap. The term of a variable is the sum of
theirs, its value is what stands in the user's table, and its reference what the columns are there, on the way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.interpret.items import Attribute, Item, Variable
from chemin.interpret.reading import Reading
from chemin.tables import Origin, Piped
from chemin.tables.cells.texts import as_objects

if TYPE_CHECKING:
    from chemin.interpret.explanation import Explanation

_SHOWN = 3  # categories or words listed
_CLOSE = 1e-9  # to 0 or 1: what scaling back leaves
_ROUNDING = 1e-14  # of the largest term, or of 1


def in_users_words(
    explanations: Sequence[Explanation], reading: Reading, model: Piped, X: Any
) -> list[Explanation]:
    """Return explanations of columns as explanations of the user's variables; couples stay as they are."""
    told = model.told(X)
    groups = _groups(reading, model.origins)
    couples = reading.couple_places.tolist()
    items: tuple[Item, ...] = (
        *(group.item for group in groups),
        *(reading.items[k] for k in couples),
    )
    made = []
    for row, explanation in enumerate(explanations):
        terms = [_added(explanation.terms[group.places]) for group in groups]
        values = [group.value(explanation.values, told, row) for group in groups]
        references = [
            group.reference(explanation.reference_values, value)
            for group, value in zip(groups, values, strict=True)
        ]
        made.append(
            replace(
                explanation,
                items=items,
                terms=np.array([*terms, *explanation.terms[couples]]),
                values=as_objects([*values, *explanation.values[couples].tolist()]),
                reference_values=as_objects(
                    [*references, *explanation.reference_values[couples].tolist()]
                ),
            )
        )
    return made


class Group:
    """The active columns that are made of one variable."""

    def __init__(
        self, name: str, places: list[int], reading: Reading, origins: Sequence[Origin]
    ) -> None:
        self.name = name
        self.places = places
        self.origins = [origins[int(reading.active[k])] for k in places]
        self.kinds = {origin.kind for origin in self.origins}
        self.weights = reading.coefficients[places]
        self.item = self._item(reading)

    def value(self, columns: Floats, told: dict[str, list[Any]], row: int) -> Any:
        """Return what a point has, as the user says it: a number, or words."""
        said = told.get(self.name, [None])[row if self.name in told else 0]
        if self.kinds == {"missing"}:
            return "missing" if said == "missing" else "known"
        if said == "missing" or isinstance(said, float):
            return said
        if self._number is not None:
            return self._in_units(columns, self._number)
        if self.kinds <= {"word", "missing"}:
            return self._words(columns)
        return float(columns[self.places[0]]) if said is None else said

    def reference(self, columns: Floats, value: Any) -> Any:
        """Return what the reference has: a number, or words; of categories how often the value is met there."""
        if self._number is not None:
            return self._in_units(columns, self._number)
        for place, origin in zip(self.places, self.origins, strict=True):
            if origin.kind == "value" and origin.scale is not None:
                return origin.told(float(columns[place]) / origin.scale)
            if origin.kind in ("value", "mixed"):
                known = not origin.detail and origin.kind == "mixed"
                return _rounded(float(columns[place])) if known else ""
        levels = [
            (self._in_units(columns, which), origin)
            for which, origin in enumerate(self.origins)
            if origin.kind != "word"
        ]
        same = [level for level in levels if level[1].detail == value]
        levels = same or sorted(levels, key=lambda level: -level[0])
        listed = [_share(origin, share) for share, origin in levels[:_SHOWN]]
        return ", ".join(listed) + ", …" * (len(levels) > _SHOWN)

    @property
    def _number(self) -> int | None:
        """The column that is the number itself, if there is one, as a position among those of the group."""
        return next((k for k, origin in enumerate(self.origins) if origin.is_number), None)

    def _in_units(self, columns: Floats, which: int) -> float:
        return self.origins[which].center + float(columns[self.places[which]])

    def _words(self, columns: Floats) -> str:
        order = np.argsort(-np.abs(self.weights), kind="stable")
        words = [
            (self.origins[k].detail, self._in_units(columns, k))
            for k in order
            if self.origins[k].kind == "word"
        ]
        held = [repr(word) for word, value in words if value > _CLOSE]
        if held:
            return ", ".join(held[:_SHOWN]) + ", …" * (len(held) > _SHOWN)
        others = [repr(word) for word, _ in words]
        return f"none of {', '.join(others[:_SHOWN])}" + ", …" * (len(others) > _SHOWN)

    def _item(self, reading: Reading) -> Item:
        which = self._number
        first = int(reading.active[self.places[0 if which is None else which]])
        if which is not None:
            return Variable(self.name, float(reading.coefficients[self.places[which]]), first)
        alone = (
            float(reading.coefficients[self.places[0]]) if len(self.places) == 1 else float("nan")
        )
        if self.kinds == {"missing"}:
            return Attribute(self.name, alone, "", first)
        return Attribute(self.name, alone, "holds" if "word" in self.kinds else "=", first)


def _groups(reading: Reading, origins: Sequence[Origin]) -> list[Group]:
    places: dict[str, list[int]] = {}
    for place in reading.variable_places.tolist():
        places.setdefault(origins[int(reading.active[place])].variable, []).append(place)
    return [Group(name, some, reading, origins) for name, some in places.items()]


def _share(origin: Origin, value: float) -> str:
    """Return what a column of 0 and 1 is at the reference: a category, or how often it is met there."""
    if value >= 1.0 - _CLOSE:
        return origin.detail
    return f"not {origin.detail}" if value <= _CLOSE else f"{100 * value:.0f} % {origin.detail}"


def _rounded(value: float) -> float:
    return 0.0 if abs(value) <= _ROUNDING else value


def _added(terms: Floats) -> float:
    """Return the sum of the terms of one variable; what rounding leaves of terms that cancel is nothing."""
    total = float(terms.sum())
    return 0.0 if abs(total) <= _ROUNDING * float(np.abs(terms).max(initial=1.0)) else total
