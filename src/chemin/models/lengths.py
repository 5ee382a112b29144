"""How long is a fitted model? A number and its unit: one function per unit, over public attributes only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from chemin.interpret import count_terms
from chemin.models.labels import NumberedClasses

Length = tuple[int, str]
Measure = Callable[[Any], Length | None]


def innermost(fitted: Any) -> Any:
    """Return the model itself from within searches, pipelines, and estimators that transform the target.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> innermost(make_pipeline(StandardScaler(), Ridge()))
    Ridge()
    """
    if hasattr(fitted, "best_estimator_"):
        return innermost(fitted.best_estimator_)
    if isinstance(fitted, Pipeline):
        return innermost(fitted[-1])
    if isinstance(fitted, TransformedTargetRegressor):
        return innermost(fitted.regressor_)
    if isinstance(fitted, NumberedClasses):
        return innermost(fitted.estimator_)
    return fitted


def no_variable(fitted: Any) -> Length:
    """Count what a constant looks at."""
    return 0, "variables"


def variables(fitted: Any) -> Length:
    """Count the columns with a coefficient other than 0 for some class."""
    return _used(fitted.coef_), "variables"


def terms(fitted: Any) -> Length:
    """Count the products of columns with a coefficient other than 0."""
    return _used(fitted.coef_), "terms"


def consensus_variables(fitted: Any) -> Length:
    """Count the columns of the line that most rows agree on."""
    return _used(fitted.estimator_.coef_), "variables"


def own_variables(fitted: Any) -> Length:
    """Count the variables of a sparse model of this library, over all its machines."""
    return count_terms(fitted), "variables"


def own_terms(fitted: Any) -> Length:
    """Count the variables and couples of a kernel basis, over all its machines."""
    return count_terms(fitted), "variables and couples"


def centroids(fitted: Any) -> Length:
    """Count the points that stand for the classes."""
    return len(fitted.centroids_), "centroids"


def gaussian_numbers(fitted: Any) -> Length:
    """Count the means and variances of every class."""
    return fitted.theta_.size + fitted.var_.size, "means and variances"


def quadratic_numbers(fitted: Any) -> Length:
    """Count the numbers of one Gaussian per class: p means, p(p + 1)/2 variances and covariances."""
    classes, p = fitted.means_.shape
    return classes * (p + p * (p + 1) // 2), "means and covariances"


def rows_kept(fitted: Any) -> Length:
    """Count the training rows that are compared with every new one."""
    return int(fitted.n_samples_fit_), "rows kept"


def kernel_rows_kept(fitted: Any) -> Length:
    """Count the training rows that a kernel compares with every new one."""
    return len(fitted.X_fit_), "rows kept"


def support_vectors(fitted: Any) -> Length:
    """Count the training rows with a dual value other than 0."""
    return len(fitted.support_), "support vectors"


def rows_of_densities(fitted: Any) -> Length:
    """Count the training rows that the densities of all classes are made of."""
    return int(np.sum(fitted.class_count_)), "rows kept"


def leaves(fitted: Any) -> Length:
    """Count the leaves of a tree, or of all trees of an ensemble."""
    trees = np.ravel(getattr(fitted, "estimators_", fitted))
    return int(sum(tree.get_n_leaves() for tree in trees)), "leaves"


def histogram_trees(fitted: Any) -> Length:
    """Count the trees, one per round and class; their leaves are not public."""
    return int(fitted.n_iter_ * fitted.n_trees_per_iteration_), "trees"


def xgboost_leaves(fitted: Any) -> Length:
    """Count the leaves of all trees of an xgboost model."""
    return sum(tree.count("leaf=") for tree in fitted.get_booster().get_dump()), "leaves"


def lightgbm_trees(fitted: Any) -> Length:
    """Count the trees of a lightgbm model, one per round and class."""
    return int(fitted.booster_.num_trees()), "trees"


def weights(fitted: Any) -> Length:
    """Count the weights and biases of a network."""
    return int(sum(layer.size for layer in [*fitted.coefs_, *fitted.intercepts_])), "weights"


def _used(coef: Any) -> int:
    """Return how many columns have a coefficient other than 0 in some row of a matrix of them."""
    return int(np.count_nonzero(np.any(np.atleast_2d(coef) != 0, axis=0)))
