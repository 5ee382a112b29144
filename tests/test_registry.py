"""Claims about the registry of models: every line builds, learns, repeats itself, and says what is true of it."""

from __future__ import annotations

import pickle
import re
import sys
import types

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.models import (
    MODELS,
    baselines,
    find,
    frame,
    guide,
    names,
    order_of_simplicity,
    pick,
)
from chemin.models.advice import ADVICE
from chemin.models.labels import NumberedClasses
from chemin.models.model import KINDS, TASKS

pytestmark = [  # no plane separates the sample, and models of planes say so
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:No hyperplane separates the classes"),
]

INSTALLED = [model for model in MODELS if model.installed]
N, P = 72, 5
WANTED = {
    "classes": [
        "majority", "naive-bayes-gaussian", "lda", "qda", "knn", "logistic", "logistic-l1", "tree", "bagging",
        "random-forest", "extra-trees", "adaboost", "gradient-boosting", "hist-gradient-boosting", "svm-linear",
        "svm-rbf", "mlp", "nearest-centroid", "perceptron", "ridge-classifier", "drsvm", "kernel-basis", "xgboost",
        "lightgbm",
        "rosenblatt", "multiclass-perceptron", "kernel-perceptron", "linear-exponential", "svm-hard-margin",
        "multiple-kernels", "naive-bayes-parzen", "naive-bayes-histogram", "bayes-parzen", "adaboost-bounded",
        "logitboost", "functional-boosting", "network",
    ],
    "numbers": [
        "mean", "median", "ols", "polynomial", "ridge", "lasso", "elastic-net", "huber", "ransac", "kernel-ridge",
        "svr-linear", "svr-rbf", "knn-regressor", "tree-regressor", "random-forest-regressor",
        "hist-gradient-boosting-regressor", "mlp-regressor", "sparse-regressor", "kernel-basis-regressor",
        "xgboost-regressor", "lightgbm-regressor", "functional-boosting-regressor", "network-regressor",
    ],
}  # fmt: skip
UNITS = {
    "baseline": {"variables"},
    "linear": {"variables", "terms"},
    "tree": {"leaves"},
    "generative": {
        "centroids",
        "means and variances",
        "means and covariances",
        "variables",
        "rows kept",
    },
    "neighbours": {"rows kept"},
    "kernel": {"variables and couples", "support vectors", "rows kept"},
    "ensemble": {"leaves", "trees"},
    "network": {"weights"},
}


def sample(task, classes=2):
    """Return standardised columns and a target; labels are words."""
    if task == "numbers":
        X, y = make_regression(N, P, n_informative=3, noise=5.0, random_state=0)
        return StandardScaler().fit_transform(X), y
    X, y = make_classification(
        N,
        P,
        n_informative=4,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=1,
        random_state=0,
    )
    return StandardScaler().fit_transform(X), np.array(["low", "middle", "top"])[y]


@pytest.fixture(scope="module")
def fitted():
    """Return every model fitted to its small sample, by name."""
    return {
        model.name: model.build(N, P, random_state=0).fit(*sample(model.task))
        for model in INSTALLED
    }


def test_all_models_are_there():
    assert {task: set(names(task)) for task in TASKS} == {task: set(WANTED[task]) for task in TASKS}
    assert names() == [*names("classes"), *names("numbers")]
    assert len(set(names())) == len(MODELS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_line_is_complete(model):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", model.name)
    assert model.kind in KINDS
    assert re.fullmatch(r"(\d+(\.\d+)*)?", model.course)
    for sentence in (model.assumes, model.costs, model.explains):
        assert re.fullmatch(r"[A-Z][^.!?]*(\d\.\d[^.!?]*)*\.", sentence), sentence
    assert str(model).startswith(f"{model.name} ({model.task}, {model.kind}")
    assert str(model).endswith(model.assumes)
    candidates = len(ParameterGrid(dict(model.space)))
    assert not model.space or 3 <= candidates <= 8
    assert pickle.loads(pickle.dumps(model)).name == model.name


@pytest.mark.parametrize("model", INSTALLED, ids=lambda model: model.name)
def test_a_model_learns_and_repeats_itself(model, fitted):
    X, y = sample(model.task)
    again = clone(model.build(N, P, random_state=0)).fit(X, y)
    first = fitted[model.name].predict(X)
    assert first.shape == (N,)
    if model.task == "classes":
        assert np.array_equal(first, again.predict(X))
    else:  # sums of kernels may round in another order
        assert np.allclose(first, again.predict(X), rtol=1e-9, atol=1e-9)
    if model.kind == "baseline":
        return
    score = again.score(X, y)
    assert score > (0.75 if model.task == "classes" else 0.5), score


@pytest.mark.parametrize(
    "model", [model for model in INSTALLED if model.task == "classes"], ids=lambda model: model.name
)
def test_a_classifier_takes_three_classes_or_says_that_it_does_not(model):
    X, y = sample("classes", classes=3)
    why_not = model.why_not(N, P, np.unique(y, return_counts=True)[1].tolist())
    if why_not:
        assert "tells two classes apart, and there are 3" in why_not
        with pytest.raises(ValueError, match="Only binary classification"):
            model.build(N, P, random_state=0).fit(X, y)
        return
    learned = model.build(N, P, random_state=0).fit(X, y)
    assert set(learned.predict(X)) <= set(y)
    assert learned.classes_.tolist() == ["low", "middle", "top"]
    assert model.kind == "baseline" or learned.score(X, y) > 0.55
    number, unit = model.measure_length(learned)
    assert number >= 0
    assert unit in UNITS[model.kind]
    if model.certified:
        assert re.fullmatch(
            r"worst relative duality gap \de-\d\d of 3 machines", model.certificate(learned)
        )


@pytest.mark.parametrize("model", INSTALLED, ids=lambda model: model.name)
def test_what_is_to_be_chosen_are_parameters_of_the_model(model):
    for candidate in ParameterGrid(dict(model.space)):
        built = model.build(N, P, random_state=0).set_params(**candidate)
        assert {name: built.get_params()[name] for name in candidate} == candidate


@pytest.mark.parametrize(
    "name", ["logistic-l1", "tree", "perceptron", "huber", "ransac", "svr-rbf", "kernel-ridge"]
)
def test_candidates_can_be_searched_through(name):
    model = find(name)
    X, y = sample(model.task)
    space = {parameter: list(values) for parameter, values in model.space.items()}
    search = GridSearchCV(model.build(N, P, random_state=0), space, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert model.measure_length(search) == model.measure_length(search.best_estimator_)


@pytest.mark.parametrize("model", INSTALLED, ids=lambda model: model.name)
def test_a_length_is_a_number_and_its_unit(model, fitted):
    number, unit = model.measure_length(fitted[model.name])
    assert unit in UNITS[model.kind]
    assert isinstance(number, int)
    assert (number == 0) == (model.kind == "baseline")
    if unit == "variables":
        assert number <= P


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("majority", (0, "variables")),
        ("logistic", (5, "variables")),
        ("nearest-centroid", (2, "centroids")),
        ("naive-bayes-gaussian", (20, "means and variances")),
        ("qda", (40, "means and covariances")),
        ("knn", (72, "rows kept")),
        ("kernel-ridge", (72, "rows kept")),
        ("polynomial", (20, "terms")),
        ("hist-gradient-boosting", (100, "trees")),
        ("mlp", (701, "weights")),
    ],
)
def test_lengths_that_can_be_counted_by_hand(name, length, fitted):
    assert find(name).measure_length(fitted[name]) == length


def test_lengths_are_those_of_the_models_themselves(fitted):
    assert find("tree").measure_length(fitted["tree"])[0] == fitted["tree"].get_n_leaves()
    assert find("drsvm").measure_length(fitted["drsvm"])[0] == np.sum(fitted["drsvm"].coef_ != 0)
    basis = fitted["kernel-basis"]
    assert find("kernel-basis").measure_length(basis)[0] == basis.n_terms_
    vectors = fitted["svm-rbf"].n_support_.sum()
    assert find("svm-rbf").measure_length(fitted["svm-rbf"]) == (vectors, "support vectors")
    votes = find("adaboost").measure_length(fitted["adaboost"])
    assert votes == (2 * len(fitted["adaboost"].estimators_), "leaves")


@pytest.mark.parametrize("model", INSTALLED, ids=lambda model: model.name)
def test_only_certified_models_prove_their_solution(model, fitted):
    told = model.certificate(fitted[model.name])
    assert model.certified == (told is not None)
    assert model.certified == (
        model.name in ("drsvm", "kernel-basis", "sparse-regressor", "kernel-basis-regressor")
    )
    if told is not None:
        gap = float(re.fullmatch(r"relative duality gap (\S+)", told)[1])
        assert 0.0 <= gap < 1e-9


def test_models_are_read_through_pipelines():
    X, y = sample("classes")
    model = find("drsvm")
    piped = make_pipeline(StandardScaler(), model.build(N, P, random_state=0)).fit(X, y)
    assert model.measure_length(piped) == model.measure_length(piped[-1])
    assert model.certificate(piped) == model.certificate(piped[-1])


@pytest.mark.parametrize(
    ("name", "near"),
    [("randomforest", "random-forest"), ("Lasso", "lasso"), ("svm_rbf", "svm-rbf"), ("gradient boost", "gradient-b")],
)  # fmt: skip
def test_an_unknown_name_is_answered_by_the_nearest(name, near):
    with pytest.raises(InvalidInputError, match=f"did you mean .*{near}"):
        find(name)


def test_a_name_like_no_other_is_answered_by_where_they_are_listed():
    with pytest.raises(InvalidInputError, match=r"chemin\.models\.names\(\) lists them"):
        find("zzzzzzzz")
    with pytest.raises(InvalidInputError, match="lists them"):
        find([3])


def test_models_are_picked_by_name():
    assert [model.name for model in pick("lasso", "numbers")] == ["lasso"]
    assert pick([find("knn"), "lda", "knn"], "classes") == [find("knn"), find("lda")]
    everything = pick("all", "numbers")
    assert [model.name for model in everything] == [
        name for name in names("numbers") if find(name).installed
    ]
    assert all(model.installed for model in pick("all", "classes"))


def test_models_of_the_other_task_are_refused():
    with pytest.raises(InvalidInputError, match=r"tree predicts classes.*pass 'tree-regressor'"):
        pick(["tree"], "numbers")
    with pytest.raises(InvalidInputError, match=r"ols predicts numbers, not classes.*names"):
        pick(["lda", "ols"], "classes")
    with pytest.raises(InvalidInputError, match="pass 'classes' or 'numbers'"):
        pick("all", "ranking")
    with pytest.raises(InvalidInputError, match="name one, or pass 'all'"):
        pick([], "classes")


@pytest.mark.parametrize("task", TASKS)
def test_a_comparison_has_a_constant_a_linear_model_and_boosted_trees(task):
    models = pick(baselines(task), task)
    assert [model.kind for model in models] == ["baseline", "linear", "ensemble"]


def test_the_registry_is_a_table():
    table = frame()
    assert list(table["name"]) == names()
    assert list(table.columns) == [
        "name", "task", "kind", "course", "assumes", "costs", "explains", "needs",
    ]  # fmt: skip
    assert list(frame("numbers")["name"]) == names("numbers")


def test_models_are_ordered_from_simple_to_hard_to_understand():
    ordered = [
        "majority", "drsvm", "logistic", "tree", "lda", "knn", "kernel-basis", "svm-rbf", "random-forest", "mlp",
    ]  # fmt: skip
    assert [order_of_simplicity(name) for name in ordered] == list(range(10))
    assert all(0 <= order_of_simplicity(name) < 10 for name in names())


@pytest.mark.parametrize(
    ("name", "n", "p", "counts", "reason"),
    [
        ("qda", 60, 40, (35, 25), "qda needs more rows of each class than columns: the smallest class has 25 rows"),
        ("drsvm", 60, 4, (57, 3), "drsvm chooses by 5 folds and needs as many rows of each class: the smallest .* 3"),
        ("lasso", 4, 2, (), "lasso chooses by 5 folds and needs as many rows: there are 4"),
        ("lda", 60, 4, (59, 1), "lda needs two rows of each class"),
        ("lda", 60, 7000, (30, 30), "lda inverts a matrix of 7000 × 7000: choose 3000 columns at most"),
        ("logitboost", 60, 4, (20, 20, 20), "logitboost tells two classes apart, and there are 3: chemin.multiclass"),
        ("multiple-kernels", 6000, 4, (3000, 3000), "multiple-kernels holds several matrices of 6000"),
        ("tree", 60, 4, (60,), "tree needs two classes or more"),
        ("knn", 6, 4, (3, 3), "knn looks at 7 neighbours: there are 6 rows"),
        ("svm-rbf", 60_000, 4, (30_000, 30_000), "svm-rbf compares all rows with each other: 60000 are too many"),
        ("ols", 40, 100, (), "ols needs more rows than columns: there are 40 rows for 100 columns"),
        ("ransac", 40, 30, (), "ransac draws 31 rows .* 63 are needed"),
        ("polynomial", 1000, 500, (), "polynomial of 500 columns has 125750 terms"),
    ],
)  # fmt: skip
def test_what_a_model_cannot_take_is_told(name, n, p, counts, reason):
    assert re.match(reason, find(name).why_not(n, p, counts))


@pytest.mark.parametrize("model", INSTALLED, ids=lambda model: model.name)
def test_every_model_takes_an_ordinary_table(model):
    assert model.why_not(500, 20, (300, 200) if model.task == "classes" else ()) == ""


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "xgboost-regressor", "lightgbm-regressor"])
def test_a_missing_library_is_told_with_its_installation(name, monkeypatch):
    monkeypatch.setattr("chemin.models.model.find_spec", lambda name: None)
    model = find(name)
    library = name.removesuffix("-regressor")
    assert model.why_not(500, 20, (300, 200)) == f"{name} needs {library}: pip install {library}"
    with pytest.raises(MissingLibraryError, match=f"pip install {library}"):
        model.build(500, 20, random_state=0)
    assert model not in pick("all", model.task)


def test_a_library_that_is_there_is_used(monkeypatch):
    made = types.SimpleNamespace(
        XGBClassifier=lambda **options: DecisionTreeClassifier(max_depth=options["max_depth"])
    )
    monkeypatch.setitem(sys.modules, "xgboost", made)
    monkeypatch.setattr("chemin.models.model.find_spec", lambda name: name)
    learned = find("xgboost").build(N, P, random_state=0).fit(*sample("classes", classes=3))
    assert learned.classes_.tolist() == ["low", "middle", "top"]
    assert learned.estimator_.classes_.tolist() == [0, 1, 2]


def test_numbered_classes_answer_in_labels():
    X, y = sample("classes", classes=3)
    learned = NumberedClasses(DummyClassifier(strategy="prior")).fit(
        X, y, sample_weight=1.0 + 9.0 * (y == "top")
    )
    assert set(learned.predict(X)) == {"top"}
    assert learned.predict_proba(X).shape == (N, 3)
    assert learned.predict_proba(X)[0].argmax() == 2


@pytest.mark.parametrize(
    ("n", "p", "asked", "has", "lacks"),
    [
        (60, 2000, {}, ["svm-linear", "naive-bayes-gaussian", "drsvm"], ["logistic", "mlp"]),
        (60, 2000, {"probabilities": True}, ["logistic", "logistic-l1"], ["svm-linear", "svm-rbf"]),
        (5000, 20, {}, ["logistic", "svm-rbf", "adaboost", "mlp"], ["naive-bayes-gaussian"]),
        (5000, 20, {"explain": True}, ["tree", "drsvm", "kernel-basis"], ["mlp", "svm-rbf"]),
        (10**6, 20, {}, ["adaboost", "mlp"], ["svm-rbf"]),
        (60, 2000, {"numbers": True}, ["lasso", "sparse-regressor", "ridge", "huber"], ["ols", "ransac"]),
        (5000, 20, {"numbers": True}, ["ols", "huber", "ransac", "svr-rbf"], ["ridge", "lasso"]),
        (5000, 20, {"numbers": True, "explain": True}, ["lasso", "kernel-basis-regressor"], ["svr-rbf"]),
    ],
)  # fmt: skip
def test_the_guide_follows_the_course(n, p, asked, has, lacks):
    advised = [name for name, _ in guide(n, p, **asked)]
    assert set(has) <= set(advised)
    assert not set(lacks) & set(advised)
    assert len(advised) == len(set(advised))


def test_networks_are_the_last_resort():
    assert guide(5000, 20)[-1][0] == "mlp"
    assert guide(5000, 20, numbers=True)[-1][0] == "mlp-regressor"


@pytest.mark.parametrize("line", ADVICE, ids=lambda line: f"{line.name}, {line.condition}")
def test_a_line_of_the_guide_names_a_model_and_a_reason(line):
    assert find(line.name).task == line.task
    assert re.fullmatch(r"[A-Z][^.:]+: [a-z][^.:]+\.", line.reason)


def test_numbers_have_no_probabilities():
    with pytest.raises(InvalidInputError, match="leave probabilities=False"):
        guide(100, 5, numbers=True, probabilities=True)
