"""Claims about perceptrons: the rule of the course, its end and Novikoff's bound, several classes, kernels."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from chemin.exceptions import InvalidInputError
from chemin.kernels import Epanechnikov, Gaussian, Laplacian, Linear, Polynomial
from chemin.models.perceptrons import KernelPerceptron, MulticlassPerceptron, RosenblattPerceptron
from chemin.models.perceptrons.multiclass import kesler_rows
from chemin.models.perceptrons.separability import SignedRows, decide

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, OR, XOR = [0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0]
ALL = [RosenblattPerceptron, MulticlassPerceptron, KernelPerceptron]
IRIS = load_iris(return_X_y=True)


def ones(X: np.ndarray) -> np.ndarray:
    """Return rows with a constant column of ones."""
    return np.column_stack([X, np.ones(len(X))])


def separable(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of two classes, of some dimension, number and size, at some distance of a hyperplane or farther."""
    drawing = np.random.default_rng(seed)
    n, d = drawing.integers(4, 60), drawing.integers(1, 8)
    gap, size = drawing.choice([0.1, 0.3, 0.6]), drawing.choice([0.3, 1.0, 5.0])
    normal, shift = drawing.normal(size=d), 0.3 * drawing.normal()
    normal /= np.linalg.norm(normal)
    X, y = drawing.normal(size=(n, d)), drawing.random(n) < 0.5
    y[:2] = True, False
    distance = np.where(y, 1.0, -1.0) * (gap + np.abs(X @ normal)) + shift
    return size * (X + (distance - X @ normal)[:, None] * normal), y


def naive(Z: np.ndarray, y: np.ndarray, a: float, most: int) -> tuple[np.ndarray, list[int]]:
    """Return the weights and updates per sweep of the rule as it is written down, for rows with their signs."""
    w, updates = np.zeros(Z.shape[1]), []
    while len(updates) < most and (not updates or updates[-1]):
        updates.append(0)
        for z, second in zip(Z, y, strict=True):
            if z @ w < a or (z @ w == a and not second):
                w, updates[-1] = w + z, updates[-1] + 1
    return w, updates


def signed(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y, 1.0, -1.0)[:, None] * ones(X)


# The rule of the course


@pytest.mark.parametrize("a", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(6))
def test_weights_and_updates_are_those_of_the_loop_over_rows(seed, a):
    X, y = separable(seed)
    model = RosenblattPerceptron(margin=a, max_sweeps=100_000).fit(X, y)
    w, updates = naive(signed(X, y), y, a, 100_000)
    assert model.updates_per_sweep_.tolist() == updates
    assert np.allclose([*model.coef_[0], *model.intercept_], w, rtol=1e-12, atol=1e-12)
    assert np.all(signed(X, y) @ w >= a)
    assert model.separable_ is True
    assert model.score(X, y) == 1.0


def test_the_rule_of_the_course_by_hand():
    model = RosenblattPerceptron().fit(SQUARE, AND)
    # sign(0) = +1: the last row is right on the hyperplane, 2·1 + 1·1 − 3 = 0, and the first row is not with w = 0
    assert model.updates_per_sweep_.tolist() == [2, 3, 3, 2, 1, 0]
    assert [*model.coef_[0], *model.intercept_] == [2.0, 1.0, -3.0]
    assert model.predict(SQUARE).tolist() == AND
    assert model.decision_function(SQUARE).tolist() == [-3.0, -2.0, -1.0, 0.0]


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.booleans()), min_size=2, max_size=30
    ),
    intercept=st.booleans(),
)
def test_small_integers_with_ties_follow_the_loop_too(rows, intercept):
    X, y = np.array([row[:2] for row in rows], dtype=float), np.array([row[2] for row in rows])
    y[:2] = [False, True]
    Z = signed(X, y) if intercept else signed(X, y)[:, :2]
    w, updates = naive(Z, y, 0.0, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RosenblattPerceptron(fit_intercept=intercept, max_sweeps=6).fit(X, y)
    assert model.updates_per_sweep_.tolist() == updates
    if np.all(Z @ w > 0):  # else the pocket may be another
        assert np.array_equal([*model.coef_[0], *model.intercept_][: Z.shape[1]], w)


@pytest.mark.parametrize("y", [AND, OR], ids=["and", "or"])
def test_and_and_or_are_learned(y):
    for model in (RosenblattPerceptron(), MulticlassPerceptron(), KernelPerceptron(Linear())):
        assert model.fit(SQUARE, y).predict(SQUARE).tolist() == y
        assert model.separable_ is True
        assert model.certificate_ is None


def test_xor_is_told_inseparable_with_a_proof():
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = RosenblattPerceptron().fit(SQUARE, XOR)
    assert model.separable_ is False
    weights = model.certificate_
    assert weights.min() >= 0.0
    of_each = [weights[np.array(XOR) == side] @ SQUARE[np.array(XOR) == side] for side in (0, 1)]
    assert np.allclose(of_each[0], of_each[1], atol=1e-12)
    assert [weights[np.array(XOR) == side].sum() for side in (0, 1)] == pytest.approx([0.5, 0.5])
    assert model.n_sweeps_ == 200


def test_the_solution_depends_on_the_order_of_the_rows():
    X, y = separable(4)
    found = [
        RosenblattPerceptron(shuffle=True, random_state=seed, max_sweeps=10_000).fit(X, y)
        for seed in (0, 0, 1, 2)
    ]
    ends = [np.append(model.coef_, model.intercept_) for model in found]
    assert np.array_equal(ends[0], ends[1])
    for one, other in itertools.combinations(ends[1:], 2):
        assert not np.allclose(one / np.linalg.norm(one), other / np.linalg.norm(other))
    assert all(np.all(signed(X, y) @ w > 0) for w in ends)


def test_the_pocket_keeps_the_fewest_errors_at_the_end_of_a_sweep():
    X, y = (part[50:] for part in IRIS)
    Z = signed(X, y == 2)
    ends = [naive(Z, y == 2, 0.0, sweeps)[0] for sweeps in range(1, 42)]
    errors = [int(np.sum((y == 2) != (ones(X) @ w >= 0))) for w in ends]
    with pytest.warns(ConvergenceWarning, match=f"{min(errors)} of 100 rows"):
        model = RosenblattPerceptron(max_sweeps=41).fit(X, y)
    assert errors[-1] > min(errors)
    assert np.allclose([*model.coef_[0], *model.intercept_], ends[int(np.argmin(errors))])
    assert model.score(X, y) == 1.0 - min(errors) / 100


# Separability


def test_sweeps_that_ran_out_are_no_proof_of_inseparability():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="a separator exists"):
        model = RosenblattPerceptron(max_sweeps=3).fit(X, y)
    assert model.separable_ is True
    assert model.certificate_ is None


@pytest.mark.parametrize("seed", range(15))
def test_the_verdict_is_that_of_a_system_of_inequalities(seed):
    drawing = np.random.default_rng(seed)
    X, y = drawing.normal(size=(8, 3)), np.arange(8) % 2
    Z = signed(X, y)
    verdict = decide(SignedRows(Z))
    system = linprog(np.zeros(4), A_ub=-Z, b_ub=-np.ones(8), bounds=(None, None))  # y w·x ≥ 1
    assert verdict.separable == (system.status == 0)
    assert system.status in (0, 2)
    if not verdict.separable:
        assert np.allclose(verdict.certificate @ Z, 0.0, atol=1e-9)
        assert verdict.certificate.sum() == pytest.approx(1.0)


def test_margins_that_rounding_hides_are_not_decided_about():
    X = np.array([[1.0, 1.0], [-1.0, -1.0 + 1e-11]])
    assert decide(SignedRows(X)).separable in (True, None)
    assert decide(SignedRows(np.array([[1.0, 1.0], [-1.0, -1.0]]))).separable is False
    assert decide(SignedRows(np.array([[1.0, 1.0], [-1.0, -1.0 + 1e-4]]))).separable is True


def test_a_row_at_the_origin_is_right_of_the_second_class_and_has_no_margin():
    X, y = np.array([[0.0], [1.0]]), [1, 0]
    model = RosenblattPerceptron(fit_intercept=False).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.separable_ is True
    assert model.bound(X, y).bound == np.inf
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        other = RosenblattPerceptron(fit_intercept=False).fit(X, [0, 1])
    assert other.certificate_.tolist() == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("kind", ALL)
def test_strict_raises_where_there_is_no_end(kind):
    given = {"kernel": Linear()} if kind is KernelPerceptron else {}
    with pytest.raises(InvalidInputError, match="no separator exists"):
        kind(strict=True, max_sweeps=10, **given).fit(SQUARE, XOR)
    kind(strict=True, **given).fit(SQUARE, AND)


# Novikoff


def test_novikoff_is_never_exceeded_on_a_hundred_separable_sets():
    for seed in range(100):
        X, y = separable(seed)
        a = np.random.default_rng(seed).uniform(0.0, 3.0)
        models = [
            RosenblattPerceptron(max_sweeps=10**5),
            RosenblattPerceptron(max_sweeps=10**5, margin=a),
            MulticlassPerceptron(max_sweeps=10**5),
            KernelPerceptron(Laplacian(1.0), max_sweeps=10**5),
        ]
        for model in models:
            told = model.fit(X, y).bound(X, y)
            assert told.widest
            assert 0 < told.updates == model.n_updates_ <= told.bound < np.inf
            assert f"{told.bound:.4g}" in str(told)


@pytest.mark.parametrize("seed", range(10))
def test_the_margin_is_that_of_a_quadratic_program(seed):
    X, y = separable(seed)
    Z = signed(X, y)
    told = RosenblattPerceptron(max_sweeps=10**6).fit(X, y).bound(X, y)
    assert told.radius == pytest.approx(np.linalg.norm(Z, axis=1).max())
    unit = Z / told.radius
    start = naive(Z, y, 0.0, 10**6)[0]
    found = minimize(
        lambda w: 0.5 * w @ w,
        start / (unit @ start).min(),
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: unit @ w - 1.0, "jac": lambda w: unit},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert told.margin == pytest.approx(told.radius / np.linalg.norm(found.x), rel=1e-5)
    assert told.margin <= told.margin_at_most <= told.margin * (1.0 + 1e-6)


def test_the_margin_in_a_feature_space_is_that_of_the_features_written_down():
    X = np.random.default_rng(3).normal(size=(40, 2))
    y = (X**2).sum(axis=1) > np.median((X**2).sum(axis=1))
    r = np.sqrt(2.0)
    features = np.column_stack([X**2, r * X[:, 0] * X[:, 1], r * X, np.ones(len(X))])
    kernel = KernelPerceptron(Polynomial(2), max_sweeps=10**6, fit_intercept=False).fit(X, y)
    plain = RosenblattPerceptron(max_sweeps=10**6, fit_intercept=False).fit(features, y)
    assert kernel.updates_per_sweep_.tolist() == plain.updates_per_sweep_.tolist()
    one, other = kernel.bound(X, y), plain.bound(features, y)
    assert one.radius == pytest.approx(other.radius)
    assert one.margin == pytest.approx(other.margin, rel=1e-5)


def test_without_a_separator_nothing_bounds_the_updates():
    with pytest.warns(ConvergenceWarning):
        told = RosenblattPerceptron(max_sweeps=7).fit(SQUARE, XOR).bound(SQUARE, XOR)
    assert told.bound == np.inf
    assert told.margin_at_most < 1e-9
    assert "no separator with a margin is known" in str(told)
    assert told.frame()["updates"].sum() == told.updates
    assert told.frame()["sweep"].tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_other_rows_than_those_of_fit_are_refused():
    model = RosenblattPerceptron().fit(SQUARE, AND)
    for X, y in ((SQUARE[::-1], AND[::-1]), (SQUARE, OR), (SQUARE[1:], AND[1:]), (SQUARE, "abcd")):
        with pytest.raises(InvalidInputError, match="not those of fit"):
            model.bound(X, list(y))


def test_updates_are_drawn():
    pytest.importorskip("matplotlib").use("agg")
    ax = RosenblattPerceptron().fit(SQUARE, AND).bound(SQUARE, AND).plot()
    assert ax.lines[0].get_ydata().tolist() == [2, 3, 3, 2, 1, 0]
    assert ax.get_title(loc="left") == "updates: 11, at most 51"
    ax.figure.clear()


# Several classes


def naive_several(X: np.ndarray, y: np.ndarray, most: int) -> tuple[np.ndarray, list[int]]:
    W, updates = np.zeros((y.max() + 1, X.shape[1])), []
    while len(updates) < most and (not updates or updates[-1]):
        updates.append(0)
        for x, own in zip(X, y, strict=True):
            winner = np.argmax(W @ x)
            if winner != own:
                W[own] += x
                W[winner] -= x
                updates[-1] += 1
    return W, updates


@pytest.mark.parametrize("seed", range(8))
def test_several_classes_follow_the_loop_over_rows(seed):
    drawing = np.random.default_rng(seed)
    y = np.tile(np.arange(4), 10)
    X = 6.0 * drawing.normal(size=(4, 5))[y] + drawing.normal(size=(40, 5))
    W, updates = naive_several(ones(X), y, 50_000)
    model = MulticlassPerceptron(max_sweeps=50_000).fit(X, y)
    assert model.updates_per_sweep_.tolist() == updates
    assert np.allclose(np.column_stack([model.coef_, model.intercept_]), W)
    assert model.predict(X).tolist() == y.tolist()
    told = model.bound(X, y)
    assert model.n_updates_ <= told.bound
    assert told.radius == pytest.approx(np.sqrt(2.0) * np.linalg.norm(ones(X), axis=1).max())


@pytest.mark.parametrize("seed", range(8))
def test_of_two_classes_the_decision_is_twice_that_of_one_vector(seed):
    X, y = separable(seed)
    one = RosenblattPerceptron(max_sweeps=10**6).fit(
        X, ~y
    )  # ties go to the second class, False here,
    two = MulticlassPerceptron(max_sweeps=10**6).fit(X, y)  # and to the first one here
    assert two.updates_per_sweep_.tolist() == one.updates_per_sweep_.tolist()
    assert np.allclose(two.decision_function(X), -2.0 * one.decision_function(X))
    assert np.allclose(two.coef_, [one.coef_[0], -one.coef_[0]])


def test_several_classes_that_no_weights_separate_are_told_with_a_proof():
    X, y = np.array([[0.0], [1.0], [0.5], [2.0]]), [0, 0, 1, 2]
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = MulticlassPerceptron().fit(X, y)
    assert model.separable_ is False
    weights = model.certificate_
    assert weights.shape == (4, 3)
    assert weights.sum() == pytest.approx(1.0)
    total = np.zeros((3, 2))
    for i, k in itertools.product(range(4), range(3)):
        total[y[i]] += weights[i, k] * ones(X)[i]
        total[k] -= weights[i, k] * ones(X)[i]
    assert np.allclose(total, 0.0, atol=1e-12)
    assert np.all(weights[np.arange(4), y] == 0.0)


def test_iris_is_told_inseparable_and_its_pocket_is_of_use():
    X, y = IRIS
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = MulticlassPerceptron().fit(X, y)
    assert model.score(X, y) > 0.95
    rows = kesler_rows(ones(X), y, 3)
    pairs = model.certificate_[np.arange(3) != y[:, None]]
    assert np.allclose(pairs @ rows, 0.0, atol=1e-9)


# Kernels


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_with_the_linear_kernel_the_updates_are_those_of_rosenblatt(seed, intercept):
    drawing = np.random.default_rng(seed)
    X = drawing.integers(-5, 6, size=(40, 3)).astype(float)
    y = X @ [1.0, -2.0, 1.0] + 0.5 * intercept > 0
    if not intercept:
        X, y = X[X @ [1.0, -2.0, 1.0] != 0], y[X @ [1.0, -2.0, 1.0] != 0]
    rows = {"fit_intercept": intercept, "max_sweeps": 10_000}
    plain = RosenblattPerceptron(**rows).fit(X, y)
    kernel = KernelPerceptron(Linear(), **rows).fit(X, y)
    assert kernel.updates_per_sweep_.tolist() == plain.updates_per_sweep_.tolist()
    assert np.array_equal(kernel.dual_coef_ @ X[kernel.support_], plain.coef_)
    assert np.array_equal(kernel.intercept_, plain.intercept_)
    assert np.abs(kernel.dual_coef_).sum() == kernel.n_updates_
    assert kernel.bound(X, y).bound == pytest.approx(plain.bound(X, y).bound, rel=1e-6)


def test_a_quadratic_kernel_learns_xor():
    model = KernelPerceptron(Polynomial(2)).fit(SQUARE, XOR)
    assert model.predict(SQUARE).tolist() == XOR
    assert model.n_updates_ <= model.bound(SQUARE, XOR).bound


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(0.5), "rbf", Polynomial(3)])
def test_counts_follow_the_rule_on_the_kernel_matrix(kernel):
    X, y = make_moons(60, noise=0.05, random_state=0)
    model = KernelPerceptron(kernel, max_sweeps=10_000).fit(X, y)
    K, s = model.kernel_(X, X) + 1.0, np.where(y, 1.0, -1.0)
    counts, updates = np.zeros(60), [1]
    while updates[-1]:
        updates.append(0)
        for j in range(60):
            if ((counts * s) @ K[:, j] >= 0) != (s[j] > 0):
                counts[j] += 1
                updates[-1] += 1
    assert model.updates_per_sweep_.tolist() == updates[1:]
    assert np.array_equal(model.support_, np.flatnonzero(counts))
    assert np.array_equal(model.dual_coef_[0], (counts * s)[model.support_])
    assert np.allclose(model.decision_function(X), (counts * s) @ K)


def test_the_default_kernel_separates_moons():
    X, y = make_moons(200, noise=0.1, random_state=0)
    model = KernelPerceptron(random_state=0).fit(X, y)
    assert isinstance(model.kernel_, Gaussian)
    assert model.separable_ is True
    assert model.score(*make_moons(500, noise=0.1, random_state=1)) > 0.95


def test_equal_rows_of_two_classes_are_a_proof_for_any_kernel():
    X, y = make_moons(60, noise=0.1, random_state=0)
    X[7] = X[5] if y[5] != y[7] else X[np.flatnonzero(y != y[7])[0]]
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = KernelPerceptron(Gaussian(0.5), max_sweeps=20).fit(X, y)
    pair = np.flatnonzero(model.certificate_)
    assert model.certificate_[pair].tolist() == [0.5, 0.5]
    assert np.array_equal(X[pair[0]], X[pair[1]])
    assert y[pair[0]] != y[pair[1]]


def test_a_kernel_of_few_features_is_told_inseparable_with_a_proof():
    X, y = make_moons(80, noise=0.6, random_state=0)
    with pytest.warns(ConvergenceWarning, match="no separator exists"):
        model = KernelPerceptron(Polynomial(2), max_sweeps=20).fit(X, y)
    along = model.certificate_ * np.where(y, 1.0, -1.0)
    assert along @ (Polynomial(2)(X, X) + 1.0) @ along == pytest.approx(0.0, abs=1e-12)


def test_a_smooth_gaussian_is_never_told_inseparable_without_equal_rows():
    X, y = make_moons(150, noise=0.5, random_state=0)
    for width in (0.3, 1.0, 3.0):
        with pytest.warns(ConvergenceWarning):
            model = KernelPerceptron(Gaussian(width), max_sweeps=5).fit(X, y)
        assert model.separable_ is not False


def test_a_kernel_that_is_not_positive_has_no_bound():
    X = np.linspace(-3.0, 3.0, 30)[:, None]
    y = np.sin(3.0 * X[:, 0]) > 0
    model = KernelPerceptron(Epanechnikov(0.7), max_sweeps=10_000).fit(X, y)
    assert model.score(X, y) == 1.0
    with pytest.raises(InvalidInputError, match="not positive"):
        model.bound(X, y)


# Conventions


@pytest.mark.parametrize(
    "estimator",
    [
        RosenblattPerceptron(),
        RosenblattPerceptron(margin=1.0, shuffle=True, random_state=0),
        MulticlassPerceptron(),
        MulticlassPerceptron(fit_intercept=False),
        KernelPerceptron(),
    ],
    ids=str,
)
def test_every_check_of_scikit_learn_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (RosenblattPerceptron, {"margin": -1.0}), (RosenblattPerceptron, {"margin": "wide"}),
        (RosenblattPerceptron, {"margin": np.inf}), (RosenblattPerceptron, {"margin": True}),
        *((kind, {"max_sweeps": value}) for kind in ALL for value in (0, 1.5, True)),
        (KernelPerceptron, {"kernel": "round"}), (KernelPerceptron, {"kernel": 3.0}),
    ],
)  # fmt: skip
def test_wrong_parameters_name_the_remedy(kind, wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        kind(**wrong).fit(SQUARE, AND)


@pytest.mark.parametrize("kind", ALL)
def test_entries_whose_squares_are_no_numbers_are_refused(kind):
    with pytest.raises(InvalidInputError, match="scale the columns"):
        kind().fit(1e200 * SQUARE, AND)


def test_three_classes_are_left_to_a_scheme_but_by_the_native_one():
    for kind in (RosenblattPerceptron, KernelPerceptron):
        with pytest.raises(InvalidInputError, match="OneVsRest"):
            kind().fit(*IRIS)
    with pytest.raises(InvalidInputError, match="one class"):
        MulticlassPerceptron().fit(SQUARE, [1, 1, 1, 1])


@pytest.mark.parametrize("kind", ALL)
def test_data_frames_are_read_by_name(kind):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(SQUARE, columns=["a", "b"])
    model = kind().fit(frame, ["no", "no", "no", "yes"])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(frame).tolist() == ["no", "no", "no", "yes"]
    assert model.bound(frame, ["no", "no", "no", "yes"]).updates == model.n_updates_
    if kind is KernelPerceptron:
        named = kind(Linear().on(["b", "a"]), max_sweeps=100).fit(frame, AND)
        assert named.predict(frame).tolist() == AND


def test_scaled_columns_reach_a_common_score():
    X, y = load_breast_cancer(return_X_y=True)
    for model in (RosenblattPerceptron(), MulticlassPerceptron(), KernelPerceptron(Polynomial(2))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            assert cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean() > 0.93
