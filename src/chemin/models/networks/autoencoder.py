"""Which few numbers tell a row? Those that a network makes of it, from which another one makes the row again.

    code h = E(x),   x̂ = D(h),   the mean of ½‖x − x̂‖² is least

Without hidden layers E and D are affine, and the codes span the plane of the first principal components. Columns count
by their variances, as they do there: bring them to a common scale first.

Reference: I. Goodfellow, Y. Bengio, A. Courville, *Deep Learning*, MIT Press, 2016, chapter 14.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.models.networks.base import NetworkEstimator
from chemin.models.networks.batches import outputs_of, torch_module
from chemin.models.networks.layers import check_sizes, dense_network, give_out, take_in

__all__ = ["AutoEncoder"]


class AutoEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NetworkEstimator):  # type: ignore[misc]
    """Few numbers per row, and the way back.

    Parameters
    ----------
    n_components : int, default 2
        Numbers that a row is told by.
    hidden : tuple of int, default ()
        Units of the hidden layers before the code; those after it are the same in reverse order.
    activation : {"relu", "sigmoid", "tanh", "softsign"}, default "relu"
        What a hidden unit makes of its sum; code and output are linear.
    epochs, batch_size, learning_rate, momentum, nesterov, weight_decay, schedule, validation, patience
        How it is trained, see `Training`.
    device : {"auto", "cpu", "cuda"}, default "cpu"
        Where; a GPU pays from some thousand units on.
    checkpoint : path, optional
        A file that the training is written to after each epoch, and goes on from.
    random_state : int, RandomState, optional
        What initial weights, order of rows and held-out rows are drawn from.
    verbose : bool, default False
        Show a bar with the time left.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        Encoder and decoder, in double precision; they take and give the columns as they are.
    history_ : TrainingHistory
        Loss and mean absolute error of each epoch, of rows divided by the deviation along their first axis.
    n_parameters_ : int
        How many weights and biases there are.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.

    Examples
    --------
    .. code-block:: python

        from sklearn.datasets import load_digits
        X, _ = load_digits(return_X_y=True)
        model = AutoEncoder(2, hidden=(64,), random_state=0).fit(X)
        again = model.inverse_transform(model.transform(X))
    """

    def __init__(
        self,
        n_components: int = 2,
        hidden: Any = (),
        activation: str = "relu",
        *,
        epochs: int = 100,
        batch_size: int | None = 32,
        learning_rate: float = 0.1,
        momentum: float = 0.9,
        nesterov: bool = True,
        weight_decay: float = 0.0,
        schedule: str = "cosine",
        validation: float = 0.0,
        patience: int | None = None,
        device: str = "cpu",
        checkpoint: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.activation = activation
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

    def fit(self, X: Any, y: Any = None) -> AutoEncoder:
        """Learn from rows.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.
        y : ignored
            There for pipelines.

        Returns
        -------
        AutoEncoder
            Itself.
        """
        training = self._training()
        (code,) = check_sizes("n_components", [self.n_components])
        hidden = check_sizes("hidden", self.hidden)
        X = validate_data(self, X, dtype=float)
        mean = X.mean(axis=0)
        centred = X - mean
        first = float(np.linalg.norm(centred.T @ centred / len(X), 2)) ** 0.5
        scale = np.full(X.shape[1], first if first > 0.0 else 1.0)
        rows = centred / scale
        with self._seeded():
            encoder = dense_network((X.shape[1], *hidden, code), self.activation)
            decoder = dense_network((code, *hidden[::-1], X.shape[1]), self.activation)
        network = torch_module().nn.Sequential(encoder, decoder)
        self._train(network, rows, rows, "squared", training)
        self.network_ = network.double()
        take_in(encoder[0], mean, scale)
        give_out(decoder[-1], mean, scale)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the codes of rows.

        Parameters
        ----------
        X : array or DataFrame of shape (n, p)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        check_is_fitted(self)
        return np.asarray(
            outputs_of(self.network_[0], validate_data(self, X, reset=False, dtype=float))
        )

    def inverse_transform(self, X: Any) -> Floats:
        """Return the rows that codes stand for.

        Parameters
        ----------
        X : array of shape (n, n_components)
            The codes.

        Returns
        -------
        ndarray of shape (n, p)
        """
        check_is_fitted(self)
        codes = check_array(X, dtype=float)
        if codes.shape[1] != self._n_features_out:
            raise InvalidInputError(
                f"codes have {codes.shape[1]} columns: pass {self._n_features_out}, as transform returns them"
            )
        return np.asarray(outputs_of(self.network_[1], codes))

    @property
    def _n_features_out(self) -> int:
        return int(self.network_[0][-1].out_features)
