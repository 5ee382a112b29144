"""What is in an image? Convolutions that share few weights over all places, pooling, and two dense layers.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, chapter 10.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import validate_data

from chemin.exceptions import InvalidInputError
from chemin.models.networks.augmentation import Augmentation
from chemin.models.networks.base import ClassNetwork
from chemin.models.networks.batches import torch_module
from chemin.models.networks.images import Shape, as_images, as_rows, as_shape
from chemin.models.networks.layers import (
    check_dropout,
    check_sizes,
    convolutional_network,
    spread_of,
    standardisation,
)

__all__ = ["ConvolutionalClassifier"]


class ConvolutionalClassifier(ClassifierMixin, ClassNetwork):  # type: ignore[misc]
    """A convolutional network for images of two classes or more.

    Blocks of 3 × 3 convolutions, each with batch normalisation and ReLU, end in 2 × 2 max pooling; then come dropout
    and two dense layers. Pixels are standardised by mean and standard deviation of all training pixels of their
    channel.

    Parameters
    ----------
    shape : (height, width) or (channels, height, width), optional
        What a row is. None is the shape of X if it is an array of images, else a square if the columns are one, else a
        strip of one pixel's height.
    filters : tuple of int, default (32, 64)
        Filters of the convolutions, block by block.
    convolutions : int, default 2
        Convolutions in each block.
    dense : int, default 128
        Units of the hidden dense layer.
    dropout : float, default 0.5
        The probability that an input of a dense layer is left out of a training step.
    batch_norm : bool, default True
        Bring the sums of each filter to mean 0 and variance 1 over the batch.
    shift, rotation, flip : int, float, bool, default 0, 0, False
        Change training images anew in every epoch: moved by so many pixels and turned by so many degrees at most,
        mirrored or not.
    epochs, batch_size, learning_rate, momentum, nesterov, weight_decay, schedule, validation, patience
        How it is trained, see `Training`.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where; "auto" is a GPU if there is one.
    checkpoint : path, optional
        A file that the training is written to after each epoch, and goes on from.
    random_state : int, RandomState, optional
        What initial weights, order of rows, held-out rows, dropout and changes of images are drawn from.
    verbose : bool, default False
        Show a bar with the time left.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        The layers; they take pixels as they are, (n, channels, height, width), and give one score per class.
    history_ : TrainingHistory
        Loss and share of wrong answers of each epoch.
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    shape_ : (channels, height, width)
        What a row is.
    n_parameters_ : int
        How many weights and biases were learnt.
    n_features_in_, feature_names_in_ : int, ndarray
        Pixels of an image, and their names if X was a DataFrame.

    Examples
    --------
    .. code-block:: python

        from sklearn.datasets import load_digits
        X, y = load_digits(return_X_y=True)
        model = ConvolutionalClassifier((8, 8), shift=1, random_state=0).fit(X, y)
        print(model.history_)
    """

    shape_: Shape

    def __init__(
        self,
        shape: Any = None,
        *,
        filters: Any = (32, 64),
        convolutions: int = 2,
        dense: int = 128,
        dropout: float = 0.5,
        batch_norm: bool = True,
        shift: int = 0,
        rotation: float = 0.0,
        flip: bool = False,
        epochs: int = 20,
        batch_size: int | None = 64,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        nesterov: bool = True,
        weight_decay: float = 5e-4,
        schedule: str = "one-cycle",
        validation: float = 0.0,
        patience: int | None = None,
        device: str = "auto",
        checkpoint: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.shape = shape
        self.filters = filters
        self.convolutions = convolutions
        self.dense = dense
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.shift = shift
        self.rotation = rotation
        self.flip = flip
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.nesterov = nesterov
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.validation = validation
        self.patience = patience
        self.device = device
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> ConvolutionalClassifier:
        """Learn from images and their classes.

        Parameters
        ----------
        X : array or DataFrame of shape (n, pixels), or array (n, height, width) or (n, channels, height, width)
            The images.
        y : array of shape (n,)
            Their classes.

        Returns
        -------
        ConvolutionalClassifier
            Itself.
        """
        training = self._training(Augmentation(self.shift, self.rotation, self.flip).check())
        filters = check_sizes("filters", self.filters, fewest=1)
        (convolutions,) = check_sizes("convolutions", [self.convolutions])
        (dense,) = check_sizes("dense", [self.dense])
        dropout = check_dropout(self.dropout)
        if self.batch_norm and training.batch_size in (1, 2):
            raise InvalidInputError(
                f"batch_size is {training.batch_size}, too few images to be normalised by: pass 3 or more, or "
                "batch_norm=False"
            )
        rows, own = as_rows(X)
        rows, y = validate_data(self, rows, y, dtype=np.float32)
        codes = self._codes(y)
        self.shape_ = as_shape(own if self.shape is None else self.shape, rows.shape[1])
        images = as_images(rows, self.shape_)
        channels = images.swapaxes(0, 1).reshape(len(images[0]), -1)
        mean, deviation = spread_of(channels.T.astype(float))
        with self._seeded():
            network = convolutional_network(
                self.shape_,
                len(self.classes_),
                filters=filters,
                convolutions=convolutions,
                dense=dense,
                dropout=dropout,
                batch_norm=bool(self.batch_norm),
            )
        network = torch_module().nn.Sequential(standardisation(mean, deviation), *network)
        self._train(network, images, codes, "cross-entropy", training)
        self.network_ = network
        return self

    def _inputs(self, X: Any) -> NDArray[Any]:
        rows, own = as_rows(X)
        if own is not None and (1, *own)[-3:] != self.shape_:
            raise InvalidInputError(
                f"images have the shape {own}, those of the training had {self.shape_}: pass such ones"
            )
        return as_images(validate_data(self, rows, reset=False, dtype=np.float32), self.shape_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags
