"""What is a network made of? Dense layers a = Wz + b, z = σ(a), and blocks of convolutions with pooling, as in VGG.

    dense          (d + 1) n + (n + 1) s weights for d inputs, n hidden units and s outputs
    convolution    D (l² c + 1) weights for D filters of side l over c channels; 3 × 3 keeps the size of the image
    pooling        the largest of 2 × 2 values: half the height, half the width

A layer of PyTorch slides its kernel as it is, Σ_k w(k) s(n + k); the convolution Σ_k h(k) s(n − k) has it flipped.
Nothing changes for weights that are learnt, but a known filter h is a layer with w(k) = h(−k).

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 9.2, 10.2 and 10.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.models.networks.batches import torch_module
from chemin.models.networks.images import Shape

ACTIVATIONS = {"relu": "ReLU", "sigmoid": "Sigmoid", "tanh": "Tanh", "softsign": "Softsign"}


def dense_network(
    sizes: Sequence[int], activation: str = "relu", dropout: float = 0.0, dtype: Any = None
) -> Any:
    """Return dense layers from sizes[0] inputs to sizes[-1] outputs, an activation after all but the last.

    Parameters
    ----------
    sizes : sequence of int
        Inputs, hidden units layer by layer, outputs.
    activation : {"relu", "sigmoid", "tanh", "softsign"}, default "relu"
        The function σ.
    dropout : float, default 0
        The probability that a hidden unit is left out of a training step.
    dtype : torch.dtype, optional
        Type of the weights; None is single precision.

    Returns
    -------
    torch.nn.Sequential
    """
    nn = torch_module().nn
    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        if layers:
            layers.append(activation_layer(activation))
            if dropout > 0.0:
                layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(inputs, outputs, dtype=dtype))
    return nn.Sequential(*layers)


def convolutional_network(
    shape: Shape,
    outputs: int,
    *,
    filters: Sequence[int],
    convolutions: int,
    dense: int,
    dropout: float,
    batch_norm: bool,
) -> Any:
    """Return blocks of 3 × 3 convolutions that end in pooling, one per number of filters, and two dense layers.

    A side of one pixel is not pooled further.
    """
    nn = torch_module().nn
    channels, height, width = shape
    layers: list[Any] = []
    for count in filters:
        for _ in range(convolutions):
            layers.append(nn.Conv2d(channels, count, 3, padding=1, bias=not batch_norm))
            if batch_norm:
                layers.append(nn.BatchNorm2d(count))
            layers.append(nn.ReLU())
            channels = count
        window = (min(2, height), min(2, width))
        layers.append(nn.MaxPool2d(window))
        height, width = height // window[0], width // window[1]
    head = [
        nn.Flatten(),
        nn.Dropout(dropout),
        nn.Linear(channels * height * width, dense),
        nn.ReLU(),
        nn.Dropout(dropout),
        nn.Linear(dense, outputs),
    ]
    return nn.Sequential(*layers, *head)


def standardisation(mean: Floats, deviation: Floats) -> Any:
    """Return a layer (x − mean)/deviation, channel by channel, that is not learnt."""
    torch = torch_module()
    channels = len(mean)
    layer = torch.nn.utils.skip_init(torch.nn.Conv2d, channels, channels, 1, groups=channels)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(1.0 / deviation).reshape(-1, 1, 1, 1))
        layer.bias.copy_(torch.from_numpy(-mean / deviation))
    return layer.requires_grad_(False)


def activation_layer(activation: str) -> Any:
    """Return the layer of an activation."""
    if activation not in tuple(ACTIVATIONS):
        raise InvalidInputError(
            f"activation is {activation!r}: pass one of {', '.join(ACTIVATIONS)}"
        )
    return getattr(torch_module().nn, ACTIVATIONS[activation])()


def take_in(layer: Any, mean: Floats, deviation: Floats) -> None:
    """Have a dense layer take rows x where it took (x − mean)/deviation: W ← W/deviation, b ← b − W mean."""
    torch = torch_module()
    with torch.no_grad():
        layer.weight /= torch.from_numpy(deviation).to(layer.weight)
        layer.bias -= layer.weight @ torch.from_numpy(mean).to(layer.weight)


def give_out(layer: Any, mean: Floats, deviation: Floats) -> None:
    """Have a dense layer give mean + deviation · z where it gave z."""
    torch = torch_module()
    with torch.no_grad():
        factor = torch.from_numpy(deviation).to(layer.weight)
        layer.weight *= factor[:, None]
        layer.bias.mul_(factor).add_(torch.from_numpy(mean).to(layer.weight))


def count_parameters(network: Any) -> int:
    """Return how many weights and biases are learnt."""
    return sum(weight.numel() for weight in network.parameters() if weight.requires_grad)


def spread_of(X: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each column, 1 for a constant one.

    Examples
    --------
    >>> mean, deviation = spread_of(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> mean.tolist(), deviation.tolist()
    ([2.0, 5.0], [1.0, 1.0])
    """
    mean = X.mean(axis=0)
    deviation = X.std(axis=0)
    return mean, np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)


def check_sizes(name: str, sizes: Any, *, fewest: int = 0) -> tuple[int, ...]:
    """Return numbers of units or filters, if they are whole numbers from 1 on."""
    known = isinstance(sizes, tuple | list) and all(
        isinstance(size, int | np.integer) and not isinstance(size, bool) and size >= 1
        for size in sizes
    )
    if known and len(sizes) >= fewest:
        return tuple(int(size) for size in sizes)
    raise InvalidInputError(f"{name} is {sizes!r}: pass whole numbers, at least 1, such as (32,)")


def check_dropout(dropout: Any) -> float:
    """Return a probability of dropout, if it is one."""
    if isinstance(dropout, int | float | np.number) and 0.0 <= dropout < 1.0:
        return float(dropout)
    raise InvalidInputError(f"dropout is {dropout!r}: pass a number at least 0 and below 1")
