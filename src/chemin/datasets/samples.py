"""Which real data come with the library? One table that scikit-learn ships, ready to follow a path on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.base import Floats

__all__ = ["Sample", "breast_cancer"]


@dataclass(frozen=True, eq=False)
class Sample:
    """A table of points with their labels.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Columns of mean 0 and variance 1.
    y : ndarray of shape (n,)
        Labels, as words.
    names : ndarray of shape (p,)
        Names of the columns.
    """

    X: Floats
    y: NDArray[np.str_]
    names: NDArray[np.str_]

    @property
    def columns(self) -> DenseDictionary:
        """X with its names, as `chemin.svm_path` takes it; no DataFrame library is needed."""
        return DenseDictionary(self.X, self.names)


def breast_cancer() -> Sample:
    """Return the Wisconsin diagnostic data: 569 tumours, 30 measures of their cell nuclei, standardised.

    Returns
    -------
    Sample

    References
    ----------
    W. N. Street, W. H. Wolberg, O. L. Mangasarian, *Nuclear feature extraction for breast tumor diagnosis*, 1993.

    Examples
    --------
    >>> import chemin
    >>> from chemin.datasets import breast_cancer
    >>> sample = breast_cancer()
    >>> sample.X.shape, sorted(set(sample.y.tolist()))
    ((569, 30), ['benign', 'malignant'])
    >>> path = chemin.svm_path(sample.columns, sample.y, min_l1=150.0)
    >>> path.names[path.coef_at(200.0) != 0].tolist()
    ['mean concave points', 'worst radius', 'worst perimeter', 'worst concave points']
    """
    bunch = load_breast_cancer()
    X = np.ascontiguousarray(bunch.data, dtype=float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    labels, names = bunch.target_names[bunch.target], bunch.feature_names
    return Sample(X, np.asarray(labels, dtype=np.str_), np.asarray(names, dtype=np.str_))
