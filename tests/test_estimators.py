"""Claims about the scikit-learn face: its conventions, the exact choice of l1, probabilities, many classes."""

from __future__ import annotations

import importlib
import os
import pickle
import warnings
import zipfile

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, LeaveOneOut, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import check_estimator

import chemin
from adversarial import TABLE
from chemin.estimators import (
    Centers,
    KernelBasisClassifier,
    KernelBasisClassifierCV,
    SparseSVC,
    SparseSVCCV,
)
from chemin.estimators.basis import Variables
from chemin.estimators.choice import HeldOut, choose, no_decisions, sizes_of
from chemin.estimators.plan import Plan
from chemin.estimators.search import Data, Search
from chemin.exceptions import InvalidInputError
from chemin.kernels import Constant, Gaussian, Laplacian, Linear, Polynomial
from chemin.multiclass import ECOC, ClassTree
from chemin.persistence import TRUSTED, load, save
from chemin.validation import as_dictionary

ESTIMATORS = [
    SparseSVC(),
    SparseSVC(probability=True),
    SparseSVCCV(cv=3),
    SparseSVC(multiclass="ovr", standardize=True),
]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(scale(X), y, random_state=0, stratify=y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_check_of_scikit_learn_passes(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit hostile data on purpose
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


DATA = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine, two classes": lambda: tuple(
        part[load_wine().target < 2] for part in load_wine(return_X_y=True)
    ),
    "iris, two classes": lambda: tuple(
        part[load_iris().target > 0] for part in load_iris(return_X_y=True)
    ),
    "integers": lambda: TABLE["small_integers_with_random_labels"]()[:2],
    "unbalanced": lambda: TABLE["gaussian_unbalanced"]()[:2],
}


def held_out(pieces, X, positive) -> HeldOut:
    """What a path decides about some points, none of its supports relaxed."""
    weight, nothing = np.ones(len(X)), no_decisions(len(X))
    return HeldOut(pieces, as_dictionary(X), positive, weight, sizes_of(pieces), nothing, None)


@pytest.mark.parametrize("name", DATA)
def test_no_l1_of_a_fine_grid_beats_the_chosen_one(name):
    X, y = DATA[name]()
    X, positive = scale(X), y == np.unique(y)[1]
    paths = [
        (chemin.svm_path(X[train], positive[train]), test)
        for train, test in StratifiedKFold(5).split(X, positive)
    ]
    parts = [held_out(path.pieces(), X[test], positive[test]) for path, test in paths]
    curves, highest = [part.error() for part in parts], max(path.l1[0] for path, _ in paths)
    chosen = choose(parts, "best")

    def errors(l1: float) -> list[float]:
        """Return the least and the largest error, decisions that are but rounding counted either way."""
        found = []
        for p, test in paths:
            margin = np.where(positive[test], 1.0, -1.0) * p.decision_at(X[test], l1)
            found.append((np.mean(margin < -1e-12), np.mean(margin <= 1e-12)))
        return np.mean(found, axis=0).tolist()

    def is_error_at(l1: float, expected: float) -> bool:
        least, most = errors(l1)
        return least - 1e-9 <= expected <= most + 1e-9

    grid = np.geomspace(1.1 * highest, 1e-4 * highest, 2000)
    on_grid = np.mean([curve.at(grid) for curve in curves], axis=0)
    assert chosen.error <= on_grid.min() + 1e-12
    assert is_error_at(chosen.l1, chosen.error)
    for k in range(0, 2000, 97):
        assert is_error_at(grid[k], on_grid[k])
    for low, high in chosen.ties:
        middle = np.sqrt(max(low, 1e-9) * min(high, 2 * highest))
        assert is_error_at(middle, chosen.error)


def test_the_estimator_chooses_what_the_folds_say(cancer):
    X, _, y, _ = cancer
    model = SparseSVCCV(min_ratio=0.0).fit(X, y)
    low, high = model.cv_results_["interval"][0]
    assert low <= model.l1_ < high
    curve = model.cv_results_["curve"][0]
    assert model.cv_results_["error"][0] == pytest.approx(curve["mean_error"].min())
    sparser = SparseSVCCV(rule="1se", min_ratio=0.0).fit(X, y)
    assert sparser.l1_ >= model.l1_
    assert (
        sparser.cv_results_["error"][0]
        <= curve["mean_error"].min() + model.cv_results_["standard_error"][0] + 1e-12
    )


def test_several_l2_are_chosen_from(cancer):
    X, _, y, _ = cancer
    model = SparseSVCCV(l2=[0.01, 1.0, 100.0]).fit(X, y)
    errors = model.cv_results_["error"]
    assert model.l2_ in (0.01, 1.0, 100.0)
    assert errors[model.cv_results_["l2"].index(model.l2_)] == min(errors)


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", "average_precision"])
def test_other_scores_can_be_asked_for(cancer, scoring):
    X, X_test, y, y_test = cancer
    model = SparseSVCCV(scoring=scoring, cv=3).fit(X[:150], y[:150])
    assert -1.0 <= model.cv_results_["error"][0] <= -0.95
    assert model.score(X_test, y_test) > 0.9


def test_a_fixed_l1_is_read_off_the_path(cancer):
    X, _, y, _ = cancer
    model = SparseSVC(l1=20.0).fit(X, y)
    path = chemin.svm_path(X, y)
    np.testing.assert_allclose(model.coef_[0], path.coef_at(20.0), atol=1e-12)
    assert model.intercept_[0] == pytest.approx(path.intercept_at(20.0))
    np.testing.assert_array_equal(model.support_, np.flatnonzero(model.coef_[0]))


def test_standardised_coefficients_come_back_in_the_users_units():
    X, y = load_breast_cancer(return_X_y=True)
    model, by_hand = (
        SparseSVC(l1=20.0, standardize=True).fit(X, y),
        SparseSVC(l1=20.0).fit(scale(X), y),
    )
    np.testing.assert_allclose(
        model.decision_function(X), by_hand.decision_function(scale(X)), atol=1e-9
    )
    np.testing.assert_allclose(model.coef_[0] * X.std(axis=0), by_hand.coef_[0], atol=1e-9)


def test_probabilities_are_sensible_on_breast_cancer(cancer):
    X, X_test, y, y_test = cancer
    probability = SparseSVCCV(probability=True).fit(X, y).predict_proba(X_test)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert log_loss(y_test, probability) < 0.15
    assert brier_score_loss(y_test, probability[:, 1]) < 0.04


def test_the_sigmoid_is_that_of_scikit_learn(cancer):
    """Same folds, same decisions, same smoothed targets: the same probabilities."""
    X, X_test, y, _ = cancer
    ours = SparseSVC(l1=20.0, probability=True).fit(X, y)
    theirs = CalibratedClassifierCV(SparseSVC(l1=20.0), method="sigmoid", cv=5, ensemble=False).fit(
        X, y
    )
    np.testing.assert_allclose(ours.predict_proba(X_test), theirs.predict_proba(X_test), atol=1e-4)


@pytest.mark.parametrize(
    "multiclass", ["ovo", "ovr", ECOC(code="exhaustive"), ClassTree()], ids=str
)
@pytest.mark.parametrize(
    "estimator", [SparseSVC(standardize=True), SparseSVCCV(cv=3, standardize=True)], ids=str
)
def test_many_classes_are_native(estimator, multiclass):
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    model = clone(estimator).set_params(multiclass=multiclass, probability=True).fit(X, words)
    assert model.score(X, words) > 0.85
    assert model.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert len(model.estimators_) == len(model.coef_)


def test_class_weights_are_sample_weights():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    balanced = SparseSVC(class_weight="balanced").fit(X, y)
    weight = np.where(y > 0, len(y) / 2 / np.sum(y > 0), len(y) / 2 / np.sum(y < 0))
    np.testing.assert_allclose(
        balanced.coef_, SparseSVC().fit(X, y, sample_weight=weight).coef_, atol=1e-9
    )


def test_integer_weights_are_repetitions():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    weight = np.arange(len(y)) % 4
    once, again = (
        SparseSVC().fit(X, y, weight),
        SparseSVC().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)),
    )
    np.testing.assert_allclose(once.coef_, again.coef_, atol=1e-6)
    np.testing.assert_allclose(once.intercept_, again.intercept_, atol=1e-6)


def test_pandas_polars_and_sparse_give_the_same_model():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y, _ = TABLE["sparse_counts"]()
    names = [f"word {j}" for j in range(X.shape[1])]
    reference = SparseSVC(l1=0.5).fit(X, y)
    for data in (
        pandas.DataFrame(X, columns=names),
        polars.DataFrame(X, schema=names),
        sparse.csr_array(X),
    ):
        model = SparseSVC(l1=0.5).fit(data, y)
        np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-13)
        if not sparse.issparse(data):
            assert model.feature_names_in_.tolist() == names


def test_pickling_keeps_the_decisions(cancer):
    X, X_test, y, _ = cancer
    model = SparseSVCCV(probability=True, cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X_test), model.decision_function(X_test))
    np.testing.assert_array_equal(again.predict_proba(X_test), model.predict_proba(X_test))


BAD = {
    "a class with one member": (SparseSVCCV(), np.r_[np.zeros(9), 1], "one member|1 member"),
    "an unknown rule": (SparseSVCCV(rule="median"), np.arange(10) % 2, "'best', '1se' or 'fewest'"),
    "no l2": (SparseSVCCV(l2=[]), np.arange(10) % 2, "empty list"),
    "an unknown scheme": (SparseSVC(multiclass="all"), np.arange(10) % 3, "'ovo', 'ovr'"),
    "a negative l1": (SparseSVC(l1=-1.0), np.arange(10) % 2, "SparseSVCCV choose it"),
    "one class": (SparseSVC(), np.zeros(10), "one class only"),
    "a tree of other classes": (
        SparseSVC(multiclass=ClassTree(tree=((0, 1), 7))),
        np.arange(10) % 3,
        "7",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_a_remedy(name):
    estimator, y, words = BAD[name]
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(InvalidInputError, match=words):
        estimator.fit(X, y)


def test_fewer_members_than_folds_is_said_and_dealt_with():
    X, y, _ = TABLE["gaussian_unbalanced"]()
    y = np.where(np.arange(len(y)) < 3, 1, -1)
    with pytest.warns(UserWarning, match="3 members, fewer than the 5 folds"):
        SparseSVCCV().fit(X, y)


def test_predicting_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        SparseSVC().predict([[0.0]])


KEPT = {
    "chosen, with probabilities": SparseSVCCV(cv=3, probability=True),
    "chosen by another score": SparseSVCCV(cv=2, scoring="roc_auc", multiclass="ovr"),
    "codes": SparseSVC(multiclass=ECOC()),
    "a tree": SparseSVC(multiclass=ClassTree(), probability=True),
    "couples": KernelBasisClassifier(
        [Gaussian(0.5).on([0, 1]), 2 * Polynomial(2) * Linear().on([2])], l1=0.5
    ),
    "scaled couples on medoids": KernelBasisClassifier(
        ["rbf", Laplacian(1.0) + Constant()], centers=Centers(20, by="medoids"), scale="norm"
    ),
    "a pipeline": make_pipeline(StandardScaler(), SparseSVC(multiclass="ovr")),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_saved_model_decides_the_same(name, container, tmp_path):
    pytest.importorskip("skops")
    if name == "a pipeline" and container is sparse.csr_array:
        pytest.skip("StandardScaler centres, which sparse data do not allow")
    X, y = (part[::3] for part in load_iris(return_X_y=True))
    model = clone(KEPT[name]).fit(container(X), np.array(["a", "b", "c"])[y])
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X)
    )


def test_a_file_with_unknown_types_is_refused(tmp_path):
    skops = pytest.importorskip("skops.io")
    skops.dump({"run": os.system}, tmp_path / "hostile.skops")
    with pytest.raises(InvalidInputError, match="not trusted"):
        load(tmp_path / "hostile.skops")
    (tmp_path / "no.skops").write_bytes(b"not a model")
    with pytest.raises(InvalidInputError, match="written by save"):
        load(tmp_path / "no.skops")


def as_version_0_1(file):
    """Give a saved model the names that the types of a path had in version 0.1."""
    old = {
        "chemin.engine.result": "chemin.path.result",
        "chemin.engine.breakpoints": "chemin.path.replay",
        "chemin.problems.problem": "chemin.problems.drsvm",
    }
    with zipfile.ZipFile(file) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    schema = parts["schema.json"].decode()
    for now, then in old.items():
        assert now in schema
        schema = schema.replace(now, then)
    parts["schema.json"] = schema.encode()
    with zipfile.ZipFile(file, "w") as whole:
        for name, content in parts.items():
            whole.writestr(name, content)


@pytest.mark.parametrize("trusted", [(), ("chemin.path.result.Path", "chemin.path.result.Status")])
def test_a_model_saved_by_version_0_1_is_refused_with_the_remedy(trusted, tmp_path):
    pytest.importorskip("skops")
    X, y, _ = TABLE["gaussian_unbalanced"]()
    save(SparseSVC().fit(X, y), tmp_path / "model.skops")
    as_version_0_1(tmp_path / "model.skops")
    with pytest.raises(
        InvalidInputError, match=r"chemin 0\.1, .*fit the model again, or load .*0\.1"
    ):
        load(tmp_path / "model.skops", trusted)


@pytest.mark.parametrize("name", TRUSTED)
def test_every_trusted_type_exists_and_holds_data_only(name):
    module, _, kind = name.rpartition(".")
    assert module.split(".")[0] in ("chemin", "numpy", "scipy", "sklearn")
    found = getattr(importlib.import_module(module), kind)
    ranks_columns = module.startswith("sklearn.feature_selection") and callable(found)
    assert isinstance(found, type) or ranks_columns


def test_names_of_variables_reach_the_path_and_its_table():
    pandas = pytest.importorskip("pandas")
    X, y, _ = TABLE["gaussian_unbalanced"]()
    model = SparseSVC().fit(pandas.DataFrame(X, columns=list("abcdefgh")), y)
    assert model.path_.names.tolist() == list("abcdefgh")
    assert set(model.path_.frame().query("kind == 'enter'")["name"]) <= set("abcdefgh")


def test_without_refit_there_is_a_choice_but_no_model(cancer):
    X, _, y, _ = cancer
    whole, choice = SparseSVCCV(cv=3).fit(X, y), SparseSVCCV(cv=3, refit=False).fit(X, y)
    assert (choice.l1_, choice.l2_) == (whole.l1_, whole.l2_)
    assert not hasattr(choice, "coef_")
    with pytest.raises(NotFittedError, match="refit=True"):
        choice.predict(X)


@pytest.mark.parametrize(
    "y", [np.arange(60) % 2, np.arange(60) % 3], ids=["two classes", "three classes"]
)
def test_jobs_change_nothing_and_progress_is_a_bar(y, capsys):
    X = np.random.default_rng(0).standard_normal((60, 4)) + y[:, None]
    alone = SparseSVCCV(cv=3, verbose=True).fit(X, y)
    together = SparseSVCCV(cv=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(alone.coef_, together.coef_)
    assert "|████████████████████████| 3/3" in capsys.readouterr().err


def test_a_path_that_stops_too_early_is_said_so(cancer):
    X, _, y, _ = cancer
    with pytest.warns(ConvergenceWarning, match="raise max_events"):
        model = SparseSVC(l1=0.1, max_events=10).fit(X, y)
    assert model.l1_ > 0.1


def test_a_score_is_refined_around_its_best(cancer):
    X, _, y, _ = cancer
    model = SparseSVCCV(cv=3, scoring="roc_auc").fit(X[:150], y[:150])
    curve = model.cv_results_["curve"][0]
    assert model.l1_ in curve["l1"]
    assert model.cv_results_["error"][0] == curve["mean_error"].min()


def test_weights_are_routed_by_scikit_learn(cancer):
    X, _, y, _ = cancer
    weight = np.where(y == 1, 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            SparseSVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True),
            {"l1": [5.0]},
            cv=3,
        )
        best = search.fit(X, y, sample_weight=weight).best_estimator_
    np.testing.assert_allclose(best.coef_, SparseSVC(l1=5.0).fit(X, y, weight).coef_, atol=1e-12)
    assert "SparseSVC" in best._repr_html_()


SPLITS = {
    "an empty list": ([], "no splits"),
    "nothing to test on": ([(np.arange(40), [])], "empty part"),
    "rows drawn twice": (
        [(np.repeat(np.arange(20), 2), np.arange(40, 60))],
        "trains on some rows twice",
    ),
    "overlapping parts": ([(np.arange(60), np.arange(40, 60))], "tests on rows it trains on"),
}


@pytest.mark.parametrize("name", SPLITS)
def test_splits_that_mean_something_else_are_refused(name):
    cv, words = SPLITS[name]
    X, y = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) % 2
    with pytest.raises(InvalidInputError, match=words):
        SparseSVCCV(cv=cv).fit(X, y)


def test_a_fold_without_points_of_a_machine_does_not_count():
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    model = SparseSVCCV(cv=LeaveOneOut()).fit(X, y)
    assert model.score(X, y) > 0.9
    for results, machine in zip(model.cv_results_, model.estimators_, strict=True):
        assert len(results["curve"][0]["fold_errors"]) == len(machine.rows_)


def test_an_l2_named_twice_is_one(cancer):
    X, _, y, _ = cancer
    twice, once = (SparseSVCCV(l2=l2, cv=3).fit(X, y) for l2 in ([100.0, 100.0, 1.0], [100.0, 1.0]))
    assert (twice.l2_, twice.l1_) == (once.l2_, once.l1_)


def no_better_than(estimator, X, y):
    return estimator.score(X, y)


@pytest.mark.parametrize(
    "scoring",
    [no_better_than, make_scorer(f1_score, pos_label="yes"), "balanced_accuracy"],
    ids=["own", "made", "named"],
)
def test_scorers_of_any_make_take_the_sparsest_of_equals(scoring):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, "yes", "no")
    X = np.column_stack([np.where(y == "yes", 2.0, -2.0), rng.standard_normal((60, 5))])
    model = SparseSVCCV(scoring=scoring, cv=3).fit(X, y)
    assert model.support_.tolist() == [0]


@pytest.mark.parametrize(
    "scoring", ["neg_log_loss", accuracy_score], ids=["of probabilities", "a metric"]
)
def test_a_scorer_that_cannot_be_used_is_named(scoring, cancer):
    X, _, y, _ = cancer
    with pytest.raises(InvalidInputError, match="scorer of labels or decisions"):
        SparseSVCCV(scoring=scoring, cv=3).fit(X, y)


def test_folds_that_stop_early_are_said_so(cancer):
    X, _, y, _ = cancer
    with pytest.warns(ConvergenceWarning, match="path of the folds ends"):
        SparseSVCCV(cv=3, max_events=50).fit(X, y)


def test_where_no_variable_is_best_none_is_taken():
    rng = np.random.default_rng(23)
    X, y = rng.standard_normal((40, 8)), np.repeat([0, 1], [23, 17])
    rng.shuffle(y)
    X[:, 0] += 0.3 * y
    model = SparseSVCCV(cv=2).fit(X, y)
    assert model.cv_results_["interval"][0][1] == np.inf
    assert not model.support_.size


def test_parameters_set_after_fitting_do_not_change_the_model(cancer):
    X, _, y, _ = cancer
    assert not hasattr(SparseSVC(l1=5.0).fit(X, y).set_params(probability=True), "predict_proba")
    with pytest.raises(NotFittedError):
        SparseSVCCV(cv=3, refit=False).fit(X, y).set_params(refit=True).predict(X)


# -- what competes, how far the folds go, and what is taken


def share_of_hits(estimator, X, y):
    """A scorer that takes no time."""
    return np.mean(estimator.predict(X) == y)


CHOSEN = {
    "linear": SparseSVCCV(cv=4, relax=[0.3, 0.1]),
    "linear, relaxed only": SparseSVCCV(cv=4, relax="auto"),
    "linear, the whole curve": SparseSVCCV(cv=4, relax=[0.0], min_ratio=0.0),
    "linear, by another score": SparseSVCCV(cv=3, scoring=share_of_hits, relax="auto"),
    "linear, unrelaxed": SparseSVCCV(cv=4),
    "couples": KernelBasisClassifierCV(cv=3, random_state=0),
}


@pytest.fixture(scope="module")
def noisy():
    """Points whose classes overlap, so that the curves have valleys."""
    rng = np.random.default_rng(5)
    y = np.arange(120) % 2
    X = rng.standard_normal((120, 8))
    X[:, :3] += 0.5 * (2 * y - 1)[:, None]
    return X, y


@pytest.mark.parametrize("rule", ["best", "1se", "fewest"])
@pytest.mark.parametrize("name", CHOSEN)
def test_every_rule_takes_what_it_says(name, rule, noisy):
    model = clone(CHOSEN[name]).set_params(rule=rule).fit(*noisy)
    found = {key: value[0] for key, value in model.cv_results_.items() if key != "chosen"}
    curve, relaxed = found["curve"], found["relaxed"]
    competes = (model.relax != "auto") | (curve["size"] == 0)  # else the empty model does, alone
    error, spread, size, l1 = (
        np.append(curve[key][competes], relaxed[key])
        for key in ("mean_error", "standard_error", "size", "l1")
    )
    assert np.isin(model.relax_, np.append(relaxed["relax"], 1.0))
    best = np.isclose(error, error.min(), rtol=0.0, atol=1e-12)
    within = error <= error.min() + spread[best].min() + 1e-12  # whichever of equals is the best
    assert found["error"] <= error.min() + (rule != "best") * spread[best].max() + 1e-12
    if rule == "fewest":
        assert found["size"] <= size[best if model.scoring is None else within].min() + 1e-9
    if rule == "1se":
        assert model.l1_ >= l1[within].max() * (1.0 - 1e-12)


def test_fewest_is_within_half_a_standard_error_of_the_difference(noisy):
    """Var D = Σ_i (d_i² − D²) / n² over the points, for d_i = −1, 0 or 1: one is right and the other wrong."""
    X, y = noisy
    folds = list(StratifiedKFold(4).split(X, y))
    model = SparseSVCCV(cv=folds, rule="fewest", min_ratio=0.0).fit(X, y)
    (curve,) = model.cv_results_["curve"]
    edges = curve["l1"][:-1]
    inside = np.append(edges[0] * 1.01, np.sqrt(edges[1:] * edges[:-1]))
    paths = [chemin.svm_path(X[train], y[train]) for train, _ in folds]
    wrong = []
    for path, (_, test) in zip(paths, folds, strict=True):
        decisions = path.coef_at(inside) @ X[test].T + path.intercept_at(inside)[:, None]
        wrong.append((decisions > 0) != (y[test] == 1))
    errors = np.mean([part.mean(axis=1) for part in wrong], axis=0)
    np.testing.assert_allclose(errors, curve["mean_error"][:-1], atol=1e-12)
    sizes = np.mean([np.count_nonzero(path.coef_at(inside), axis=1) for path in paths], axis=0)
    best = int(np.argmin(errors))
    difference = (errors - errors[best])[:, None]
    variance = [
        ((part != part[best]) - difference**2).mean(axis=1) / part.shape[1] for part in wrong
    ]
    room = np.sqrt(np.maximum(np.sum(variance, axis=0), 0.0)) / len(folds)
    within = errors <= errors[best] + 0.5 * room + 1e-12
    assert model.cv_results_["size"][0] == pytest.approx(sizes[within].min())


def test_of_several_l2_fewest_takes_the_shortest_within_one_error(noisy):
    model = SparseSVCCV(cv=4, l2=[0.1, 10.0, 100.0], rule="fewest").fit(*noisy)
    found = model.cv_results_
    limits = []
    for curve in found["curve"]:
        best = np.argmin(curve["mean_error"])
        limits.append(curve["mean_error"][best] + curve["standard_error"][best])
    allowed = np.array(found["error"]) <= min(limits) + 1e-12
    assert found["size"][found["chosen"]] <= np.array(found["size"])[allowed].min() + 1e-9


@pytest.mark.parametrize("min_ratio", [0.5, 0.1, 0.0])
def test_the_folds_go_as_far_as_they_are_told_to(noisy, min_ratio):
    model = SparseSVCCV(cv=3, min_ratio=min_ratio).fit(*noisy)
    end = min_ratio * model.path_.l1[0]
    assert model.cv_results_["curve"][0]["l1"][-1] == pytest.approx(end)
    assert model.l1_ >= end


@pytest.mark.parametrize("rule", ["best", "1se", "fewest"])
@pytest.mark.parametrize("name", ["linear", "linear, unrelaxed", "couples"])
def test_left_alone_the_folds_end_early(name, rule, noisy):
    model = clone(CHOSEN[name]).set_params(rule=rule, min_ratio="auto").fit(*noisy)
    assert model.cv_results_["curve"][0]["l1"][-1] >= 0.999e-3 * model.path_.l1[0]


def test_min_l1_is_where_the_folds_end(noisy):
    model = SparseSVCCV(cv=3, min_l1=4.0).fit(*noisy)
    assert model.cv_results_["curve"][0]["l1"][-1] == 4.0


@pytest.mark.parametrize("estimator", [SparseSVC(l1=3.0), SparseSVCCV(cv=3)], ids=str)
def test_paths_of_few_points_are_exact(estimator, noisy):
    X, y = noisy
    left_alone, exact = clone(estimator).fit(X, y), clone(estimator).set_params(tol=0).fit(X, y)
    np.testing.assert_array_equal(left_alone.coef_, exact.coef_)
    assert left_alone.l1_ == exact.l1_
    assert left_alone.path_.certificate(midpoints=True).worst_gap <= 1e-9
    near = clone(estimator).set_params(tol=1e-2).fit(X, y).path_
    assert len(near.l1) < len(left_alone.path_.l1)


# -- time, and other limits


@pytest.fixture(scope="module")
def many():
    """More points and columns than a moment suffices for."""
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 2
    return rng.standard_normal((1200, 60)) + 0.1 * (2 * y - 1)[:, None], y


@pytest.mark.parametrize("tol", [0.0, 1e-3])
@pytest.mark.parametrize("max_time", [1e-9, 0.02, 60.0])
def test_a_path_ends_in_time_and_is_certified(many, max_time, tol):
    X, y = many
    try:
        path = chemin.svm_path(X, y, max_time=max_time, tol=tol)
    except InvalidInputError as error:
        assert max_time < 1.0
        assert "raise max_time" in str(error)  # noqa: PT017
        return
    assert path.certificate().worst_gap <= 1e-9
    if max_time > 1.0:
        assert path.status.code == "complete"
    elif path.status.code != "complete":
        assert path.status.code == "stopped"
        assert "raise max_time" in str(path.status)


@pytest.mark.parametrize("max_time", [1e-3, 0.1, 0.6])
@pytest.mark.parametrize(
    "estimator", [SparseSVCCV(cv=3), KernelBasisClassifierCV(cv=3, random_state=0)], ids=str
)
def test_a_fit_ends_in_time_with_a_model_or_says_what_to_do(many, estimator, max_time):
    X, y = many
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model = clone(estimator).set_params(max_time=max_time).fit(X, y)
        except InvalidInputError as error:
            assert "raise max_time" in str(error)  # noqa: PT017
            return
    assert model.path_.certificate().worst_gap <= 1e-9
    assert model.score(X, y) >= 0.5  # in no time at all, the empty model
    text = " ".join(str(warning.message) for warning in said)
    assert "max_time" in text or not text
    assert "max_events" not in text


def test_what_the_first_stage_found_is_kept_when_time_is_spent_in_the_second(noisy, monkeypatch):
    hurried = []

    def shares(self, count):
        hurried.append(bool(self.held))
        yield from [1e-9 if self.held else None] * count

    monkeypatch.setattr(Search, "shares", shares)
    monkeypatch.setattr("chemin.estimators.search._TURNED", 1e9)  # follow a second stage
    with pytest.warns(ConvergenceWarning, match="raise max_time"):
        model = SparseSVCCV(cv=3, max_time=60.0).fit(*noisy)
    assert hurried[:2] == [False, True]
    assert model.path_.certificate().worst_gap <= 1e-9


LIMITS = {
    "none": ({}, "scale the columns, or raise l2"),
    "events": ({"max_events": 9}, "raise max_events to"),
    "time": ({"max_time": 9.0}, "raise max_time to"),
    "both": ({"max_events": 9, "max_time": 9.0}, "raise max_events or max_time to"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_no_limit_that_was_not_set_is_to_be_raised(name, noisy):
    limits, words = LIMITS[name]
    X, y = noisy
    plan = Plan(Variables(standardize=False), l1=None, l2=(1.0,), **limits)
    search = Search(plan, Data(X, y == 1, np.ones(len(y))), None, None, began=0.0)
    with pytest.warns(ConvergenceWarning, match=words) as said:
        search._warn(1.0)
    (text,) = [str(warning.message) for warning in said]
    for limit in ("max_events", "max_time"):
        assert (limit in text) == (limit in limits)


CHOICES = [SparseSVCCV(cv=2), KernelBasisClassifierCV(cv=2)]
EVERY = [SparseSVC(), KernelBasisClassifier(), *CHOICES]
WRONG = {
    "an unknown rule": (CHOICES, {"rule": "least"}, "'best', '1se' or 'fewest'"),
    "no rule": (CHOICES, {"rule": None}, "'best', '1se' or 'fewest'"),
    "an unknown relax": (CHOICES, {"relax": "all"}, "relax is 'all'.*from 0 to 1"),
    "a ridge below 0": (EVERY, {"relax": 0.0, "relax_l2": -1.0}, "relax_l2 is -1.0.*ridge"),
    "a ridge in words": (CHOICES, {"relax_l2": "small"}, "relax_l2 is 'small'.*ridge"),
    "a share above 1": (EVERY, {"relax": 1.1}, "relax is 1.1.*from 0 to 1"),
    "a share below 0": (EVERY, {"relax": -0.1}, "relax is -0.1.*from 0 to 1"),
    "a min_ratio above 1": (CHOICES, {"min_ratio": 2.0}, "from 0.0 to 1.0"),
    "a min_ratio below 0": (CHOICES, {"min_ratio": -0.1}, "from 0.0 to 1.0"),
    "a min_ratio in words": (CHOICES, {"min_ratio": "small"}, "a number or 'auto'"),
    "no min_ratio": (CHOICES, {"min_ratio": None}, "from 0.0 to 1.0"),
    "a negative tol": (EVERY, {"tol": -1e-3}, "tol is -0.001: pass a relative gap"),
    "a tol of 1": (EVERY, {"tol": 1.0}, "pass a relative gap"),
    "a tol that cannot be proved": (EVERY, {"tol": 1e-30}, "pass a relative gap"),
    "a tol in words": (EVERY, {"tol": "fine"}, "a number or 'auto'"),
    "no tol": (EVERY, {"tol": None}, "pass a relative gap"),
    "no time": (CHOICES, {"max_time": 0.0}, "seconds that may be spent, or None"),
    "less than no time": (CHOICES, {"max_time": -1.0}, "seconds that may be spent, or None"),
    "time in words": (CHOICES, {"max_time": "1 h"}, "seconds that may be spent, or None"),
    "time without end": (CHOICES, {"max_time": np.inf}, "seconds that may be spent, or None"),
    "time that is true": (CHOICES, {"max_time": True}, "seconds that may be spent, or None"),
    "a positive class that is none": (EVERY, {"positive": "yes"}, "one of the classes, 0 or 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters_are_refused_with_a_remedy(name, noisy):
    estimators, options, words = WRONG[name]
    for estimator in estimators:
        with pytest.raises(InvalidInputError, match=words):
            clone(estimator).set_params(**options).fit(*noisy)


@pytest.mark.parametrize("max_time", [0, -1, "1 h", np.nan, np.inf, True])
def test_wrong_seconds_of_a_path_are_refused_with_a_remedy(max_time, noisy):
    with pytest.raises(InvalidInputError, match="seconds that may be spent, or None for no limit"):
        chemin.svm_path(*noisy, max_time=max_time)


REFERENCES = {
    "missing values": ([np.nan, *[0.0] * 7], "fill them, or pass 'mean'"),
    "None for a value": ([None, *[0.0] * 7], "fill them, or pass 'mean'"),
    "an unknown class": ("yes", "label of a class, or one point; the classes are 0, 1"),
    "too few values": ([0.0, 1.0], "one value for each"),
    "two points": (np.zeros((2, 8)), "pass one point"),
}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("estimator", [SparseSVC(), KernelBasisClassifier()], ids=str)
def test_a_wrong_reference_is_refused_with_a_remedy(name, estimator, noisy):
    reference, words = REFERENCES[name]
    X, y = noisy
    model = clone(estimator).fit(X, y)
    with pytest.raises(InvalidInputError, match=words):
        model.explain(X[:1], reference=reference)
