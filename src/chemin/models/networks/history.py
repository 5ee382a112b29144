"""How did the training go? Loss and error of every epoch, on the rows that were learnt from and on those held out.

The loss is what is minimised, the error what is wanted (for classes the share of wrong answers): both are told.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 9.4.2 and 9.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.frames import as_frame
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TrainingHistory"]


@dataclass(frozen=True, eq=False, repr=False)
class TrainingHistory(Result):
    """What was measured after each epoch, and why training ended.

    Attributes
    ----------
    training_loss, training_error : ndarray of shape (epochs,)
        Means over the rows learnt from, as they were met: while weights moved, dropout and augmentation on.
    validation_loss, validation_error : ndarray of shape (epochs,)
        Means over the rows held out, after the epoch; NaN if there were none.
    learning_rate : ndarray of shape (epochs,)
        The rate at the beginning of the epoch.
    seconds : ndarray of shape (epochs,)
        What the epoch took.
    kept : int
        The epoch whose weights the network has, counted from 1.
    reason : str
        Why training ended.
    error : str
        What the error is: "wrong answers" or "mean absolute error".
    device : str
        Where it was trained.

    Examples
    --------
    >>> one, two = np.array([0.9, 0.4]), np.array([0.5, 0.1])
    >>> TrainingHistory(one, two, one, two, two, two, 2, "all epochs were run", "wrong answers", "cpu")
    2 epochs in 0.6 s on cpu; all epochs were run.
    The network is that of epoch 2: training loss 0.4, held-out loss 0.4; wrong answers: training 10 %, held out 10 %.
    """

    training_loss: Floats
    training_error: Floats
    validation_loss: Floats
    validation_error: Floats
    learning_rate: Floats
    seconds: Floats
    kept: int
    reason: str
    error: str
    device: str

    @property
    def epochs(self) -> int:
        """How many epochs were run."""
        return len(self.training_loss)

    @property
    def held_out(self) -> bool:
        """Whether rows were held out."""
        return not bool(np.isnan(self.validation_loss).all())

    def __str__(self) -> str:
        at = self.kept - 1
        held_loss, held_error = "", ""
        if self.held_out:
            held_loss = f", held-out loss {self.validation_loss[at]:.3g}"
            held_error = f", held out {self._told(self.validation_error[at])}"
        return (
            f"{plural(self.epochs, 'epoch')} in {self.seconds.sum():.3g} s on {self.device}; {self.reason}.\n"
            f"The network is that of epoch {self.kept}: training loss {self.training_loss[at]:.3g}{held_loss}; "
            f"{self.error}: training {self._told(self.training_error[at])}{held_error}."
        )

    def _told(self, error: float) -> str:
        return f"{100.0 * error:.3g} %" if self.error == "wrong answers" else f"{error:.3g}"

    def frame(self) -> Any:
        """Return one row per epoch, as a DataFrame."""
        columns: dict[str, Any] = {
            "epoch": np.arange(1, self.epochs + 1),
            "training_loss": self.training_loss,
            "training_error": self.training_error,
            "validation_loss": self.validation_loss,
            "validation_error": self.validation_error,
            "learning_rate": self.learning_rate,
            "seconds": self.seconds,
        }
        return as_frame(columns, instead="the arrays of the history")

    def plot(self) -> Figure:
        """Draw loss and error against the epoch, side by side."""
        from chemin.plots.models.networks import draw_training

        losses = (self.training_loss, self.validation_loss)
        errors = (self.training_error, self.validation_error)
        return draw_training(losses, errors, kept=self.kept, error=self.error)
