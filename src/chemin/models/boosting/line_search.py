"""How far along h? α = argmin Σ wₙ ℓ(yₙ, Fₙ + α hₙ), as the zero of its slope Σ wₙ ℓ'(yₙ, Fₙ + α hₙ) hₙ.

A convex loss along a line has a slope that grows, so that a bracket around its change of sign holds the minimum, and
Brent's method finds it: in one step for the squared loss, whose slope is straight, and at a kink too, where the slope
jumps over 0. Where the loss falls for ever, as with classes that h separates, α is where it is nearly flat. Where a
loss such as exp(f) − y f is too large for a number, α is too large, and overflow is no reason to warn.

Reference: Brent (1973), *Algorithms for minimization without derivatives*, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

_DOUBLINGS = 60
_FLAT = 1e-9  # of the slope at 0: from there on, the loss falls no more
_EXACT = 1e-12  # of the bracket
_HALVINGS = 40

Function = Callable[[float], float]


@np.errstate(over="ignore", invalid="ignore")
def best_step(value: Function, slope: Function) -> float:
    """Return where a convex function of one number is least, looking downhill from 0.

    Examples
    --------
    >>> round(best_step(lambda a: (a - 3.0) ** 2, lambda a: 2.0 * (a - 3.0)), 12)
    3.0
    """
    first = slope(0.0)
    if first == 0.0 or not np.isfinite(first):
        return 0.0
    way = -float(np.sign(first))
    near, far = 0.0, way * (abs(value(0.0) / first) or 1.0)  # where its tangent is 0
    for _ in range(_DOUBLINGS):
        here = way * slope(far)
        if not np.isfinite(here):
            far = (near + far) / 2.0
            continue
        if here >= 0.0:
            return float(brentq(slope, near, far, xtol=_EXACT * abs(far), maxiter=200))
        if here >= -_FLAT * abs(first):
            break
        near, far = far, 2.0 * far
    return far


@np.errstate(over="ignore", invalid="ignore")
def lowering_step(value: Function, step: float) -> float:
    """Return a step, halved until the function is lower there than at 0; 0 if it never is.

    Examples
    --------
    >>> lowering_step(lambda a: (a - 3.0) ** 2, 8.0), lowering_step(abs, 1.0)
    (4.0, 0.0)
    """
    now = value(0.0)
    for _ in range(_HALVINGS):
        if value(step) < now:
            return step
        step /= 2.0
    return 0.0
