"""Cases solved by hand, or by exact enumeration in rational numbers, to twelve digits."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import chemin

EXACT = 1e-12


@pytest.mark.parametrize("l2", [Fraction(0), Fraction(1, 10**20), Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize(
    ("negative", "positive"), [(Fraction(-1), Fraction(1)), (Fraction(1, 3), Fraction(2))]
)
def test_two_points(negative, positive, l2):
    """With d the distance, b = min(2/d, (d − l1)/l2): it grows until both points are on the margin, then rests."""
    d = positive - negative
    path = chemin.svm_path([[float(negative)], [float(positive)]], [0, 1], l2=float(l2))
    assert path.l1[0] == pytest.approx(float(d), rel=EXACT)
    for share in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 7), Fraction(0)):
        l1 = share * d
        b = 2 / d if l2 == 0 else min(2 / d, (d - l1) / l2)
        assert path.coef_at(float(l1))[0] == pytest.approx(float(b), rel=EXACT)
        if b == 2 / d:
            assert path.intercept_at(float(l1)) == pytest.approx(float(1 - b * positive), abs=EXACT)
            np.testing.assert_allclose(
                path.dual_at(float(l1)), float((l1 + l2 * b) / d), atol=EXACT
            )


def separated_line() -> tuple[np.ndarray, np.ndarray]:
    x = np.array([-5.0, -4, -3, -2, -1, 1, 2, 3, 4, 5])
    return x[:, None], np.sign(x)


@pytest.mark.parametrize("l2", [0.5, 1.0])
def test_pinned_on_a_line_the_s_path_stops_and_the_l1_path_goes_on(l2):
    """Points ±1 … ±5: between the kinks b = 1/k, l1 = k(k+1) − l2 b; at a kink b rests while l1 falls by 2k."""
    X, y = separated_line()
    path = chemin.svm_path(X, y, l2=l2)
    assert path.l1[0] == pytest.approx(30.0, rel=EXACT)
    for k in range(1, 6):
        for b in (1 / k, (1 / k + 1 / (k + 1)) / 2 if k < 5 else 0.1):
            assert path.coef_at(k * (k + 1) - l2 * b)[0] == pytest.approx(b, rel=EXACT)
        assert path.coef_at((k - 1) * k - l2 / k + k if k > 1 else (2 - l2) / 2)[
            0
        ] == pytest.approx(1 / k, rel=EXACT)
    pinned = path.l1 <= 2 - l2 + EXACT
    np.testing.assert_allclose(path.norm1[pinned], 1.0, atol=EXACT)  # the s-path has nowhere to go
    assert path.l1[-1] == 0.0
    last = path.events[-1]
    assert (last["elbow"], last["active"]) == (2, 1)


def solve_exactly(x: list[Fraction], y: list[int], l1: Fraction, l2: Fraction) -> Fraction:
    """Return b for p = 1 and l2 > 0 by trying every partition of the points, in rational arithmetic."""
    for sign, *side in product((-1, 0, 1), *[("left", "elbow", "right")] * len(x)):
        elbow = [i for i, s in enumerate(side) if s == "elbow"]
        fixed = sum(y[i] * x[i] for i, s in enumerate(side) if s == "left")
        balance = -sum(y[i] for i, s in enumerate(side) if s == "left")
        for b, b0, alpha in _candidates(x, y, elbow, sign, fixed, balance, l1, l2):
            if _is_optimal(x, y, side, sign, b, b0, alpha, fixed, l1, l2):
                return b
    raise AssertionError("no partition is optimal")


def _candidates(x, y, elbow, sign, fixed, balance, l1, l2):
    if len(elbow) == 1 and sign:
        (i,) = elbow
        alpha = balance * y[i]
        b = (fixed + alpha * y[i] * x[i] - sign * l1) / l2
        yield b, y[i] - b * x[i], {i: alpha}
    elif len(elbow) == 2 and x[elbow[0]] != x[elbow[1]] and sign:
        i, j = elbow
        b = Fraction(y[i] - y[j]) / (x[i] - x[j])
        ai = (l2 * b + sign * l1 - fixed - balance * x[j]) / (x[i] - x[j])  # y_i α_i
        yield b, y[i] - b * x[i], {i: ai * y[i], j: (balance - ai) * y[j]}


def _is_optimal(x, y, side, sign, b, b0, alpha, fixed, l1, l2):
    if b * sign <= 0 or any(not 0 <= a <= 1 for a in alpha.values()):
        return False
    residual = [1 - yi * (b0 + xi * b) for xi, yi in zip(x, y, strict=True)]
    right_side = {"left": lambda r: r >= 0, "elbow": lambda r: r == 0, "right": lambda r: r <= 0}
    return all(right_side[s](r) for s, r in zip(side, residual, strict=True))


@pytest.mark.parametrize("l2", [Fraction(1, 4), Fraction(2)])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([Fraction(0), Fraction(1, 2), Fraction(1, 3), Fraction(2)], [-1, 1, -1, 1]),
        (
            [Fraction(-3, 2), Fraction(1), Fraction(0), Fraction(5, 3), Fraction(1, 7)],
            [-1, -1, 1, 1, 1],
        ),
        ([Fraction(1), Fraction(1), Fraction(2), Fraction(3), Fraction(3)], [-1, 1, -1, 1, 1]),
    ],
)
def test_one_variable_with_rational_data(x, y, l2):
    path = chemin.svm_path([[float(v)] for v in x], y, l2=float(l2))
    for tenth in range(1, 10):
        l1 = Fraction(path.l1[0]).limit_denominator(10**6) * Fraction(tenth, 10)
        expected = solve_exactly(x, y, l1, l2)
        assert path.coef_at(float(l1))[0] == pytest.approx(float(expected), abs=EXACT)
