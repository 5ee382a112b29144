"""Which models predict a number? One line each, as a careful user would set them for standardised columns.

Where a model's parameters are in units of the target, the target is scaled for it and predictions are scaled back.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    ElasticNetCV,
    HuberRegressor,
    LassoCV,
    LinearRegression,
    RANSACRegressor,
    RidgeCV,
)
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from chemin.estimators import KernelBasisRegressorCV, SparseRegressorCV
from chemin.models import lengths
from chemin.models.limits import (
    five_folds,
    kernel_rows,
    more_rows_than_columns,
    neighbours,
    products,
    subsets_of_rows,
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


def _standardised(regressor: Any) -> Any:
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


def _folds(random_state: Any) -> KFold:
    return KFold(5, shuffle=True, random_state=random_state)


def _mean(n: int, p: int, random_state: Any) -> Any:
    return DummyRegressor(strategy="mean")


def _median(n: int, p: int, random_state: Any) -> Any:
    return DummyRegressor(strategy="median")


def _least_squares(n: int, p: int, random_state: Any) -> Any:
    return LinearRegression()


def _polynomial(n: int, p: int, random_state: Any) -> Any:
    powers = PolynomialFeatures(2, include_bias=False)
    return make_pipeline(powers, StandardScaler(), RidgeCV(alphas=RIDGES))


def _ridge(n: int, p: int, random_state: Any) -> Any:
    return RidgeCV(alphas=RIDGES)


def _lasso(n: int, p: int, random_state: Any) -> Any:
    return LassoCV(cv=_folds(random_state), max_iter=STEPS)


def _elastic_net(n: int, p: int, random_state: Any) -> Any:
    return ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9], cv=_folds(random_state), max_iter=STEPS)


def _sparse(n: int, p: int, random_state: Any) -> Any:
    return SparseRegressorCV(rule="fewest", relax="auto", random_state=random_state)


def _huber(n: int, p: int, random_state: Any) -> Any:
    return HuberRegressor(max_iter=STEPS)


def _ransac(n: int, p: int, random_state: Any) -> Any:
    # What is near a line is in units of the quartiles, which outliers do not move.
    return TransformedTargetRegressor(
        RANSACRegressor(random_state=random_state), transformer=RobustScaler()
    )


def _svr_linear(n: int, p: int, random_state: Any) -> Any:
    return _standardised(SVR(kernel="linear"))


def _neighbours(n: int, p: int, random_state: Any) -> Any:
    return KNeighborsRegressor(n_neighbors=NEIGHBOURS)


def _tree(n: int, p: int, random_state: Any) -> Any:
    return DecisionTreeRegressor(min_samples_leaf=5, random_state=random_state)


def _random_forest(n: int, p: int, random_state: Any) -> Any:
    return RandomForestRegressor(n_estimators=FOREST, max_features=0.3, random_state=random_state)


def _histogram_boosting(n: int, p: int, random_state: Any) -> Any:
    return HistGradientBoostingRegressor(
        min_samples_leaf=smallest_leaf(n), random_state=random_state
    )


def _xgboost(n: int, p: int, random_state: Any) -> Any:
    return import_module("xgboost").XGBRegressor(
        n_estimators=100, learning_rate=0.1, max_depth=4, n_jobs=1, random_state=random_state
    )


def _lightgbm(n: int, p: int, random_state: Any) -> Any:
    return import_module("lightgbm").LGBMRegressor(
        min_child_samples=smallest_leaf(n), n_jobs=1, random_state=random_state, verbose=-1
    )


def _kernel_ridge(n: int, p: int, random_state: Any) -> Any:
    # KernelRidge has no intercept: the target is centred for it.
    return _standardised(KernelRidge(kernel="rbf"))


def _svr_rbf(n: int, p: int, random_state: Any) -> Any:
    return _standardised(SVR())


def _kernel_basis(n: int, p: int, random_state: Any) -> Any:
    return KernelBasisRegressorCV(random_state=random_state)


def _network(n: int, p: int, random_state: Any) -> Any:
    if n < ADAPTIVE_ROWS:
        return _standardised(
            MLPRegressor(
                solver="lbfgs", alpha=1.0, tol=1e-3, max_iter=STEPS, random_state=random_state
            )
        )
    return _standardised(
        MLPRegressor(early_stopping=True, max_iter=STEPS, random_state=random_state)
    )


NUMBERS = (
    Model(
        "mean", "numbers", "baseline", "", _mean,
        assumes="The columns tell nothing, and errors count by their squares.",
        costs="It takes no time.",
        explains="There is nothing to explain: every row has the same answer.",
        length=lengths.no_variable,
    ),
    Model(
        "median", "numbers", "baseline", "", _median,
        assumes="The columns tell nothing, and errors count by their size.",
        costs="It takes no time.",
        explains="There is nothing to explain: every row has the same answer.",
        length=lengths.no_variable,
    ),
    Model(
        "sparse-regressor", "numbers", "linear", "", _sparse,
        assumes="The mean of the target is linear in few of the columns.",
        costs="Time grows with n p for each event of the path, and with the number of events; choosing among all l1 is "
        "included.",
        explains="It is a short list of columns with weights, and every prediction is a sum of their terms.",
        length=lengths.own_variables, selects=True, certified=True, limit=five_folds,
    ),
    Model(
        "lasso", "numbers", "linear", "1.4.2.3", _lasso,
        assumes="The mean of the target is linear in few of the columns.",
        costs="Time grows with n p for each pass over the columns; 100 penalties are tried on five folds.",
        explains="The columns it keeps have weights, a little too small.",
        length=lengths.variables, selects=True, limit=five_folds,
    ),
    Model(
        "elastic-net", "numbers", "linear", "", _elastic_net,
        assumes="The mean of the target is linear in some of the columns, of which correlated ones share the weight.",
        costs="Time grows with n p for each pass over the columns; 300 penalties are tried on five folds.",
        explains="The columns it keeps have weights, a little too small.",
        length=lengths.variables, selects=True, limit=five_folds,
    ),
    Model(
        "ols", "numbers", "linear", "1.4.2.1", _least_squares,
        assumes="The mean of the target is linear in the columns, which are fewer than the rows and not collinear.",
        costs="Time grows with n p².",
        explains="Every column has a weight: the change of the target for one unit, all others held fixed.",
        length=lengths.variables, limit=more_rows_than_columns,
    ),
    Model(
        "ridge", "numbers", "linear", "1.4.2.2", _ridge,
        assumes="The mean of the target is linear in the columns, with small weights.",
        costs="Time grows with n p times the smaller of n and p; the penalty is chosen in the same computation.",
        explains="Every column has a weight, a little too small.",
        length=lengths.variables,
    ),
    Model(
        "polynomial", "numbers", "linear", "1.4.2.1", _polynomial,
        assumes="The mean of the target is a polynomial of degree 2 of the columns, with small weights.",
        costs="Time grows with n p² times the smaller of n and p².",
        explains="Every column, square and product of two columns has a weight.",
        length=lengths.terms, limit=products,
    ),
    Model(
        "huber", "numbers", "linear", "4.2", _huber,
        assumes="The target is linear in the columns for most rows, and the others are outliers.",
        costs="Time grows with n p for each of some tens of steps.",
        explains="Every column has a weight; outliers pull on it less than under squares.",
        length=lengths.variables, space={"epsilon": (1.1, 1.35, 1.9), "alpha": (0.0001, 1.0)},
    ),
    Model(
        "ransac", "numbers", "linear", "4.2", _ransac,
        assumes="One linear rule fits many of the rows closely, and the others may be anything.",
        costs="Time grows with p³ + n p for each of 100 drawn lines; many columns need far more draws.",
        explains="Every column has a weight, and every row is with the line or not.",
        length=lengths.consensus_variables,
        space={"regressor__residual_threshold": (None, 0.25, 0.5, 1.0)}, limit=subsets_of_rows,
    ),
    Model(
        "svr-linear", "numbers", "linear", "8.5", _svr_linear,
        assumes="The target is linear in the columns, and small errors do not matter.",
        costs="Time grows with p n² to p n³.",
        explains="Every column has a weight; rows outside the tube decide about them.",
        length=lengths.variables,
        space={"regressor__C": (0.01, 0.1, 1.0), "regressor__epsilon": (0.05, 0.2)}, limit=kernel_rows,
    ),
    Model(
        "tree-regressor", "numbers", "tree", "7.4", _tree,
        assumes="A few questions about one column at a time lead to rows with similar targets.",
        costs="Time grows with p n log n.",
        explains="Every answer is a list of questions, which can be drawn; small changes of the data may change them.",
        length=lengths.leaves, space={"max_depth": (2, 3, 5, 8, None)},
    ),
    Model(
        "knn-regressor", "numbers", "neighbours", "", _neighbours,
        assumes="Rows that are near each other have similar targets, and all columns count alike for what is near.",
        costs="Learning takes no time; every answer compares a row with up to n others, in p columns.",
        explains="It shows the training rows most like the one asked about.",
        length=lengths.rows_kept, space={"n_neighbors": (3, 5, 7, 11, 15)}, limit=neighbours,
    ),
    Model(
        "kernel-basis-regressor", "numbers", "kernel", "", _kernel_basis,
        assumes="The target is a sum of terms in a few columns, and in likeness to a few training rows.",
        costs="Time grows with n times the columns offered for each event of the path: p, and 300 for each kernel.",
        explains="It is a short list of columns, and of rows with a kernel; every prediction is a sum of their terms.",
        length=lengths.own_terms, selects=True, certified=True, limit=five_folds,
    ),
    Model(
        "kernel-ridge", "numbers", "kernel", "8.6", _kernel_ridge,
        assumes="The target is a smooth function of the columns.",
        costs="Time grows with p n² + n³, and memory with n².",
        explains="Every prediction is a sum over all training rows, too many to read.",
        length=lengths.kernel_rows_kept,
        space={"regressor__alpha": (0.01, 0.1, 1.0), "regressor__gamma": (None, 0.01)}, limit=kernel_rows,
    ),
    Model(
        "svr-rbf", "numbers", "kernel", "8.5", _svr_rbf,
        assumes="The target is a smooth function of the columns, and small errors do not matter.",
        costs="Time grows with p n² to p n³.",
        explains="Every prediction is a sum over support vectors, usually too many to read.",
        length=lengths.support_vectors,
        space={"regressor__C": (0.3, 1.0, 3.0, 30.0), "regressor__gamma": ("scale", 0.01)}, limit=kernel_rows,
    ),
    Model(
        "random-forest-regressor", "numbers", "ensemble", "7.4", _random_forest,
        assumes="Questions about one column at a time lead to rows with similar targets.",
        costs="Time grows with p n log n for each of 200 trees.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"max_features": ("sqrt", 0.3, 1.0), "min_samples_leaf": (1, 5)},
    ),
    Model(
        "hist-gradient-boosting-regressor", "numbers", "ensemble", "7.3.2", _histogram_boosting,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds, as columns are cut into 255 bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.histogram_trees, space={"learning_rate": (0.03, 0.1), "max_leaf_nodes": (4, 8, 31)},
    ),
    Model(
        "xgboost-regressor", "numbers", "ensemble", "7.3.2", _xgboost,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds, as columns are cut into bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.xgboost_leaves, space={"learning_rate": (0.03, 0.1, 0.3), "max_depth": (2, 4)}, needs="xgboost",
    ),
    Model(
        "lightgbm-regressor", "numbers", "ensemble", "", _lightgbm,
        assumes="Many small trees, each of which mends what the others have left, add up to a good rule.",
        costs="Time grows with n p for each of 100 rounds, as columns are cut into bins once.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.lightgbm_trees, space={"learning_rate": (0.03, 0.1), "num_leaves": (4, 8, 31)}, needs="lightgbm",
    ),
    Model(
        "mlp-regressor", "numbers", "network", "9.2", _network,
        assumes="The target is a smooth function of weighted sums of the columns; there are many rows.",
        costs=f"Time grows with n times the weights for each pass, and passes are many; from {ADAPTIVE_ROWS} rows "
        "on, a tenth of them says when to stop.",
        explains="Its weights cannot be read; shuffling a column shows how much it matters.",
        length=lengths.weights, space={"regressor__alpha": (0.001, 0.1, 1.0, 10.0)},
    ),
)  # fmt: skip
