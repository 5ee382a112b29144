"""Claims about the factorisation that every direction rests on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chemin.engine.exact.backend import compiled
from chemin.engine.exact.factor import Factor

IMPLEMENTATIONS = [
    pytest.param(Factor, id="numpy"),
    pytest.param(
        getattr(compiled, "Factor", None),
        id="compiled",
        marks=pytest.mark.skipif(
            compiled is None, reason="the compiled inner loop is not built here"
        ),
    ),
]


def solved_directly(M: np.ndarray, rho: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Solve H x − Mᵀ a = ρ, M x = f as one dense system."""
    e, m = M.shape
    H = np.diag(np.r_[0.0, np.ones(m - 1)])
    return np.linalg.solve(np.block([[H, -M.T], [M, np.zeros((e, e))]]), np.r_[rho, f])


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_updates_solve_the_same_system_as_a_fresh_dense_solve(implementation, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    M = np.abs(rng.standard_normal((1, 1))) + 0.5
    factor = implementation(M)
    for _ in range(data.draw(st.integers(1, 40))):
        e, m = M.shape
        moves = (
            ["add column"]
            + ["add row"] * (e < m)
            + ["drop row"] * (e > 1)
            + ["drop column"] * (m > e and m > 1)
        )
        move = data.draw(st.sampled_from(moves))
        if move == "add column":
            column = rng.standard_normal(e)
            factor.add_column(column)
            M = np.column_stack([M, column])
        elif move == "add row":
            row = np.r_[1.0, rng.standard_normal(m - 1)]
            factor.add_row(row)
            M = np.vstack([M, row])
        elif move == "drop row":
            k = data.draw(st.integers(0, e - 1))
            factor.drop_row(k)
            M = np.delete(M, k, axis=0)
        else:
            k = data.draw(st.integers(1, m - 1))
            factor.drop_column(k)
            M[:, k] = M[:, -1]
            M = M[:, :-1].copy()
        e, m = M.shape
        rho, f = rng.standard_normal(m), rng.standard_normal(e)
        slid, pinned = np.concatenate(factor.slide(rho)), np.concatenate(factor.pin(f))
        tolerance = 1e-11 * np.linalg.cond(M) ** 2
        np.testing.assert_allclose(slid, solved_directly(M, rho, 0 * f), rtol=0, atol=tolerance)
        np.testing.assert_allclose(pinned, solved_directly(M, 0 * rho, f), rtol=0, atol=tolerance)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_pinned_solution_does_not_move_at_all(implementation):
    rng = np.random.default_rng(0)
    x, _ = implementation(rng.standard_normal((6, 6))).slide(rng.standard_normal(6))
    assert not x.any()
