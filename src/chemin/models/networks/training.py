"""How does a network learn from rows? Stochastic gradient descent with momentum, batch after batch.

    Δ ← βΔ + ∇E(x)        x ← x − ηΔ        momentum
    Δ ← βΔ + ∇E(x − ηβΔ)  x ← x − ηΔ        Nesterov

E is the mean loss of a batch: all rows (batch), one (online), or some (mini-batch). The rate η may fall on the way.
Nesterov's iterates are kept at x − ηβΔ, where the slope is asked for, as `torch.optim.SGD` does.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 9.4.4, 9.5 and B.3.3.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from math import cos, isfinite, pi
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from chemin.exceptions import CheckpointError, InvalidInputError
from chemin.models.networks.batches import (
    DEVICES,
    Rows,
    as_device,
    as_tensor,
    drawn_batches,
    in_order,
    seeded,
    torch_module,
)
from chemin.models.networks.checkpoint import Checkpoint, Progress, as_file, digest_of
from chemin.models.networks.history import TrainingHistory
from chemin.models.networks.losses import Loss, as_loss
from chemin.progress import Bar
from chemin.results import plural

__all__ = ["SCHEDULES", "Training", "train"]

_WARM = 0.2  # the part of a training in which the rate of "one-cycle" rises


def _constant(done: float) -> float:
    return 1.0


def _cosine(done: float) -> float:
    return 0.5 * (1.0 + cos(pi * done))


def _one_cycle(done: float) -> float:
    return done / _WARM if done < _WARM else _cosine((done - _WARM) / (1.0 - _WARM))


SCHEDULES: dict[str, Callable[[float], float]] = {  # part of the steps done → factor of the rate
    "constant": _constant,
    "cosine": _cosine,
    "one-cycle": _one_cycle,
}


@dataclass(frozen=True)
class Training:
    """How a network is trained.

    Parameters
    ----------
    epochs : int, default 20
        How often every row is looked at.
    batch_size : int or None, default 64
        Most rows of a step; 1 is online learning, None all rows at once. Batches are as equal as can be.
    learning_rate : float, default 0.05
        The rate η.
    momentum : float, default 0.9
        The factor β of the steps before; 0 is plain descent.
    nesterov : bool, default True
        Ask for the slope where the momentum leads.
    weight_decay : float, default 0
        Adds half of it times ‖w‖² to the loss; biases and factors of normalisation are left out.
    schedule : {"constant", "cosine", "one-cycle"}, default "constant"
        The rate: η all the time, falling from η to 0, or rising from 0 to η before it falls.
    validation : float, default 0
        Part of the rows held out, class by class where there are classes.
    patience : int, optional
        End when the held-out loss has not fallen for so many epochs, and return to the weights of its least value.
    augment : callable, optional
        (batch, generator) → batch, a random change of the inputs that leaves targets true. Only while training.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where; "auto" is a GPU if there is one.
    checkpoint : path, optional
        A file that is written after each epoch; if it is there already, training goes on from it.
    verbose : bool, default False
        Show a bar with the time left.

    Examples
    --------
    >>> Training(epochs=5).check().batch_size
    64
    """

    epochs: int = 20
    batch_size: int | None = 64
    learning_rate: float = 0.05
    momentum: float = 0.9
    nesterov: bool = True
    weight_decay: float = 0.0
    schedule: str = "constant"
    validation: float = 0.0
    patience: int | None = None
    augment: Callable[[Any, Any], Any] | None = None
    device: str = "auto"
    checkpoint: Any = None
    verbose: bool = False

    def check(self) -> Training:
        """Return itself, if every setting can be used."""
        for name in ("epochs", "batch_size", "patience"):
            value = getattr(self, name)
            if (value is None and name != "epochs") or _is_whole(value):
                continue
            raise InvalidInputError(f"{name} is {value!r}: pass a whole number, at least 1")
        _check_range("learning_rate", self.learning_rate, 0.0, np.inf, inclusive=False)
        _check_range("momentum", self.momentum, 0.0, 1.0)
        _check_range("weight_decay", self.weight_decay, 0.0, np.inf)
        _check_range("validation", self.validation, 0.0, 1.0)
        if self.schedule not in tuple(SCHEDULES):
            raise InvalidInputError(
                f"schedule is {self.schedule!r}: pass one of {', '.join(SCHEDULES)}"
            )
        if self.device not in DEVICES:
            raise InvalidInputError(f"device is {self.device!r}: pass one of {', '.join(DEVICES)}")
        return self


def train(
    network: Any,
    inputs: Any,
    targets: Any,
    *,
    loss: str | Loss,
    training: Training,
    random_state: Any = None,
    parameters: Any = None,
    validation_data: tuple[Any, Any] | None = None,
) -> TrainingHistory:
    """Train a network on rows, where it is, and return how that went.

    Parameters
    ----------
    network : torch.nn.Module
        It is changed, and left on the device in evaluation mode.
    inputs : array or tensor of shape (n, ...)
        The rows; they take the type of the weights.
    targets : array or tensor of shape (n,) or (n, k)
        Numbers of classes from 0 for "cross-entropy", else numbers.
    loss : {"cross-entropy", "squared"} or Loss
        What is minimised.
    training : Training
        How.
    random_state : int, RandomState, optional
        What the order of rows, held-out rows, dropout and augmentation are drawn from.
    parameters : iterable of tensors, or of dict(params=..., lr=...), optional
        What is to be learnt, with learning rates of their own if these are given; the rest stays as it is. None is all
        that require a gradient.
    validation_data : (inputs, targets), optional
        Rows held out, instead of a part of those given.

    Returns
    -------
    TrainingHistory

    Raises
    ------
    InvalidInputError
        If a setting or a number cannot be used, or the loss becomes infinite.
    CheckpointError
        If the checkpoint belongs to another training.

    Notes
    -----
    On a CPU two runs with one seed are the same, and so is one that was interrupted and called again: KeyboardInterrupt
    is handed on, and the checkpoint is that of the last whole epoch. On a GPU they agree up to rounding.

    A layer none of whose weights is learnt is in evaluation mode, so that its batch statistics stay as they are.
    """
    training.check()
    torch, device, cost = torch_module(), as_device(training.device), as_loss(loss)
    network.to(device)
    dtype = next(network.parameters()).dtype
    inputs, targets = _read(inputs, targets, cost, dtype)
    held = None if validation_data is None else _read(*validation_data, cost, dtype)
    if held is None and not training.validation and training.patience is not None:
        raise InvalidInputError(
            "patience needs held-out rows: pass validation, such as 0.1, or validation_data"
        )
    groups = _groups(network, parameters, training)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    with _only(network, groups):
        optimiser = torch.optim.SGD(
            groups,
            lr=training.learning_rate,
            momentum=training.momentum,
            nesterov=training.nesterov and training.momentum > 0.0,
        )
        file = None
        progress = Progress(seed)
        if training.checkpoint is not None:
            frozen = [weight for weight in network.parameters() if not weight.requires_grad]
            kept = [inputs, targets, *(held or ()), *frozen]
            settings = (_settings_of(training), cost.name, str(network), _shapes(groups))
            file = Checkpoint(as_file(training.checkpoint), digest_of(kept, *settings))
            progress = file.read(network, optimiser) or progress
            if random_state is not None and progress.seed != seed:
                raise CheckpointError(
                    f"{file.file} was begun with another random_state: pass that one, or another file name"
                )
        if held is None and training.validation:
            (inputs, targets), held = _split(inputs, targets, training, cost, progress.seed)
        run = _Run(network, optimiser, cost, training, progress.seed, device)
        rows = Rows(inputs, targets, device)
        _learn(run, rows, None if held is None else Rows(*held, device), progress, file)
    network.eval()
    return _history(progress, cost, device)


def _learn(
    run: _Run, rows: Rows, held: Rows | None, progress: Progress, file: Checkpoint | None
) -> None:
    """Run the epochs that are left, and bring the network to the one that is kept."""
    training = run.training
    left = range(len(progress.epochs), 0 if progress.reason else training.epochs)
    bar = Bar("epochs", total=len(left), shown=training.verbose)

    def measured() -> Iterator[list[float]]:
        for number in left:
            began = time.perf_counter()
            rate, loss, error = run.epoch(number, rows)
            held_loss, held_error = (np.nan, np.nan) if held is None else run.measure(held)
            seconds = time.perf_counter() - began
            bar.what = f"epochs, loss {loss if held is None else held_loss:.3g}"
            yield [loss, error, held_loss, held_error, rate, seconds]

    with seeded(run.seed, run.device):
        for found in bar.over(measured()):
            progress.epochs.append(found)
            _judge(run, progress)
            if file is not None:
                file.write(progress, run.network, run.optimiser)
            if progress.reason:
                break
    if progress.best_weights is not None:
        run.network.load_state_dict(progress.best_weights)


def _judge(run: _Run, progress: Progress) -> None:
    """Keep the weights if they are the best so far, and say whether training ends."""
    done, patience = len(progress.epochs), run.training.patience
    if patience is not None:
        losses = [epoch[2] for epoch in progress.epochs]
        if not progress.best or losses[-1] < losses[progress.best - 1]:
            progress.best = done
            state = run.network.state_dict()
            progress.best_weights = {name: value.clone() for name, value in state.items()}
        if done - progress.best >= patience:
            progress.reason = f"the held-out loss had not fallen for {plural(patience, 'epoch')}"
            return
    if done == run.training.epochs:
        progress.reason = "all epochs were run"


@dataclass(frozen=True, eq=False)
class _Run:
    """A network that learns, and what it learns by."""

    network: Any
    optimiser: Any
    cost: Loss
    training: Training
    seed: int
    device: Any

    def epoch(self, number: int, rows: Rows) -> tuple[float, float, float]:
        """Look at every row once; return the rate at the beginning, and the means of loss and error on the way."""
        torch, training = torch_module(), self.training
        order, changes, dropped = np.random.SeedSequence([self.seed, number]).generate_state(3)
        torch.manual_seed(int(dropped))
        generator = torch.Generator(self.device).manual_seed(int(changes))
        shuffled = torch.Generator().manual_seed(int(order))
        batches = drawn_batches(len(rows), training.batch_size, shuffled)
        _set_mode(self.network)
        total = torch.zeros(2, dtype=torch.float64, device=self.device)
        for index, batch in enumerate(batches):
            factor = SCHEDULES[training.schedule]((number + index / len(batches)) / training.epochs)
            for group in self.optimiser.param_groups:
                group["lr"] = factor * group["initial_lr"]
            inputs, targets = rows.take(batch)
            if training.augment is not None:
                inputs = training.augment(inputs, generator)
            self.optimiser.zero_grad()
            outputs = self.network(inputs)
            loss = self.cost.value(outputs, targets)
            loss.backward()
            self.optimiser.step()
            with torch.no_grad():
                error = self.cost.errors(outputs, targets).mean()
                total += torch.stack([loss.detach(), error]).double() * len(batch)
        loss, error = (total / len(rows)).tolist()
        if not isfinite(loss):
            raise InvalidInputError(
                f"the training loss is {loss} in epoch {number + 1} with learning_rate={training.learning_rate}: "
                "pass a smaller one, such as a tenth"
            )
        rate = SCHEDULES[training.schedule](number / training.epochs) * training.learning_rate
        return rate, loss, error

    def measure(self, rows: Rows) -> tuple[float, float]:
        """Return the means of loss and error, without learning."""
        torch = torch_module()
        self.network.eval()
        total = torch.zeros(2, dtype=torch.float64, device=self.device)
        with torch.no_grad():
            for index in in_order(rows.inputs, self.device):
                inputs, targets = rows.take(index)
                outputs = self.network(inputs)
                found = [
                    self.cost.value(outputs, targets),
                    self.cost.errors(outputs, targets).mean(),
                ]
                total += torch.stack(found).double() * len(index)
        loss, error = (total / len(rows)).tolist()
        return loss, error


def _read(inputs: Any, targets: Any, cost: Loss, dtype: Any) -> tuple[Any, Any]:
    """Return rows and targets as tensors, if they are numbers and as many."""
    inputs, targets = as_tensor(inputs, dtype), cost.read(targets, dtype)
    if len(inputs) != len(targets) or not len(inputs):
        raise InvalidInputError(
            f"there are {len(inputs)} rows and {len(targets)} targets: pass one target per row, at least one row"
        )
    for what, values in (("inputs", inputs), ("targets", targets)):
        if not bool(torch_module().isfinite(values).all()):
            raise InvalidInputError(
                f"{what} hold NaN or infinite numbers: impute them, or drop their rows"
            )
    return inputs, targets


def _split(inputs: Any, targets: Any, training: Training, cost: Loss, seed: int) -> Any:
    """Return the rows to learn from, and those held out."""
    n = len(inputs)
    classes = targets.cpu().numpy() if cost.of_classes else None
    try:
        parts = train_test_split(
            np.arange(n), test_size=training.validation, random_state=seed, stratify=classes
        )
    except ValueError as error:
        raise InvalidInputError(
            f"validation={training.validation} cannot hold out rows of every class from {n} rows ({error}): pass "
            "another part, or 0"
        ) from error
    learnt, held = (torch_module().from_numpy(np.sort(part)).to(inputs.device) for part in parts)
    return (inputs[learnt], targets[learnt]), (inputs[held], targets[held])


def _groups(network: Any, parameters: Any, training: Training) -> list[dict[str, Any]]:
    """Return what is to be learnt, each group parted into what decays and what does not."""
    if parameters is None:
        parameters = (weight for weight in network.parameters() if weight.requires_grad)
    given = list(parameters)
    if not given:
        raise InvalidInputError(
            "no weight is to be learnt: pass parameters, or let some require a gradient"
        )
    groups = given if isinstance(given[0], dict) else [{"params": given}]
    parted = []
    for group in groups:
        weights = list(group["params"])
        for decays in (True, False):
            rate = group.get("lr", training.learning_rate)
            parted.append(
                {
                    "params": [weight for weight in weights if (weight.ndim > 1) == decays],
                    "lr": rate,
                    "initial_lr": rate,
                    "weight_decay": training.weight_decay if decays else 0.0,
                }
            )
    return [group for group in parted if group["params"]]


@contextmanager
def _only(network: Any, groups: list[dict[str, Any]]) -> Iterator[None]:
    """Let nothing but these weights require a gradient for a while."""
    before = [(weight, weight.requires_grad) for weight in network.parameters()]
    network.requires_grad_(False)
    for group in groups:
        for weight in group["params"]:
            weight.requires_grad_(True)
    try:
        yield
    finally:
        for weight, required in before:
            weight.requires_grad_(required)


def _set_mode(network: Any) -> None:
    """Switch to training, but for layers whose weights all stay as they are."""
    network.train()
    for layer in network.modules():
        own = list(layer.parameters(recurse=False))
        if own and not any(weight.requires_grad for weight in own):
            layer.eval()


def _settings_of(training: Training) -> list[tuple[str, str]]:
    """Return the settings that decide what is learnt, as texts."""
    apart = ("device", "checkpoint", "verbose")
    told = {part.name: getattr(training, part.name) for part in fields(training)}
    augment = training.augment
    if augment is not None and not is_dataclass(augment):  # its repr would tell where it lies
        told["augment"] = getattr(augment, "__qualname__", type(augment).__qualname__)
    return [(name, repr(value)) for name, value in told.items() if name not in apart]


def _shapes(groups: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return rate and shapes of each group."""
    return [(group["lr"], *(tuple(weight.shape) for weight in group["params"])) for group in groups]


def _history(progress: Progress, cost: Loss, device: Any) -> TrainingHistory:
    loss, error, held_loss, held_error, rate, seconds = np.array(progress.epochs, dtype=float).T
    return TrainingHistory(
        training_loss=loss,
        training_error=error,
        validation_loss=held_loss,
        validation_error=held_error,
        learning_rate=rate,
        seconds=seconds,
        kept=progress.best or len(loss),
        reason=progress.reason,
        error=cost.error,
        device=device.type,
    )


def _is_whole(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= 1)


def _check_range(name: str, value: Any, low: float, high: float, *, inclusive: bool = True) -> None:
    """Refuse what is no number from low, itself included or not, up to but without high."""
    known = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if known and low <= value < high and (inclusive or value > low):
        return
    least = f"at least {low:g}" if inclusive else f"above {low:g}"
    most = "" if high == np.inf else f" and below {high:g}"
    raise InvalidInputError(f"{name} is {value!r}: pass a number {least}{most}")
