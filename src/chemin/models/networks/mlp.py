"""What do dense layers make of a table? Classes or numbers, by a perceptron of several layers.

    z₀ = x,   z_k = σ(W_k z_{k−1} + b_k),   output W_K z_{K−1} + b_K;   softmax of it for classes

Columns are standardised while it learns, and so is a target of numbers; afterwards this is part of the first and the
last layer, so that the network takes the columns as they are.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 9.2 and 9.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.models.networks.base import ClassNetwork, NetworkEstimator
from chemin.models.networks.batches import outputs_of, torch_module
from chemin.models.networks.layers import (
    check_dropout,
    check_sizes,
    dense_network,
    give_out,
    spread_of,
    take_in,
)

__all__ = ["NetworkClassifier", "NetworkRegressor"]


class DenseNetwork(NetworkEstimator):
    """Dense layers, and their weights as scikit-learn's perceptrons have them."""

    hidden: Any
    activation: str
    dropout: float

    @property
    def coefs_(self) -> list[Floats]:
        """The weights of each layer, of shape (inputs, outputs)."""
        return [layer.weight.detach().cpu().numpy().T for layer in self._layers()]

    @property
    def intercepts_(self) -> list[Floats]:
        """The biases of each layer."""
        return [layer.bias.detach().cpu().numpy() for layer in self._layers()]

    def _layers(self) -> list[Any]:
        dense = torch_module().nn.Linear
        return [layer for layer in self.network_ if isinstance(layer, dense)]

    def _fit_network(self, X: Floats, targets: NDArray[Any], outputs: int, loss: str) -> None:
        """Train layers on standardised columns; then have them take the columns as they are, in double precision."""
        training = self._training()
        sizes = (X.shape[1], *check_sizes("hidden", self.hidden), outputs)
        dropout = check_dropout(self.dropout)
        with self._seeded():
            network = dense_network(sizes, self.activation, dropout)
        mean, deviation = spread_of(X)
        self._train(network, (X - mean) / deviation, targets, loss, training)
        take_in(network.double()[0], mean, deviation)
        self.network_ = network

    def _inputs(self, X: Any) -> NDArray[Any]:
        return np.asarray(validate_data(self, X, reset=False, dtype=float))


class NetworkClassifier(ClassifierMixin, DenseNetwork, ClassNetwork):  # type: ignore[misc]
    """A perceptron of several layers for two classes or more: softmax of the outputs, cross-entropy.

    Parameters
    ----------
    hidden : tuple of int, default (32,)
        Units of each hidden layer; () is logistic regression.
    activation : {"relu", "sigmoid", "tanh", "softsign"}, default "relu"
        What a hidden unit makes of its sum.
    dropout : float, default 0
        The probability that a hidden unit is left out of a training step.
    epochs, batch_size, learning_rate, momentum, nesterov, weight_decay, schedule, validation, patience
        How it is trained, see `Training`.
    device : {"auto", "cpu", "cuda"}, default "cpu"
        Where; a GPU pays from some thousand units on.
    checkpoint : path, optional
        A file that the training is written to after each epoch, and goes on from.
    random_state : int, RandomState, optional
        What initial weights, order of rows, held-out rows and dropout are drawn from.
    verbose : bool, default False
        Show a bar with the time left.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        The layers, in double precision; they take the columns as they are, and give one score per class.
    history_ : TrainingHistory
        Loss and share of wrong answers of each epoch.
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    coefs_, intercepts_ : list of ndarray
        Weights (inputs, outputs) and biases of each layer.
    n_parameters_ : int
        How many weights and biases there are.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.

    Examples
    --------
    .. code-block:: python

        from sklearn.datasets import load_iris
        X, y = load_iris(return_X_y=True)
        model = NetworkClassifier(hidden=(16,), random_state=0).fit(X, y)
        print(model.history_)
    """

    def __init__(
        self,
        hidden: Any = (32,),
        activation: str = "relu",
        dropout: float = 0.0,
        *,
        epochs: int = 100,
        batch_size: int | None = 32,
        learning_rate: float = 0.05,
        momentum: float = 0.9,
        nesterov: bool = True,
        weight_decay: float = 1e-4,
        schedule: str = "cosine",
        validation: float = 0.0,
        patience: int | None = None,
        device: str = "cpu",
        checkpoint: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.dropout = dropout
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

    def fit(self, X: Any, y: Any) -> NetworkClassifier:
        """Learn from rows and their classes.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,)
            Their classes.

        Returns
        -------
        NetworkClassifier
            Itself.
        """
        X, y = validate_data(self, X, y, dtype=float)
        codes = self._codes(y)
        self._fit_network(X, codes, len(self.classes_), "cross-entropy")
        return self


class NetworkRegressor(RegressorMixin, DenseNetwork):  # type: ignore[misc]
    """A perceptron of several layers for numbers: the outputs as they are, half their squared error.

    Parameters
    ----------
    hidden : tuple of int, default (32,)
        Units of each hidden layer; () is linear regression.
    activation : {"relu", "sigmoid", "tanh", "softsign"}, default "relu"
        What a hidden unit makes of its sum.
    dropout : float, default 0
        The probability that a hidden unit is left out of a training step.
    epochs, batch_size, learning_rate, momentum, nesterov, weight_decay, schedule, validation, patience
        How it is trained, see `Training`.
    device : {"auto", "cpu", "cuda"}, default "cpu"
        Where; a GPU pays from some thousand units on.
    checkpoint : path, optional
        A file that the training is written to after each epoch, and goes on from.
    random_state : int, RandomState, optional
        What initial weights, order of rows, held-out rows and dropout are drawn from.
    verbose : bool, default False
        Show a bar with the time left.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        The layers, in double precision; they take the columns as they are, and give the numbers of y.
    history_ : TrainingHistory
        Loss and mean absolute error of each epoch, in standard deviations of y.
    coefs_, intercepts_ : list of ndarray
        Weights (inputs, outputs) and biases of each layer.
    n_parameters_ : int
        How many weights and biases there are.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.

    Examples
    --------
    .. code-block:: python

        from sklearn.datasets import load_diabetes
        X, y = load_diabetes(return_X_y=True)
        model = NetworkRegressor(validation=0.2, patience=10, random_state=0).fit(X, y)
        model.history_.plot()
    """

    def __init__(
        self,
        hidden: Any = (32,),
        activation: str = "relu",
        dropout: float = 0.0,
        *,
        epochs: int = 100,
        batch_size: int | None = 32,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        nesterov: bool = True,
        weight_decay: float = 1e-4,
        schedule: str = "cosine",
        validation: float = 0.0,
        patience: int | None = None,
        device: str = "cpu",
        checkpoint: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.dropout = dropout
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

    def fit(self, X: Any, y: Any) -> NetworkRegressor:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : array of shape (n,) or (n, k)
            One number per row, or k of them.

        Returns
        -------
        NetworkRegressor
            Itself.
        """
        X, y = validate_data(self, X, y, dtype=float, multi_output=True, y_numeric=True)
        numbers = np.asarray(y, dtype=float).reshape(len(y), -1)
        mean, deviation = spread_of(numbers)
        self._fit_network(X, (numbers - mean) / deviation, numbers.shape[1], "squared")
        give_out(self.network_[-1], mean, deviation)
        self._flat = np.ndim(y) == 1
        return self

    def predict(self, X: Any) -> Floats:
        """Return the numbers of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
        """
        check_is_fitted(self)
        found = outputs_of(self.network_, self._inputs(X))
        return found[:, 0] if self._flat else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
