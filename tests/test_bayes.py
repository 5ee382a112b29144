"""Claims about Bayes' rule with estimated densities: column by column or together, against scikit-learn and by hand."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

from chemin.exceptions import InvalidInputError
from chemin.exploration.densities import Mixture, fit_gaussian, mixture, parzen
from chemin.models.bayes import BayesClassifier, NaiveBayes
from chemin.models.bayes.draws import draw

mpl.use("Agg")

WINDOWS = ("gaussian", "epanechnikov", "flat")
KINDS = {
    "parzen": NaiveBayes(),
    "likelihood": NaiveBayes(bandwidth="likelihood"),
    "epanechnikov": NaiveBayes(window="epanechnikov"),
    "flat": NaiveBayes(window="flat"),
    "histogram": NaiveBayes("histogram"),
    "gaussian": NaiveBayes("gaussian"),
}
TOGETHER = {
    "parzen": BayesClassifier(),
    "gaussian": BayesClassifier("gaussian"),
    "neighbours": BayesClassifier("neighbours"),
    "mixture": BayesClassifier("mixture", options={"components": 2, "covariance": "diag"}),
    "KernelDensity": BayesClassifier(KernelDensity()),
    "GaussianMixture": BayesClassifier(GaussianMixture(2, random_state=0)),
}
IRIS = load_iris(return_X_y=True)


def bimodal(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of one mean and variance: one in two heaps on either side of the other, in each of two columns."""
    drawing = np.random.default_rng(seed)
    y = drawing.integers(0, 2, n)
    heaps = drawing.choice([-1.0, 1.0], size=(n, 2)) + 0.2 * drawing.normal(size=(n, 2))
    bell = drawing.normal(size=(n, 2)) * np.sqrt(1.04)
    return np.where(y[:, None] == 1, heaps, bell), y


def line(model: NaiveBayes, k: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a fine grid that holds a marginal, and its values."""
    marginal = model.marginals_[k][j]
    reach = 12.0 * marginal.deviation
    x = np.linspace(marginal.mean - reach, marginal.mean + reach, 40_001)
    return x, marginal.pdf(x)


# scikit-learn's conventions


@pytest.mark.parametrize(
    "model", [*KINDS.values(), *TOGETHER.values()], ids=[*KINDS, *(f"all {k}" for k in TOGETHER)]
)
def test_every_check_of_scikit_learn_passes(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(model, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


def test_names_of_columns_reach_the_densities():
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert NaiveBayes().fit(X, y).marginals_[0][2].points.names == ("petal length (cm)",)
    assert BayesClassifier("gaussian").fit(X, y).densities_[0].points.names == tuple(X.columns)


def test_parameters_of_an_estimator_can_be_searched():
    search = GridSearchCV(BayesClassifier(KernelDensity()), {"density__bandwidth": [0.01, 0.3]})
    assert search.fit(*IRIS).best_params_ == {"density__bandwidth": 0.3}


# Naive Bayes


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]], ids=["frequencies", "given"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_normal_marginals_are_gaussian_naive_bayes(load, priors):
    X, y = load(return_X_y=True)
    ours = NaiveBayes("gaussian", priors=priors).fit(X, y)
    theirs = GaussianNB(priors=priors, var_smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10
    )
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("window", WINDOWS)
def test_windows_and_background_are_added_up(window):
    X, y = IRIS
    model = NaiveBayes(bandwidth=0.3, window=window, background=0.05, priors="uniform").fit(X, y)
    kernel = {"flat": "tophat"}.get(window, window)
    at = X[::7] + 0.1
    by_hand = np.full((len(at), 3), np.log(1.0 / 3.0))
    for k in range(3):
        for j in range(4):
            own = KernelDensity(bandwidth=0.3, kernel=kernel).fit(X[y == k, j, None])
            wide = stats.t(3, X[:, j].mean(), X[:, j].std()).pdf(at[:, j])
            by_hand[:, k] += np.log(0.95 * np.exp(own.score_samples(at[:, j, None])) + 0.05 * wide)
    np.testing.assert_allclose(model.predict_joint_log_proba(at), by_hand, rtol=1e-10)


def test_bins_are_those_of_the_whole_column():
    X, y = np.array([[0.0], [0.1], [0.3], [0.9], [1.0]]), np.array([0, 0, 0, 1, 1])
    model = NaiveBayes("histogram", bins=2, background=0.5).fit(X, y)
    wide = stats.t(3, X.mean(), X.std()).pdf(0.2)
    assert model.marginals_[0][0].pdf(0.2) == pytest.approx(0.5 * 2.0 + 0.5 * wide)
    assert model.marginals_[1][0].pdf(0.2) == pytest.approx(0.5 * wide)


@pytest.mark.parametrize("kind", KINDS)
def test_marginals_integrate_to_one(kind):
    X, y = IRIS
    X = np.column_stack([X[:, :2], np.where(y == 1, 3.0, X[:, 2])])  # constant within a class
    model = KINDS[kind].fit(X, y)
    for k in range(3):
        for j in range(3):
            x, density = line(model, k, j)
            assert np.trapezoid(density, x) == pytest.approx(1.0, abs=2e-3)


def test_equal_variances_make_it_linear():
    drawing = np.random.default_rng(0)
    first = drawing.normal(size=(30, 3)) * [1.0, 2.0, 0.5]
    moved = first + np.array([1.0, -3.0, 0.2])
    X = np.concatenate([first, moved, moved])
    y = np.repeat(["a", "b"], [30, 60])
    model = NaiveBayes("gaussian").fit(X, y)
    mu1, mu2, variance = first.mean(axis=0), X[30:].mean(axis=0), first.var(axis=0)
    alpha0 = np.log(30 / 60) + np.sum((mu2**2 - mu1**2) / (2.0 * variance))
    alpha1 = (mu1 - mu2) / variance
    at = drawing.normal(size=(20, 3)) * 5.0
    log_odds = model.terms(at, between=("a", "b")).total
    np.testing.assert_allclose(log_odds, alpha0 + at @ alpha1, rtol=1e-10)


@pytest.mark.parametrize("kind", ["parzen", "likelihood", "epanechnikov", "histogram"])
def test_two_heaps_are_told_from_one_where_normal_laws_fail(kind):
    X, y = bimodal(600, seed=0)
    new, truth = bimodal(2000, seed=1)
    ours = KINDS[kind].fit(X, y).score(new, truth)
    theirs = GaussianNB().fit(X, y).score(new, truth)
    assert ours > 0.78  # 0.89 with the true densities
    assert theirs < 0.6


def test_each_column_may_have_its_own_kind():
    X, y = IRIS
    mixed = NaiveBayes(["gaussian", "parzen", "histogram", "gaussian"]).fit(X, y)
    for j, kind in enumerate(["gaussian", "parzen", "histogram", "gaussian"]):
        alone = NaiveBayes(kind).fit(X, y).marginals_[1][j]
        at = np.linspace(0.0, 8.0, 9)
        np.testing.assert_array_equal(mixed.marginals_[1][j].log_pdf(at), alone.log_pdf(at))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["parzen", "histogram", "gaussian"]),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-10.0, 10.0),
)
def test_units_of_the_columns_do_not_matter(seed, kind, scale, shift):
    drawing = np.random.default_rng(seed)
    X = drawing.normal(size=(40, 3))
    y = drawing.permutation(np.arange(40) % 3)
    at = 2.0 * drawing.normal(size=(10, 3))
    one = NaiveBayes(kind, bins=4).fit(X, y).predict_proba(at)
    other = NaiveBayes(kind, bins=4).fit(scale * (X + shift), y)
    np.testing.assert_allclose(other.predict_proba(scale * (at + shift)), one, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_few_rows_and_constant_columns_leave_densities_finite(kind):
    X = np.array([[0.0, 5.0, 2.0], [0.0, 5.0, 2.5], [1.0, 5.0, 3.0], [0.5, 5.0, 4.0]])
    model = KINDS[kind].fit(X, ["a", "a", "b", "c"])  # of b and c there is one row
    at = np.array([[0.0, 5.0, 2.0], [1e6, -1e150, 0.0], [0.7, 5.1, 1e3]])
    assert np.isfinite(model.predict_joint_log_proba(at)).all()
    np.testing.assert_allclose(model.predict_proba(at).sum(axis=1), 1.0)
    assert model.predict(X).tolist() == ["a", "a", "b", "c"]
    of_fives = model.terms(X, between=("a", "b")).terms[:, 1]
    np.testing.assert_allclose(of_fives, 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["parzen", "epanechnikov", "flat", "histogram"])
def test_a_column_says_nothing_where_no_class_has_rows(kind):
    X, y = IRIS
    far = X[:1].copy()
    far[0, 1] = 1e20
    terms = KINDS[kind].fit(X, y).terms(far, between=(0, 2)).terms[0]
    assert terms[1] == pytest.approx(0.0, abs=1e-9)
    assert terms[2] > 1.0


# Reading a decision


def test_terms_add_up_to_the_log_odds():
    X, y = IRIS
    model = NaiveBayes(priors=[0.5, 0.2, 0.3]).fit(X, y)
    joint = model.predict_joint_log_proba(X)
    ordered = np.sort(joint, axis=1)
    found = model.terms(X)
    np.testing.assert_allclose(found.total, ordered[:, 2] - ordered[:, 1], rtol=1e-9)
    np.testing.assert_array_equal(found.toward, model.predict(X))
    np.testing.assert_allclose(
        model.terms(X, between=(2, 0)).total, joint[:, 2] - joint[:, 0], rtol=1e-9
    )
    x, (own, other) = X[7, 3], (model.marginals_[k][3] for k in (0, 1))
    expected = own.log_pdf(x) - other.log_pdf(x)
    np.testing.assert_allclose(model.terms(X[7:8], between=(0, 1)).terms[0, 3], expected)


def test_terms_are_told_tabled_and_drawn():
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = NaiveBayes().fit(X, y).terms(X[98:106])
    assert str(found).startswith("row 0: 1 against")
    assert str(found).endswith("and 3 other rows")
    frame = found.frame()
    assert frame.shape == (32, 6)
    assert frame[frame.row == 3].term.sum() + found.prior[3] == pytest.approx(found.total[3])
    ax = found.plot(2, top=3)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[0] == "priors"
    assert labels[-2:] == ["1 other column", "log-odds"]
    widths = [bar.get_width() for bar in ax.patches]
    assert sum(widths[:-1]) == pytest.approx(widths[-1])
    mpl.pyplot.close("all")


# One density of all columns


def test_normal_densities_have_the_likeliest_covariances():
    X, y = IRIS
    model = BayesClassifier("gaussian").fit(X, y)
    by_hand = [
        stats.multivariate_normal(X[y == k].mean(axis=0), np.cov(X[y == k].T, bias=True)).logpdf(X)
        for k in range(3)
    ]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X), np.transpose(by_hand) + np.log(1 / 3), rtol=1e-8
    )


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]], ids=["frequencies", "given"])
def test_normal_densities_are_quadratic_discriminant_analysis(priors):
    X, y = IRIS
    theirs = QuadraticDiscriminantAnalysis(priors=priors, store_covariance=True).fit(X, y)
    biased = np.allclose(theirs.covariance_[0], np.cov(X[y == 0].T, bias=True))

    def law_of(rows):
        law = fit_gaussian(rows)
        return law if biased else replace(law, covariance=law.unbiased)

    ours = BayesClassifier(law_of, priors=priors).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)


def test_windows_of_scikit_learn_are_those_by_name_and_by_hand():
    X, y = IRIS
    at = X[::5] + 0.05
    named = BayesClassifier("parzen", options={"bandwidth": 0.4}, priors="uniform").fit(X, y)
    cloned = BayesClassifier(KernelDensity(bandwidth=0.4), priors="uniform").fit(X, y)
    sums = [
        np.exp(-cdist(at, X[y == k], "sqeuclidean") / 0.32).mean(axis=1) for k in range(3)
    ]  # their constants cancel
    by_hand = np.transpose(sums / np.sum(sums, axis=0))
    np.testing.assert_allclose(named.predict_proba(at), by_hand, atol=1e-10)
    np.testing.assert_allclose(cloned.predict_proba(at), by_hand, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 7), d=st.integers(1, 4))
def test_k_neighbours_of_each_class_decide_as_the_majority_of_2k_less_1(seed, k, d):
    drawing = np.random.default_rng(seed)
    X = drawing.normal(size=(50, d))
    y = np.array([0] * 18 + [1] * 32)
    at = drawing.normal(size=(40, d))
    ours = BayesClassifier("neighbours", options={"neighbours": k}).fit(X, y)
    theirs = KNeighborsClassifier(2 * k - 1).fit(X, y)
    np.testing.assert_array_equal(ours.predict(at), theirs.predict(at))


def test_mixtures_have_fewer_parameters_than_rows():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = BayesClassifier("mixture")
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    for density, n in zip(model.fit(X, y).densities_, model.class_count_, strict=True):
        assert all(candidate.parameters < n for candidate in density.candidates)


def test_what_is_asked_of_a_mixture_is_done():
    X, y = bimodal(200, seed=0)
    model = BayesClassifier("mixture", options={"components": 4, "covariance": "spherical"})
    density = model.fit(X, y).densities_[1]
    alone = mixture(X[y == 1], 4, covariance="spherical")
    assert isinstance(density, Mixture)
    np.testing.assert_allclose(density.log_pdf(X), alone.log_pdf(X))


def test_priors_decide_where_densities_are_0_or_infinite():
    X = np.array([[0.0], [0.0], [0.0], [4.0], [4.0], [9.0], [9.0], [9.0]])
    y = np.array(["a", "a", "a", "b", "b", "c", "c", "c"])
    given_priors = [0.5, 0.3, 0.2]
    flat = {"bandwidth": 1.0, "window": "flat"}
    nowhere = BayesClassifier("parzen", options=flat, priors=given_priors).fit(X, y)
    np.testing.assert_allclose(nowhere.predict_proba([[50.0]]), [given_priors])
    both = np.array([[0.0], [0.0], [0.0], [0.0], [5.0], [6.0]])
    heaped = BayesClassifier("neighbours", options={"neighbours": 2}, priors=given_priors)
    heaped.fit(both, ["a", "a", "b", "b", "c", "c"])
    np.testing.assert_allclose(heaped.predict_proba([[0.0]]), [[0.625, 0.375, 0.0]])


# Draws


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_marginals(kind):
    X, y = IRIS
    model = KINDS[kind].fit(X, y)
    drawn, classes = model.sample(3000, random_state=0)
    for k in range(3):
        for j in range(4):
            x, density = line(model, k, j)
            below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2.0)])
            test = stats.kstest(
                drawn[classes == k, j], lambda at, x=x, F=below: np.interp(at, x, F / F[-1])
            )
            assert test.pvalue > 1e-3


@pytest.mark.parametrize("model", [NaiveBayes(), BayesClassifier()], ids=["naive", "together"])
def test_classes_of_draws_follow_the_priors(model):
    priors = [0.6, 0.3, 0.1]
    _, classes = model.set_params(priors=priors).fit(*IRIS).sample(2000, random_state=1)
    found = stats.chisquare(np.bincount(classes), 2000 * np.array(priors))
    assert found.pvalue > 1e-3
    model.set_params(priors=None)


def test_naive_draws_forget_the_dependence_that_normal_laws_of_all_columns_keep():
    drawing = np.random.default_rng(0)
    X = drawing.multivariate_normal([0.0, 0.0], [[1.0, 0.9], [0.9, 1.0]], size=400)
    y = np.arange(400) % 2
    naive = NaiveBayes("gaussian").fit(X, y).sample(4000, random_state=0)[0]
    together = BayesClassifier("gaussian").fit(X, y).sample(4000, random_state=0)[0]
    assert abs(np.corrcoef(naive.T)[0, 1]) < 0.05
    assert np.corrcoef(together.T)[0, 1] == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("window", WINDOWS)
def test_draws_from_windows_of_several_variables_have_their_radii(window, d):
    drawn = draw(parzen(np.zeros((2, d)), 2.0, window=window), 4000, np.random.RandomState(0))
    radii = np.linalg.norm(drawn, axis=1) / 2.0
    laws = {
        "gaussian": stats.chi(d).cdf,
        "flat": lambda r: r**d,
        "epanechnikov": lambda r: ((d + 2) * r**d - d * r ** (d + 2)) / 2.0,
    }
    assert stats.kstest(radii, laws[window]).pvalue > 1e-3
    assert np.abs(drawn.mean(axis=0)).max() < 0.15


@pytest.mark.parametrize(
    "name", ["parzen", "gaussian", "mixture", "KernelDensity", "GaussianMixture"]
)
def test_draws_come_back_as_they_were_learnt_and_repeat(name):
    X, y = IRIS
    model = TOGETHER[name].fit(X, y)
    drawn, classes = model.sample(1500, random_state=3)
    again, _ = model.sample(1500, random_state=3)
    np.testing.assert_array_equal(drawn, again)
    assert np.abs(drawn - model.sample(1500, random_state=4)[0]).max() > 0.1
    for k in range(3):
        away = drawn[classes == k].mean(axis=0) - X[y == k].mean(axis=0)
        assert np.abs(away).max() < 0.2


@pytest.mark.parametrize(
    "density", ["neighbours", KernelDensity(kernel="epanechnikov"), "own"], ids=str
)
def test_densities_that_cannot_be_drawn_from_name_those_that_can(density):
    if density == "own":
        model = BayesClassifier(lambda rows: SimpleNamespace(log_pdf=lambda x: -(x**2).sum(axis=1)))
    else:
        model = BayesClassifier(density)
    with pytest.raises(
        InvalidInputError, match=r"no points can be drawn.*'mixture' and 'gaussian'"
    ):
        model.fit(*IRIS).sample(3, random_state=0)


# What is refused


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (NaiveBayes("kernel"), "marginals is 'kernel': pass one of 'parzen'"),
        (NaiveBayes(["parzen"]), "or a list of 4 of these"),
        (NaiveBayes(3), "marginals is 3"),
        (NaiveBayes(background=1.0), "background is 1.0: pass a share below 1"),
        (NaiveBayes(background="a"), "background is 'a'"),
        (NaiveBayes("histogram", background=0), "pass a positive share"),
        (NaiveBayes(window="flat", background=0.0), "pass a positive share"),
        (NaiveBayes(bandwidth=-1.0), "bandwidth is -1.0"),
        (NaiveBayes(window="box"), "window is 'box'"),
        (NaiveBayes("histogram", bins=-2), "bins is -2"),
        (NaiveBayes(priors="equal"), "priors is 'equal': pass None for the frequencies"),
        (NaiveBayes(priors=[0.5, 0.5]), "pass 3 positive numbers of sum 1"),
        (NaiveBayes(priors=[0.5, 0.5, 0.0]), "pass 3 positive numbers of sum 1"),
        (NaiveBayes(priors=[0.5, 0.2, 0.2]), "pass 3 positive numbers of sum 1"),
        (NaiveBayes(priors=[0.5, "a", 0.2]), "pass 3 positive numbers of sum 1"),
        (BayesClassifier("kde"), "density is 'kde': pass one of 'parzen', 'mixture'"),
        (BayesClassifier(KernelDensity(), options={"a": 1}), "set its own parameters"),
        (BayesClassifier("parzen", options={"window": "box"}), "window is 'box'"),
        (BayesClassifier("parzen", options={"scale": True}), "standardise all rows"),
        (
            BayesClassifier("parzen", options={"bins": 3}),
            "has 'bins', which 'parzen' does not take: it takes bandwidth",
        ),
        (
            BayesClassifier("mixture", options={"bins": 3}),
            "it takes components, covariance, criterion",
        ),
        (BayesClassifier("gaussian", options={"bins": 3}), "it takes none"),
        (BayesClassifier(len), "let it return an object with log_pdf"),
    ],
)
def test_wrong_parameters_are_named(model, told):
    with pytest.raises(InvalidInputError, match=told.replace("[", r"\[")):
        model.fit(*IRIS)


@pytest.mark.parametrize(
    ("density", "why"),
    [
        ("gaussian", "singular"),
        ("neighbours", "from 1 to the 3 points"),
        (GaussianMixture(4), "n_"),
    ],
    ids=["gaussian", "neighbours", "GaussianMixture"],
)
def test_a_class_too_small_for_its_density_is_named(density, why):
    X, y = IRIS
    some = np.r_[0:103]
    options = {"neighbours": 5} if density == "neighbours" else None
    model = BayesClassifier(density, options=options)
    with pytest.raises(
        InvalidInputError, match=f"class 2 has 3 rows of 4 columns.*{why}"
    ) as raised:
        model.fit(X[some], y[some])
    assert "pass more rows of this class" in str(raised.value)


def test_one_class_a_wrong_pair_and_wild_numbers_are_refused():
    X, y = IRIS
    with pytest.raises(InvalidInputError, match="y has one class, 'a': NaiveBayes needs"):
        NaiveBayes().fit(X, ["a"] * len(X))
    model = NaiveBayes().fit(X, y)
    for between in [(0, 7), (1, 1), 0, (0, 1, 2)]:
        with pytest.raises(InvalidInputError, match="pass two of the classes 0, 1, 2"):
            model.terms(X, between=between)
    with pytest.raises(InvalidInputError, match="n is 0: pass a whole number"):
        model.sample(0)
    for row, top in [(150, 3), (-1, 3), (0, 0)]:
        with pytest.raises(InvalidInputError, match="pass a whole number"):
            model.terms(X).plot(row, top=top)
    with pytest.raises(InvalidInputError, match="column 'x1' has 1 values beyond 1e"):
        model.predict([[0.0, 1e200, 0.0, 0.0]])
    odd = BayesClassifier(lambda rows: SimpleNamespace(log_pdf=lambda x: np.full(len(x), np.nan)))
    with pytest.raises(InvalidInputError, match="density of class 0 is not a number"):
        odd.fit(X, y).predict(X)
