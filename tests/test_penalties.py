"""Claims about penalties as data: exact paths of signs, MCP and SCAD, their certificates, who is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

import chemin
from adversarial import TABLE
from chemin.exceptions import CheckpointError, InvalidInputError
from chemin.problems import L1, MCP, SCAD, Hierarchy, PiecewisePenalty, as_penalty

PENALTIES = [
    L1(),
    MCP(3.0),
    MCP(1.1),
    MCP(3.0, unit=4.0),
    SCAD(3.7),
    SCAD(2.2),
    SCAD(3.7, unit=0.5),
]
LOSSES = ["hinge", "huberized", "absolute", "squared"]
DISCRETE = [
    "small_integers_unbalanced",
    "binary_balanced",
    "points_repeated_three_times",
    "columns_repeated_and_unbalanced",
]


def definition(penalty, b, threshold):
    """Every penalty as its authors write it."""
    unit = getattr(penalty, "unit", 1.0)
    return unit * in_own_unit(penalty, b, threshold / unit)


def in_own_unit(penalty, b, threshold):
    size = np.abs(b)
    if isinstance(penalty, MCP):
        tapered = threshold * size - size**2 / (2.0 * penalty.gamma)
        return np.where(
            size <= penalty.gamma * threshold, tapered, penalty.gamma * threshold**2 / 2.0
        )
    if isinstance(penalty, SCAD):
        a = penalty.a
        middle = (2.0 * a * threshold * size - size**2 - threshold**2) / (2.0 * (a - 1.0))
        last = threshold**2 * (a + 1.0) / 2.0
        return np.where(
            size <= threshold, threshold * size, np.where(size <= a * threshold, middle, last)
        )
    return threshold * size


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_pieces_are_the_penalty(penalty, seed):
    rng = np.random.default_rng(seed)
    b, threshold = 4.0 * rng.standard_normal(40), rng.uniform(0.0, 2.0, 40)
    table = penalty.table(40)
    np.testing.assert_allclose(
        table.value(b, threshold), definition(penalty, b, threshold), atol=1e-12
    )
    ahead = 1e-6
    change = definition(penalty, b + ahead, threshold) - definition(penalty, b - ahead, threshold)
    away = np.abs(b) > 1e-5
    np.testing.assert_allclose(
        change[away] / (2.0 * ahead), table.slope(b, threshold)[away], atol=1e-5
    )


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_term_of_a_coefficient_in_the_gap_is_its_distance_from_the_least_value(penalty, seed):
    """By brute force over a grid."""
    rng = np.random.default_rng(seed)
    only = rng.integers(-1, 2, 3).astype(float)
    base = penalty.table(3)
    table = PiecewisePenalty(base.bend, base.push, base.curve, only)
    l2 = max(base.curve) + rng.uniform(0.1, 2.0)
    c, threshold = 4.0 * rng.standard_normal(3), rng.uniform(0.1, 2.0, 3)
    b = (
        np.where(only == 0.0, 1.0, np.abs(only))
        * np.abs(3.0 * rng.standard_normal(3))
        * np.where(only < 0.0, -1.0, 1.0)
    )
    grid = np.linspace(-80.0, 80.0, 16_001)[:, None]
    grid = np.where(only * grid < 0.0, 0.0, grid)

    def phi(t):
        return 0.5 * l2 * t**2 + table.value(t, threshold) - c * t

    gap = table.fenchel_gap(b, c, threshold, l2)
    np.testing.assert_allclose(gap, phi(b) - phi(grid).min(axis=0), atol=1e-3)
    np.testing.assert_allclose(phi(table.best(c, threshold, l2)), phi(grid).min(axis=0), atol=1e-3)
    assert np.all(table.fenchel_gap(table.best(c, threshold, l2), c, threshold, l2) <= 1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", PENALTIES[1:], ids=str)
@pytest.mark.parametrize("signed", [False, True])
def test_every_breakpoint_and_every_middle_is_optimal(loss, penalty, signed):
    rng = np.random.default_rng(len(loss))
    X = rng.standard_normal((40, 8))
    score = X @ rng.standard_normal(8) + rng.standard_normal(40)
    y = (score > 0.0).astype(int) if loss in ("hinge", "huberized") else score
    l2 = 1.5 * max(penalty.table(1).curve)
    kind = type(penalty)(
        *[v for k, v in vars(penalty).items() if k != "sign"],
        sign=[1, -1, 0, 0, 1, -1, 0, 0] if signed else 0,
    )
    path = chemin.path(X, y, loss=loss, penalty=kind, l2=l2)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap < 1e-12
    assert np.count_nonzero(path.events["kind"] == "bend") >= 2
    if signed:
        coef = path.coef.toarray()
        assert coef[:, [0, 4]].min() >= 0.0
        assert coef[:, [1, 5]].max() <= 0.0


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("penalty", [L1(1), MCP(2.0), SCAD(2.5)], ids=str)
def test_ties_of_discrete_data_are_settled(name, penalty):
    X, y, _ = TABLE[name]()
    path = chemin.path(X, y, penalty=penalty, l2=1.0)
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap < 1e-10


def test_weights_of_zero_are_never_penalised():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 5))
    y = (X[:, 0] + X[:, 2] + rng.standard_normal(30) > 0.0).astype(int)
    path = chemin.path(X, y, penalty=MCP(2.0), l2=1.0, l1_weight=[0.0, 0.0, 1.0, 2.0, 0.5])
    assert np.all(path.coef[0].toarray().ravel()[:2] != 0.0)
    assert path.certificate(midpoints=True).worst_gap < 1e-12


def test_nonnegative_least_squares_is_the_end_of_the_path():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 8)), rng.standard_normal(30)
    X, y = X - X.mean(axis=0), y - y.mean()
    path = chemin.path(X, y, loss="squared", penalty="nonnegative", l2=0.0)
    np.testing.assert_allclose(path.coef_at(0.0), nnls(X, y)[0], atol=1e-10)
    assert path.certificate(midpoints=True).worst_gap < 1e-12


def test_a_sign_that_nothing_asks_for_changes_nothing():
    """The L1 path of columns turned the way their coefficients go, and of as many again turned the other way."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 6))
    y = (X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(40) > 0.0).astype(int)
    free = chemin.svm_path(X, y, l2=0.0)
    halves = chemin.svm_path(np.hstack([X, -X]), y, l2=0.0, penalty="nonnegative")
    l1 = np.geomspace(free.l1[0], 0.01 * free.l1[0], 30)
    coef = halves.coef_at(l1)
    np.testing.assert_allclose(coef[:, :6] - coef[:, 6:], free.coef_at(l1), atol=1e-9)


def test_mcp_agrees_with_coordinate_descent_on_the_squared_loss():
    """Its update of one coefficient is in closed form: firm thresholding with a ridge."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 10))
    y = X[:, :3] @ [4.0, -2.0, 1.0] + rng.standard_normal(50)
    X, y = X - X.mean(axis=0), y - y.mean()
    l2, gamma = 2.0, 0.8
    path = chemin.path(X, y, loss="squared", penalty=MCP(gamma), l2=l2)
    for l1 in np.geomspace(0.9, 0.01, 6) * path.l1[0]:
        b = np.zeros(10)
        for _ in range(400):
            for j in range(10):
                size = X[:, j] @ X[:, j]
                c = X[:, j] @ (y - X @ b) + size * b[j]
                shrunk = np.sign(c) * max(abs(c) - l1, 0.0) / (size + l2 - 1.0 / gamma)
                b[j] = shrunk if abs(shrunk) <= gamma * l1 else c / (size + l2)
        np.testing.assert_allclose(path.coef_at(l1), b, atol=1e-9)


def test_mcp_with_the_hinge_agrees_with_an_interior_point_solver():
    """π + (l2/2) b² is l1 |b| + ½ (l2 − 1/γ) b² + ½ (|b| − γ l1)₊²/γ: a quadratic program."""
    clarabel = pytest.importorskip("clarabel", reason="pip install clarabel to compare with it")
    rng = np.random.default_rng(4)
    n, p, l2, gamma = 40, 5, 1.0, 1.5
    X = rng.standard_normal((n, p))
    y = np.where(X[:, 0] - X[:, 1] + rng.standard_normal(n) > 0.0, 1.0, -1.0)
    path = chemin.path(X, y, penalty=MCP(gamma), l2=l2)
    eye = np.eye(p)
    for l1 in np.array([0.6, 0.2, 0.05]) * path.l1[0]:
        # z = (b⁺, b⁻, e, b0, ξ), e ≥ b⁺ + b⁻ − γ l1
        P = np.zeros((3 * p + 1 + n,) * 2)
        split = np.hstack([eye, -eye])
        P[: 2 * p, : 2 * p] = (l2 - 1.0 / gamma) * split.T @ split
        P[2 * p : 3 * p, 2 * p : 3 * p] = eye / gamma
        cost = np.r_[np.full(2 * p, l1), np.zeros(p + 1), np.ones(n)]
        margin = np.hstack(
            [-y[:, None] * X, y[:, None] * X, np.zeros((n, p)), -y[:, None], -np.eye(n)]
        )
        beyond = np.hstack([eye, eye, -eye, np.zeros((p, 1 + n))])
        positive = -np.delete(np.eye(3 * p + 1 + n), 3 * p, axis=0)
        G = np.vstack([margin, beyond, positive])
        h = np.r_[-np.ones(n), np.full(p, gamma * l1), np.zeros(3 * p + n)]
        options = clarabel.DefaultSettings()
        options.verbose = False
        options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
        matrices = (sparse.csc_matrix(np.triu(P)), cost, sparse.csc_matrix(G), h)
        z = np.array(
            clarabel.DefaultSolver(*matrices, [clarabel.NonnegativeConeT(len(h))], options)
            .solve()
            .x
        )
        np.testing.assert_allclose(path.coef_at(l1), split @ z[: 2 * p], atol=1e-6)


def test_a_wrong_solution_is_not_certified():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 4))
    y = (X[:, 0] + rng.standard_normal(30) > 0.0).astype(int)
    path = chemin.path(X, y, penalty=MCP(2.0), l2=1.0)
    l1 = 0.3 * path.l1[0]
    given = {"intercept": path.intercept_at(l1), "l1": l1, "l2": 1.0, "dual": path.dual_at(l1)}
    right = chemin.certify(X, y, path.coef_at(l1), penalty=MCP(2.0), **given)
    assert right.worst_gap < 1e-13
    assert right.stationarity[0] < 1e-12
    assert chemin.certify(X, y, 1.01 * path.coef_at(l1), penalty=MCP(2.0), **given).worst_gap > 1e-6
    assert chemin.certify(X, y, path.coef_at(l1), **given).worst_gap > 1e-3
    assert (
        chemin.certify(X, y, -np.abs(path.coef_at(l1)), penalty="nonnegative", **given).worst_gap
        == np.inf
    )


def test_large_coefficients_are_not_shrunk():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((200, 6))
    y = 5.0 * X[:, 0] + 0.1 * rng.standard_normal(200)
    ridge = chemin.path(X[:, :1], y, loss="squared", l2=1.0)
    bent = chemin.path(X, y, loss="squared", penalty=MCP(1.5), l2=1.0)
    plain = chemin.path(X, y, loss="squared", l2=1.0)
    l1 = 1.0 * 200 * 0.01
    assert bent.coef_at(l1)[0] == pytest.approx(ridge.coef_at(0.0)[0], rel=1e-3)
    assert abs(plain.coef_at(l1)[0]) < abs(bent.coef_at(l1)[0])
    assert bent.subgradient_at(l1)[0] == 0.0


def test_a_checkpoint_goes_on_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setattr("chemin.engine.recovery.checkpoint._FEWEST_EVENTS", 20)
    X, y, _ = TABLE["gaussian_balanced"]()
    options = {"penalty": MCP(2.0), "l2": 1.0}
    whole = chemin.path(X, y, checkpoint=tmp_path / "whole", **options)
    chemin.path(X, y, checkpoint=tmp_path / "part", max_events=len(whole.events) // 2, **options)
    assert (tmp_path / "part").exists()
    resumed = chemin.path(X, y, checkpoint=tmp_path / "part", resume=True, **options)
    assert np.array_equal(resumed.coef_at(resumed.l1[-1]), whole.coef_at(resumed.l1[-1]))
    with pytest.raises(CheckpointError, match="belongs to other data"):
        chemin.path(X, y, checkpoint=tmp_path / "part", resume=True, l2=1.0)


def test_relaxed_supports_keep_the_penalty():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((40, 6))
    y = (X[:, 0] - X[:, 1] + rng.standard_normal(40) > 0.0).astype(int)
    path = chemin.path(X, y, penalty=MCP(2.0, sign=[1, 0, 0, 0, 0, 0]), l2=1.0)
    relaxed = chemin.relaxed_path(path, 0.2 * path.l1[0])
    assert relaxed.path.certificate(midpoints=True).worst_gap < 1e-12
    assert relaxed.path.problem.penalty.is_bent
    with pytest.raises(InvalidInputError, match="tol=0"):
        chemin.relaxed_path(path, 0.2 * path.l1[0], tol=1e-3)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"penalty": MCP(1.0), "l2": 1.0}, r"not convex.*l2 above 1 .*stationary_path"),
        ({"penalty": SCAD(3.0), "l2": 0.5}, r"not convex.*unit/\(a - 1\)"),
        ({"penalty": "mcp", "l2": 0.0}, "l2 above 0.33"),
        ({"penalty": "l0"}, "'l1', 'nonnegative', 'mcp', 'scad'"),
        ({"penalty": Hierarchy([[0, 0, 1]])}, r"chemin\.grouped_path"),
        ({"penalty": L1(2)}, "sign is 2"),
        ({"penalty": L1([1, 0])}, "3 of them"),
        ({"penalty": "mcp", "tol": 1e-3}, "tol is for the L1 penalty"),
        ({"penalty": "nonnegative", "l1_weight": [0.0, 1.0, 1.0]}, "give it a small weight"),
    ],
)  # fmt: skip
def test_what_has_no_exact_path_is_refused_with_a_remedy(options, match):
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(InvalidInputError, match=match):
        chemin.path(X, [0, 1] * 5, **options)


def sparse_problem(seed, loss, n=60, p=40):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    score = X[:, :4] @ [3.0, -2.0, 2.0, 1.5] + 0.5 * rng.standard_normal(n)
    return X, score if loss == "squared" else (score > 0.0).astype(int)


@pytest.mark.parametrize("loss", ["hinge", "squared", "huberized"])
@pytest.mark.parametrize(
    "penalty",
    [MCP(2.0, unit=30.0), SCAD(3.7, unit=30.0), MCP(3.0, 60.0, [1] + [0] * 39)],
    ids=["MCP", "SCAD", "signed"],
)
def test_points_that_are_not_convex_optima_are_clarke_stationary(loss, penalty):
    """By the certificate, and by the definition: no direction goes down, to first order."""
    X, y = sparse_problem(1, loss)
    first = chemin.path(X, y, loss=loss, l2=0.01, min_ratio=0.9).l1[0]
    points = chemin.stationary_path(
        X, y, first * np.array([0.2, 0.5]), penalty=penalty, loss=loss, l2=0.01
    )
    assert not points.is_global
    assert points.certificate().worst_gap <= 1e-9
    assert "better ones may exist elsewhere" in str(points)
    assert np.all(np.diff(points.l1) < 0.0)
    rng = np.random.default_rng(0)
    problem, here = points.problem, points.objective()
    for k, l1 in enumerate(points.l1):
        for step in (1e-5, 1e-4):
            for _ in range(50):
                b = points.coef[k] + step * rng.standard_normal(40) * (rng.random(40) < 0.2)
                b0 = float(points.intercept[k] + step * rng.standard_normal())
                if problem.penalty.is_on_its_side(b):
                    assert problem.objective(b, b0, l1) >= here[k] * (1.0 - 1e-9) - 60.0 * step**2


def test_the_objective_is_never_above_that_of_the_l1_solution():
    X, y = sparse_problem(2, "hinge")
    first = chemin.svm_path(X, y, l2=0.0, min_ratio=0.9).l1[0]
    l1 = first * np.array([0.5, 0.3, 0.1])
    points = chemin.stationary_path(X, y, l1, penalty=MCP(3.0, unit=60.0))
    plain = chemin.svm_path(X, y, l2=0.0)
    for k, one in enumerate(points.l1):
        theirs = points.problem.objective(plain.coef_at(one), plain.intercept_at(one), one)
        assert points.objective()[k] <= theirs * (1.0 + 1e-9)
    assert points.frame().shape == (3, 5)
    assert points.decision(X).shape == (3, 60)


def test_supports_are_found_without_bias_where_l1_shrinks_or_takes_too_many():
    """At the l1, of 15, that predicts best on new points, over five draws; the truth has four variables."""
    bias, false = {}, {}
    for seed in range(5):
        X, y = sparse_problem(10 + seed, "squared")
        new_X, new_y = sparse_problem(110 + seed, "squared", 200)
        plain = chemin.path(X, y, loss="squared", l2=0.0, min_ratio=0.02)
        l1 = plain.l1[0] * 0.8 ** np.arange(1, 16)
        candidates = {"l1": (plain.coef_at(l1), plain.intercept_at(l1))}
        for penalty in (MCP(3.0, unit=60.0), SCAD(3.7, unit=60.0)):
            points = chemin.stationary_path(X, y, l1, penalty=penalty, loss="squared")
            assert points.certificate().worst_gap <= 1e-9
            candidates[penalty.name] = (points.coef, points.intercept)
        for name, (coef, intercept) in candidates.items():
            missed = (new_y[:, None] - new_X @ coef.T - intercept) ** 2
            best = coef[missed.mean(axis=0).argmin()]
            assert np.all(best[:4] != 0.0)
            bias.setdefault(name, []).append((best[:4] / [3.0, -2.0, 2.0, 1.5] - 1.0).mean())
            false.setdefault(name, []).append(np.count_nonzero(best[4:]))
    for name in ("mcp", "scad"):
        assert abs(np.mean(bias[name])) < 0.3 * abs(np.mean(bias["l1"]))
        assert np.mean(false[name]) < 0.5 * np.mean(false["l1"])


def test_where_the_penalty_is_convex_stationary_points_are_the_exact_path():
    X, y = sparse_problem(3, "hinge")
    path = chemin.path(X, y, penalty=SCAD(3.0), l2=1.0)
    l1 = path.l1[0] * np.array([0.7, 0.2])
    points = chemin.stationary_path(X, y, l1, penalty=SCAD(3.0), l2=1.0)
    assert points.is_global
    assert "optimal" in str(points)
    assert points.certificate().worst_gap < 1e-12
    np.testing.assert_allclose(points.coef, path.coef_at(l1), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"penalty": "l1"}, "convex: call chemin.path"),
        ({"l1": 0.0}, "positive numbers"),
        ({"l1": []}, "positive numbers"),
        ({"l1": -1.0}, "l1 is"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"tol": 0.0}, "tol is 0"),
    ],
)
def test_stationary_points_say_what_they_need(options, match):
    X, y = sparse_problem(4, "hinge", 20, 5)
    given = {"l1": 1.0, "penalty": "mcp"} | options
    with pytest.raises(InvalidInputError, match=match):
        chemin.stationary_path(X, y, given.pop("l1"), **given)


@pytest.mark.parametrize("unit", [0.0, "n"])
def test_a_unit_out_of_range_is_named(unit):
    for kind in (MCP, SCAD):
        with pytest.raises(InvalidInputError, match="unit is"):
            kind(unit=unit)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.inf, "3", True])
def test_gamma_out_of_range_is_named(gamma):
    with pytest.raises(InvalidInputError, match="gamma is"):
        MCP(gamma)


@pytest.mark.parametrize("a", [2.0, 1.0, np.inf, None])
def test_a_out_of_range_is_named(a):
    with pytest.raises(InvalidInputError, match=r"a is .* above 2"):
        SCAD(a)


def test_a_penalty_is_found_by_its_name():
    assert as_penalty("scad") == SCAD(3.7)
    assert as_penalty(MCP(2.0)).gamma == 2.0


@pytest.mark.parametrize(
    "penalty", ["mcp", SCAD(2.5), "nonnegative", L1(sign=[1, -1, 0, 0, 1])], ids=str
)
def test_estimators_are_the_paths_of_their_penalty(penalty):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((60, 5))
    score = X @ [2.0, -1.0, 0.0, 0.0, 1.0] + rng.standard_normal(60)
    y = score > 0.0
    path = chemin.svm_path(X, y, penalty=penalty)
    model = chemin.SparseSVC(0.2 * path.l1[0], penalty=penalty).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], path.coef_at(model.l1_), atol=1e-12)
    assert model.path_.certificate().worst_gap < 1e-12
    chosen = chemin.SparseSVCCV(penalty=penalty, cv=3, relax="auto").fit(X, y)
    assert chosen.path_.problem.penalty.is_plain is False
    assert chosen.score(X, y) > 0.7
    number = chemin.SparseRegressor(5.0, loss="huber", penalty=penalty).fit(X, score)
    path = chemin.path(X, score, loss="huber", penalty=penalty)
    np.testing.assert_allclose(number.coef_, path.coef_at(5.0), atol=1e-12)
    assert chemin.SparseRegressorCV(penalty=penalty, cv=3).fit(X, score).score(X, score) > 0.5


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"penalty": "mcp", "l2": 0.1}, "not convex"),
        ({"penalty": "l0"}, "'l1', 'nonnegative', 'mcp', 'scad'"),
        ({"penalty": "mcp", "tol": 1e-3}, "tol=0"),
    ],
)
def test_an_estimator_says_which_penalty_it_cannot_have(options, match):
    X, y = sparse_problem(4, "hinge", 20, 5)
    with pytest.raises(InvalidInputError, match=match):
        chemin.SparseSVC(**options).fit(X, y)
    if "l2" not in options:
        return
    with pytest.raises(InvalidInputError, match="for the L1 penalty"):
        chemin.SparseSVCCV(l2="surface", penalty="mcp").fit(X, y)
