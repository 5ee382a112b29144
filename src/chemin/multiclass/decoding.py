"""Which row of the code is nearest to what the machines say?

Machine l says f_l(x). The distance of x to class k is the mean loss over the machines that know class k,

    D_k(x) = Σ_l |M(k, l)| L(M(k, l) f_l(x)) / Σ_l |M(k, l)|,

with a loss L of the margin (loss-based decoding), or with L(z) = (1 − sign z)/2 the share of the machines that are
wrong if x is of class k (Hamming decoding). Allwein, Schapire and Singer (2000) let a zero count for L(0), which draws
the decision towards or away from the classes that are left out most; here zeros are ignored and the rest is averaged,
as advised by Escalera, Pujol and Radeva (2010). When all rows have as many zeros, the two rules decide alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.multiclass.codes import Code

__all__ = ["LOSSES", "distances"]

_LARGEST = 600.0  # exp() beyond this could overflow in a sum

Loss = Callable[[Floats], Floats]


def hinge(z: Floats) -> Floats:
    """Return max(0, 1 − z)."""
    return np.maximum(0.0, 1.0 - z)


def exponential(z: Floats) -> Floats:
    """Return exp(−z)."""
    return np.exp(np.minimum(-z, _LARGEST))


def logistic(z: Floats) -> Floats:
    """Return log(1 + exp(−z))."""
    return np.logaddexp(0.0, -z)


def linear(z: Floats) -> Floats:
    """Return −z."""
    return -z


def hamming(z: Floats) -> Floats:
    """Return 1 for a wrong sign, 0 for the right one, 1/2 for no sign."""
    return (1.0 - np.sign(z)) / 2.0


LOSSES: dict[str, Loss] = {
    "hinge": hinge,
    "exponential": exponential,
    "logistic": logistic,
    "linear": linear,
    "hamming": hamming,
}


def distances(code: Code, margins: Floats, loss: str) -> Floats:
    """Return the distance of every row of margins to every row of the code.

    Parameters
    ----------
    code : ndarray of shape (K, L)
        Entries −1, 0, +1.
    margins : ndarray of shape (n, L)
        What the machines say.
    loss : str
        One of `LOSSES`.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    No machine contradicts the first class and one of two the second; the third ignores machine 0 and is contradicted.

    >>> code = np.array([[1, 1], [-1, 1], [0, -1]])
    >>> distances(code, np.array([[2.0, 0.5]]), "hamming").tolist()
    [[0.0, 0.5, 1.0]]
    >>> distances(code, np.array([[2.0, 0.5]]), "hinge").tolist()
    [[0.25, 1.75, 1.5]]
    """
    plus, minus = (code > 0).astype(float), (code < 0).astype(float)
    total = LOSSES[loss](margins) @ plus.T + LOSSES[loss](-margins) @ minus.T
    return total / (plus + minus).sum(axis=1)
