"""What do all estimators with a network share? Settings of the training, a way to be stored, answers in batches."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.models.networks.batches import outputs_of, seeded
from chemin.models.networks.history import TrainingHistory
from chemin.models.networks.layers import count_parameters
from chemin.models.networks.training import Training, train


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """The part of an estimator that does not depend on its network.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        The network; it takes the values of X as they are.
    history_ : TrainingHistory
        How the training went.
    """

    network_: Any
    history_: TrainingHistory
    random_state: Any

    @property
    def n_parameters_(self) -> int:
        """How many weights and biases were learnt."""
        check_is_fitted(self)
        return count_parameters(self.network_)

    def _training(self, augment: Any = None) -> Training:
        """Return the settings of the training, once they have been checked."""
        names = {part.name for part in fields(Training)} - {"augment"}
        settings = {name: getattr(self, name) for name in names}
        return Training(augment=augment, **settings).check()

    def _seeded(self) -> Any:
        """Return a context in which initial weights are drawn."""
        return seeded(int(check_random_state(self.random_state).randint(2**31 - 1)))

    def _train(
        self, network: Any, inputs: Any, targets: Any, loss: str, training: Training
    ) -> None:
        """Train a network, and remember how that went."""
        self.history_ = train(
            network,
            inputs,
            targets,
            loss=loss,
            training=training,
            random_state=self.random_state,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored: the network in ordinary memory, wherever it is."""
        state = dict(super().__getstate__())
        if "network_" in state:
            state["network_"] = deepcopy(state["network_"]).cpu()
        return state


class ClassNetwork(NetworkEstimator):
    """An estimator whose network has one output per class; their softmax is the probability.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    """

    classes_: NDArray[Any]

    def _codes(self, y: Any) -> Indices:
        """Return the numbers of the classes, and remember these."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"y has one class, {self.classes_[0]!r}: {type(self).__name__} needs rows of two classes or more"
            )
        return np.asarray(codes)

    @abstractmethod
    def _inputs(self, X: Any) -> NDArray[Any]:
        """Return checked rows as the network takes them."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array or DataFrame
            The rows, as in `fit`.

        Returns
        -------
        ndarray of shape (n, K)
        """
        check_is_fitted(self)
        scores = outputs_of(self.network_, self._inputs(X)).astype(float)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each row.

        Parameters
        ----------
        X : array or DataFrame
            The rows, as in `fit`.

        Returns
        -------
        ndarray of shape (n,)
        """
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])
