"""What does a solution cost, and how far below can the optimum be? Objectives and lower bounds, many rows at once.

For dual values α in their intervals with Σ α_i s_i = 0, and c = Xᵀ(s∘α), weak duality says P ≥ D(α)
(`chemin.problems.problem`). The difference is a sum of terms none of which is negative, and it is computed as such: with
q_j = sign(c_j) max(0, |c_j| − l1 v_j) and t_i = s_i (b0 + x_i·b),

    P − D(α) = Σ_i [ℓ_i(t_i) + α_i t_i − min_t (ℓ_i(t) + α_i t)] + Σ_j [(l2 b_j − q_j)² / (2 l2) + l1 v_j |b_j| − (c_j − q_j) b_j].

**Feasible dual values.** α is clipped to its intervals, and balanced: the heavier of {s_i α_i > 0} and {s_i α_i < 0} is
shrunk towards 0, which is inside every interval. Shrinking by θ costs at most (1 − θ) ℓ_i(t_i) per point, because
min_t ℓ_i(t) + α t is concave in α, and 0 at α = 0.

**Three bounds.** Rounding in c is divided by l2. So two more are tried, and the best is kept. With H = P − Σ_i min_t (ℓ_i(t)
+ α_i t), the optimum is at most (1 − θ) P + θ H below P if θ shrinks every |c_j| under its threshold; and at most
H + Σ_j B_j |q_j|, over the box |b_j| ≤ B_j = min(P/(l1 v_j), √(2P/l2)), which holds every optimum because there neither
penalty exceeds P. An excess |q_j| within n ε ‖x_j‖ ‖α‖, the rounding error of the product that computes c_j, is none;
where l1 v_j = 0, so that c_j itself must all but vanish, 1e-12 ‖x_j‖ ‖α‖ is taken for zero.

**Rounding.** A score carries an error of about ρ_i = ε (2 + √|A|) (|b0| + ‖x_i‖ ‖b‖), A being the active columns. Where the
classes are separated and the penalties vanish, what rounding leaves of the hinge would be all of the objective. Such a
loss, with one kink and flat behind it, is zero at (1 + δ)(b0, b), δ = max_i (z_i − t_i + ρ_i)₊ / (t_i − ρ_i). If δ ≤ 1e-9,
the smaller of the two objectives counts, and δ times it is added to the difference. Elsewhere, gaps are relative to the objective or to Σ_i max|g| ρ_i, whichever is larger.

**Many rows at once.** Along a path few points come to a kink and few columns to their thresholds. A point whose score
cannot reach a kink between any two of the given rows, by Cauchy and Schwarz, and whose dual value is minus its slope,
has a term of zero and a loss that is linear; a column that cannot reach its threshold has none. Only the others, `points`
and `columns`, are looked at row by row.

Reference: Higham and Mary (2019), *A new approach to probabilistic rounding error analysis*, for √|A|.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.problems import PiecewiseLinear, Problem

_EPSILON = float(np.finfo(float).eps)
_VANISHING = 1e-12
_LONGEST = 1e-9  # beyond it would be another solution
_HELD = 10_000_000  # entries of X copied at once


class Norms(NamedTuple):
    """Euclidean norms of the rows and of the columns."""

    row: Floats
    column: Floats

    @classmethod
    def of(cls, dictionary: Dictionary) -> Norms:
        """Ask a dictionary for them."""
        return cls(dictionary.row_norms(), dictionary.column_norms())


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions, one per row, with dual values that differ at some points only.

    Attributes
    ----------
    coef : csr_array of shape (k, p)
    intercept, l1 : ndarray of shape (k,)
    base : ndarray of shape (n,)
        The dual values of all other points.
    points : ndarray of shape (m,)
        Where dual values differ, increasing.
    values : ndarray of shape (k, m)
        The dual values there.
    """

    coef: sparse.csr_array
    intercept: Floats
    l1: Floats
    base: Floats
    points: Indices
    values: Floats

    @classmethod
    def with_duals(cls, coef: Any, intercept: Floats, l1: Floats, dual: Floats) -> Solutions:
        """Take dual values of shape (k, n)."""
        points = np.flatnonzero(np.any(dual != dual[:1], axis=0))
        rows = sparse.csr_array(coef)
        return cls(rows, intercept, l1, dual[0], points, dual[:, points])

    def __getitem__(self, rows: slice) -> Solutions:
        return Solutions(
            self.coef[rows],
            self.intercept[rows],
            self.l1[rows],
            self.base,
            self.points,
            self.values[rows],
        )

    def middles(self, intercept: Floats) -> Solutions:
        """Return the solutions halfway between neighbours, with intercepts of their own."""
        return Solutions(
            0.5 * (self.coef[:-1] + self.coef[1:]),
            intercept,
            0.5 * (self.l1[:-1] + self.l1[1:]),
            self.base,
            self.points,
            0.5 * (self.values[:-1] + self.values[1:]),
        )

    def dual_at(self, points: Indices) -> Floats:
        """Return the dual values at some points, which include all where they differ."""
        dual = np.repeat(self.base[points][None], len(self.l1), axis=0)
        dual[:, np.searchsorted(points, self.points)] = self.values
        return dual


@dataclass(frozen=True, eq=False)
class Proved:
    """What is proved of solutions, one per row.

    Attributes
    ----------
    l1, primal, lower : ndarray of shape (k,)
        Where, the objective, and the best lower bound of the optimum.
    difference : ndarray of shape (k,)
        ``primal − lower``, more precisely than by that subtraction.
    ridge_difference : ndarray of shape (k,)
        The same for D(α) alone.
    rounding : ndarray of shape (k,)
        What rounding of the scores may add to the objective.
    norm1 : ndarray of shape (k,)
        Σ v_j |b_j|.
    score, fenchel : ndarray of shape (k, m)
        The signed scores t_i and the terms of the difference, of ``points``.
    coef, correlation, excess : ndarray of shape (k, q)
        The coefficients b_j, the correlations c_j and q_j, of ``columns``.
    changed : ndarray of shape (k,)
        By how much α had to be changed to be feasible, relative to the largest α_i.
    points, columns : ndarray of shape (m,) and (q,)
        What was looked at row by row.
    """

    l1: Floats
    primal: Floats
    lower: Floats
    difference: Floats
    ridge_difference: Floats
    rounding: Floats
    norm1: Floats
    score: Floats
    fenchel: Floats
    coef: Floats
    correlation: Floats
    excess: Floats
    changed: Floats
    points: Indices
    columns: Indices

    def __getitem__(self, rows: Any) -> Proved:
        of_rows = {field.name: getattr(self, field.name)[rows] for field in fields(self)[:-2]}
        return replace(self, **of_rows)

    def relative_gap(self, least: float = 0.0) -> Floats:
        """Return the difference relative to the largest of the lower bound, its rounding and ``least``."""
        return ratio(self.difference, np.maximum(np.maximum(self.lower, self.rounding), least))


def ratio(difference: Floats, scale: Floats) -> Floats:
    """Return a quotient of numbers ≥ 0, where 0/0 is 0: nothing is left of an objective that vanishes."""
    quotient = np.full(np.shape(difference), np.inf)
    np.divide(difference, scale, out=quotient, where=scale > 0.0)
    return np.where(difference > 0.0, quotient, 0.0)


class _Rows(NamedTuple):
    """Coefficients on the columns that any row uses; the row in the middle is what the others are compared with."""

    active: Indices
    coef: Floats
    intercept: Floats
    l1: Floats
    middle: int

    @classmethod
    def of(cls, some: Solutions) -> _Rows:
        active, place = np.unique(some.coef.indices, return_inverse=True)
        k = len(some.l1)
        entries = (some.coef.data, place, some.coef.indptr)
        coef = sparse.csr_array(entries, shape=(k, len(active))).toarray()
        return cls(active, coef, some.intercept, some.l1, k // 2)

    @property
    def step(self) -> Floats:
        """The coefficients less those of the middle row."""
        return self.coef - self.coef[self.middle]

    @property
    def intercept_step(self) -> Floats:
        return self.intercept - self.intercept[self.middle]

    @property
    def size(self) -> Floats:
        """‖b‖ of every row."""
        return np.sqrt(np.einsum("kj,kj->k", self.coef, self.coef))

    @property
    def unit(self) -> float:
        """The rounding error of a score, relative to |b0| + ‖x_i‖ ‖b‖."""
        return float(_EPSILON * (2.0 + np.sqrt(len(self.active))))


class _Near(NamedTuple):
    """Points that are looked at row by row: their losses, signs and dual values, these in their intervals."""

    points: Indices
    loss: PiecewiseLinear
    label: Floats
    dual: Floats


class _Far(NamedTuple):
    """Points that stay on their pieces, with dual values to match, summed by the sign of s_i α_i: first +, then −."""

    loss: Floats  # at the middle row
    total: Floats  # Σ s_i α_i
    square: Floats  # Σ α_i²
    pull: Floats  # Xᵀ(s∘α), of shape (p, 2)

    def losses(self, rows: _Rows) -> Floats:
        """Return their losses, of shape (k, 2): linear in b, with slopes −α."""
        change = np.outer(rows.intercept_step, self.total) + rows.step @ self.pull[rows.active]
        return np.maximum(self.loss - change, 0.0)


class _Feasible(NamedTuple):
    """Balanced dual values: those of the near points, and how much of either sign was kept."""

    dual: Floats
    positive: Any  # whether s_i α_i > 0
    share: Floats
    left_out: Floats
    size: Floats  # ‖α‖ over all points

    @classmethod
    def of(cls, near: _Near, far: _Far) -> _Feasible:
        signed = near.dual * near.label
        positive = signed > 0.0
        totals = np.abs(far.total) + np.abs(_by_sign(signed, positive))
        heavier = np.maximum(totals - totals.min(axis=1, keepdims=True), 0.0)
        left_out = heavier / np.where(totals > 0.0, totals, 1.0)
        share = 1.0 - left_out
        dual = near.dual * np.where(positive, share[:, :1], share[:, 1:])
        squares = share**2 @ far.square + np.einsum("ki,ki->k", dual, dual)
        return cls(dual, positive, share, left_out, np.sqrt(squares))


class _Columns(NamedTuple):
    """Columns that are looked at row by row: coefficients, correlations, thresholds l1 v_j and q_j."""

    which: Indices
    coef: Floats
    correlation: Floats
    threshold: Floats
    excess: Floats


class _Objective(NamedTuple):
    """P; the terms of the points in P − D; H; and what rounding may add."""

    value: Floats
    terms: Floats
    without: Floats
    rounding: Floats
    scaled: Any  # whether it is the objective at (1 + δ)(b0, b)


def measure(problem: Problem, some: Solutions, norms: Norms, *, whole: bool = False) -> Proved:
    """Return what is proved of solutions; ``whole`` looks at all points and columns.

    Examples
    --------
    Two points at −1 and +1, l2 = 0: b = 1 is optimal for l1 = 1, b = 0.9 is not.

    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[-1.0], [1.0]], [0, 1], 0.0)
    >>> some = Solutions.with_duals(np.array([[1.0], [0.9]]), np.zeros(2), np.ones(2), np.full((2, 2), 0.5))
    >>> proved = measure(problem, some, Norms.of(problem.dictionary))
    >>> proved.lower.tolist(), proved.difference.round(12).tolist()
    ([1.0, 1.0], [0.0, 0.1])
    """
    rows = _Rows.of(some)
    near, far = _split(problem, some, rows, norms, whole)
    feasible = _Feasible.of(near, far)
    columns, score = _products(problem, rows, norms, near, far, feasible, whole)
    fenchel = near.loss.fenchel_gap(score, near.dual)
    norm1 = np.abs(columns.coef) @ problem.l1_weight[columns.which]
    objective = _objective(
        problem, rows, norms, near, far, feasible, columns, score, fenchel, norm1
    )
    ridge = _ridge_difference(problem.l2, objective, columns)
    rounding = _product_rounding(columns.threshold, feasible.size, norms, columns.which)
    differences = [
        objective.value,
        ridge,
        _shrunk_difference(objective, columns),
        objective.without + _boxed(problem.l2, objective.value, columns, rounding),
    ]
    difference = np.maximum(np.fmin.reduce(differences), 0.0)
    given = some.dual_at(near.points)
    change = np.abs(feasible.dual - given).max(axis=1, initial=0.0)
    largest = np.abs(given).max(axis=1, initial=np.finfo(float).tiny)
    return Proved(
        l1=rows.l1,
        primal=objective.value,
        lower=objective.value - difference,
        difference=difference,
        ridge_difference=np.maximum(ridge, 0.0),
        rounding=objective.rounding,
        norm1=norm1,
        score=score,
        fenchel=fenchel,
        coef=columns.coef,
        correlation=columns.correlation,
        excess=columns.excess,
        changed=change / largest,
        points=near.points,
        columns=columns.which,
    )


def _split(
    problem: Problem, some: Solutions, rows: _Rows, norms: Norms, whole: bool
) -> tuple[_Near, _Far]:
    """Return the points that are looked at row by row, and the sums of the others."""
    n, p = problem.dictionary.shape
    loss = problem.loss
    far = np.zeros(n, dtype=bool)
    at = np.zeros(n)
    if not whole:
        middle = rows.middle
        column = _transposed(rows.coef[middle : middle + 1], rows.active, p)
        at = problem.scores(column, rows.intercept[middle])[:, 0]
        distance = np.abs(at[:, None] - loss.kink).min(axis=1)
        step = np.sqrt(np.einsum("kj,kj->k", rows.step, rows.step)).max()
        reach = np.abs(rows.intercept_step).max() + step * norms.row
        reach += 2.0 * rows.unit * (np.abs(rows.intercept).max() + rows.size.max() * norms.row)
        far = (distance > reach) & (some.base == -loss.slope[np.arange(n), loss.piece(at)])
        far[some.points] = False
    points = np.flatnonzero(~far)
    dual = np.clip(some.dual_at(points), loss.lowest[points], loss.highest[points])
    near = _Near(points, loss.of(points), problem.label[points], dual)
    signed = np.where(far, problem.label * some.base, 0.0)
    if not signed.any():
        return near, _Far(np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((p, 2)))
    signs = np.stack([np.maximum(signed, 0.0), np.minimum(signed, 0.0)], axis=1)
    paid = np.where(far, loss.value(at), 0.0) @ (signs != 0.0)
    pull = problem.dictionary.correlations(signs)
    return near, _Far(paid, signs.sum(axis=0), (signs**2).sum(axis=0), pull)


def _products(
    problem: Problem,
    rows: _Rows,
    norms: Norms,
    near: _Near,
    far: _Far,
    feasible: _Feasible,
    whole: bool,
) -> tuple[_Columns, Floats]:
    """Return the columns that are looked at row by row, and the signed scores of the near points."""
    dictionary = problem.dictionary
    p = dictionary.shape[1]
    signed = feasible.dual * near.label
    index = np.arange(p) if whole else _reachable(problem, rows, norms, near, far, feasible, signed)
    place = np.searchsorted(index, rows.active)
    if whole or len(near.points) * len(index) > _HELD:
        score = dictionary.scores(_transposed(rows.coef, rows.active, p))[near.points].T
        correlation = dictionary.correlations(signed.T, None if whole else near.points)[index].T
    else:
        block = dictionary.block(near.points, index)
        inner = block if len(place) == len(index) else block[:, place]
        score = rows.coef @ inner.T
        correlation = signed @ block
    score = near.label * (score + rows.intercept[:, None])
    correlation = correlation + feasible.share @ far.pull[index].T
    coef = np.zeros((len(rows.l1), len(index)))
    coef[:, place] = rows.coef
    threshold = np.outer(rows.l1, problem.l1_weight[index])
    excess = correlation - np.clip(correlation, -threshold, threshold)
    return _Columns(index, coef, correlation, threshold, excess), score


def _reachable(
    problem: Problem,
    rows: _Rows,
    norms: Norms,
    near: _Near,
    far: _Far,
    feasible: _Feasible,
    signed: Floats,
) -> Indices:
    """Return the active columns and those that may exceed their thresholds: |c_j| moves by at most ‖x_j‖ ‖Δα‖."""
    share = feasible.share[rows.middle]
    step = signed - signed[rows.middle]
    squares = np.einsum("ki,ki->k", step, step) + (feasible.share - share) ** 2 @ far.square
    correlation = problem.dictionary.correlations(signed[rows.middle], near.points)
    correlation = correlation + far.pull @ share
    rounding = len(norms.row) * _EPSILON * feasible.size.max()
    reach = np.abs(correlation) + norms.column * (np.sqrt(squares.max()) + rounding)
    within = reach > rows.l1.min() * problem.l1_weight
    within[rows.active] = True
    return np.flatnonzero(within)


def _objective(
    problem: Problem,
    rows: _Rows,
    norms: Norms,
    near: _Near,
    far: _Far,
    feasible: _Feasible,
    columns: _Columns,
    score: Floats,
    fenchel: Floats,
    norm1: Floats,
) -> _Objective:
    losses = _by_sign(near.loss.value(score), feasible.positive) + far.losses(rows)
    terms = feasible.left_out * losses
    terms += feasible.share * _by_sign(fenchel, feasible.positive)
    ridge = 0.5 * problem.l2 * rows.size**2
    lasso = rows.l1 * norm1
    plain = losses.sum(axis=1) + ridge + lasso
    stretch = _stretch(problem.loss, rows, norms, near, far, score)
    possible = stretch <= _LONGEST
    longer = 1.0 + np.where(possible, stretch, 0.0)
    stretched = np.where(possible, longer * (longer * ridge + lasso), np.inf)
    scaled = stretched < plain
    # Σ_j c_j b_j is Σ_i α_i t_i, because Σ_i s_i α_i = 0
    fit = ridge + lasso - np.einsum("kj,kj->k", columns.correlation, columns.coef)
    without = terms.sum(axis=1) + fit
    if scaled.any():
        # what was lengthened is counted as if it were missing
        lengthened = longer * stretched - feasible.dual @ near.loss.kink[:, 0]
        without = np.where(scaled, lengthened, without)
    steep = np.maximum(problem.loss.highest, -problem.loss.lowest)
    error = rows.unit * (np.abs(rows.intercept) * steep.sum() + rows.size * (steep @ norms.row))
    return _Objective(
        value=np.where(scaled, stretched, plain),
        terms=terms.sum(axis=1),
        without=without,
        rounding=np.where(scaled, 0.0, error),
        scaled=scaled,
    )


def _stretch(
    loss: PiecewiseLinear, rows: _Rows, norms: Norms, near: _Near, far: _Far, score: Floats
) -> Floats:
    """Return the least δ for which (1 + δ)(b0, b) has no loss, rounding included; infinity where there is none."""
    none = np.full(len(rows.l1), np.inf)
    flat_behind = loss.shape[1] == 1 and not loss.slope[:, 1].any() and np.all(loss.kink > 0.0)
    if not flat_behind or far.total.any():
        return none
    counts = np.flatnonzero(near.loss.slope[:, 0] < 0.0)
    lengths = np.outer(rows.size, norms.row[near.points[counts]])
    safe = score[:, counts] - rows.unit * (np.abs(rows.intercept)[:, None] + lengths)
    kink = near.loss.kink[counts, 0]
    missing = np.divide(kink - safe, safe, out=np.full(safe.shape, np.inf), where=safe > 0.0)
    return np.asarray(missing.max(axis=1, initial=0.0))


def _ridge_difference(l2: float, objective: _Objective, columns: _Columns) -> Floats:
    """Return P − D(α)."""
    if l2 == 0.0:
        return np.where(columns.excess.any(axis=1), np.inf, objective.without)
    with np.errstate(over="ignore"):
        apart = l2 * columns.coef - columns.excess
        inside = columns.correlation - columns.excess
        terms = columns.threshold * np.abs(columns.coef) - inside * columns.coef
        fit = np.einsum("kj,kj->k", apart, apart) / (2.0 * l2) + np.maximum(terms, 0.0).sum(axis=1)
        beyond = np.einsum("kj,kj->k", columns.excess, columns.excess) / (2.0 * l2)
    return np.where(objective.scaled, objective.without + beyond, objective.terms + fit)


def _shrunk_difference(objective: _Objective, columns: _Columns) -> Floats:
    """Return P − D(θα), θ shrinking every |c_j| under its threshold."""
    size = np.abs(columns.correlation)
    lost = np.divide(np.abs(columns.excess), size, out=np.zeros_like(size), where=size > 0.0)
    lost_most = lost.max(axis=1, initial=0.0)
    return lost_most * objective.value + (1.0 - lost_most) * objective.without


def _boxed(l2: float, primal: Floats, columns: _Columns, rounding: Floats) -> Floats:
    """Return Σ_j B_j |q_j|, over the columns whose q_j is more than rounding."""
    excess = np.abs(columns.excess)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        box = primal[:, None] / columns.threshold
        if l2 > 0.0:
            box = np.fmin(box, np.sqrt(2.0 * primal / l2)[:, None])
        return np.where(excess > rounding, box * excess, 0.0).sum(axis=1)


def _product_rounding(threshold: Floats, size: Floats, norms: Norms, index: Indices) -> Floats:
    relative = np.where(threshold > 0.0, len(norms.row) * _EPSILON, _VANISHING)
    return relative * np.outer(size, norms.column[index])


def _by_sign(values: Floats, positive: Any) -> Floats:
    """Return the sums over the points with s_i α_i > 0, and over the others, of shape (k, 2)."""
    first = np.einsum("ki,ki->k", values, positive)
    return np.stack([first, np.einsum("ki,ki->k", values, ~positive)], axis=1)


def _transposed(coef: Floats, active: Indices, p: int) -> sparse.csc_array:
    """Return solutions as columns, of shape (p, k)."""
    k, size = coef.shape
    entries = (coef.ravel(), np.tile(active, k), np.arange(k + 1) * size)
    return sparse.csc_array(entries, shape=(p, k))
