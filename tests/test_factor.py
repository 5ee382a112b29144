"""Claims about the factorisation that every direction rests on, compiled and not."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chemin.engine.exact.inner import factor, loop
from chemin.engine.exact.inner.kernels import padded


def from_source(module: ModuleType) -> ModuleType:
    """Load the source of a module of the loop, which may have been compiled, as Python."""
    source = module.__spec__.origin.split(".")[0] + ".py"
    spec = importlib.util.spec_from_file_location("uncompiled_factor", source)
    uncompiled = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(uncompiled)
    return uncompiled


IMPLEMENTATIONS = [
    pytest.param(from_source(factor).Factor, id="uncompiled"),
    pytest.param(
        factor.Factor,
        id="compiled",
        marks=pytest.mark.skipif(not loop.COMPILED, reason="the loop is not compiled here"),
    ),
]


def block_of(M: np.ndarray) -> np.ndarray:
    """Return M in rows as long as the loop has them; what is beyond them does not matter."""
    m = M.shape[1]
    return np.pad(M, ((0, 0), (0, padded(m) - m)), constant_values=1e3)


def factor_of(implementation: type, M: np.ndarray) -> factor.Factor:
    made = implementation(M.shape[1])
    for row in range(len(M)):
        made.add_row(block_of(M), row)
    return made


def slid(made: factor.Factor, rho: np.ndarray) -> np.ndarray:
    """Solve with f = 0; vectors are as long as padded rows, and what is beyond ρ does not matter."""
    x, a = np.ones(padded(made.m)), np.empty(made.e)
    longer = np.append(rho, np.full(padded(made.m) - made.m, 1e3))
    made.slide(longer, x, a)
    assert not x[made.m :].any()
    return np.append(x[: made.m], a)


def pinned(made: factor.Factor, f: np.ndarray) -> np.ndarray:
    x, a = np.empty(padded(made.m)), np.empty(made.e)
    made.pin(f, x, a)
    return np.append(x[: made.m], a)


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
    made = factor_of(implementation, M)
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
            made.add_column(column)
            M = np.column_stack([M, column])
        elif move == "add row":
            M = np.vstack([M, np.r_[1.0, rng.standard_normal(m - 1)]])
            made.add_row(block_of(M), e)
        elif move == "drop row":
            k = data.draw(st.integers(0, e - 1))
            made.drop_row(k)
            M = np.delete(M, k, axis=0)
        else:
            k = data.draw(st.integers(1, m - 1))
            made.drop_column(k)
            M[:, k] = M[:, -1]
            M = M[:, :-1].copy()
        e, m = M.shape
        assert (made.e, made.m) == (e, m)
        rho, f = rng.standard_normal(m), rng.standard_normal(e)
        tolerance = (
            1e-11 * np.linalg.cond(M) ** 2
        )  # relative to the largest entry, if that is above 1
        expected = solved_directly(M, rho, 0 * f)
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(slid(made, rho), expected, rtol=0, atol=tolerance * size)
        expected = solved_directly(M, 0 * rho, f)
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(pinned(made, f), expected, rtol=0, atol=tolerance * size)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_pinned_solution_does_not_move_at_all(implementation):
    rng = np.random.default_rng(0)
    made = factor_of(implementation, rng.standard_normal((6, 6)))
    x, a = np.ones(padded(6)), np.ones(6)
    assert not made.slide(rng.standard_normal(padded(6)), x, a)
    assert not x.any()
    assert a.any()


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_factor_can_start_anew(implementation):
    rng = np.random.default_rng(1)
    made = factor_of(implementation, rng.standard_normal((20, 30)))
    M, rho = rng.standard_normal((3, 5)), rng.standard_normal(5)
    made.restart(5)
    for row in range(3):
        made.add_row(block_of(M), row)
    np.testing.assert_allclose(slid(made, rho), solved_directly(M, rho, np.zeros(3)), atol=1e-12)
