"""Is there a separator at all? A linear program finds one, or the proof that there is none.

Rows z_i are those of the classes with their signs, z_i = y_i x_i; w separates them if z_i·w > 0 for all i. Of

    max t   with   z_i·w ≥ t,   |w_j| ≤ 1        and its dual        min ‖Σ λ_i z_i‖₁   with   λ ≥ 0, Σ λ_i = 1

the first is positive if and only if there is a separator, and the second is 0 if and only if there is none (Gordan,
1873). With a constant column, Σ λ_i z_i = 0 says that a convex combination of rows of one class is one of the other.

No solver is believed: its w is tried on every row, and its λ is summed, which shows that no unit vector has all margins
z_i·w above ‖Σ λ_i z_i‖. Where both are within rounding, the answer is that it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from chemin.dictionaries.base import Floats

LARGEST = 2_000_000  # entries other than 0 of the rows; with more, the program takes more than some seconds
_NOTHING = 1e-9  # a sum of rows that is shorter, relative to the longest row, is rounding


@dataclass(frozen=True, eq=False)
class SignedRows:
    """Rows z_i that a vector should have positive products with.

    Attributes
    ----------
    values : array or sparse matrix of shape (m, d)
        The rows.
    error : float
        How far each may be from the row that is meant; 0 if they are these.
    complete : bool
        Whether no direction is left out but by rounding; if not, they cannot prove that there is no separator.
    """

    values: Any
    error: float = 0.0
    complete: bool = True

    @property
    def entries(self) -> int:
        """The number of entries other than 0, counted as all of them where they are not sparse."""
        return int(self.values.nnz if sparse.issparse(self.values) else self.values.size)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether rows are separable, None if that is not known; and where they are not, the weights λ that prove it."""

    separable: bool | None
    certificate: Floats | None = None


UNKNOWN = Verdict(None)


def decide(rows: SignedRows) -> Verdict:
    """Return whether there is a separator of some rows, with its proof.

    Examples
    --------
    >>> decide(SignedRows(np.array([[1.0, 1.0], [2.0, -1.0]]))).separable
    True
    >>> against = decide(SignedRows(np.array([[1.0, 1.0], [-2.0, -2.0]])))
    >>> against.separable, against.certificate.round(4).tolist()  # 2/3 (1, 1) + 1/3 (−2, −2) = 0
    (False, [0.6667, 0.3333])
    """
    if rows.entries > LARGEST:
        return UNKNOWN
    Z = sparse.csr_array(rows.values)
    if not rows.error:  # all columns of one size, where that does not magnify errors
        Z = Z @ sparse.diags_array(1.0 / _largest_entries(Z))
    m, d = Z.shape
    found = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=sparse.hstack([-Z, np.ones((m, 1))]),
        b_ub=np.zeros(m),
        bounds=[(-1.0, 1.0)] * d + [(None, None)],
        method="highs-ipm",  # which ends where the margin is tiny, too
    )
    if found.status != 0:
        return UNKNOWN
    w, weights = found.x[:d], np.maximum(-found.ineqlin.marginals, 0.0)
    rounding = d * np.finfo(float).eps * (abs(Z) @ np.abs(w)) + rows.error * np.linalg.norm(w)
    if np.all(Z @ w > rounding):
        return Verdict(True)
    weights /= weights.sum()
    longest = float(np.sqrt((Z * Z).sum(axis=1).max()))
    nothing = np.linalg.norm(weights @ Z) <= _NOTHING * longest + rows.error
    return Verdict(False, weights) if nothing and rows.complete else UNKNOWN


def _largest_entries(Z: Any) -> Floats:
    """Return the largest absolute value of each column, 1 where all are 0."""
    largest = abs(Z).max(axis=0).toarray().ravel()
    return np.where(largest > 0.0, largest, 1.0)
