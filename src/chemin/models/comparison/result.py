"""What does a comparison say? A row per model, groups of models that cannot be told apart, and one to take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.evaluate import FoldScores, Interval, bayesian_t
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE = 32


@dataclass(frozen=True, eq=False)
class Row:
    """One model in a comparison.

    Attributes
    ----------
    name : str
        The model.
    status : str
        "finished", "skipped", "failed", "timed out" or "cancelled".
    why : str
        The reason, where it is not finished.
    scores : FoldScores or None
        Its error on the test rows of each split, and which splits these were.
    error : Interval or None
        Their mean, with the corrected interval of repeated folds.
    losses : ndarray of shape (n,)
        Of each row, when it was tested: whether the label was wrong (its share over repeats), or the squared error.
    measures : dict
        Over all test rows: "balanced error", "AUC", "log-loss", "Brier", "calibration error"; or "R²", "MAE".
    seconds : float
        Search, fit and prediction, over all splits.
    length : float
        How long the fitted model is, on average.
    unit : str
        In what: "variables", "couples", "leaves", …
    optimism : float
        By how much the error inside the training rows, by which parameters were chosen, is too small; NaN if none were.
    chosen : str
        Parameters chosen on each split.
    certificate : str
        What the fitted model proves of itself, "" if nothing.
    group : int
        Models of one group cannot be told apart; 0 is that of the best, −1 for what is not finished.
    """

    name: str
    status: str
    why: str = ""
    scores: FoldScores | None = field(default=None, repr=False)
    error: Interval | None = None
    losses: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    measures: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    length: float = float("nan")
    unit: str = ""
    optimism: float = float("nan")
    chosen: str = ""
    certificate: str = ""
    group: int = -1

    @property
    def errors(self) -> Floats:
        """Its error on the test rows of each split; none where it is not finished."""
        return np.zeros(0) if self.scores is None else self.scores.values


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Models on the same splits.

    Attributes
    ----------
    rows : tuple of Row
        Finished models by increasing error, then the others.
    measure : str
        "error" or "RMSE".
    recommended : str or None
        The simplest model of the best group that is more likely than not no worse than its best.
    chance : str
        The model that knows no input: "majority" or "mean".
    splits, digest : str
        How rows were split, and a hash of it: results of other splits are not comparable.
    rope : float
        A difference of the error that does not matter.
    said : str
        Which rows were looked at.
    advice : tuple of (str, str)
        Models to begin with for so many rows and columns, and why, whatever came out here.
    """

    rows: tuple[Row, ...]
    measure: str
    recommended: str | None
    chance: str
    splits: str
    digest: str
    rope: float
    said: str
    advice: tuple[tuple[str, str], ...] = field(repr=False)

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def finished(self) -> tuple[Row, ...]:
        """The rows of models that came to an end."""
        return tuple(row for row in self.rows if row.status == "finished")

    @property
    def best(self) -> Row | None:
        """The row of the least error."""
        return self.finished[0] if self.finished else None

    def groups(self) -> list[list[str]]:
        """Return the names of models that cannot be told apart, the best first."""
        count = max((row.group for row in self.rows), default=-1) + 1
        return [[row.name for row in self.rows if row.group == k] for k in range(count)]

    def frame(self) -> Any:
        """Return a row per model as a DataFrame."""
        measures = list(dict.fromkeys(key for row in self.rows for key in row.measures))
        made: dict[str, Any] = {
            "model": [row.name for row in self.rows],
            "status": [row.status for row in self.rows],
            self.measure: [_part(row.error, "value") for row in self.rows],
            "low": [_part(row.error, "low") for row in self.rows],
            "high": [_part(row.error, "high") for row in self.rows],
            "group": [row.group for row in self.rows],
        }
        made |= {
            key: [row.measures.get(key, float("nan")) for row in self.rows] for key in measures
        }
        made |= {
            name: [getattr(row, name) for row in self.rows]
            for name in ("length", "unit", "seconds", "optimism", "chosen", "certificate", "why")
        }
        return as_frame(made, instead="rows")

    def probabilities(self, one: str, other: str) -> dict[str, float]:
        """Return how probable it is that one model is better than another, the same within ``rope``, or worse.

        By the correlated Bayesian t test.
        """
        rows = [self[name] for name in (one, other)]
        for row in rows:
            if row.status != "finished":
                raise InvalidInputError(
                    f"{row.name!r} is not finished ({row.why}): pass two models that are"
                )
        found = bayesian_t(rows[0].scores, rows[1].scores, rope=self.rope)
        return {"better": found.better, "same": found.equivalent, "worse": found.worse}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the errors with their intervals, in the colours of their groups."""
        from chemin.plots.comparison import draw_comparison

        rows = self.finished
        return draw_comparison(
            [row.name for row in rows],
            np.array(
                [[_part(row.error, part) for part in ("low", "value", "high")] for row in rows]
            ),
            [row.group for row in rows],
            self.recommended,
            self.chance,
            measure=self.measure,
            ax=ax,
        )

    def __str__(self) -> str:
        lines = [
            f"{plural(len(self.finished), 'model')} of {len(self.rows)} on {self.splits}; {self.said}"
        ]
        for row in self.rows:
            lines.append(f"  {row.name:<{_WIDE}} {self._told(row)}")
        lines += [f"  {sentence}" for sentence in self.sentences()]
        return "\n".join(lines)

    def sentences(self) -> list[str]:
        """Return what follows from the rows, in words."""
        best = self.best
        if best is None:
            reasons = sorted({row.why for row in self.rows})
            return [f"no model was finished: {reasons[0]}" + ", …" * (len(reasons) > 1)]
        first = self.groups()[0]
        told = [f"{best.name} has the least {self.measure}, {_interval(best.error)}"]
        if len(first) > 1:
            told[0] += f"; {plural(len(first) - 1, 'other')} cannot be told from it"
        if self.recommended is not None and self.recommended != best.name:
            probable = self.probabilities(self.recommended, best.name)
            told.append(
                f"{self.recommended} is simpler: take it (worse by more than {self.rope:.3g} with probability "
                f"{probable['worse']:.0%}, the same {probable['same']:.0%}, better {probable['better']:.0%})"
            )
        if self.chance in first:
            told.append(
                f"{self.chance}, which knows no input, is among them: nothing is shown to be learned"
            )
        optimism = [row.optimism for row in self.finished if np.isfinite(row.optimism)]
        if optimism:
            told.append(
                f"where parameters were chosen, inside the training rows, the {self.measure} looked "
                f"{abs(np.mean(optimism)):.3g} too {'small' if np.mean(optimism) >= 0 else 'large'} on average"
            )
        return told

    def _told(self, row: Row) -> str:
        if row.status != "finished":
            return f"{row.status}: {row.why}"
        length = f", {row.length:.3g} {row.unit}" if row.unit else ""
        mark = "*" if row.name == self.recommended else " "
        return f"{_interval(row.error)} {mark} group {row.group}{length}, {row.seconds:.1f} s"


def _part(interval: Interval | None, name: str) -> float:
    return float("nan") if interval is None else float(getattr(interval, name))


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"{interval.value:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
