"""How does a network that has learned from other images serve with few of one's own? As features, or as a start.

    frozen features   image → activations of a layer → any classifier; the network is not changed
    fine-tuning       a new last layer is learned first, then all layers at a low rate η

Images are brought to the size that the network was trained with, and their values to the mean and the standard
deviation that the training images of ImageNet had in each channel.

References: Yosinski et al. (2014), *How transferable are features in deep neural networks?*, NIPS;
F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 10.4.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.estimators import KernelBasisClassifierCV
from chemin.exceptions import InvalidInputError
from chemin.models.networks.base import ClassNetwork, NetworkEstimator
from chemin.models.networks.batches import as_device, as_tensor, torch_module
from chemin.models.networks.checkpoint import as_file
from chemin.models.networks.history import TrainingHistory
from chemin.models.networks.images import Shape, as_images, as_rows, as_shape
from chemin.models.networks.training import Training, train
from chemin.models.networks.vgg import vgg16
from chemin.models.networks.weights import load_weights
from chemin.progress import Bar

__all__ = ["FineTunedClassifier", "ImageFeatures", "make_transfer"]

# Of the values of all training images of ImageNet, from 0 to 1, in red, green and blue.
MEANS = (0.485, 0.456, 0.406)
DEVIATIONS = (0.229, 0.224, 0.225)


class _Images(NetworkEstimator):
    """What both ways share: rows that are images, and a copy of a network that takes them as they are."""

    network: Any
    shape: Any
    size: int | None
    limits: Any
    batch_size: int
    device: str
    shape_: Shape
    limits_: tuple[float, float]

    def _read_training(self, X: Any, *y: Any) -> Any:
        """Return checked rows, with y where it is given, and remember their shape and range."""
        rows, own = as_rows(X)
        checked = validate_data(self, rows, *y, dtype=np.float32)
        rows = checked[0] if y else checked
        self.shape_ = as_shape(own if self.shape is None else self.shape, rows.shape[1])
        self.limits_ = _limits(self.limits, rows)
        return checked

    def _inputs(self, X: Any) -> NDArray[Any]:
        """Return checked images."""
        rows, own = as_rows(X)
        if own is not None and (1, *own)[-3:] != self.shape_:
            raise InvalidInputError(
                f"images have the shape {own}, those of the training had {self.shape_}: pass such ones"
            )
        return as_images(validate_data(self, rows, reset=False, dtype=np.float32), self.shape_)

    def _check(self) -> None:
        _check_whole("batch_size", self.batch_size)
        if self.size is not None:
            _check_whole("size", self.size)

    def _prepared(self) -> Any:
        """Return a copy of the network behind what its images need, where it is to be used."""
        network = _copy_of(self.network)
        first = next(network.parameters())
        parts = OrderedDict(
            prepare=_preparation(self.shape_, self.limits_, self.size).to(first.dtype),
            network=network,
        )
        whole = torch_module().nn.Sequential(parts)
        return whole.eval().requires_grad_(False).to(as_device(self.device))

    def _batches(self, images: Any) -> Iterator[Any]:
        """Hand out images, some at a time, as tensors where the network is."""
        first = next(self.network_.parameters())
        for start in range(0, len(images), self.batch_size):
            some = images[start : start + self.batch_size]
            yield as_tensor(some, first.dtype).to(first.device)

    def _first(self, look: Callable[[Any], Any], images: Any) -> Any:
        """Return what is seen in the first image, or say why it cannot be looked at."""
        (first,) = self._batches(images[:1])
        try:
            with torch_module().inference_mode():
                return look(first)
        except RuntimeError as error:
            size = self.shape_[1:] if self.size is None else (self.size, self.size)
            raise InvalidInputError(
                f"the network does not take images of {size[0]} × {size[1]} pixels ({error}): pass another size"
            ) from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags


class ImageFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Images):  # type: ignore[misc]
    """What a trained network sees in images: the activations of one of its layers, as columns for any model.

    Nothing is learned but the range of pixel values, where none is given.

    Parameters
    ----------
    network : torch Module, path or function
        A network for images of three channels; the file of weights of VGG16, as `load_weights` reads it; or a function
        without arguments that returns a network. The last two are cheap to copy, as searches and folds do.
    shape : (height, width) or (channels, height, width), optional
        Of the images in the rows, channel after channel; those of one channel are given three times. None is the shape
        of an array (n, H, W) or (n, C, H, W), else a square.
    layer : str, default "features"
        Which layer: a name in ``network.named_modules()``. Of VGG, "features" is its convolutions, "classifier.1" and
        "classifier.4" its two hidden dense layers.
    pool : int or None, default 1
        Maps of a layer are averaged to as many values along each side: 1 is one value per channel, 7 what the dense
        layers of VGG are given. None leaves them as they are.
    size : int or None, default 224
        Images are brought to as many pixels along each side; None leaves them as they are.
    limits : (float, float), optional
        Pixel values of black and white, such as (0, 255); None is the range of those given to fit.
    batch_size : int, default 32
        Images that are looked at together.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where; "auto" is a GPU if there is one.
    verbose : bool, default False
        Show a bar of finished batches.

    Attributes
    ----------
    network_ : torch Module
        A copy of the network, frozen, behind what its images need.
    shape_ : (int, int, int)
        Channels, height and width of an image.
    limits_ : (float, float)
        Pixel values of black and white.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from chemin.models.networks.vgg import vgg
    >>> X, y = load_digits(return_X_y=True)
    >>> small = vgg([(8, 1), (16, 1)], hidden=8, random_state=0)
    >>> ImageFeatures(small, size=16, pool=2).fit_transform(X[:20]).shape
    (20, 64)
    """

    def __init__(
        self,
        network: Any = None,
        *,
        shape: Any = None,
        layer: str = "features",
        pool: int | None = 1,
        size: int | None = 224,
        limits: tuple[float, float] | None = None,
        batch_size: int = 32,
        device: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.network = network
        self.shape = shape
        self.layer = layer
        self.pool = pool
        self.size = size
        self.limits = limits
        self.batch_size = batch_size
        self.device = device
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> ImageFeatures:
        """Look at the range of the pixels, and whether the network takes such images.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p), or array (n, H, W) or (n, C, H, W)
            The images.
        y : object
            Not looked at.

        Returns
        -------
        ImageFeatures
        """
        self._check()
        if self.pool is not None:
            _check_whole("pool", self.pool)
        images = as_images(self._read_training(X), self.shape_)
        self.network_ = self._prepared()
        self._n_features_out = self._first(self._activations, images).shape[1]
        return self

    def transform(self, X: Any) -> Floats:
        """Return the features of images.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p), or array (n, H, W) or (n, C, H, W)
            The images.

        Returns
        -------
        ndarray of shape (n, features)
        """
        check_is_fitted(self)
        images = self._inputs(X)
        bar = Bar("batches", total=-(-len(images) // self.batch_size), shown=self.verbose)
        with torch_module().inference_mode():
            found = [self._activations(some) for some in bar.over(self._batches(images))]
        return np.concatenate(found).astype(float)

    def _activations(self, images: Any) -> Any:
        found = _activations_of(self.network_, f"network.{self.layer}", images)
        if found.ndim == 4 and self.pool is not None:
            found = torch_module().nn.functional.adaptive_avg_pool2d(found, self.pool)
        return found.flatten(1).cpu().numpy()


def make_transfer(network: Any, head: Any = None, **options: Any) -> Pipeline:
    """Return a pipeline: features of a frozen network, scaled to standard deviation 1, and a classifier on them.

    Parameters
    ----------
    network : torch Module, path or function
        See `ImageFeatures`.
    head : classifier, optional
        What is learned; None is ``KernelBasisClassifierCV()``, whose decisions are explained by similar images.
    **options
        Parameters of `ImageFeatures`.

    Returns
    -------
    Pipeline
        With steps "features", "scale" and "head".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> from chemin.models.networks.vgg import vgg
    >>> X, y = load_digits(return_X_y=True)
    >>> small = vgg([(8, 1), (16, 1)], hidden=8, random_state=0)
    >>> model = make_transfer(small, SVC(), size=16, pool=2).fit(X[:500], y[:500])
    >>> model.score(X[500:], y[500:]) > 0.8
    True
    """
    head = KernelBasisClassifierCV() if head is None else head
    features = ImageFeatures(network, **options)
    return Pipeline([("features", features), ("scale", StandardScaler()), ("head", head)])


class FineTunedClassifier(ClassifierMixin, _Images, ClassNetwork):  # type: ignore[misc]
    """A trained network with a last layer for other classes, learned alone first, and then with the others.

    The new layer begins at 0, where all classes are equally likely. The loss is the cross-entropy of the softmax.

    Parameters
    ----------
    network, shape, size, limits, device
        See `ImageFeatures`. The last dense layer of the network is replaced.
    warm_up : int, default 5
        Epochs in which the new layer is learned alone; 0 for none.
    epochs : int, default 10
        Epochs after them; 0 for none, so that all other layers stay as they are.
    learning_rate : float, default 0.01
        While the new layer is learned alone.
    fine_rate : float, default 0.001
        After that: a tenth or a hundredth of it, so that what was learned elsewhere is not lost.
    from_layer : str, optional
        The first layer that is learned in the epochs after the warm-up, such as "features.24" or "classifier"; those
        before it stay as they are. None is all.
    batch_size : int, default 32
        Images of a step, and looked at together.
    augment : callable, optional
        See `Training`; it is given images (n, C, H, W) in their own size and values.
    checkpoint : path, optional
        A file that the training is written to after each epoch, and goes on from; that of the new layer alone has
        ".warm-up" behind its name.
    random_state : int, RandomState or None, default None
        What the order of rows and dropout are drawn from.
    verbose : bool, default False
        Show a bar with the time left.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    network_ : torch Module
        The network, behind what its images need.
    stages_ : tuple of TrainingHistory
        How it went: the new layer alone, then with the others; ``history_`` is the last one.
    n_parameters_ : int
        Numbers of the network that were learned here.
    shape_, limits_, n_features_in_, feature_names_in_
        See `ImageFeatures`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from chemin.models.networks.vgg import vgg
    >>> X, y = load_digits(n_class=3, return_X_y=True)
    >>> small = vgg([(8, 1)], hidden=16, random_state=0)
    >>> model = FineTunedClassifier(small, size=14, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        network: Any = None,
        *,
        shape: Any = None,
        size: int | None = 224,
        limits: tuple[float, float] | None = None,
        warm_up: int = 5,
        epochs: int = 10,
        learning_rate: float = 0.01,
        fine_rate: float = 0.001,
        from_layer: str | None = None,
        batch_size: int = 32,
        augment: Any = None,
        checkpoint: Any = None,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.network = network
        self.shape = shape
        self.size = size
        self.limits = limits
        self.warm_up = warm_up
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.fine_rate = fine_rate
        self.from_layer = from_layer
        self.batch_size = batch_size
        self.augment = augment
        self.checkpoint = checkpoint
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> FineTunedClassifier:
        """Learn the new layer, then the network.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p), or array (n, H, W) or (n, C, H, W)
            The images.
        y : array of shape (n,)
            Their classes.

        Returns
        -------
        FineTunedClassifier
        """
        self._check()
        for name in ("warm_up", "epochs"):
            _check_whole(name, getattr(self, name), least=0)
        if not self.warm_up and not self.epochs:
            raise InvalidInputError("warm_up and epochs are 0: pass a positive number of either")
        rows, y = self._read_training(X, y)
        codes = self._codes(y)
        images = as_images(rows, self.shape_)
        self.network_ = self._prepared()
        head = _replace_last(self.network_.network, len(self.classes_))
        put_out = tuple(self._first(self.network_, images).shape)
        if put_out != (1, len(self.classes_)):
            raise InvalidInputError(
                f"the network puts out the shape {put_out} for one image: pass one whose last dense layer is the output"
            )
        new = [*head.parameters()]
        tuned = _from_layer(self.network_.network, self.from_layer)
        drawing = None if self.random_state is None else check_random_state(self.random_state)
        warm, fine = self._files()
        self.stages_ = tuple(
            self._stage(images, codes, parameters, epochs, rate, file, drawing)
            for parameters, epochs, rate, file in (
                (new, self.warm_up, self.learning_rate, warm),
                (tuned, self.epochs, self.fine_rate, fine),
            )
            if epochs
        )
        self.history_ = self.stages_[-1]
        for learned in (*new, *(tuned if self.epochs else ())):
            learned.requires_grad_(True)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes: the softmax of the outputs.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p), or array (n, H, W) or (n, C, H, W)
            The images.

        Returns
        -------
        ndarray of shape (n, classes)
        """
        check_is_fitted(self)
        images = self._inputs(X)
        with torch_module().inference_mode():
            found = [self.network_(some).cpu().numpy() for some in self._batches(images)]
        return np.asarray(softmax(np.concatenate(found).astype(float), axis=1))

    def _files(self) -> tuple[Path | None, Path | None]:
        """Return the checkpoints of both stages."""
        if self.checkpoint is None:
            return None, None
        file = as_file(self.checkpoint)
        return file.with_name(f"{file.name}.warm-up"), file

    def _stage(
        self, images: Any, codes: Any, parameters: list[Any], epochs: int, rate: float, file: Path | None, drawing: Any
    ) -> TrainingHistory:  # fmt: skip
        """Learn some parameters for some epochs; the others stay as they are."""
        training = Training(
            epochs=epochs, batch_size=self.batch_size, learning_rate=rate, augment=self.augment,
            device=self.device, checkpoint=file, verbose=self.verbose,
        )  # fmt: skip
        return train(
            self.network_, images, codes, loss="cross-entropy", training=training,
            random_state=drawing, parameters=parameters,
        )  # fmt: skip


def _copy_of(network: Any) -> Any:
    """Return a network of one's own."""
    nn = torch_module().nn
    if isinstance(network, str | os.PathLike):
        return load_weights(vgg16(device="meta").to_empty(device="cpu"), network)
    if isinstance(network, nn.Module):
        return deepcopy(network)
    made = network() if callable(network) else network
    if not isinstance(made, nn.Module):
        raise InvalidInputError(
            f"network is {network!r}: pass the file of weights of VGG16, a torch Module, or a function that returns one"
        )
    return made


def _preparation(shape: Shape, limits: tuple[float, float], size: int | None) -> Any:
    """Return the layers that bring images to the size of the network, to three channels, and to ImageNet's scale."""
    torch = torch_module()
    nn = torch.nn
    channels, height, width = shape
    if channels not in (1, 3):
        raise InvalidInputError(
            f"images have {channels} channels: pass a shape of one channel, grey, or of three, red, green and blue"
        )
    layers: list[Any] = []
    if size is not None and min(height, width) > size:
        layers.append(nn.AdaptiveAvgPool2d((size, size)))
    elif size is not None and (height, width) != (size, size):
        layers.append(nn.Upsample((size, size), mode="bilinear"))
    black, white = limits
    deviations = torch.tensor(DEVIATIONS, dtype=torch.float64)
    slopes = 1.0 / (deviations * (white - black))
    scale = nn.utils.skip_init(nn.Conv2d, channels, 3, 1)
    # (v − black)/(white − black) less the mean, over the deviation
    mixing = torch.diag(slopes) if channels == 3 else slopes[:, None]
    offsets = -torch.tensor(MEANS, dtype=torch.float64) / deviations - black * slopes
    with torch.no_grad():
        scale.weight.copy_(mixing[:, :, None, None])
        scale.bias.copy_(offsets)
    return nn.Sequential(*layers, scale)


class _Reached(Exception):  # noqa: N818
    """A layer has put out what was waited for."""


def _activations_of(network: Any, layer: str, images: Any) -> Any:
    """Return what a layer puts out; those after it are not asked."""
    named = dict(network.named_modules())
    if layer not in named:
        known = [name.removeprefix("network.") for name in named if name.startswith("network.")]
        raise InvalidInputError(
            f"the network has no layer {layer.removeprefix('network.')!r}: pass one of {', '.join(known)}"
        )

    def stop(module: Any, put_in: Any, put_out: Any) -> None:
        raise _Reached(put_out)

    hook = named[layer].register_forward_hook(stop)
    try:
        network(images)
    except _Reached as reached:
        return reached.args[0]
    finally:
        hook.remove()
    raise InvalidInputError(f"images do not pass layer {layer!r}: pass the name of another one")


def _replace_last(network: Any, classes: int) -> Any:
    """Put a dense layer of zeros in the place of the last one, and return it."""
    nn = torch_module().nn
    dense = [name for name, layer in network.named_modules() if isinstance(layer, nn.Linear)]
    if not dense or not dense[-1]:
        raise InvalidInputError(
            "the network has no dense layer that could be replaced: pass one that ends in a torch.nn.Linear"
        )
    place, _, name = dense[-1].rpartition(".")
    last = network.get_submodule(dense[-1])
    new = nn.utils.skip_init(nn.Linear, last.in_features, classes).to(last.weight)
    nn.init.zeros_(new.weight)
    nn.init.zeros_(new.bias)
    setattr(network.get_submodule(place), name, new)
    return new


def _from_layer(network: Any, layer: str | None) -> list[Any]:
    """Return the parameters from a layer on, in the order of the network."""
    named = list(network.named_parameters())
    if layer is None:
        return [p for _, p in named]
    for k, (name, _) in enumerate(named):
        if name.startswith(f"{layer}."):
            return [p for _, p in named[k:]]
    known = dict.fromkeys(name.rpartition(".")[0] for name, _ in named)
    raise InvalidInputError(
        f"from_layer is {layer!r}, which has no parameters: pass one of {', '.join(known)}"
    )


def _limits(limits: Any, rows: Any) -> tuple[float, float]:
    """Return the pixel values of black and white."""
    if limits is None:
        black, white = float(rows.min()), float(rows.max())
        return (black, white) if black < white else (black, black + 1.0)
    pair = tuple(limits) if isinstance(limits, tuple | list) else ()
    if (
        len(pair) != 2
        or not all(isinstance(v, Real) and isfinite(v) for v in pair)
        or pair[0] >= pair[1]
    ):
        raise InvalidInputError(
            f"limits is {limits!r}: pass the pixel values of black and white, such as (0, 255)"
        )
    return float(pair[0]), float(pair[1])


def _check_whole(name: str, value: Any, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInputError(f"{name} is {value!r}: pass a whole number, {least} or larger")
