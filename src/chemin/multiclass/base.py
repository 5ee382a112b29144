"""What do all schemes share? Raw data in, one machine per column of the code, scores per class out.

A scheme only answers three questions: which code (`design`), which score per class (`scores`) and which probability per
class (`probabilities`). With two classes all schemes come down to the same single machine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    validate_data,
)

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.multiclass.codes import Code
from chemin.multiclass.machines import (
    check_machine,
    confidence,
    default_machine,
    odds,
    probabilistic,
    train,
)
from chemin.progress import Bar

__all__ = ["Multiclass"]


def _has_probabilities(scheme: Multiclass) -> bool:
    fitted = getattr(scheme, "estimators_", None)
    return probabilistic(fitted[0] if fitted else scheme._machine())


class Multiclass(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The part of a scheme that does not depend on its code.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    code_ : ndarray of shape (K, L)
        Side of each class (row) in each machine (column): −1, +1, or 0 where it is left out.
    estimators_ : list of length L
        The trained machines; each one knows the labels 0 (side −) and 1 (side +).
    n_machines_ : int
        Their number, L.
    n_features_in_, feature_names_in_ : int, ndarray
        Columns of X, and their names if it was a DataFrame.
    """

    # The weights are the machines' business: they are routed to them, and a scheme uses what its machines get.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    estimator: Any
    n_jobs: int | None
    verbose: bool

    @abstractmethod
    def design(self, X: Any, index: Indices, params: dict[str, Any]) -> Code:
        """Return the code; ``index`` is the class of each row, ``params`` what the machines get besides X and y."""

    @abstractmethod
    def scores(self, X: Any) -> Floats:
        """Return one score per row and class, K > 2, the largest for the predicted class."""

    @abstractmethod
    def probabilities(self, X: Any) -> Floats:
        """Return one probability per row and class, K > 2."""

    def winners(self, X: Any) -> Indices:
        """Return the position in ``classes_`` of the predicted class of each row, K > 2."""
        return np.asarray(self.scores(X).argmax(axis=1))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Train the machines.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            Handed to the machines as it is, or some of its rows: never densified, column names kept.
        y : array of shape (n,)
            Labels of at least two classes.
        sample_weight : array of shape (n,), optional
            Weights of the points, for machines that take them.
        **fit_params
            What else the machines request, with scikit-learn's metadata routing enabled.

        Returns
        -------
        self
        """
        check_machine(self._machine())
        X = self._read(X, y, reset=True)
        index = self._index_of(X, y)
        params = self._params(X, sample_weight, fit_params)
        self._check_every_class_has_weight(index, params.get("sample_weight"))
        return self.fit_machines(X, index, params, self.classes_)

    def fit_machines(
        self,
        X: Any,
        index: Indices,
        params: dict[str, Any] | None = None,
        classes: NDArray[Any] | None = None,
    ) -> Self:
        """Train the machines on data that are already checked; then `scores` and `probabilities` read them.

        Parameters
        ----------
        X : array, CSR array or DataFrame of shape (n, p)
            Rows of points.
        index : array of shape (n,)
            The class of each row, as a number from 0 to K − 1; every class has a row.
        params : dict, optional
            What the machines' ``fit`` gets besides X and y; what has n entries is cut to the rows of each machine.
        classes : array of shape (K,), optional
            The sorted labels, by which a given tree names its leaves; None is 0 to K − 1.

        Returns
        -------
        self
        """
        machine, given = self._machine(), params or {}
        self.classes_ = np.arange(int(index.max()) + 1) if classes is None else classes
        code = self.design(X, index, given)
        self.code_ = np.array([[-1], [1]], dtype=np.int8) if len(self.classes_) == 2 else code
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(train)(machine, X, sign[index], given) for sign in self.code_.T
        )
        self.estimators_ = list(Bar("machines", self.code_.shape[1], self.verbose).over(work))
        self.n_machines_ = len(self.estimators_)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return one score per class, or with two classes one score, positive for ``classes_[1]``."""
        check_is_fitted(self)
        X = self._read(X)
        return confidence(self.estimators_[0], X) if len(self.classes_) == 2 else self.scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest score."""
        check_is_fitted(self)
        X = self._read(X)
        alone = len(self.classes_) == 2
        return self.classes_[
            (confidence(self.estimators_[0], X) > 0).astype(int) if alone else self.winners(X)
        ]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return one probability per class, if the machines give probabilities."""
        check_is_fitted(self)
        X = self._read(X)
        return (
            np.column_stack(odds(self.estimators_[0], X))
            if len(self.classes_) == 2
            else self.probabilities(X)
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who gets what: whatever ``fit`` is given goes to the ``fit`` of the machines that request it."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self._machine(), method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._machine()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        tags.input_tags.positive_only = inner.positive_only
        return tags

    def _machine(self) -> Any:
        return default_machine() if self.estimator is None else self.estimator

    def _columns(self, read: Callable[[Any, Any], Floats], X: Any) -> Floats:
        """Return what every machine says of every row, shape (n, L)."""
        return np.column_stack([read(machine, X) for machine in self.estimators_])

    def _read(self, X: Any, y: Any = "no_validation", reset: bool = False) -> Any:
        """Check the shape and the column names of X; its values are the machines' to check."""
        if hasattr(X, "columns"):  # a DataFrame: the machines must see its names
            validate_data(self, X, y, reset=reset, skip_check_array=True)
            return X
        if y is None:
            validate_data(self, X, y, reset=reset, skip_check_array=True)
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=None, ensure_all_finite=False
        )

    def _index_of(self, X: Any, y: Any) -> Indices:
        """Learn the classes, and return the class of each row as a position in them."""
        label = column_or_1d(y, warn=True)
        check_consistent_length(X, label)
        check_classification_targets(label)
        self.classes_, index = np.unique(label, return_inverse=True)
        if len(self.classes_) == 1:
            only = self.classes_.tolist()[0]
            raise InvalidInputError(
                f"y has one class only ({only!r}): pass labels of at least two classes"
            )
        return index

    def _params(self, X: Any, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Return what the machines get besides X and y."""
        given = dict(fit_params)
        if sample_weight is not None:
            given["sample_weight"] = _as_weights(sample_weight, X.shape[0])
        if sklearn.get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given).estimator.fit)
        if fit_params:
            raise InvalidInputError(
                f"fit got {', '.join(sorted(fit_params))}, which reach the machines by metadata routing only: call "
                "sklearn.set_config(enable_metadata_routing=True) and the machine's set_fit_request first"
            )
        if given and not has_fit_parameter(self._machine(), "sample_weight"):
            raise InvalidInputError(
                f"{type(self._machine()).__name__} takes no sample_weight: leave it out, choose an estimator whose fit "
                "has it, or for a pipeline enable scikit-learn's metadata routing"
            )
        return given

    def _check_every_class_has_weight(self, index: Indices, weight: Floats | None) -> None:
        if weight is None:
            return
        if not weight.any():
            raise InvalidInputError(
                "Every sample_weight is zero: give some points a positive weight"
            )
        empty = self.classes_[np.bincount(index, weight, len(self.classes_)) <= 0]
        if len(empty):
            names = ", ".join(map(repr, empty.tolist()))
            raise InvalidInputError(
                f"No point of class {names} has a positive sample_weight: drop the points of this class, or give one "
                "of them a positive weight"
            )


def _as_weights(sample_weight: Any, n: int) -> Floats:
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != (n,):
        raise InvalidInputError(
            f"sample_weight has shape {weight.shape}: pass one weight per row of X, shape ({n},)"
        )
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise InvalidInputError(
            "sample_weight has negative, infinite or missing values: pass weights ≥ 0"
        )
    return weight
