"""Which columns does a solver hold, and in which units? A few, centred and scaled, after one of ones.

Column j is held as (x_j − m_j) / s_j, with its mean and its standard deviation, so that neither units nor offsets
matter: b_j = z_j / s_j and b0 = z_0 − Σ_j m_j b_j. A constant column has s_j = ∞: it is zero, its coefficient too.
"""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Dictionary, Floats, Indices

_CONSTANT = 1e-13


class WorkingColumns:
    """Some columns of a dictionary, ready for a solver.

    Attributes
    ----------
    index, mean, scale : arrays of equal length
        Which columns, m_j and s_j.

    Examples
    --------
    >>> from chemin.dictionaries import DenseDictionary
    >>> working = WorkingColumns(DenseDictionary(np.array([[1.0, 5.0], [3.0, 5.0]])))
    >>> working.add(np.array([0, 1]))
    >>> working.block
    array([[ 1., -1.,  0.],
           [ 1.,  1.,  0.]])
    >>> coef, intercept = working.unscaled(np.array([0.5, 2.0, 0.0]))
    >>> coef.tolist(), float(intercept)
    ([2.0, 0.0], -3.5)
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.index, self.mean, self.scale = np.empty(0, dtype=np.intp), np.empty(0), np.empty(0)
        self._held = np.ones((dictionary.shape[0], 1))

    @property
    def block(self) -> Floats:
        """The column of ones, then the held columns."""
        return self._held[:, : len(self.index) + 1]

    def add(self, index: Indices) -> None:
        """Hold more columns."""
        columns = self.dictionary.columns(index)
        mean, size = columns.mean(axis=0), np.abs(columns).max(axis=0, initial=0.0)
        columns = columns - mean
        spread = np.sqrt(np.einsum("ij,ij->j", columns, columns) / len(columns))
        scale = np.where(spread > _CONSTANT * size, spread, np.inf)
        first = len(self.index) + 1
        last = first + len(index)
        if last > self._held.shape[1]:
            larger = np.empty(
                (len(columns), min(max(last, 2 * first), self.dictionary.shape[1] + 1))
            )
            larger[:, :first] = self.block
            self._held = larger
        np.divide(columns, scale, out=self._held[:, first:last])
        self.index = np.concatenate([self.index, index])
        self.mean, self.scale = (
            np.concatenate([self.mean, mean]),
            np.concatenate([self.scale, scale]),
        )

    def keep(self, kept: Indices) -> None:
        """Let all columns go but those at some places."""
        self._held = self._held[:, np.concatenate([[0], kept + 1])]
        self.index, self.mean, self.scale = self.index[kept], self.mean[kept], self.scale[kept]

    def scaled(self, coef: Floats, intercept: float) -> Floats:
        """Return (z_0, z) for coefficients that vanish on all other columns."""
        held = coef[self.index]
        finite = np.where(np.isfinite(self.scale), self.scale, 0.0)
        return np.append(intercept + held @ self.mean, held * finite)

    def unscaled(self, z: Floats) -> tuple[Floats, float]:
        """Return all p coefficients, and the intercept."""
        coef = np.zeros(self.dictionary.shape[1])
        coef[self.index] = z[1:] / self.scale
        return coef, float(z[0] - coef[self.index] @ self.mean)
