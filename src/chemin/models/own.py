"""Which models are kept here because nobody else keeps them? One line each, as `classes` and `numbers` have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chemin.models import lengths
from chemin.models.bayes import BayesClassifier, NaiveBayes
from chemin.models.boosting import (
    AdaBoost,
    FunctionalBoostingClassifier,
    FunctionalBoostingRegressor,
    LogitBoost,
)
from chemin.models.limits import kernel_rows, two_classes, two_of_each
from chemin.models.losses import LossClassifier
from chemin.models.model import Model
from chemin.models.perceptrons import KernelPerceptron, MulticlassPerceptron, RosenblattPerceptron
from chemin.models.settings import FOREST
from chemin.models.svm import HardMarginSVC, MultipleKernelSVC

_SEVERAL_MATRICES_ROWS = 5000  # of which a kernel matrix takes 0.2 GB


def _rosenblatt(n: int, p: int, random_state: Any) -> Any:
    return RosenblattPerceptron(random_state=random_state)


def _multiclass_perceptron(n: int, p: int, random_state: Any) -> Any:
    return MulticlassPerceptron(random_state=random_state)


def _kernel_perceptron(n: int, p: int, random_state: Any) -> Any:
    return KernelPerceptron(random_state=random_state)


def _exponential(n: int, p: int, random_state: Any) -> Any:
    return LossClassifier("exponential")


def _hard_margin(n: int, p: int, random_state: Any) -> Any:
    return HardMarginSVC()


def _kernel_mix(n: int, p: int, random_state: Any) -> Any:
    return MultipleKernelSVC()


def _naive_windows(n: int, p: int, random_state: Any) -> Any:
    return NaiveBayes("parzen")


def _naive_histograms(n: int, p: int, random_state: Any) -> Any:
    return NaiveBayes("histogram")


def _bayes_windows(n: int, p: int, random_state: Any) -> Any:
    return BayesClassifier("parzen")


def _adaboost(n: int, p: int, random_state: Any) -> Any:
    return AdaBoost(n_estimators=FOREST, random_state=random_state)


def _logitboost(n: int, p: int, random_state: Any) -> Any:
    return LogitBoost(learning_rate=0.5, random_state=random_state)


def _functional_boosting(n: int, p: int, random_state: Any) -> Any:
    return FunctionalBoostingClassifier(random_state=random_state)


def _functional_boosting_of_numbers(n: int, p: int, random_state: Any) -> Any:
    return FunctionalBoostingRegressor(random_state=random_state)


def _network(n: int, p: int, random_state: Any) -> Any:
    from chemin.models.networks import NetworkClassifier  # which brings PyTorch along

    return NetworkClassifier(random_state=random_state)


def _network_of_numbers(n: int, p: int, random_state: Any) -> Any:
    from chemin.models.networks import NetworkRegressor

    return NetworkRegressor(random_state=random_state)


def _two_classes_of_kernel(n: int, p: int, counts: Sequence[int]) -> str:
    return two_classes(n, p, counts) or kernel_rows(n, p, counts)


def _two_classes_of_few_rows(n: int, p: int, counts: Sequence[int]) -> str:
    if n > _SEVERAL_MATRICES_ROWS:
        return f"holds several matrices of {n} × {n}: pass {_SEVERAL_MATRICES_ROWS} rows at most"
    return two_classes(n, p, counts)


OWN_CLASSES = (
    Model(
        "rosenblatt", "classes", "linear", "9.1.1", _rosenblatt,
        assumes="A plane separates the classes without error.",
        costs="Time grows with n p for each of up to 200 sweeps.",
        explains="Every column has a weight; updates are counted, and bounded where there is a margin.",
        length=lengths.variables, space={"margin": (0.0, 0.1, 1.0)}, limit=two_classes,
    ),
    Model(
        "multiclass-perceptron", "classes", "linear", "9.1.2", _multiclass_perceptron,
        assumes="One linear score per class is the largest for its own rows, without error.",
        costs="Time grows with n p for each of up to 200 sweeps.",
        explains="Every column has a weight for each class, which depends on the order of the rows.",
        length=lengths.variables,
    ),
    Model(
        "linear-exponential", "classes", "linear", "8.4", _exponential,
        assumes="The log-odds of the classes are linear in the columns, and labels are rarely wrong.",
        costs="Time grows with n p² for each of some tens of steps.",
        explains="Every column has a weight; a row far on the wrong side outweighs many others.",
        length=lengths.variables, space={"C": (0.01, 0.1, 1.0, 10.0)}, limit=two_classes,
    ),
    Model(
        "svm-hard-margin", "classes", "linear", "8.1", _hard_margin,
        assumes="A plane separates the classes without error.",
        costs="Time grows with p n² to p n³.",
        explains="Every column has a weight; it proves it where no plane separates the classes.",
        length=lengths.variables, limit=_two_classes_of_kernel,
    ),
    Model(
        "naive-bayes-parzen", "classes", "generative", "6.1", _naive_windows,
        assumes="Columns are independent within each class, and their densities are smooth.",
        costs="Time grows with n p: one pass over the data; every answer compares a row with all others.",
        explains="Every column adds its log-likelihood ratio to the decision.",
        length=lengths.rows_of_densities,
        space={"background": (0.001, 0.01, 0.1)}, limit=two_of_each,
    ),
    Model(
        "naive-bayes-histogram", "classes", "generative", "6.1", _naive_histograms,
        assumes="Columns are independent within each class, and their densities are steps.",
        costs="Time grows with n p: one pass over the data.",
        explains="Every column adds its log-likelihood ratio to the decision.",
        length=lengths.rows_of_densities, space={"bins": (5, 10, 20)}, limit=two_of_each,
    ),
    Model(
        "bayes-parzen", "classes", "generative", "5.1.2", _bayes_windows,
        assumes="Every class has a smooth density in all columns together, and there are many rows for few columns.",
        costs="Learning takes no time; every answer compares a row with all others, in p columns.",
        explains="Every class has a density, which can be drawn in two columns at a time.",
        length=lengths.rows_of_densities, limit=two_of_each,
    ),
    Model(
        "kernel-perceptron", "classes", "kernel", "8.6", _kernel_perceptron,
        assumes="Rows that are near each other have the same class, without error.",
        costs="Time and memory grow with n².",
        explains="Every decision is a sum over the rows that were errors, usually too many to read.",
        length=lengths.support_vectors, limit=_two_classes_of_kernel,
    ),
    Model(
        "multiple-kernels", "classes", "kernel", "", _kernel_mix,
        assumes="One mix of likenesses, the same for all rows, separates the classes.",
        costs="Time grows with p n² to p n³ for each of some tens of support vector machines.",
        explains="Every kernel has a weight; every decision is a sum over support vectors.",
        length=lengths.support_vectors, space={"C": (0.3, 1.0, 3.0, 30.0)}, limit=_two_classes_of_few_rows,
    ),
    Model(
        "adaboost-bounded", "classes", "ensemble", "7.3.1", _adaboost,
        assumes="Many rules about one column each, none good alone, add up to a good one; labels are rarely wrong.",
        costs="Time grows with p n log n for each of 200 rounds.",
        explains="Every decision is a weighted vote; a bound on the training error runs along.",
        length=lengths.leaves, space={"n_estimators": (50, 100, 200, 400)}, limit=two_classes,
    ),
    Model(
        "logitboost", "classes", "ensemble", "7.3.1", _logitboost,
        assumes="Many rules about one column each, none good alone, add up to the log-odds of the classes.",
        costs="Time grows with p n log n for each of 100 rounds.",
        explains="Every decision is a sum of questions about one column each, a change of the log-odds.",
        length=lengths.leaves, space={"n_estimators": (25, 50, 100, 200)}, limit=two_classes,
    ),
    Model(
        "functional-boosting", "classes", "ensemble", "7.3.2", _functional_boosting,
        assumes="Many small trees, each along the slope of the loss, add up to a good rule.",
        costs="Time grows with p n log n for each of 100 rounds.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"learning_rate": (0.03, 0.1, 0.3)}, limit=two_classes,
    ),
    Model(
        "network", "classes", "network", "9.2", _network,
        assumes="A smooth function of weighted sums of the columns separates the classes; there are many rows.",
        costs="Time grows with n times the weights for each of 100 passes.",
        explains="Its weights cannot be read; every neuron and its gradient can be looked at.",
        length=lengths.weights, space={"weight_decay": (0.0, 0.0001, 0.01, 0.1)}, needs="torch",
    ),
)  # fmt: skip

OWN_NUMBERS = (
    Model(
        "functional-boosting-regressor", "numbers", "ensemble", "7.3.2", _functional_boosting_of_numbers,
        assumes="Many small trees, each along the slope of the loss, add up to a good rule.",
        costs="Time grows with p n log n for each of 100 rounds.",
        explains="The trees are too many to read; shuffling a column shows how much it matters.",
        length=lengths.leaves, space={"learning_rate": (0.03, 0.1, 0.3)},
    ),
    Model(
        "network-regressor", "numbers", "network", "9.2", _network_of_numbers,
        assumes="The target is a smooth function of weighted sums of the columns; there are many rows.",
        costs="Time grows with n times the weights for each of 100 passes.",
        explains="Its weights cannot be read; every neuron and its gradient can be looked at.",
        length=lengths.weights, space={"weight_decay": (0.0, 0.0001, 0.01, 0.1)}, needs="torch",
    ),
)  # fmt: skip
