"""Claims about paths to a tolerance: a proved gap everywhere, few breakpoints, everything a path can do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import chemin
from adversarial import TABLE
from chemin.datasets import benchmark_gaussian
from chemin.dictionaries.kernel import KernelDictionary
from chemin.engine import strategy as following
from chemin.engine.approximate.smoothing import SmoothedSolver
from chemin.engine.approximate.thinning import thinned
from chemin.engine.approximate.walk import approximate_path
from chemin.engine.end import End
from chemin.engine.pieces import interpolation
from chemin.engine.proof.between import bound_between, prove
from chemin.engine.proof.certificate import certificate_of
from chemin.engine.result import Path
from chemin.exceptions import EngineError, InvalidInputError
from chemin.kernels import Gaussian
from chemin.validation import as_problem

SOME = (
    "gaussian_unbalanced", "one_against_ninety_nine", "many_more_variables_than_points_balanced", "binary_balanced",
    "regular_grid_checkerboard", "points_repeated_three_times", "same_point_in_both_classes",
    "columns_repeated_three_times", "exactly_collinear_columns", "constant_columns", "nothing_but_constant_columns",
    "identity_unbalanced", "two_points_alike", "separable_with_a_wide_margin", "columns_of_very_different_scales",
    "huge_values", "tiny_values", "far_from_the_origin", "integer_weights_with_zeros", "random_weights",
    "some_columns_never_penalised", "no_column_penalised", "discrete_with_free_columns", "parity_of_three_bits",
)  # fmt: skip


def follow(
    X,
    y,
    l2=1.0,
    min_l1=0.0,
    tol=1e-3,
    sample_weight=None,
    l1_weight=None,
    report=lambda count, l1: None,
) -> Path:
    problem, classes = as_problem(X, y, l2, sample_weight, l1_weight)
    status, breakpoints = approximate_path(problem, End(min_l1), tol, report)
    return Path(problem, classes, status, breakpoints)


def try_first(way: str, monkeypatch) -> None:
    """Let every problem, or none, seem short enough for its exact events."""
    monkeypatch.setattr(
        following, "_EVENTS_PER_POINT", {"by events": 0.0, "by walking": np.inf}[way]
    )


def refuse_below(least: float, monkeypatch) -> None:
    """Let the solver of the walk find nothing below an l1."""
    solve = SmoothedSolver.solve

    def refuse(self, l1, *rest):
        if l1 < least:
            raise EngineError("too small: raise tol")
        return solve(self, l1, *rest)

    monkeypatch.setattr(SmoothedSolver, "solve", refuse)


def sampled_gap(path: Path, count: int) -> float:
    """The largest certified gap over ``count`` places of every piece, their ends included.

    It is relative to the objective, or to the largest weight if the objective is smaller.
    """
    k, worst = len(path.l1), 0.0
    ends = path.certificate().dual
    for t in np.linspace(0.0, 1.0, count):
        places = (np.arange(k), np.append(np.full(k - 1, t), 0.0))
        weights = interpolation(*places, k)
        duals = path.breakpoints.dual_between(*places, path.problem.loss)
        intercepts = path._intercepts(*places)
        solutions = (weights @ path.coef, intercepts, weights @ path.l1, duals)
        proof = certificate_of(path.problem, *solutions)
        # the optimum is concave in l1, hence above its chords
        lower = np.maximum(proof.dual, weights @ ends)
        scale = np.maximum(proof.primal, path.problem.weight.max())
        worst = max(worst, float(((proof.primal - lower) / scale).max()))
    return worst


def assert_within(
    path: Path, tol: float, min_l1: float = 0.0, count: int = 50, code: str = "complete"
) -> None:
    assert path.status.code == code, path.status
    assert path.l1[-1] == min(min_l1, path.l1[0])
    assert np.all(np.diff(path.l1) <= 0.0)
    least = path.problem.weight.max()
    assert path.gap_between(least=least).max(initial=0.0) <= tol * (1.0 + 1e-9)
    assert sampled_gap(path, count) <= tol
    above = path.problem.objective(
        path.coef_at(10.0 * path.l1[0]), path.intercept_at(10.0 * path.l1[0]), 10.0 * path.l1[0]
    )
    assert above <= path.certificate().primal[0] * (1.0 + 1e-12)


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("name", SOME)
def test_the_gap_is_within_the_tolerance_everywhere(name, l2):
    X, y, options = TABLE[name]()
    assert_within(follow(X, y, l2=l2, tol=1e-2, **options), 1e-2)


@pytest.mark.parametrize("l2", [1e-3, 1.0])
@pytest.mark.parametrize("tol", [1e-1, 1e-3])
@pytest.mark.parametrize(
    "name", ["gaussian_balanced", "gaussian_unbalanced", "digits_like", "random_weights"]
)
def test_the_objective_is_that_of_the_exact_path(name, tol, l2):
    X, y, options = TABLE[name]()
    exact, path = chemin.svm_path(X, y, l2=l2, **options), follow(X, y, l2=l2, tol=tol, **options)
    assert_within(path, tol, count=9)
    for l1 in np.linspace(0.0, 1.1 * exact.l1[0], 40):
        best = exact.problem.objective(exact.coef_at(l1), exact.intercept_at(l1), l1)
        value = exact.problem.objective(path.coef_at(l1), path.intercept_at(l1), l1)
        assert value - best <= tol * max(value, exact.problem.weight.max())
        assert value >= best * (1.0 - 1e-9)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1e-6, 1e-2, 1.0]),
    st.sampled_from([1e-1, 1e-2, 1e-3]),
)
@settings(max_examples=30, deadline=None)
def test_random_problems_are_within_the_tolerance(seed, l2, tol):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(4, 50), rng.integers(1, 20)
    X = rng.standard_normal((n, p)) if seed % 2 else rng.integers(-2, 3, (n, p)).astype(float)
    y = rng.permutation(np.arange(n) % rng.integers(2, 5) > 0)
    weight = rng.choice([0.5, 1.0, 3.0], n)
    path = follow(X, y, l2=l2, tol=tol, min_l1=0.1, sample_weight=weight)
    assert_within(path, tol, min_l1=0.1, count=9)


@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize(
    "name", ["gaussian_unbalanced", "binary_balanced", "random_weights", "identity"]
)
def test_an_exact_path_is_exact_between_its_breakpoints(name, l2):
    X, y, options = TABLE[name]()
    path = chemin.svm_path(X, y, l2=l2, **options)
    gaps = path.gap_between()
    assert len(gaps) == len(path.l1) - 1
    assert gaps.max() <= 1e-12


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-2, 1.0]))
@settings(max_examples=60, deadline=None)
def test_the_bound_holds_between_any_two_solutions(seed, l2):
    """Solutions of a solver or not: the gap of the line between them, with what is proved at its ends, is bounded."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 4)), np.arange(20) % 2
    exact = chemin.svm_path(X, y, l2=l2)
    problem, l1 = exact.problem, np.sort(rng.uniform(0.2, 1.2, 2))[::-1] * exact.l1[0]
    coef, dual = exact.coef_at(l1) + 0.05 * rng.standard_normal((2, 4)), exact.dual_at(l1)
    intercept, norms = exact.intercept_at(l1), problem.dictionary.column_norms()
    ends = prove(problem, coef, intercept, l1, dual, norms)
    bound = bound_between(problem, ends[:1], ends[1:])[0]
    for t in np.linspace(0.0, 1.0, 21):
        at = (1.0 - t) * l1[0] + t * l1[1]
        value = problem.objective(
            (1.0 - t) * coef[0] + t * coef[1], (1.0 - t) * intercept[0] + t * intercept[1], at
        )
        best = problem.objective(exact.coef_at(at), exact.intercept_at(at), at)
        assert (value - best) / max(value, 1.0) <= bound + 1e-12


def test_few_breakpoints_are_needed_and_more_for_less_tolerance():
    X, y = benchmark_gaussian(2000, 20, random_state=0)
    exact = chemin.svm_path(X, y, min_l1=10.0)
    counts = [len(follow(X, y, tol=tol, min_l1=10.0).l1) for tol in (1e-1, 1e-2, 1e-3, 1e-4)]
    assert counts == sorted(counts)
    assert counts[-1] < len(exact.l1) / 10
    assert counts[0] < 15


def test_the_events_replay_to_the_sets_of_every_breakpoint():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    path = follow(X, y, tol=1e-2)
    for k in range(len(path.l1)):
        dual, last = path.dual[[k]].toarray()[0], path.events[path.events["breakpoint"] <= k][-1]
        assert last["active"] == np.count_nonzero(path.coef[[k]].toarray())
        inside = np.count_nonzero((dual > 0.0) & (dual < 1.0))
        assert last["elbow"] == max(inside, 1)
        assert last["left"] + last["right"] + last["elbow"] == len(y)
    assert path.frame() is not None
    assert path.decision_at(X, 0.5 * path.l1[0]).shape == (len(y),)
    assert len(path.pieces().l1) >= len(path.l1)


def test_sparse_dense_and_kernel_columns_give_the_same_path():
    X, y, _ = TABLE["sparse_counts"]()
    dense, thin = follow(X, y, tol=1e-2), follow(sparse.csr_array(X), y, tol=1e-2)
    np.testing.assert_allclose(dense.l1, thin.l1, rtol=1e-6)
    kernel, columns = Gaussian(2.0), KernelDictionary(X, X, [Gaussian(2.0)])
    lazy, held = follow(columns, y, tol=1e-2), follow(kernel(X, X), y, tol=1e-2)
    assert_within(lazy, 1e-2)
    np.testing.assert_allclose(lazy.l1, held.l1, rtol=1e-6)


def test_many_columns_are_not_all_held():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3000)), np.arange(60) % 2
    first = float(np.abs(X.T @ (2 * y - 1)).max())
    path = follow(X, y, tol=1e-3, min_l1=0.2 * first)
    assert_within(path, 1e-3, min_l1=0.2 * first, count=5)


def test_the_walk_is_reported_and_repeats_itself():
    X, y, _ = TABLE["gaussian_balanced"]()
    seen: list[tuple[int, float]] = []
    path = follow(X, y, report=lambda count, l1: seen.append((count, l1)))
    assert [l1 for _, l1 in seen] == path.l1.tolist()
    assert np.array_equal(path.l1, follow(X, y).l1)


def test_an_interruption_goes_through():
    def interrupt(count: int, l1: float) -> None:
        raise KeyboardInterrupt

    X, y, _ = TABLE["gaussian_balanced"]()
    with pytest.raises(KeyboardInterrupt):
        follow(X, y, report=interrupt)


def test_a_min_l1_above_the_start_gives_the_empty_model():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    path = follow(X, y, min_l1=1e6)
    assert len(path.l1) == 1
    assert not path.coef_at(1e6).any()
    assert path.certificate().worst_gap <= 1e-3


@pytest.mark.parametrize("tol", [-1.0, 1e-12, 1.0, np.nan, np.inf, True, "1e-3", None])
def test_a_tolerance_must_be_between_0_and_1(tol):
    X, y, _ = TABLE["gaussian_balanced"]()
    with pytest.raises(InvalidInputError, match="between 1e-09 and 1"):
        chemin.svm_path(X, y, tol=tol)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_an_exact_path_is_thinned_to_the_tolerance(name, l2):
    X, y, options = TABLE[name]()
    exact = chemin.svm_path(X, y, l2=l2, **options)
    few = thinned(exact, 1e-2)
    assert few.l1[0] == exact.l1[0]
    assert few.l1[-1] == exact.l1[-1]
    assert len(few.l1) <= len(exact.l1)
    assert_within(few, 1e-2, count=9)


@pytest.mark.parametrize(("n", "walks"), [(60, False), (3000, True)])
def test_svm_path_takes_the_faster_way(n, walks, monkeypatch):
    X, y = benchmark_gaussian(n, 5)
    thin = []
    monkeypatch.setattr(
        following, "thinned", lambda path, tol: thin.append(tol) or thinned(path, tol)
    )
    path = chemin.svm_path(X, y, min_ratio=0.05, tol=1e-2)
    assert (not thin) == walks
    assert_within(path, 1e-2, min_l1=path.l1[-1], count=9)
    np.testing.assert_allclose(path.l1[-1], 0.05 * path.l1[0], rtol=0.02)


@pytest.mark.parametrize(
    "options", [{"max_events": 5}, {"checkpoint": "unused.npz"}, {"memory": 1.0}]
)
def test_what_belongs_to_the_exact_path_is_refused(options):
    X, y, _ = TABLE["gaussian_balanced"]()
    with pytest.raises(InvalidInputError, match="tol=0"):
        chemin.svm_path(X, y, tol=1e-2, **options)


def test_ctrl_c_keeps_what_was_walked_when_progress_is_shown():
    X, y = benchmark_gaussian(3000, 5)

    def interrupt(count, l1):
        if count == 4:
            raise KeyboardInterrupt

    path = chemin.svm_path(X, y, tol=1e-2, progress=interrupt)
    assert_within(path, 1e-2, min_l1=path.l1[-1], count=9, code="interrupted")


def test_where_no_solution_can_be_found_the_path_ends_and_says_so(monkeypatch):
    X, y, _ = TABLE["gaussian_balanced"]()
    refuse_below(1.0, monkeypatch)
    path = follow(X, y, tol=1e-2)
    assert path.status.code == "lost"
    assert 1.0 <= path.l1[-1] < 1.5
    assert "raise tol" in str(path.status)
    assert sampled_gap(path, 9) <= 1e-2


def test_where_not_even_the_empty_model_can_be_found_the_error_goes_through(monkeypatch):
    X, y, _ = TABLE["gaussian_unbalanced"]()
    refuse_below(np.inf, monkeypatch)
    with pytest.raises(EngineError, match="raise tol"):
        follow(X, y)


def test_ends_alike_have_a_bound_that_is_their_gap():
    X, y, _ = TABLE["gaussian_balanced"]()
    problem, _ = as_problem(X, y, 1.0, None, None)
    none, norms = np.zeros((1, X.shape[1])), problem.dictionary.column_norms()
    end = prove(problem, none, np.zeros(1), np.ones(1), np.full((1, len(y)), 0.1), norms)
    assert bound_between(problem, end, end)[0] == pytest.approx(end.relative_gap(1.0)[0])


def unbalanced(n, p, positives, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    score = 2 * X[:, 0] + rng.standard_normal(n)
    return X, score > np.quantile(score, 1.0 - positives)


@pytest.mark.parametrize("way", ["by events", "by walking"])
@pytest.mark.parametrize(
    ("positives", "share"), [(0.2, 0.1), (0.2, 0.5), (0.2, 0.99), (0.1, 0.1), (0.5, 1.0)]
)
def test_a_path_ends_at_the_share_of_its_first_l1(positives, share, way, monkeypatch):
    try_first(way, monkeypatch)
    X, y = unbalanced(2000, 5, positives)
    exact, path = (chemin.svm_path(X, y, min_ratio=share, tol=tol) for tol in (0.0, 1e-3))
    assert_within(path, 1e-3, min_l1=path.l1[-1], count=9)
    assert path.l1[-1] == pytest.approx(share * path.l1[0], rel=1e-12)
    assert path.l1[0] == pytest.approx(exact.l1[0], rel=0.05)


@pytest.mark.parametrize("seed", range(6, 16))
def test_free_coefficients_may_change_their_sign_between_breakpoints(seed):
    """Without an event: what is beyond l1 v_j = 0 goes from one side of it to the other inside a piece."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 6))
    y = X[:, 2] + X[:, 3] + 0.1 * X[:, 0] + rng.standard_normal(40) > 0
    weight = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    exact, path = (chemin.svm_path(X, y, l1_weight=weight, tol=tol) for tol in (0.0, 1e-6))
    assert exact.gap_between().max() < 1e-12
    assert_within(path, 1e-6, count=5)


@given(
    c=st.tuples(*[st.floats(-3, 3)] * 2), tau=st.tuples(*[st.floats(0, 2)] * 2), t=st.floats(0, 1)
)
def test_what_is_beyond_a_threshold_is_within_its_chord(c, tau, t):
    """The lemma of `chemin.engine.proof.between`, number by number."""

    def beyond(c, tau):
        return np.copysign(max(abs(c) - tau, 0.0), c)

    here = beyond((1 - t) * c[0] + t * c[1], (1 - t) * tau[0] + t * tau[1])
    assert abs(here) <= abs((1 - t) * beyond(c[0], tau[0]) + t * beyond(c[1], tau[1])) + 1e-14


def test_where_the_walk_is_lost_the_events_are_followed(monkeypatch):
    try_first("by walking", monkeypatch)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1000, 10))
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.standard_normal(1000)])
    y = X[:, :5].sum(axis=1) + 0.1 * rng.standard_normal(1000) > 0
    assert_within(chemin.svm_path(X, y, l2=0.0, tol=1e-2), 1e-2, count=5)


def test_where_there_are_too_many_events_the_path_is_walked(monkeypatch):
    monkeypatch.setattr(following, "_SPARE", 1e-3)
    X, y, _ = TABLE["gaussian_balanced"]()
    path = chemin.svm_path(X, y, tol=1e-2)
    assert not path.stats
    assert_within(path, 1e-2)


@pytest.mark.parametrize("seed", [2, 3, 15, 17])
@pytest.mark.parametrize("tol", [0.06, 0.01])
def test_a_solution_found_below_the_end_does_not_prolong_the_path(seed, tol, monkeypatch):
    """Before the path has a first l1 nobody knows where it ends: large steps lead below."""
    try_first("by walking", monkeypatch)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((33, 20))
    score = X[:, :4].sum(axis=1) + rng.standard_normal(33)
    path = chemin.svm_path(X, score > np.quantile(score, 0.8), tol=tol, min_ratio=0.3)
    assert path.l1[-1] == pytest.approx(0.3 * path.l1[0], rel=1e-12)
    assert path.gap_between().max() <= tol


def test_where_one_way_cannot_even_begin_the_other_is_taken(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(22, 40)) + 1e6
    weight = np.ones(40)
    weight[:12] = 0.0
    y = np.where(np.arange(22) % 2, 1, -1)

    def cannot_begin(*given):
        raise EngineError("no")

    monkeypatch.setattr(following, "exact", cannot_begin)
    with pytest.raises(EngineError):
        following.exact()
    assert (
        chemin.svm_path(X, y, l2=0.0, l1_weight=weight, tol=0.3).gap_between().max(initial=0.0)
        <= 0.3
    )


def test_where_no_way_leads_to_the_end_the_longer_one_is_kept_and_says_what_to_do(monkeypatch):
    X, y, _ = TABLE["gaussian_balanced"]()
    refuse_below(20.0, monkeypatch)
    monkeypatch.setattr(following, "_SPARE", 0.01)
    path = chemin.svm_path(X, y, tol=1e-2)
    assert path.status.code == "stopped"
    assert "raise tol" in str(path.status)
    assert "max_events" not in str(path.status)
    assert path.l1[-1] < 20.0
    assert path.gap_between().max() <= 1e-2


def test_where_no_way_can_begin_the_error_goes_through(monkeypatch):
    def fail(*_):
        raise EngineError("nowhere: raise l2")

    X, y, _ = TABLE["gaussian_balanced"]()
    monkeypatch.setattr(following, "_by_events", fail)
    monkeypatch.setattr(following, "_by_walking", fail)
    with pytest.raises(EngineError, match="nowhere"):
        chemin.svm_path(X, y, tol=1e-2)
