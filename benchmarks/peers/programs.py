"""In which quadratic programs can the problem be written?

    minimise 1/2 x'Px + q(l1).x   subject to   A x = b,  lower(l1) <= G x <= upper(l1),
                                               x_lower(l1) <= x <= x_upper(l1)

With Z = diag(y) X, the primal and two writings of the dual:

    absolute value   x = (b, t, b0, slack): |b| <= t, Zb + y b0 + slack >= 1, slack >= 0
    dual, rows       x = (alpha, b):        |Z'alpha - l2 b| <= l1, y.alpha = 0, 0 <= alpha <= 1
    dual, boxes      x = (alpha, b, u):     Z'alpha - l2 b - u = 0, |u| <= l1, and as above

Both duals minimise (l2/2) ||b||^2 - sum(alpha). P, A, b and G never change along the grid, so a
solver that can be updated is set up once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Vectors:
    """The part of a program that depends on l1."""

    q: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray


@dataclass(frozen=True)
class Program:
    """A quadratic program, its l1-dependent vectors and the way back to the coefficients."""

    P: sparse.csc_matrix
    A: sparse.csc_matrix
    b: np.ndarray
    G: sparse.csc_matrix
    at: Callable[[float], Vectors]
    coefs: Callable[[np.ndarray], np.ndarray]


def absolute_value_program(X: np.ndarray, y: np.ndarray, l2: float) -> Program:
    """The primal in (b, t, b0, slack)."""
    n, p = X.shape
    identity = sparse.identity(p)
    margins = [y[:, None] * X, None, y[:, None], sparse.identity(n)]
    G = sparse.bmat(
        [margins, [-identity, identity, None, None], [identity, identity, None, None]], "csc"
    )
    free = np.full(2 * p + 1, np.inf)

    def at(l1: float) -> Vectors:
        q = np.concatenate([np.zeros(p), np.full(p, l1), [0.0], np.ones(n)])
        lower = np.concatenate([np.ones(n), np.zeros(2 * p)])
        x_lower = np.concatenate([-free, np.zeros(n)])
        return Vectors(
            q, lower, np.full(n + 2 * p, np.inf), x_lower, np.full(2 * p + 1 + n, np.inf)
        )

    P = sparse.diags(np.repeat([l2, 0.0], [p, p + 1 + n])).tocsc()
    none = sparse.csc_matrix((0, 2 * p + 1 + n))
    return Program(P, none, np.zeros(0), G, at, lambda x: x[:p])


def dual_rows_program(X: np.ndarray, y: np.ndarray, l2: float) -> Program:
    """The dual in (alpha, b), the bound l1 on p rows."""
    n, p = X.shape
    Z = y[:, None] * X
    G = sparse.hstack([sparse.csc_matrix(Z.T), -l2 * sparse.identity(p)], "csc")
    A = sparse.csc_matrix(np.concatenate([y, np.zeros(p)])[None, :])
    free = np.full(p, np.inf)
    q = np.repeat([-1.0, 0.0], [n, p])

    def at(l1: float) -> Vectors:
        limit = np.full(p, l1)
        x_lower, x_upper = np.append(np.zeros(n), -free), np.append(np.ones(n), free)
        return Vectors(q, -limit, limit, x_lower, x_upper)

    P = sparse.diags(np.repeat([0.0, l2], [n, p])).tocsc()
    return Program(P, A, np.zeros(1), G, at, lambda x: x[n:])


def dual_boxes_program(X: np.ndarray, y: np.ndarray, l2: float) -> Program:
    """The dual in (alpha, b, u), the bound l1 on the box of u."""
    n, p = X.shape
    Z = y[:, None] * X
    identity = sparse.identity(p)
    A = sparse.bmat([[y[None, :], None, None], [Z.T, -l2 * identity, -identity]], "csc")
    free = np.full(p, np.inf)
    q = np.repeat([-1.0, 0.0], [n, 2 * p])
    empty = np.zeros(0)

    def at(l1: float) -> Vectors:
        limit = np.full(p, l1)
        x_lower = np.concatenate([np.zeros(n), -free, -limit])
        x_upper = np.concatenate([np.ones(n), free, limit])
        return Vectors(q, empty, empty, x_lower, x_upper)

    P = sparse.diags(np.repeat([0.0, l2, 0.0], [n, p, p])).tocsc()
    none = sparse.csc_matrix((0, n + 2 * p))
    return Program(P, A, np.zeros(p + 1), none, at, lambda x: x[n : n + p])
