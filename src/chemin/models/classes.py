"""Which models tell classes apart? One line each, as a careful user would set them for standardised columns."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from chemin.estimators import KernelBasisClassifierCV, SparseSVCCV
from chemin.models import lengths
from chemin.models.labels import NumberedClasses
from chemin.models.limits import (
    COVARIANCE_COLUMNS,
    five_folds,
    kernel_rows,
    neighbours,
    two_of_each,
)
from chemin.models.model import Model
from chemin.models.settings import (
    ADAPTIVE_ROWS,
    FOREST,
    NEIGHBOURS,
    RIDGES,
    STEPS,
    smallest_leaf,
)

# LogisticRegression(penalty="l1") is l1_ratio=1 since scikit-learn 1.8, which warns of the older name.
_RENAMED = signature(LogisticRegression).parameters["penalty"].default == "deprecated"
_L1: dict[str, Any] = {"l1_ratio": 1.0} if _RENAMED else {"penalty": "l1"}


def _majority(n: int, p: int, random_state: Any) -> Any:
    return DummyClassifier(strategy="prior")


def _nearest_centroid(n: int, p: int, random_state: Any) -> Any:
    return NearestCentroid(priors="empirical")


def _naive_bayes(n: int, p: int, random_state: Any) -> Any:
    return GaussianNB()


def _lda(n: int, p: int, random_state: Any) -> Any:
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def _qda(n: int, p: int, random_state: Any) -> Any:
    # A little of the identity keeps covariances invertible where columns are indicators of words.
    return QuadraticDiscriminantAnalysis(reg_param=0.01)


def _logistic(n: int, p: int, random_state: Any) -> Any:
    return LogisticRegression(max_iter=STEPS, random_state=random_state)


def _logistic_l1(n: int, p: int, random_state: Any) -> Any:
    return LogisticRegression(
        solver="saga", tol=1e-3, max_iter=STEPS, random_state=random_state, **_L1
    )


def _ridge(n: int, p: int, random_state: Any) -> Any:
    return RidgeClassifierCV(alphas=RIDGES)


def _perceptron(n: int, p: int, random_state: Any) -> Any:
    return Perceptron(random_state=random_state)


def _svm_linear(n: int, p: int, random_state: Any) -> Any:
    return LinearSVC(dual=False, max_iter=STEPS, random_state=random_state)


def _drsvm(n: int, p: int, random_state: Any) -> Any:
    return SparseSVCCV(rule="fewest", relax="auto", random_state=random_state)


def _neighbours(n: int, p: int, random_state: Any) -> Any:
    return KNeighborsClassifier(n_neighbors=NEIGHBOURS)


def _tree(n: int, p: int, random_state: Any) -> Any:
    return DecisionTreeClassifier(min_samples_leaf=5, random_state=random_state)


def _bagging(n: int, p: int, random_state: Any) -> Any:
    return BaggingClassifier(n_estimators=FOREST, random_state=random_state)


def _random_forest(n: int, p: int, random_state: Any) -> Any:
    return RandomForestClassifier(n_estimators=FOREST, random_state=random_state)


def _extra_trees(n: int, p: int, random_state: Any) -> Any:
    return ExtraTreesClassifier(n_estimators=FOREST, random_state=random_state)


def _adaboost(n: int, p: int, random_state: Any) -> Any:
    return AdaBoostClassifier(n_estimators=FOREST, random_state=random_state)


def _gradient_boosting(n: int, p: int, random_state: Any) -> Any:
    return GradientBoostingClassifier(random_state=random_state)


def _histogram_boosting(n: int, p: int, random_state: Any) -> Any:
    return HistGradientBoostingClassifier(
        min_samples_leaf=smallest_leaf(n), random_state=random_state
    )


def _xgboost(n: int, p: int, random_state: Any) -> Any:
    boosted = import_module("xgboost").XGBClassifier(
        n_estimators=100, learning_rate=0.1, max_depth=4, n_jobs=1, random_state=random_state
    )
    return NumberedClasses(boosted)


def _lightgbm(n: int, p: int, random_state: Any) -> Any:
    return import_module("lightgbm").LGBMClassifier(
        min_child_samples=smallest_leaf(n), n_jobs=1, random_state=random_state, verbose=-1
    )


def _svm_rbf(n: int, p: int, random_state: Any) -> Any:
    return SVC(random_state=random_state)


def _kernel_basis(n: int, p: int, random_state: Any) -> Any:
    return KernelBasisClassifierCV(random_state=random_state)


def _network(n: int, p: int, random_state: Any) -> Any:
    if n < ADAPTIVE_ROWS:
        return MLPClassifier(
            solver="lbfgs", alpha=1.0, tol=1e-3, max_iter=STEPS, random_state=random_state
        )
    return MLPClassifier(early_stopping=True, max_iter=STEPS, random_state=random_state)


def _full_covariances(n: int, p: int, counts: Sequence[int]) -> str:
    fewest = min(counts, default=n)
    if fewest > p:
        return ""
    rows = f"the smallest class has {fewest} rows for {p} columns"
    return f"needs more rows of each class than columns: {rows}"


def _one_covariance(n: int, p: int, counts: Sequence[int]) -> str:
    if p > COVARIANCE_COLUMNS:
        return f"inverts a matrix of {p} × {p}: choose {COVARIANCE_COLUMNS} columns at most first"
    return two_of_each(n, p, counts)


CLASSES = (
    Model(
        "majority", "classes", "baseline", "", _majority,
        assumes="The columns tell nothing: the most frequent class is the best answer to every row.",
        costs="It takes no time.",
        explains="There is nothing to explain: every row has the same answer.",
        length=lengths.no_variable,
    ),
    Model(
        "drsvm", "classes", "linear", "", _drsvm,
        assumes="A plane in few of the columns separates the classes, up to some errors.",
        costs="Time grows with n p for each event of the path, and with the number of events; choosing among all l1 is "
        "included.",
        explains="It is a short list of columns with weights, and every decision is a sum of their terms.",
        length=lengths.own_variables, selects=True, certified=True, limit=five_folds,
    ),
    Model(
        "logistic-l1", "classes", "linear", "", _logistic_l1,
        assumes="The log-odds of the classes are linear in few of the columns.",
        costs="Time grows with n p for each pass, and there may be hundreds of passes.",
        explains="The columns it keeps have weights, which are changes of the log-odds.",
        length=lengths.variables, space={"C": (0.01, 0.03, 0.1, 0.3, 1.0, 10.0)}, selects=True,
    ),
    Model(
        "logistic", "classes", "linear", "6.2", _logistic,
        assumes="The log-odds of the classes are linear in the columns.",
        costs="Time grows with n p for each of some tens of steps.",
        explains="Every column has a weight, which is a change of the log-odds.",
        length=lengths.variables, space={"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
    ),
    Model(
        "svm-linear", "classes", "linear", "8.2", _svm_linear,
        assumes="A plane separates the classes with a wide margin, up to some errors.",
        costs="Time grows with n p for each of some tens of steps.",
        explains="Every column has a weight; rows near the boundary decide where it lies.",
        length=lengths.variables, space={"C": (0.001, 0.01, 0.1, 1.0, 10.0)},
    ),
    Model(
        "ridge-classifier", "classes", "linear", "8.4", _ridge,
        assumes="Labels written as −1 and 1 are nearly linear in the columns.",
        costs="Time grows with n p times the smaller of n and p; the penalty is chosen in the same computation.",
        explains="Every column has a weight.",
        length=lengths.variables,
    ),
    Model(
        "perceptron", "classes", "linear", "9.1", _perceptron,
        assumes="A plane separates the classes without error.",
        costs="Time grows with n p for each pass, and passes go on until the errors stop falling.",
        explains="Every column has a weight, which depends on the order of the rows.",
        length=lengths.variables, space={"penalty": (None, "l2", "l1")},
    ),
    Model(
        "tree", "classes", "tree", "7.2", _tree,
        assumes="A few questions about one column at a time sort the classes.",
        costs="Time grows with p n log n.",
        explains="Every answer is a list of questions, which can be drawn; small changes of the data may change them.",
        length=lengths.leaves, space={"max_depth": (2, 3, 5, 8, None)},
    ),
    Model(
        "nearest-centroid", "classes", "generative", "6.1.2", _nearest_centroid,
        assumes="Columns are independent and Gaussian within each class, and spread alike in all classes.",
        costs="Time grows with n p: one pass over the data.",
        explains="Every class has a typical row, and the nearest one decides.",
        length=lengths.centroids, space={"shrink_threshold": (None, 0.2, 0.5, 1.0)}, limit=two_of_each,
    ),
    Model(
        "naive-bayes-gaussian", "classes", "generative", "6.1", _naive_bayes,
        assumes="Columns are independent and Gaussian within each class.",
        costs="Time grows with n p: one pass over the data.",
        explains="Every column adds its log-likelihood ratio to the decision.",
        length=lengths.gaussian_numbers, space={"var_smoothing": (1e-9, 1e-3, 1e-2, 1e-1)}, limit=two_of_each,
    ),
    Model(
        "lda", "classes", "generative", "6.2", _lda,
        assumes="Every class is a Gaussian, and all have the same covariance.",
        costs="Time grows with n p² + p³.",
        explains="Every column has a weight, which depends on the columns correlated with it.",
        length=lengths.variables, space={"shrinkage": ("auto", 0.01, 0.1, 0.5)}, limit=_one_covariance,
    ),
    Model(
        "qda", "classes", "generative", "6.5", _qda,
        assumes="Every class is a Gaussian with a covariance of its own.",
        costs="Time grows with n p² + K p³ for K classes.",
        explains="Every class has a mean and an ellipsoid around it; columns have no weights of their own.",
        length=lengths.quadratic_numbers, space={"reg_param": (0.001, 0.01, 0.1, 0.5)}, limit=_full_covariances,
    ),
    Model(
        "knn", "classes", "neighbours", "6.3", _neighbours,
        assumes="Rows that are near each other have the same class, and all columns count alike for what is near.",
        costs="Learning takes no time; every answer compares a row with up to n others, in p columns.",
        explains="It shows the training rows most like the one asked about.",
        length=lengths.rows_kept, space={"n_neighbors": (3, 5, 7, 11, 15)}, limit=neighbours,
    ),
    Model(
        "kernel-basis", "classes", "kernel", "", _kernel_basis,
        assumes="A few columns, and likeness to a few training rows, separate the classes.",
        costs="Time grows with n times the columns offered for each event of the path: p, and 300 for each kernel.",
        explains="It is a short list of columns, and of rows with a kernel; every decision is a sum of their terms.",
        length=lengths.own_terms, selects=True, certified=True, limit=five_folds,
    ),
    Model(
        "svm-rbf", "classes", "kernel", "8.3", _svm_rbf,
        assumes="Rows that are near each other have the same class, and a smooth boundary separates the classes.",
        costs="Time grows with p n² to p n³.",
        explains="Every decision is a sum over support vectors, usually too many to read.",
        length=lengths.support_vectors, space={"C": (0.3, 1.0, 3.0, 30.0), "gamma": ("scale", 0.01)}, limit=kernel_rows,
    ),
    Model(
        "bagging", "classes", "ensemble", "7.2.1", _bagging,
        assumes="A few questions about one column at a time sort the classes, and their variation averages out.",
        costs="Time grows with p n log n for each of 200 trees.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"max_samples": (0.3, 0.6, 1.0)},
    ),
    Model(
        "random-forest", "classes", "ensemble", "7.2.2", _random_forest,
        assumes="Questions about one column at a time sort the classes, and different trees err on different rows.",
        costs="Time grows with √p n log n for each of 200 trees.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"max_features": ("sqrt", 0.3, 1.0), "min_samples_leaf": (1, 5)},
    ),
    Model(
        "extra-trees", "classes", "ensemble", "", _extra_trees,
        assumes="Questions about one column at a time sort the classes, even with thresholds drawn at random.",
        costs="Time grows with √p n log n for each of 200 trees, without sorting.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"max_features": ("sqrt", 0.3, 1.0), "min_samples_leaf": (1, 5)},
    ),
    Model(
        "adaboost", "classes", "ensemble", "7.3.1", _adaboost,
        assumes="Many rules about one column each, none good alone, add up to a good one; labels are rarely wrong.",
        costs="Time grows with p n log n for each of 200 rounds.",
        explains="Every decision is a weighted vote of questions about one column each.",
        length=lengths.leaves, space={"n_estimators": (50, 100, 200, 400)},
    ),
    Model(
        "gradient-boosting", "classes", "ensemble", "7.3.2", _gradient_boosting,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with p n log n for each of 100 rounds and each class.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"learning_rate": (0.03, 0.1, 0.3), "max_depth": (2, 3)},
    ),
    Model(
        "hist-gradient-boosting", "classes", "ensemble", "7.3.2", _histogram_boosting,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds and each class, as columns are cut into 255 bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.histogram_trees, space={"learning_rate": (0.03, 0.1), "max_leaf_nodes": (4, 8, 31)},
    ),
    Model(
        "xgboost", "classes", "ensemble", "7.3.2", _xgboost,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds and each class, as columns are cut into bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.xgboost_leaves,
        space={"estimator__learning_rate": (0.03, 0.1, 0.3), "estimator__max_depth": (2, 4)}, needs="xgboost",
    ),
    Model(
        "lightgbm", "classes", "ensemble", "", _lightgbm,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds and each class, as columns are cut into bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.lightgbm_trees, space={"learning_rate": (0.03, 0.1), "num_leaves": (4, 8, 31)}, needs="lightgbm",
    ),
    Model(
        "mlp", "classes", "network", "9.2", _network,
        assumes="A smooth function of weighted sums of the columns separates the classes; there are many rows.",
        costs=f"Time grows with n times the weights for each pass, and passes are many; from {ADAPTIVE_ROWS} rows "
        "on, a tenth of them says when to stop.",
        explains="Its weights cannot be read; shuffling a column shows how much it matters.",
        length=lengths.weights, space={"alpha": (0.001, 0.1, 1.0, 10.0)},
    ),
)  # fmt: skip
