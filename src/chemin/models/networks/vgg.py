"""What does VGG look like, layer by layer? Blocks of 3 × 3 convolutions and 2 × 2 pooling, then three dense layers.

A convolution from c to c' channels has c'(9c + 1) parameters, a dense layer from m to m' units m'(m + 1). VGG16 for a
thousand classes has 138 357 544 of them, nine in ten in its dense layers; its values are mostly in its first blocks.

Modules are named as in torchvision (``features.0.weight``, …, ``classifier.6.bias``), so that weights trained there
can be loaded: `chemin.models.networks.weights.load_weights`.

References: Simonyan and Zisserman (2015), *Very deep convolutional networks for large-scale image recognition*, ICLR;
He et al. (2015), *Delving deep into rectifiers*, ICCV, for the variance 2/m of weights of units with m inputs;
F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 10.3.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_random_state

from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.networks.batches import torch_module
from chemin.results import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHANNELS = (64, 128, 256, 512, 512)
_CONVOLUTIONS = {
    11: (1, 1, 2, 2, 2),
    13: (2, 2, 2, 2, 2),
    16: (2, 2, 3, 3, 3),
    19: (2, 2, 4, 4, 4),
}
GRID = 7  # what the dense layers are given: as many values along each side, in every channel


def vgg16(classes: int = 1000, *, random_state: Any = None, device: str = "cpu") -> Any:
    """Build VGG16: thirteen convolutions and three dense layers.

    Parameters
    ----------
    classes : int, default 1000
        Outputs.
    random_state : int, RandomState or None, default None
        Which random weights it begins with.
    device : str, default "cpu"
        Where its weights are: 528 MiB of single-precision numbers, or none on "meta".

    Returns
    -------
    torch Module

    Examples
    --------
    >>> sum(numbers.numel() for numbers in vgg16(device="meta").parameters())
    138357544
    """
    return vgg(16, classes=classes, random_state=random_state, device=device)


def vgg(
    blocks: int | Sequence[tuple[int, int]] = 16,
    *,
    hidden: int = 4096,
    classes: int = 1000,
    dropout: float = 0.5,
    random_state: Any = None,
    device: str = "cpu",
) -> Any:
    """Build a network of the kind of VGG, for images of three channels.

    Parameters
    ----------
    blocks : int or sequence of (int, int), default 16
        Channels and number of convolutions of each block, before its pooling; or 11, 13, 16 or 19 for the networks of
        the paper, by their number of layers with weights.
    hidden : int, default 4096
        Units of both hidden dense layers.
    classes : int, default 1000
        Outputs.
    dropout : float, default 0.5
        Probability of leaving out a hidden dense unit while training.
    random_state : int, RandomState or None, default None
        Which random weights it begins with: normal of variance 2/m, where m is the number of inputs; offsets are 0.
    device : str, default "cpu"
        Where its weights are; "meta" has shapes but no numbers.

    Returns
    -------
    torch Module
        With parts ``features``, ``avgpool``, ``flatten`` and ``classifier``.

    Examples
    --------
    >>> small = vgg([(4, 1), (8, 2)], hidden=16, classes=10, random_state=0)
    >>> [type(layer).__name__ for layer in small.features]
    ['Conv2d', 'ReLU', 'MaxPool2d', 'Conv2d', 'ReLU', 'Conv2d', 'ReLU', 'MaxPool2d']
    """
    plan = _plan(blocks)
    for name, count in (("hidden", hidden), ("classes", classes)):
        _check_count(name, count)
    if (
        isinstance(dropout, bool)
        or not isinstance(dropout, int | float)
        or not 0.0 <= dropout < 1.0
    ):
        raise InvalidInputError(f"dropout is {dropout!r}: pass a probability below 1")
    torch = torch_module()
    nn = torch.nn
    with torch.device("meta"):
        features: list[Any] = []
        before = 3
        for channels, convolutions in plan:
            for _ in range(convolutions):
                features += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU(inplace=True)]
                before = channels
            features.append(nn.MaxPool2d(2))
        classifier: list[Any] = []
        units = before * GRID**2
        for _ in range(2):
            classifier += [nn.Linear(units, hidden), nn.ReLU(inplace=True), nn.Dropout(dropout)]
            units = hidden
        classifier.append(nn.Linear(units, classes))
        network = nn.Sequential(
            OrderedDict(
                features=nn.Sequential(*features),
                avgpool=nn.AdaptiveAvgPool2d((GRID, GRID)),
                flatten=nn.Flatten(),
                classifier=nn.Sequential(*classifier),
            )
        )
    if str(device) == "meta":
        return network
    network.to_empty(device=device)
    initialise(network, random_state)
    return network


def initialise(network: Any, random_state: Any) -> None:
    """Give dense layers and convolutions normal weights of variance 2/m for m inputs, and offsets 0."""
    torch = torch_module()
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    drawing = torch.Generator(next(network.parameters()).device).manual_seed(seed)
    for layer in network.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
            torch.nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=drawing)
            torch.nn.init.zeros_(layer.bias)


def _plan(blocks: Any) -> tuple[tuple[int, int], ...]:
    """Return channels and convolutions of each block."""
    if isinstance(blocks, int) and blocks in _CONVOLUTIONS:
        return tuple(zip(_CHANNELS, _CONVOLUTIONS[blocks], strict=True))
    try:
        plan = tuple((channels, convolutions) for channels, convolutions in blocks)
    except (TypeError, ValueError):
        plan = ()
    if not plan:
        known = ", ".join(map(str, _CONVOLUTIONS))
        raise InvalidInputError(
            f"blocks is {blocks!r}: pass one of {known}, or pairs (channels, convolutions) such as [(8, 1), (16, 2)]"
        )
    for number in (number for block in plan for number in block):
        _check_count("blocks", number)
    return plan


def _check_count(name: str, count: Any) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidInputError(f"{name} holds or is {count!r}: pass a whole number, 1 or larger")


@dataclass(frozen=True)
class Layer:
    """One layer of a network.

    Attributes
    ----------
    name : str
        Of its module.
    kind : str
        Its class.
    shape : tuple of int
        Of what it puts out, for one image.
    parameters : int
        How many numbers it has learned; a layer that is used again has none of its own.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    parameters: int

    @property
    def values(self) -> int:
        """How many numbers it puts out for one image."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class LayerTable(Result):
    """What each layer of a network puts out, and how many parameters it has.

    Attributes
    ----------
    image : tuple of int
        Shape of what goes in.
    layers : tuple of Layer
        In the order in which an image passes them.
    total : int
        Parameters of the whole network.
    """

    image: tuple[int, ...]
    layers: tuple[Layer, ...] = field(repr=False)
    total: int

    def frame(self) -> Any:
        """Return a row per layer as a DataFrame."""
        names = ("name", "kind", "shape", "values", "parameters")
        return as_frame(
            {name: [getattr(layer, name) for layer in self.layers] for name in names},
            instead="layers",
        )

    def plot(self) -> NDArray[Any]:
        """Draw the values and the parameters of each layer that has parameters; return both axes."""
        from chemin.plots.models.vgg import draw_layers

        learned = [layer for layer in self.layers if layer.parameters]
        return draw_layers(
            [f"{layer.name}  {_shape(layer.shape)}" for layer in learned],
            [layer.values for layer in learned],
            [layer.parameters for layer in learned],
        )

    def __str__(self) -> str:
        width = max(len(layer.name) for layer in self.layers)
        kinds = max(len(layer.kind) for layer in self.layers)
        lines = [
            f"{_number(prod(self.image))} values in, {_shape(self.image)}; "
            f"{_number(self.layers[-1].values)} out; {_number(self.total)} parameters"
        ]
        for layer in self.layers:
            learned = f"{_number(layer.parameters):>13}" if layer.parameters else ""
            shape = _shape(layer.shape)
            lines.append(
                f"  {layer.name:<{width}}  {layer.kind:<{kinds}}  {shape:<15}{learned}".rstrip()
            )
        return "\n".join(lines)


def layer_table(network: Any, image: Sequence[int] = (3, 224, 224)) -> LayerTable:
    """List the layers of a network in the order in which an image passes them.

    Only shapes are computed: neither weights nor images take memory.

    Parameters
    ----------
    network : torch Module
        The network, on any device; its weights are not looked at.
    image : sequence of int, default (3, 224, 224)
        Shape of what goes in, without the batch: channels, height and width of an image.

    Returns
    -------
    LayerTable

    Examples
    --------
    >>> table = layer_table(vgg16(device="meta"))
    >>> for layer in table.layers[:3]:
    ...     print(layer.name, layer.kind, layer.shape, layer.parameters)
    features.0 Conv2d (64, 224, 224) 1792
    features.1 ReLU (64, 224, 224) 0
    features.2 Conv2d (64, 224, 224) 36928
    """
    torch = torch_module()
    skeleton = _without_numbers(network, torch).eval()
    passed: list[Layer] = []
    counted: set[Any] = set()

    def note(name: str, module: Any, put_out: Any) -> None:
        if not isinstance(put_out, torch.Tensor):
            kind = type(put_out).__name__
            raise InvalidInputError(
                f"layer {name!r} puts out a {kind}: pass a network whose layers put out tensors"
            )
        own = [p for p in module.parameters(recurse=False) if p not in counted]
        counted.update(own)
        parameters = sum(p.numel() for p in own)
        passed.append(Layer(name, type(module).__name__, tuple(put_out.shape[1:]), parameters))

    for name, module in skeleton.named_modules():
        if not any(True for _ in module.children()) or any(
            True for _ in module.parameters(recurse=False)
        ):
            module.register_forward_hook(
                lambda module, _, put_out, name=name: note(name, module, put_out)
            )
    shape = tuple(image)
    with torch.no_grad():
        try:
            skeleton(torch.empty(1, *shape, device="meta"))
        except (RuntimeError, TypeError, ValueError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(
                f"the network does not take images of shape {shape} ({error}): pass the image= that it takes"
            ) from error
    total = sum(p.numel() for p in network.parameters())
    return LayerTable(shape, tuple(passed), total)


def _without_numbers(network: Any, torch: Any) -> Any:
    """Return a copy of the modules whose tensors have shapes only."""
    known: dict[int, Any] = {}
    for p in network.parameters():
        known[id(p)] = torch.nn.Parameter(p.detach().to("meta"), requires_grad=False)
    for buffer in network.buffers():
        known[id(buffer)] = buffer.detach().to("meta")
    return deepcopy(network, known)  # which takes what it knows instead of copying it


def _number(count: int) -> str:
    """Return a count in groups of three digits.

    Examples
    --------
    >>> _number(138357544)
    '138 357 544'
    """
    return f"{count:,}".replace(",", " ")


def _shape(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))
