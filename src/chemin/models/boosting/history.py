"""What happened round by round? Losses and steps; for votes also the bound that the training error never exceeds.

With weighted errors ε_t and Z_t = 2 √(ε_t (1 − ε_t)), the training error of the vote of T learners is at most Π Z_t,
which is the mean of exp(−y F): each exceeds 1 where the vote is wrong.

Reference: Freund and Schapire (1997), *A decision-theoretic generalization of on-line learning and an application to
boosting*; N. Baskiotis, *Machine Learning*, lecture 6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDING = 1e-9  # by which a bound may miss a whole number of rows


@dataclass(frozen=True, eq=False, repr=False)
class BoostingHistory(Result):
    """The loss after every round.

    Attributes
    ----------
    loss : str
        What it is called.
    losses : ndarray of shape (M + 1,)
        Mean loss of the training rows before the first round and after each; it never rises.
    held_out : ndarray of shape (M + 1,) or (0,)
        The same for held-out rows, if there are any.
    steps : ndarray of shape (M,)
        The weight α of each learner.
    kept : int
        Rounds in the model.
    stopped : str
        Why rounds ended before they were all done, "" if they did not.
    """

    loss: str
    losses: Floats = field(repr=False)
    held_out: Floats = field(repr=False)
    steps: Floats = field(repr=False)
    kept: int
    stopped: str

    def __str__(self) -> str:
        told = (
            f"{self.loss} loss of the training rows: {self.losses[0]:.4g} before the first round, "
            f"{self.losses[self.kept]:.4g} after {plural(self.kept, 'round')}"
        )
        if len(self.held_out):
            told += (
                f"; of the held-out rows: {self.held_out[0]:.4g}, and least there, "
                f"{self.held_out[self.kept]:.4g}, where the model ends"
            )
        return f"{told}; {self.stopped}" if self.stopped else told

    def frame(self) -> Any:
        """Return a row per round, the first for before, as a DataFrame."""
        made: dict[str, Any] = {
            "round": np.arange(len(self.losses)),
            "step": np.append(np.nan, self.steps),
            "training loss": self.losses,
        }
        if len(self.held_out):
            made["held-out loss"] = self.held_out
        return as_frame(made, instead="losses, held_out and steps")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the losses against the rounds, and where the model ends."""
        from chemin.plots.models.boosting import draw_losses

        return draw_losses(self.losses, self.held_out, self.kept, loss=self.loss, ax=ax)


@dataclass(frozen=True, eq=False, repr=False)
class VoteBound(Result):
    """The errors of a vote, round by round, and the bound on its training error.

    Attributes
    ----------
    weighted_errors : ndarray of shape (T,)
        ε_t of each learner, on rows weighted for it.
    factors : ndarray of shape (T,)
        Z_t = 2 √(ε_t (1 − ε_t)); 1 for a learner without a vote.
    training_errors : ndarray of shape (T,)
        Share of the training rows that the vote of the first t learners gets wrong; of their weight, if they have one.
    rows : int
        How many training rows there are.
    equal : bool
        Whether they have equal weights.
    stopped : str
        Why rounds ended before they were all done, "" if they did not.
    test_errors : ndarray of shape (T,) or (0,)
        The same share of other rows, if any were given.
    """

    weighted_errors: Floats = field(repr=False)
    factors: Floats = field(repr=False)
    training_errors: Floats = field(repr=False)
    rows: int
    equal: bool
    stopped: str
    test_errors: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def bounds(self) -> Floats:
        """Z_1 ⋯ Z_t after each round."""
        return np.asarray(np.cumprod(self.factors), dtype=float)

    def __str__(self) -> str:
        bound, wrong = float(self.bounds[-1]), float(self.training_errors[-1])
        rounds = plural(len(self.factors), "round")
        told = f"after {rounds} the bound on the training error is {bound:.2g}: "
        if self.equal:
            most = int(self.rows * bound + _ROUNDING)
            are = round(self.rows * wrong)
            told += f"at most {most} of {plural(self.rows, 'training row')} can be wrong, "
            told += f"{are} {'is' if are == 1 else 'are'}"
        else:
            told += f"{wrong:.2g} of the weight of the training rows is wrong"
        if len(self.test_errors):
            told += f"; {self.test_errors[-1]:.2g} of the test rows are"
        return f"{told}; {self.stopped}" if self.stopped else told

    def frame(self) -> Any:
        """Return a row per round as a DataFrame."""
        made: dict[str, Any] = {
            "round": np.arange(1, len(self.factors) + 1),
            "weighted error": self.weighted_errors,
            "factor": self.factors,
            "bound": self.bounds,
            "training error": self.training_errors,
        }
        if len(self.test_errors):
            made["test error"] = self.test_errors
        return as_frame(made, instead="weighted_errors, factors, bounds and training_errors")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw bound and errors against the rounds."""
        from chemin.plots.models.boosting import draw_bound

        return draw_bound(
            self.weighted_errors, self.bounds, self.training_errors, self.test_errors, ax=ax
        )
