"""What do the regressors share? Data in, one path, predictions out; where l1 comes from is given or chosen."""

from __future__ import annotations

import numbers
import warnings
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from chemin import interpret
from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.engine.direct import is_quicker, path_at
from chemin.engine.entry import path
from chemin.engine.relaxed import relaxed_path
from chemin.engine.result import Path
from chemin.estimators.basis import Basis, Columns
from chemin.estimators.choice import RULES
from chemin.estimators.readable import Readable, as_vector
from chemin.estimators.regression.choice import HeldOutTargets, TargetChoice, choose_target_l1
from chemin.estimators.search import relaxed_decisions, relaxed_levels
from chemin.estimators.tuning import as_shares, check_share
from chemin.exceptions import EmptyModelWarning, InvalidInputError
from chemin.problems.losses import Loss, as_loss
from chemin.progress import Bar
from chemin.validation import as_target, check_l2, check_min_l1, check_min_ratio


class Targets(NamedTuple):
    """Points, the numbers to predict, and weights."""

    X: Any
    y: Floats
    weight: Floats

    def of(self, rows: Indices) -> Targets:
        """Return some of them."""
        return Targets(self.X[rows], self.y[rows], self.weight[rows])


@dataclass(frozen=True)
class Recipe:
    """What to do with the data: the columns, the loss, and how a path is followed."""

    basis: Basis
    loss: Loss
    l2: float
    max_events: int | None
    device: str
    penalty: Any = "l1"

    def solve(self, columns: Columns, data: Targets, l1: float, alone: bool) -> Path:
        """Return a path that ends at one l1; nothing but its end, if only that is asked for and is quicker."""
        dictionary = columns.of(data.X)
        limited = self.max_events is not None or self.device != "cpu" or self.penalty != "l1"
        if not alone or limited or not is_quicker(self.loss, *dictionary.shape):
            return self.follow(columns, data, l1, dictionary)
        penalties = {"l2": self.l2, "l1_weight": columns.l1_weight}
        return path_at(
            dictionary, data.y, l1, loss=self.loss, sample_weight=data.weight, **penalties
        )

    def learn(self, data: Targets) -> Columns:
        """Return the columns that some points determine; centres are spread over large and small targets."""
        return self.basis.learn(data.X, data.y > np.median(data.y), data.weight)

    def follow(
        self,
        columns: Columns,
        data: Targets,
        min_l1: float,
        dictionary: Dictionary | None = None,
        min_ratio: float = 0.0,
    ) -> Path:
        """Follow the path of some points."""
        return path(
            columns.of(data.X) if dictionary is None else dictionary,
            data.y,
            loss=self.loss,
            penalty=self.penalty,
            l2=self.l2,
            min_l1=min_l1,
            min_ratio=min_ratio,
            sample_weight=data.weight,
            l1_weight=columns.l1_weight,
            max_events=self.max_events,
            device=self.device,
        )


class NumberMachine:
    """A fitted path, read at one l1: what `chemin.interpret` asks of a machine."""

    columns_: Columns
    rows_: Indices
    path_: Path
    l1_: float
    l2_: float
    relax_: float
    model_path_: Path
    model_l1_: float
    coef_: Floats
    intercept_: float
    dual_: Floats

    def decision_function(self, X: Any) -> Floats:
        """Return b0 + Σ b_j ψ_j(x) for the columns ψ of the basis."""
        return self.columns_.scores(X, self.coef_) + self.intercept_

    @property
    def variable_coef_(self) -> Floats:
        """The coefficients of the variables, in the user's units."""
        return self.columns_.in_units(self.coef_)[: self.columns_.n_variables]

    def read_off(self, l1: float, relax: float, relax_l2: float | None) -> None:
        """Take the solution at l1, or the relaxed one on its columns."""
        self.l1_ = l1
        self.relax_ = relax
        self.model_path_ = self.path_
        self.model_l1_ = l1
        self.coef_ = self.path_.coef_at(l1)
        if relax < 1.0 and self.coef_.any():
            relaxed = relaxed_path(self.path_, l1, l2=relax_l2, min_l1=relax * l1)
            self.model_path_ = relaxed.path
            self.model_l1_ = max(relax * l1, float(relaxed.path.l1[-1]))
            self.coef_ = relaxed.coef_at(self.model_l1_)
        self.intercept_ = float(self.model_path_.intercept_at(self.model_l1_))
        self.dual_ = self.model_path_.dual_at(self.model_l1_)


class PathRegressor(Readable, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting and predicting; an estimator adds its parameters, its basis, and where l1 comes from."""

    loss: Any
    l2: Any
    max_events: int | None
    device: str
    verbose: bool

    _is_alone = False  # whether the solution at l1 is all that is asked for
    positive = None  # no class to speak for, and one machine
    scheme_ = None

    @abstractmethod
    def _basis(self, names: NDArray[Any] | None) -> Basis:
        """Return the basis of the predictions, for variables of these names."""

    @abstractmethod
    def _choose(
        self, recipe: Recipe, data: Targets, kept: Indices
    ) -> tuple[float, float, float | None]:
        """Return l1, the share of it with which columns are shrunk, and the ridge of a relaxed solution."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Follow the path down to l1.

        Parameters
        ----------
        X : array, SciPy sparse array or DataFrame of shape (n, p)
            The variables.
        y : array of shape (n,)
            The numbers to predict.
        sample_weight : array of shape (n,), optional
            Weights of the points; a weight of 2 is the point twice, exactly.

        Returns
        -------
        self
        """
        loss = self._checked_loss()
        _check_numeric(y, type(self).__name__)
        self._note_table(X)
        X, y = self._read_training(X, y)
        self._labels = y
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        kept = np.flatnonzero(weight > 0)
        if not len(kept):
            raise InvalidInputError(
                "every weight is zero: give some points a positive sample_weight"
            )
        basis = self._basis(getattr(self, "feature_names_in_", None))
        penalty = getattr(self, "penalty", "l1")
        recipe = Recipe(basis, loss, check_l2(self.l2), self.max_events, self.device, penalty)
        data = Targets(X, y, weight).of(kept)
        if np.ptp(data.y) == 0.0:
            warnings.warn(
                f"y is {data.y[0]:.6g} throughout, so the model is that number: check the target",
                EmptyModelWarning,
                stacklevel=2,
            )
        l1, relax, relax_l2 = self._choose(recipe, data, kept)
        machine = NumberMachine()
        machine.rows_ = kept
        machine.l2_ = recipe.l2
        machine.columns_ = recipe.learn(data)
        bar = Bar("path", 1, self.verbose)
        alone = self._is_alone and relax == 1.0  # else the path that led there is needed
        (machine.path_,) = bar.over(
            recipe.solve(machine.columns_, data, end, alone) for end in [l1]
        )
        reached = max(l1, float(machine.path_.l1[-1]))
        if reached > l1 and np.ptp(data.y) > 0.0:
            warnings.warn(
                f"{machine.path_.status} The model is that of l1 = {reached:.6g}, not {l1:.6g}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        machine.read_off(reached, relax, relax_l2)
        self.estimators_ = [machine]
        self._read_off(machine)
        return self

    def predict(self, X: Any) -> Floats:
        """Return one number per point."""
        X = self._checked(X)
        return np.asarray(self.estimators_[0].decision_function(X))

    def summary(self) -> interpret.Summary:
        """Return what the model is, how it was chosen and what proves it; see `chemin.interpret.summary`."""
        return interpret.summary(self)

    def _check_ready(self) -> None:
        check_is_fitted(self)

    def _read_target(self, y: Any, n: int) -> NDArray[Any]:
        """Return one number per point."""
        if y is None:
            raise InvalidInputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: pass one number per row of X"
            )
        return as_target(as_vector(y), n, self._checked_loss().name)

    def _checked_loss(self) -> Loss:
        loss = as_loss(self.loss)
        if loss.takes_labels:
            raise InvalidInputError(
                f"loss={self.loss!r} is for classes: pass 'squared', 'huber', 'absolute', 'quantile' or "
                "'epsilon_insensitive', or use SparseSVC"
            )
        return loss

    def _read_off(self, machine: NumberMachine) -> None:
        """Set the attributes that people look for."""
        self.path_ = machine.path_
        self.l1_ = machine.l1_
        self.l2_ = machine.l2_
        self.relax_ = machine.relax_
        self.intercept_ = machine.intercept_
        self.dual_ = machine.dual_
        self.n_iter_ = len(machine.path_.events)
        if machine.columns_.n_variables:
            self.coef_ = machine.variable_coef_
            self.support_ = np.flatnonzero(self.coef_)


class AtGivenL1(PathRegressor):
    """Regressors with a parameter ``l1``."""

    _is_alone = True
    l1: float
    relax: float
    relax_l2: float | None

    def _choose(
        self, recipe: Recipe, data: Targets, kept: Indices
    ) -> tuple[float, float, float | None]:
        if not isinstance(self.l1, numbers.Real) or not 0 <= self.l1 < np.inf:
            raise InvalidInputError(
                f"l1 is {self.l1!r}: pass a number ≥ 0, or let {type(self).__name__}CV choose it"
            )
        ridge = None if self.relax_l2 is None else check_l2(self.relax_l2, "relax_l2")
        return float(self.l1), check_share(self.relax), ridge


class AtChosenL1(PathRegressor):
    """Regressors that choose l1 by what the folds predict."""

    cv: Any
    rule: str
    relax: Any
    relax_l2: float | None
    min_l1: float
    min_ratio: float
    random_state: Any
    n_jobs: int | None

    def _choose(
        self, recipe: Recipe, data: Targets, kept: Indices
    ) -> tuple[float, float, float | None]:
        if self.rule not in RULES:
            raise InvalidInputError(f"rule is {self.rule!r}: pass 'best', '1se' or 'fewest'")
        shares = as_shares(self.relax)
        ridge = None if self.relax_l2 is None else check_l2(self.relax_l2, "relax_l2")
        first = recipe.follow(recipe.learn(data), data, 0.0, min_ratio=1.0)
        end = max(check_min_l1(self.min_l1), check_min_ratio(self.min_ratio) * float(first.l1[0]))
        levels = relaxed_levels(float(first.l1[0]), end)
        splits = self._splits(kept)
        bar = Bar("paths of the folds", len(splits), self.verbose)
        hold_out = delayed(partial(_hold_out, recipe, data, end, levels, shares, ridge))
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            hold_out(train, test) for train, test in splits
        )
        parts = [part for part in bar.over(work) if part.total > 0.0]
        if not parts:
            raise InvalidInputError(
                "no fold holds out a point that has weight: pass other splits as cv"
            )
        choice = choose_target_l1(parts, self.rule, path_competes=1.0 in shares)
        self.cv_results_ = _results(choice, recipe.l2)
        empty = choice.size == 0.0  # so be it on all points
        return max(choice.l1, float(first.l1[0])) if empty else choice.l1, choice.relax, ridge

    def _splits(self, kept: Indices) -> list[tuple[Indices, Indices]]:
        """Return rows to train on and rows held out, of those that have weight, as places among them."""
        if isinstance(self.cv, int | np.integer):
            shuffled: dict[str, Any] = {}
            if self.random_state is not None:
                shuffled = {"shuffle": True, "random_state": self.random_state}
            if len(kept) < self.cv:
                raise InvalidInputError(
                    f"{len(kept)} points cannot be cut into {self.cv} folds: pass a smaller cv"
                )
            return list(KFold(int(self.cv), **shuffled).split(kept))
        # a splitter sees all rows given to fit; those without weight are left out of either part
        place = np.full(len(self._labels), -1)
        place[kept] = np.arange(len(kept))
        everything = check_cv(self.cv).split(np.zeros((len(self._labels), 1)), self._labels)
        parts = [(place[train], place[test]) for train, test in everything]
        return [(train[train >= 0], test[test >= 0]) for train, test in parts]


def _hold_out(
    recipe: Recipe,
    data: Targets,
    end: float,
    levels: Floats,
    shares: tuple[float, ...],
    ridge: float | None,
    train: Indices,
    test: Indices,
) -> HeldOutTargets:
    """Follow the path of one training part, and keep what it predicts for the points left out."""
    known = data.of(train)
    new = data.of(test)
    columns = recipe.learn(known)
    with columns.of(known.X).resident() as seen, columns.of(new.X).resident() as ahead:
        found = recipe.follow(columns, known, end, seen)
        some = levels[levels >= found.l1[-1]]
        weaker = [share for share in shares if share < 1.0]
        relaxed = relaxed_decisions(found, ahead, some, weaker, ridge)
        table = recipe.loss.table(new.y, new.weight)
        return HeldOutTargets(found.pieces(), ahead, table, float(new.weight.sum()), relaxed)


def _results(choice: TargetChoice, l2: float) -> dict[str, Any]:
    """Return what was compared, one entry per l2, as classifiers have it."""
    names = ("l1", "relax", "interval", "error", "standard_error", "size", "curve", "relaxed")
    return {"l2": [l2], "chosen": 0} | {name: [getattr(choice, name)] for name in names}


def _check_numeric(y: Any, name: str) -> None:
    """Raise if the target is text: classes want a classifier."""
    kind = np.asarray(y).dtype.kind if y is not None else "f"
    if kind in "USO" and any(isinstance(value, str) for value in np.ravel(np.asarray(y))):
        raise InvalidInputError(
            f"y holds text, and {name} predicts numbers: use SparseSVC for classes, or convert y to numbers"
        )
