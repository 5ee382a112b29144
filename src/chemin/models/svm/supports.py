"""Where does every row stand beside the slab of a fitted machine? Margins, slacks and kinds of rows.

With y = ±1 the margin of a row is y f(x), its slack ξ = max(0, 1 − y f(x)):

    y f > 1         beyond the margin           ξ = 0
    y f = 1         on the margin               ξ = 0
    0 < y f < 1     inside the margin, right    0 < ξ < 1
    y f = 0         on the boundary             ξ = 1
    y f < 0         wrong                       ξ > 1

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 8.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from chemin.dictionaries.base import Floats, Indices
from chemin.estimators.classifier import PathClassifier
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame, kind_of
from chemin.models.svm.optimality import dense
from chemin.results import Result, all_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = (
    "beyond the margin",
    "on the margin",
    "inside the margin, right",
    "on the boundary",
    "wrong",
)
_ROUNDING = 1e-12  # of a score: the boundary is where f = 0 but for that
_GRID = 160
_ROOM = 0.06  # around the rows, of their range


@dataclass(frozen=True, eq=False, repr=False)
class SupportTable(Result):
    """The margin, the slack and the kind of every row.

    Attributes
    ----------
    classes : pair of labels
        The second one has positive scores.
    sign : ndarray of shape (n,)
        −1 for rows of the first class, 1 for those of the second.
    scores, margins, slacks : ndarrays of shape (n,)
        f, y f, and ξ = max(0, 1 − y f).
    codes : ndarray of shape (n,)
        Their kinds, as places in `KINDS`.
    duals : ndarray of shape (n,), or None
        λ, if the model has dual values and the rows are those of fit.
    C : float or None
        What a unit of slack costs, if that was given.
    tol : float
        How near to 1 the margin of a row on the margin is.
    """

    classes: tuple[Any, Any]
    sign: Floats
    scores: Floats
    margins: Floats
    slacks: Floats
    codes: Indices
    duals: Floats | None
    C: float | None
    tol: float
    model: Any
    X: Any

    @property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of each row, in words."""
        return np.array(KINDS)[self.codes]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are of each kind."""
        return dict(zip(KINDS, np.bincount(self.codes, minlength=len(KINDS)).tolist(), strict=True))

    @property
    def slack(self) -> float:
        """The sum of slacks."""
        return float(self.slacks.sum())

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts.items() if count)
        text = f"Of {all_rows(len(self.sign))}: {counts}. The slacks sum to {self.slack:.4g}"
        if self.C is not None:
            text += f" and cost {self.C * self.slack:.4g} at C = {self.C:g}"
        if self.duals is not None:
            text += f"; {np.count_nonzero(self.duals)} are support vectors"
        return f"{text}."

    def frame(self, kind: str | None = None) -> Any:
        """Return one line per row: its class, score, margin, slack, kind, and dual value where it is known."""
        columns = {
            "class": np.array(self.classes)[(self.sign > 0.0).astype(int)],
            "score": self.scores,
            "margin": self.margins,
            "slack": self.slacks,
            "kind": self.kinds,
        }
        if self.duals is not None:
            columns["dual"] = self.duals
        kind = kind or kind_of(self.X)
        return as_frame(columns, kind, instead="margins, slacks and kinds")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rows by kind: with the slab if they have two columns, along their margins otherwise.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes are made otherwise.

        Returns
        -------
        matplotlib Axes
        """
        from chemin.plots.models.svm import draw_margins, draw_slab

        rows = None if sparse.issparse(self.X) else np.asarray(self.X)
        given = (self.sign, self.codes, KINDS, [str(label) for label in self.classes])
        if rows is None or rows.shape[1:] != (2,) or not np.issubdtype(rows.dtype, np.number):
            return draw_margins(self.margins, *given, ax=ax)
        x, y, values = self._plane(rows)
        names = list(getattr(self.X, "columns", ("x0", "x1")))
        return draw_slab(x, y, values, rows, *given, names=names, ax=ax)

    def _plane(self, rows: Any) -> tuple[Floats, Floats, Floats]:
        """Return a grid around the rows and the scores ``values[iy, ix]`` there."""
        low, high = rows.min(axis=0), rows.max(axis=0)
        room = _ROOM * np.where(high > low, high - low, 1.0)
        x, y = np.linspace(low - room, high + room, _GRID).T
        grid = np.column_stack([np.tile(x, _GRID), np.repeat(y, _GRID)])
        if hasattr(self.X, "columns"):
            grid = as_frame(
                dict(zip(self.X.columns, grid.T, strict=True)), kind_of(self.X), instead="X"
            )
        return x, y, np.reshape(self.model.decision_function(grid), (_GRID, _GRID))


def support_table(
    model: Any, X: Any, y: Any, C: float | None = None, *, tol: float = 1e-3
) -> SupportTable:
    """Tell on which side of the slab |f| < 1 every row is, and by how much.

    Parameters
    ----------
    model : fitted classifier
        Of two classes, whose ``decision_function`` is 1 and −1 on the edges of a slab: any support vector machine, also
        at the end of a pipeline, or found by a search.
    X, y : array or DataFrame, array
        Rows and their classes, those of fit or others.
    C : float, optional
        What a unit of slack costs, to tell what all cost.
    tol : float, default 1e-3
        A row is on the margin if y f is that near to 1.

    Returns
    -------
    SupportTable

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X = [[-2.0], [-1.0], [1.0], [2.0], [0.5], [-1.5]]
    >>> y = [0, 0, 1, 1, 0, 1]
    >>> print(support_table(SVC(kernel="linear").fit(X, y), X, y, C=1.0))
    Of all 6 rows: 2 on the margin, 2 inside the margin, right, 2 wrong. The slacks sum to 4 and cost 4 at C = 1; 6 are
    support vectors.
    """
    if not hasattr(model, "decision_function"):
        raise InvalidInputError(
            f"{type(model).__name__} has no decision_function: pass a support vector machine, such as SVC or SparseSVC"
        )
    if C is not None and not 0.0 < C < np.inf:
        raise InvalidInputError(f"C is {C!r}: pass a positive number, or None")
    if not 0.0 <= tol < 1.0:
        raise InvalidInputError(f"tol is {tol!r}: pass a number from 0 to 1, such as 1e-3")
    sign = signs_of(model, y)
    scores = np.asarray(model.decision_function(X), dtype=float)
    if scores.shape != sign.shape:
        raise InvalidInputError(
            f"X has {len(scores)} rows and y {len(sign)} labels: pass one label per row"
        )
    margins = sign * scores
    codes = np.select(
        [np.abs(margins) <= _ROUNDING, margins < 0.0, np.abs(margins - 1.0) <= tol, margins < 1.0],
        [3, 4, 1, 2],
        0,
    )
    machine, rows = at_the_end(model, X)
    return SupportTable(
        classes=(model.classes_[0], model.classes_[1]),
        sign=sign,
        scores=scores,
        margins=margins,
        slacks=np.maximum(0.0, 1.0 - margins),
        codes=codes,
        duals=_duals(machine, rows, sign),
        C=C,
        tol=tol,
        model=model,
        X=X,
    )


def signs_of(model: Any, y: Any) -> Floats:
    """Return −1 for labels of a model's first class and 1 for those of the second.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> signs_of(LinearSVC().fit([[0.0], [1.0]], ["no", "yes"]), ["yes", "no"]).tolist()
    [1.0, -1.0]
    """
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise InvalidInputError(
            f"{type(model).__name__} is no classifier: pass one of two classes, such as SVC or SparseSVC"
        )
    classes, labels = np.asarray(model.classes_), np.asarray(y)
    if len(classes) != 2:
        raise InvalidInputError(
            f"the model has {len(classes)} classes: pass one of two, such as one machine of chemin.multiclass.OneVsRest"
        )
    if labels.ndim != 1 or not len(labels):
        raise InvalidInputError(f"y has the shape {labels.shape}: pass one label per row")
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise InvalidInputError(
            f"y has the label {labels[unknown][0]!r}, unknown to the model: pass labels as they were given to fit"
        )
    return np.where(labels == classes[1], 1.0, -1.0)


def at_the_end(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the model itself from within searches and pipelines, and the rows as it is given them.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> from sklearn.svm import LinearSVC
    >>> pipeline = make_pipeline(FunctionTransformer(np.negative), LinearSVC())
    >>> at_the_end(pipeline.fit([[0.0], [1.0]], [0, 1]), [[2.0]])
    (LinearSVC(), array([[-2.]]))
    """
    if hasattr(model, "best_estimator_"):
        return at_the_end(model.best_estimator_, X)
    if isinstance(model, Pipeline):
        return at_the_end(model[-1], model[:-1].transform(X) if len(model) > 1 else X)
    return model, X


def are_those_of_fit(machine: Any, X: Any, sign: Floats) -> bool:
    """Return whether these are the rows of fit and the signs of their classes, as far as the machine remembers."""
    if isinstance(machine, PathClassifier):
        labels = np.asarray(machine.classes_)[(sign > 0.0).astype(int)]
        return np.array_equal(labels, machine._labels)
    if not all(hasattr(machine, name) for name in ("support_", "dual_coef_", "shape_fit_")):
        return True
    if machine.shape_fit_[0] != len(sign):
        return False
    if np.any(sign[machine.support_] * dense(machine.dual_coef_)[0] < 0.0):
        return False
    vectors = machine.support_vectors_
    rows = X if sparse.issparse(X) else np.asarray(X)
    return not vectors.size or np.array_equal(dense(rows[machine.support_]), dense(vectors))


def _duals(machine: Any, X: Any, sign: Floats) -> Floats | None:
    """Return dual values of the rows of fit; None where there are none, or the rows are not these."""
    if not are_those_of_fit(machine, X, sign):
        return None
    dual = np.zeros(len(sign))
    if isinstance(machine, PathClassifier):
        (one,) = machine.estimators_
        dual[one.rows_] = one.dual_
        return dual
    if not hasattr(machine, "dual_coef_") or not hasattr(machine, "shape_fit_"):
        return None
    dual[machine.support_] = np.abs(dense(machine.dual_coef_)[0])
    return dual
