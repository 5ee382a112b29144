"""How much does each neuron answer for the error? Backpropagation, neuron by neuron, and where it dies out.

With a = W z + b the input of a neuron, z = σ(a) its output, and E the mean loss of n rows, δ = n ∂E/∂a is

    δ = ŷ − y                      at the output, for softmax or the logistic function with their cross-entropy, and for
                                   the identity with half the square,
    δ_j = σ'(a_j) Σ_k w_jk δ_k     below, from the layer above.

Every layer multiplies by σ' and by weights: with σ' ≤ ¼, as for the sigmoid, δ shrinks on its way down, and the first
layers learn last. The meter is the root mean square of δ in each layer, and the factor from one layer to the one below.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 9.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.networks.base import ClassNetwork
from chemin.models.networks.batches import as_tensor, torch_module
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GradientTrace", "trace_gradients"]

_VANISHED = 1e-3  # of the δ of the last hidden layer: below, the first one hardly learns
_EXPLODED = 1e3
_DEAD = 1e-12  # of the largest δ of a layer: a neuron that answers for nothing

# Derivatives of the activations, from their inputs a and outputs z.
_SLOPES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "identity": lambda a, z: np.ones_like(a),
    "relu": lambda a, z: (a > 0.0).astype(float),
    "sigmoid": lambda a, z: z * (1.0 - z),
    "tanh": lambda a, z: 1.0 - z**2,
    "softsign": lambda a, z: 1.0 / (1.0 + np.abs(a)) ** 2,
}
_ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda a: a,
    "relu": lambda a: np.maximum(a, 0.0),
    "sigmoid": expit,
    "tanh": np.tanh,
    "softsign": lambda a: a / (1.0 + np.abs(a)),
}
# What scikit-learn calls them.
_NAMES = {"logistic": "sigmoid"}


@dataclass(frozen=True, eq=False)
class LayerTrace:
    """One layer: the δ of its neurons.

    Attributes
    ----------
    name : str
        Which layer.
    delta : ndarray of shape (n, neurons)
        δ of every row and neuron; of a convolution, its root mean square over the places of a channel.
    """

    name: str
    delta: Floats = field(repr=False)

    @property
    def of_neurons(self) -> Floats:
        """Root mean square of δ of each neuron, over the rows."""
        return np.sqrt(np.mean(self.delta**2, axis=0))

    @property
    def size(self) -> float:
        """Root mean square of δ over rows and neurons."""
        return float(np.sqrt(np.mean(self.delta**2)))

    @property
    def dead(self) -> int:
        """How many neurons answer for nothing, whatever the row."""
        sizes = self.of_neurons
        return int(np.sum(sizes <= _DEAD * sizes.max(initial=0.0)))


@dataclass(frozen=True, eq=False, repr=False)
class GradientTrace(Result):
    """The δ of all neurons of a network, for some rows.

    Attributes
    ----------
    layers : tuple of LayerTrace
        From the first hidden layer to the output.
    """

    layers: tuple[LayerTrace, ...]

    @property
    def meter(self) -> Floats:
        """Root mean square of δ of each layer."""
        return np.array([layer.size for layer in self.layers])

    @property
    def ratio(self) -> float:
        """The δ of the first layer over that of the last hidden one; 1 where there is one hidden layer or none."""
        hidden = self.meter[:-1]
        if len(hidden) < 2:
            return 1.0
        return float(hidden[0] / hidden[-1]) if hidden[-1] > 0.0 else 0.0

    @property
    def factor(self) -> float:
        """What a layer multiplies δ by on its way down, as a geometric mean."""
        steps = len(self.layers) - 2
        return self.ratio ** (1.0 / steps) if steps > 0 else 1.0

    def frame(self) -> Any:
        """Return a row per neuron as a DataFrame."""
        columns = {
            "layer": [layer.name for layer in self.layers for _ in layer.of_neurons],
            "neuron": np.concatenate([np.arange(layer.delta.shape[1]) for layer in self.layers]),
            "mean": np.concatenate([layer.delta.mean(axis=0) for layer in self.layers]),
            "size": np.concatenate([layer.of_neurons for layer in self.layers]),
        }
        return as_frame(columns, instead="layers")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the size of δ of every neuron, layer by layer, and that of the layers."""
        from chemin.plots.models.gradients import draw_gradients

        names = [layer.name for layer in self.layers]
        return draw_gradients(
            names, [layer.of_neurons for layer in self.layers], self.meter, str(self), ax=ax
        )

    def __str__(self) -> str:
        told = f"δ is multiplied by {self.factor:.2g} from one hidden layer to the one below"
        if len(self.layers) < 3:
            return f"{plural(len(self.layers), 'layer')}: δ cannot vanish on its way"
        if self.ratio < _VANISHED:
            return f"{told}: it vanishes, and the first layers hardly learn"
        if self.ratio > _EXPLODED:
            return f"{told}: it explodes, and steps must be small"
        dead = sum(layer.dead for layer in self.layers)
        silent = f"; {plural(dead, 'neuron')} answer for nothing" if dead else ""
        return f"{told}: it reaches the first one{silent}"


def trace_gradients(model: Any, X: Any, y: Any) -> GradientTrace:
    """Return the δ of every neuron of a fitted network.

    Parameters
    ----------
    model : network of this library, MLPClassifier, MLPRegressor or torch.nn.Module
        A fitted one. Of perceptrons δ is computed by the formulas, of other networks by PyTorch.
    X : array or DataFrame
        Rows, as the model takes them.
    y : array of shape (n,)
        Their targets; for a module of PyTorch the numbers of the classes, from 0.

    Returns
    -------
    GradientTrace

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neural_network import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier((10, 10, 10), solver="lbfgs", alpha=1.0, max_iter=1000, random_state=0).fit(X, y)
    >>> [len(layer.of_neurons) for layer in trace_gradients(model, X, y).layers]
    [10, 10, 10, 3]
    """
    check_consistent_length(X, y)
    if hasattr(model, "named_modules"):
        return GradientTrace(_by_torch(model, X, np.asarray(y)))
    check_is_fitted(model)
    if isinstance(model, ClassNetwork) and not hasattr(model, "coefs_"):
        return GradientTrace(_by_torch(model.network_, model._inputs(X), _codes(model, y)))
    if not hasattr(model, "coefs_"):
        raise InvalidInputError(
            f"{type(model).__name__} is no network: pass a fitted network of chemin.models.networks, or an "
            "MLPClassifier or MLPRegressor of scikit-learn"
        )
    rows = validate_data(model, X, reset=False, dtype=float)
    activation = _NAMES.get(model.activation, model.activation)
    classes = hasattr(model, "classes_")
    output = getattr(model, "out_activation_", "softmax" if classes else "identity")
    targets = _indicators(model, y, output) if classes else _numbers(y)
    found = backpropagate(model.coefs_, model.intercepts_, activation, rows, targets, output)
    names = [*(f"hidden {k + 1}" for k in range(len(found) - 1)), "output"]
    return GradientTrace(
        tuple(LayerTrace(name, delta) for name, delta in zip(names, found, strict=True))
    )


def backpropagate(
    coefs: Sequence[Floats],
    intercepts: Sequence[Floats],
    activation: str,
    X: Floats,
    targets: Floats,
    output: str = "softmax",
) -> list[Floats]:
    """Return the δ of every layer, n rows by its neurons.

    Parameters
    ----------
    coefs, intercepts : sequence of ndarray
        Weights of shape (below, above) and biases of each layer.
    activation : {"identity", "relu", "sigmoid", "tanh", "softsign"}
        That of the hidden layers.
    X : ndarray of shape (n, p)
        Rows.
    targets : ndarray of shape (n, outputs)
        Numbers, or 0 and 1 for classes.
    output : {"softmax", "logistic", "identity"}, default "softmax"
        The output, with the loss that belongs to it.

    Examples
    --------
    One neuron, whose output is ½:

    >>> delta = backpropagate([np.zeros((1, 1))], [np.zeros(1)], "relu", np.ones((1, 1)), np.ones((1, 1)), "logistic")
    >>> delta[0].tolist()
    [[-0.5]]
    """
    z = X
    inputs, outputs = [], []
    for W, b in zip(coefs, intercepts, strict=True):
        a = z @ W + b
        z = _ACTIVATIONS[activation](a)
        inputs.append(a)
        outputs.append(z)
    last = {"softmax": lambda a: softmax(a, axis=1), "logistic": expit, "identity": lambda a: a}
    deltas = [last[output](inputs[-1]) - targets]
    for layer in reversed(range(len(coefs) - 1)):
        slope = _SLOPES[activation](inputs[layer], outputs[layer])
        deltas.append(slope * (deltas[-1] @ coefs[layer + 1].T))
    return deltas[::-1]


def _codes(model: Any, y: Any) -> Indices:
    """Return the numbers of the classes."""
    y = np.asarray(y)
    unknown = sorted(set(np.unique(y).tolist()) - set(model.classes_.tolist()))
    if unknown:
        raise InvalidInputError(f"y has classes that the network does not know: {unknown}")
    return np.searchsorted(model.classes_, y)


def _indicators(model: Any, y: Any, output: str) -> Floats:
    """Return 0 and 1: one column for each class, or one for the second of two."""
    indicators = np.eye(len(model.classes_))[_codes(model, y)]
    return indicators[:, 1:] if output == "logistic" and len(model.classes_) == 2 else indicators


def _numbers(y: Any) -> Floats:
    return np.asarray(y, dtype=float).reshape(len(y), -1)


def _by_torch(network: Any, X: Any, codes: Indices) -> tuple[LayerTrace, ...]:
    """Return δ of the dense and convolutional layers that learn, in the order in which rows pass them."""
    torch = torch_module()
    first = next(network.parameters())
    sums: list[tuple[str, Any]] = []

    def keep(name: str) -> Callable[[Any, Any, Any], Any]:
        def hook(module: Any, entering: Any, a: Any) -> Any:
            sums.append((name, a))
            return a.clone()  # what follows may change its input in place

        return hook

    hooks = [
        module.register_forward_hook(keep(f"{type(module).__name__} {name}"))
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.Linear | torch.nn.modules.conv._ConvNd)
        and module.weight.requires_grad
    ]
    if not hooks:
        raise InvalidInputError(
            "no dense or convolutional layer of the network learns: let their weights require a gradient"
        )
    network.eval()
    try:
        outputs = network(as_tensor(X, first.dtype).to(first.device))
        targets = as_tensor(codes, torch.int64).to(first.device)
        loss = torch.nn.functional.cross_entropy(outputs, targets, reduction="sum")
        gradients = torch.autograd.grad(loss, [a for _, a in sums])
    finally:
        for hook in hooks:
            hook.remove()
    found = []
    for (name, _), delta in zip(sums, gradients, strict=True):
        places = delta.double().flatten(2).square().mean(dim=2).sqrt() if delta.ndim > 2 else delta
        found.append(LayerTrace(name, places.double().cpu().numpy()))
    return tuple(found)
