"""What does a wrong output cost? Means over rows, of outputs o and targets t.

    cross-entropy   −log softmax(o)_t    classes; the error is the share of rows whose largest output is not that of t
    squared         ½‖o − t‖²            numbers; the error is the mean of |o − t|

Both have the slope ŷ − y at the output, with ŷ = softmax(o) or o. A new loss is one line of `LOSSES`.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 9.4.2 and 9.4.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chemin.exceptions import InvalidInputError
from chemin.models.networks.batches import as_tensor, torch_module


@dataclass(frozen=True, eq=False)
class Loss:
    """What is minimised, and the error that is told beside it.

    Attributes
    ----------
    name : str
        What it is called.
    value : callable
        Outputs and targets of a batch → mean loss.
    errors : callable
        Outputs and targets of a batch → one error per row.
    error : str
        What the error is.
    of_classes : bool
        Whether targets are numbers of classes.
    """

    name: str
    value: Callable[[Any, Any], Any]
    errors: Callable[[Any, Any], Any]
    error: str
    of_classes: bool

    def read(self, targets: Any, dtype: Any) -> Any:
        """Return targets as a tensor: whole numbers for classes, else one row of numbers per row."""
        if self.of_classes:
            return as_tensor(targets, torch_module().int64)
        targets = as_tensor(targets, dtype)
        return targets[:, None] if targets.ndim == 1 else targets


def _cross_entropy(outputs: Any, targets: Any) -> Any:
    return torch_module().nn.functional.cross_entropy(outputs, targets)


def _wrong(outputs: Any, targets: Any) -> Any:
    return (outputs.argmax(dim=1) != targets).to(outputs.dtype)


def _squared(outputs: Any, targets: Any) -> Any:
    return 0.5 * _difference(outputs, targets).square().flatten(1).sum(dim=1).mean()


def _absolute(outputs: Any, targets: Any) -> Any:
    return _difference(outputs, targets).abs().flatten(1).mean(dim=1)


def _difference(outputs: Any, targets: Any) -> Any:
    if outputs.shape != targets.shape:  # PyTorch would stretch one of them
        raise InvalidInputError(
            f"outputs have the shape {tuple(outputs.shape)} and targets {tuple(targets.shape)}: pass targets of one "
            "number per output"
        )
    return outputs - targets


LOSSES = {
    loss.name: loss
    for loss in (
        Loss("cross-entropy", _cross_entropy, _wrong, "wrong answers", True),
        Loss("squared", _squared, _absolute, "mean absolute error", False),
    )
}


def as_loss(loss: str | Loss) -> Loss:
    """Return a loss from its name.

    Examples
    --------
    >>> as_loss("squared").error
    'mean absolute error'
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]
    raise InvalidInputError(f"loss is {loss!r}: pass one of {', '.join(LOSSES)}")
