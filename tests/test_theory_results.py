"""Claims about every result of theory: it names its theorem, and is a sentence, a table and a picture."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor

import chemin.theory as theory
from chemin.datasets import toydata1
from chemin.exceptions import InvalidInputError
from chemin.kernels import Constant, Epanechnikov, Gaussian, Linear

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:60] * 20.0, Y[:60]
LINE = np.linspace(-1.5, 1.0, 12)[:, None]
RISING = theory.RegressionLaw(lambda x: x[:, 0])


def density(x, y):
    return norm.pdf(x) * norm.pdf(y, x)


RESULTS = {
    # bounds
    "deviation": lambda: theory.vc_bound(3, n=1000, delta=0.05),
    "perceptron": lambda: theory.perceptron_bound(radius=2.0, margin=0.1),
    "vote": lambda: theory.majority_vote(11, 0.3),
    "shattering": lambda: theory.shattering([[0, 0], [0, 1], [1, 0], [1, 1]]),
    "structural": lambda: theory.structural_risk([0.2, 0.1], sizes=[2, 2**80], n=100),
    "boosting": lambda: theory.boosting_bound([0.2, 0.3]),
    "complexity": lambda: theory.rademacher_linear(X[:8, :2]),
    "complexity by draws": lambda: theory.rademacher_kernel(Gaussian(), X[:20, :2], draws=50),
    # dimension
    "space": theory.empty_space,
    "distances": lambda: theory.distance_concentration([1, 10], points=100),
    "hughes": lambda: theory.hughes([1, 5], [5], repeats=3),
    # risk
    "bayes": lambda: theory.bayes_rule([norm(0), norm(1)], bounds=(-8, 9)),
    "regressor": lambda: theory.optimal_regressor(density, (-6, 6), (-12, 12)),
    "conditional": lambda: theory.gaussian_conditional(np.zeros(3), np.eye(3) + 0.5, {1: 2.0}),
    "variance": lambda: theory.bias_variance({"mean": DummyRegressor()}, RISING, repeats=3),
    "fluctuation": lambda: theory.bias_fluctuation({"one": [[0, 1]]}, [[0.3, 0.1], [0.2, 0.4]]),
    "lunch": theory.no_free_lunch,
    "losses": theory.residual_losses,
    "surface": lambda: theory.risk_surface(X[:, :2], Y > 100),
    # geometry
    "boundary": lambda: theory.quadric([[1, 0.3], [0.3, 2]], [1, 0], -3),
    "ellipses": lambda: theory.level_ellipses([0, 0], np.eye(2)),
    "saddle": lambda: theory.critical_point(lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0]),
    "not convex": lambda: theory.convexity(lambda x: np.sin(x[0]), [-2.0], [2.0]),
    "hessian": lambda: theory.convexity([[1.0, 2.0], [2.0, 1.0]]),
    # optimisation
    "program": lambda: theory.quadratic_program([[2.0]], [0.0], G=[[-1.0]], h=[-1.0]).check([1.0]),
    "way in one": lambda: theory.descend(lambda x: x[0] ** 2, lambda x: 2 * x, [1.0], step=0.3),
    "way in two": lambda: theory.descend(lambda x: x @ x, lambda x: 2 * x, [1.0, 2.0], step=0.3),
    "way in three": lambda: theory.descend(lambda x: x @ x, lambda x: 2 * x, np.ones(3), step=0.3),
    "ridge": lambda: theory.penalty_map(X, Y),
    "lasso": lambda: theory.penalty_map(X, Y, "lasso"),
    "prior": theory.penalty_prior,
    "line": lambda: theory.max_consensus(X[:20, :1], Y[:20], 40.0),
    "plane": lambda: theory.max_consensus(X[:15, :2], Y[:15], 40.0),
    "groups": lambda: theory.least_inertia(X[:12, :3], 3),
    # kernels
    "mercer": lambda: theory.mercer(Epanechnikov(), LINE),
    "spectrum": lambda: theory.spectrum(Epanechnikov()),
    "family": lambda: theory.kernel_family([Linear(), Constant() + Linear()], LINE),
    "sums": lambda: theory.sum_machine([Gaussian(0.5), Gaussian(2.0)], *toydata1(10)),
}


@pytest.fixture(scope="module", params=RESULTS)
def made(request):
    return RESULTS[request.param]()


def test_it_names_a_theorem_with_its_assumptions_and_its_source(made):
    theorem = made.theorem
    assert all([theorem.name, theorem.formula, theorem.assumptions, theorem.source])
    assert all(one in str(theorem) for one in theorem.assumptions)


def test_it_is_a_sentence_and_a_table(made):
    told = str(made)
    assert len(told) > 20
    assert repr(made) == told
    table = made.frame()
    assert len(table) >= 1
    assert table.shape[1] >= 2


def test_it_is_a_picture_with_named_axes_on_axes_that_may_be_given(made):
    ax = made.plot()
    assert len(ax.lines) + len(ax.patches) + len(ax.collections) >= 1
    assert not ax.axison or ax.get_xlabel() or ax.get_xticklabels()
    given = plt.subplots()[1]
    assert made.plot(ax=given) is given
    plt.close("all")


def test_every_kind_of_result_is_looked_at():
    kinds = {value for value in vars(theory).values() if isinstance(value, type)}
    promises = {kind for kind in kinds if issubclass(kind, theory.Promise)} - {theory.Promise}
    assert {type(make()) for make in RESULTS.values()} == promises


def test_a_picture_that_needs_two_variables_says_so():
    with pytest.raises(InvalidInputError, match="two variables"):
        theory.quadric(np.eye(3)).plot()
    with pytest.raises(InvalidInputError, match="two variables"):
        theory.shattering(np.eye(3)).plot()
