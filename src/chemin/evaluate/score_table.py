"""What do all measures say together? A table of scores, each with its interval, and why others are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chemin.evaluate.intervals import Interval
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """Measures of one model on some rows.

    Attributes
    ----------
    intervals : dict of str to Interval
        Every measure with its interval.
    left_out : dict of str to str
        Measures that could not be computed, and why.
    said : str
        What was judged.
    """

    intervals: dict[str, Interval]
    left_out: dict[str, str]
    said: str

    def __getitem__(self, measure: str) -> Interval:
        if measure in self.left_out:
            raise InvalidInputError(f"there is no {measure}: {self.left_out[measure]}")
        if measure not in self.intervals:
            raise InvalidInputError(
                f"measure is {measure!r}: pass one of {', '.join(self.intervals)}"
            )
        return self.intervals[measure]

    def frame(self) -> Any:
        """Return a row per measure as a DataFrame."""
        found = list(self.intervals.values())
        made = {
            "measure": list(self.intervals),
            "value": [one.value for one in found],
            "low": [one.low for one in found],
            "high": [one.high for one in found],
            "method": [one.method for one in found],
        }
        return as_frame(made, instead="intervals")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every measure and its interval on a line of its own."""
        from chemin.plots.evaluation import draw_intervals

        ends = [(one.value, one.low, one.high) for one in self.intervals.values()]
        return draw_intervals(list(self.intervals), ends, title=self.said, ax=ax)

    def __str__(self) -> str:
        widest = max(map(len, [*self.intervals, *self.left_out]))
        lines = [self.said]
        lines += [f"  {name:<{widest}}  {one}" for name, one in self.intervals.items()]
        lines += [f"  {name:<{widest}}  left out: {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)
