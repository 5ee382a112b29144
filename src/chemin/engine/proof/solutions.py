"""What does a solution cost, and how far below can the optimum be? Many rows at once.

For dual values α in their intervals with Σ α_i s_i = 0, and c = Xᵀ(s∘α), weak duality says
P ≥ D(α) (`chemin.problems.problem`). The difference is a sum of terms none of which is negative,
and it is computed as such: with t_i = s_i (b0 + x_i·b) and q_j = sign(c_j) max(0, |c_j| − l1 v_j),

    P − D(α) = Σ_i [ℓ_i(t_i) + α_i t_i − min_t (ℓ_i(t) + α_i t)]
             + Σ_j [(l2 b_j − q_j)² / (2 l2) + l1 v_j |b_j| − (c_j − q_j) b_j].

**Feasible dual values.** α is clipped to its intervals, and balanced: the heavier of
{s_i α_i > 0} and {s_i α_i < 0} is shrunk towards 0, which is inside every interval. Shrinking by θ
costs at most (1 − θ) ℓ_i(t_i) per point, because min_t ℓ_i(t) + α t is concave in α and 0 at α = 0.

**Three bounds.** Rounding in c is divided by l2. So two more are tried, and the best is kept. With
H = P − Σ_i min_t (ℓ_i(t) + α_i t), the optimum is at most (1 − θ) P + θ H below P if θ shrinks
every |c_j| under its threshold; and at most H + Σ_j B_j |q_j|, over the box |b_j| ≤ B_j = min(P/(l1
v_j), √(2P/l2)), which holds every optimum because there neither penalty exceeds P. An excess |q_j|
within n ε ‖x_j‖ ‖α‖, the rounding error of the product that computes c_j, is none; where l1 v_j =
0, so that c_j itself must all but vanish, 1e-12 ‖x_j‖ ‖α‖ is taken for zero.

**Rounding.** A score carries an error of about ρ_i = ε (2 + √|A|) (|b0| + ‖x_i‖ ‖b‖), A being the
active columns. Where the classes are separated and the penalties vanish, what rounding leaves of
the hinge would be all of the objective. Such a loss, with one kink and flat behind it, is zero at
(1 + δ)(b0, b), δ = max_i (z_i − t_i + ρ_i)₊ / (t_i − ρ_i). If δ ≤ 1e-9, it is that objective which
counts, and δ times it is added to the difference. Elsewhere, gaps are relative to the objective or
to Σ_i max|g| ρ_i, whichever is larger; the largest slope g of a parabola without end is taken where
the scores are the mean of the targets.

**Many rows at once.** Along a path few points come to a kink and few columns to their thresholds.
A point whose score reaches a kink in none of the given rows, and whose dual value is minus its
slope, has a term of zero and a loss that is linear; an inactive column that does not reach its
threshold has none. Cauchy and Schwarz tell most of them from the middle row. For the others scores
and correlations are computed, one product of matrices each, and only those that do reach a kink or
a threshold, or that rounding might take there, are looked at row by row.

Reference: Higham and Mary (2019), *A new approach to probabilistic rounding error analysis*.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chemin.dictionaries.base import Dictionary, Floats, Indices
from chemin.problems import PiecewiseQuadratic, Problem

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
    l2 : ndarray of shape (k,), optional
        Ridge parameters, if not that of the problem.
    """

    coef: sparse.csr_array
    intercept: Floats
    l1: Floats
    base: Floats
    points: Indices
    values: Floats
    l2: Floats | None = None

    @classmethod
    def with_duals(
        cls, coef: Any, intercept: Floats, l1: Floats, dual: Floats, l2: Floats | None = None
    ) -> Solutions:
        """Take dual values of shape (k, n)."""
        points = np.flatnonzero(np.any(dual != dual[:1], axis=0))
        rows = sparse.csr_array(coef)
        return cls(rows, intercept, l1, dual[0], points, dual[:, points], l2)

    def ridge(self, problem: Problem) -> Floats:
        """Return l2 of every row."""
        return np.broadcast_to(problem.l2 if self.l2 is None else self.l2, self.l1.shape)

    def __getitem__(self, rows: slice) -> Solutions:
        if rows.indices(len(self.l1)) == (0, len(self.l1), 1):
            return self
        return Solutions(
            self.coef[rows],
            self.intercept[rows],
            self.l1[rows],
            self.base,
            self.points,
            self.values[rows],
            None if self.l2 is None else self.l2[rows],
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
    score, dual, fenchel : ndarray of shape (k, m)
        The signed scores t_i, the dual values as given, and the terms of the difference, of
        ``points``.
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
    dual: Floats
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
        """Return the difference relative to the lower bound, rounding or ``least``."""
        return ratio(self.difference, np.maximum(np.maximum(self.lower, self.rounding), least))


def ratio(difference: Floats, scale: Floats) -> Floats:
    """Return a quotient of numbers ≥ 0, where 0/0 is 0."""
    quotient = np.full(np.shape(difference), np.inf)
    np.divide(difference, scale, out=quotient, where=scale > 0.0)
    return np.where(difference > 0.0, quotient, 0.0)


class _Rows(NamedTuple):
    """Coefficients on the columns that any row uses; all rows are compared with the middle one."""

    active: Indices
    coef: Floats
    intercept: Floats
    l1: Floats
    size: Floats  # ‖b‖
    step: Floats  # coef less that of the middle row
    middle: int

    @classmethod
    def of(cls, some: Solutions) -> _Rows:
        k, p = some.coef.shape
        place = np.full(p, -1)
        place[some.coef.indices] = 0
        active = np.flatnonzero(place == 0)
        place[active] = np.arange(len(active))
        entries = (some.coef.data, place[some.coef.indices], some.coef.indptr)
        coef = sparse.csr_array(entries, shape=(k, len(active))).toarray()
        size = np.sqrt(np.einsum("kj,kj->k", coef, coef))
        return cls(active, coef, some.intercept, some.l1, size, coef - coef[k // 2], k // 2)

    @property
    def intercept_step(self) -> Floats:
        """The intercepts less that of the middle row."""
        return self.intercept - self.intercept[self.middle]

    @property
    def unit(self) -> float:
        """The rounding error of a score, relative to |b0| + ‖x_i‖ ‖b‖."""
        return float(_EPSILON * (2.0 + np.sqrt(len(self.active))))


class _Far(NamedTuple):
    """Points that stay on their pieces, with dual values to match."""

    which: NDArray[np.bool_]
    signed: Floats  # s_i α_i, 0 for other points
    loss: float  # at the middle row
    scores: Floats | None  # of the other points in all rows, where they were computed


class _Near(NamedTuple):
    """Points that are looked at row by row; their dual values as given, and feasible."""

    points: Indices
    loss: PiecewiseQuadratic
    label: Floats
    given: Floats
    clipped: Floats
    feasible: Floats
    left_out: Floats  # what balancing took away, relative to the clipped dual values

    @property
    def signed(self) -> Floats:
        """s_i α_i, feasible."""
        return self.feasible * self.label


class _Products(NamedTuple):
    """Scores of near points, losses of far ones, and columns with b_j, c_j, l1 v_j and q_j."""

    score: Floats
    far_loss: Floats
    columns: Indices
    coef: Floats
    correlation: Floats
    threshold: Floats
    excess: Floats


class _Objective(NamedTuple):
    """P, the terms of the points in P − D, and H."""

    value: Floats
    terms: Floats
    without: Floats
    rounding: Floats
    lengthened: NDArray[np.bool_]  # whether it is the objective of (1 + δ)(b0, b)


def measure(problem: Problem, some: Solutions, norms: Norms, *, whole: bool = False) -> Proved:
    """Return what is proved of solutions; ``whole`` looks at all points and columns.

    Examples
    --------
    Two points at −1 and +1, l2 = 0: b = 1 is optimal for l1 = 1, b = 0.9 is not.

    >>> from chemin.validation import as_problem
    >>> problem, _ = as_problem([[-1.0], [1.0]], [0, 1], 0.0)
    >>> rows = (np.array([[1.0], [0.9]]), np.zeros(2), np.ones(2), np.full((2, 2), 0.5))
    >>> proved = measure(problem, Solutions.with_duals(*rows), Norms.of(problem.dictionary))
    >>> proved.lower.round(12).tolist(), proved.difference.round(12).tolist()
    ([1.0, 1.0], [0.0, 0.1])
    """
    rows = _Rows.of(some)
    one_by_one = whole or problem.loss.is_curved
    far = None if one_by_one else _far(problem, some, rows, norms)
    near = _near(problem, some, far)
    if near is None:  # the near points alone cannot be balanced
        far = None
        near = _near(problem, some, None)
    assert near is not None
    products = _products(problem, rows, norms, near, far, whole)
    value = near.loss.value(products.score)
    fenchel = near.loss.fenchel_gap(products.score, near.clipped, value)
    norm1 = np.abs(products.coef) @ problem.l1_weight[products.columns]
    l2 = some.ridge(problem)
    penalty = problem.penalty.of(products.columns)
    paid = penalty.value(products.coef, products.threshold).sum(axis=1)
    objective = _objective(problem, rows, norms, near, far, products, value, fenchel, paid, l2)
    size = _size(near, far)
    if penalty.is_bent:
        fit = penalty.fenchel_gap(
            products.coef, products.correlation, products.threshold, l2[:, None]
        )
        ridge = objective.terms + fit.sum(axis=1)
    else:
        ridge = _ridge_difference(l2, objective, products)
    differences = [objective.value, ridge, _shrunk_difference(objective, products)]
    if not penalty.is_bent:
        differences.append(objective.without + _boxed(l2, objective.value, products, size, norms))
    differences = [
        np.where(penalty.is_on_its_side(products.coef), each, np.inf) for each in differences
    ]
    difference = np.maximum(np.fmin.reduce(differences), 0.0)
    change = np.abs(near.feasible - near.given).max(axis=1, initial=0.0)
    return Proved(
        l1=rows.l1,
        primal=objective.value,
        lower=objective.value - difference,
        difference=difference,
        ridge_difference=np.maximum(ridge, 0.0),
        rounding=objective.rounding,
        norm1=norm1,
        score=products.score,
        dual=near.given,
        fenchel=fenchel,
        coef=products.coef,
        correlation=products.correlation,
        excess=products.excess,
        changed=ratio(change, size),
        points=near.points,
        columns=products.columns,
    )


def _far(problem: Problem, some: Solutions, rows: _Rows, norms: Norms) -> _Far:
    """Find the points whose scores do not reach a kink, with dual values that match."""
    loss = problem.loss
    held, score = _middle_scores(problem, rows)
    distance = np.abs(score - loss.kink[:, 0])
    for k in range(1, loss.shape[1]):
        distance = np.minimum(distance, np.abs(score - loss.kink[:, k]))
    step = np.sqrt(np.einsum("kj,kj->k", rows.step, rows.step).max())
    unit = 2.0 * rows.unit
    rounding = unit * (rows.size.max() * norms.row + np.abs(rows.intercept).max())
    reach = rounding + step * norms.row + np.abs(rows.intercept_step).max()
    match = some.base == -loss.slope[np.arange(len(score)), loss.piece(score)]
    match[some.points] = False
    which = match & (distance > reach)
    close = np.flatnonzero(~which)
    scores = None
    if len(close) * len(rows.active) <= _HELD:
        block = problem.dictionary.block(close, rows.active) if held is None else held[close]
        scores = _signed_scores(rows, block, problem.label[close])
        stays = match[close] & _stays(loss.of(close), scores, rounding[close])
        which[close[stays]] = True
        scores = scores.take(np.flatnonzero(~stays), axis=1)
    signed = np.where(which, problem.label * some.base, 0.0)
    return _Far(which, signed, float(loss.value(score)[which].sum()), scores)


def _middle_scores(problem: Problem, rows: _Rows) -> tuple[Floats | None, Floats]:
    """Return the active columns, if that is the shorter way, and the scores of the middle row."""
    n, p = problem.dictionary.shape
    coef = rows.coef[rows.middle]
    intercept = float(rows.intercept[rows.middle])
    size = n * len(rows.active)
    if size <= _HELD and 2.0 * size < problem.dictionary.look_cost:
        held = problem.dictionary.columns(rows.active)
        return held, problem.label * (held @ coef + intercept)
    whole = np.zeros(p)
    whole[rows.active] = coef
    return None, problem.scores(whole, intercept)


def _signed_scores(rows: _Rows, block: Floats, label: Floats) -> Floats:
    """Return s_i (b0 + x_i·b) of some points, one row per solution."""
    signed = np.empty((len(label), len(rows.active) + 1))
    np.multiply(block, label[:, None], out=signed[:, :-1])
    signed[:, -1] = label
    return np.column_stack([rows.coef, rows.intercept]) @ signed.T


def _stays(loss: PiecewiseQuadratic, scores: Floats, rounding: Floats) -> NDArray[np.bool_]:
    """Say which points are on one piece in all rows, by more than rounding."""
    low = scores.min(axis=0) - rounding
    high = scores.max(axis=0) + rounding
    return np.all((loss.kink < low[:, None]) | (loss.kink > high[:, None]), axis=1)


def _near(problem: Problem, some: Solutions, far: _Far | None) -> _Near | None:
    """Return the other points, balanced with the far ones; None where only all points can be."""
    n = len(some.base)
    points = np.arange(n) if far is None else np.flatnonzero(~far.which)
    loss = problem.loss.of(points)
    label = problem.label[points]
    given = some.dual_at(points)
    clipped = np.clip(given, loss.lowest, loss.highest)
    signed = clipped * label
    fixed = 0.0 if far is None else far.signed.sum()
    total = signed.sum(axis=1) + fixed
    towards = signed * np.sign(total)[:, None]
    heavier = towards > 0.0
    movable = np.maximum(towards, 0.0).sum(axis=1)
    if far is not None:
        size = np.abs(signed).sum(axis=1) + np.abs(far.signed).sum()
        # an imbalance within rounding that no near point can take is none
        total = np.where((np.abs(total) <= n * _EPSILON * size) & (movable == 0.0), 0.0, total)
        if np.any(np.abs(total) > movable):
            return None
    taken = np.divide(np.abs(total), movable, out=np.zeros_like(total), where=movable > 0.0)
    left_out = np.where(heavier, np.minimum(taken, 1.0)[:, None], 0.0)
    return _Near(points, loss, label, given, clipped, clipped * (1.0 - left_out), left_out)


def _products(
    problem: Problem, rows: _Rows, norms: Norms, near: _Near, far: _Far | None, whole: bool
) -> _Products:
    """Multiply by X: all rows for near points and columns that may matter, one for the others."""
    dictionary = problem.dictionary
    p = dictionary.shape[1]
    signed = near.signed
    middle = np.zeros(p)
    columns = np.arange(p)
    if not whole:
        everyone = np.zeros(dictionary.shape[0]) if far is None else far.signed.copy()
        everyone[near.points] = signed[rows.middle]
        middle = dictionary.correlations(everyone)
        columns = _reachable(problem, rows, norms, signed, middle, float(np.linalg.norm(everyone)))
    score, correlation = _multiplied(dictionary, rows, near, far, columns, whole)
    pull = np.zeros(len(columns))
    if far is not None and far.signed.any():
        pull = middle[columns] - correlation[rows.middle]
    far_loss = np.zeros(len(rows.l1))
    if far is not None:
        change = rows.intercept_step * far.signed.sum()
        change += rows.step @ pull[np.searchsorted(columns, rows.active)]
        far_loss = np.maximum(far.loss - change, 0.0)
    if not whole:
        most = np.maximum(correlation.max(axis=0) + pull, -correlation.min(axis=0) - pull)
        kept = most > rows.l1.min() * problem.l1_weight[columns]
        kept[np.searchsorted(columns, rows.active)] = True
        columns = columns[kept]
        correlation = correlation.compress(kept, axis=1)
        pull = pull[kept]
    correlation = correlation + pull
    coef = np.zeros(correlation.shape)
    coef[:, np.searchsorted(columns, rows.active)] = rows.coef
    threshold = np.outer(rows.l1, problem.l1_weight[columns])
    excess = problem.penalty.of(columns).beyond(correlation, threshold)
    return _Products(score, far_loss, columns, coef, correlation, threshold, excess)


def _multiplied(
    dictionary: Dictionary,
    rows: _Rows,
    near: _Near,
    far: _Far | None,
    columns: Indices,
    whole: bool,
) -> tuple[Floats, Floats]:
    """Return signed scores of the near points, and what these points give to the correlations."""
    score = None if far is None else far.scores
    if whole or len(near.points) * len(columns) > _HELD:
        points = None if whole else near.points
        correlation = dictionary.correlations(near.signed.T, points)[columns].T
        if score is None:
            coef = _transposed(rows.coef, rows.active, dictionary.shape[1])
            score = dictionary.scores(coef)[near.points].T
            score = near.label * (score + rows.intercept[:, None])
        return score, correlation
    block = dictionary.block(near.points, columns)
    if score is None:
        active = block[:, np.searchsorted(columns, rows.active)]
        score = _signed_scores(rows, active, near.label)
    return score, near.signed @ block


def _reachable(
    problem: Problem, rows: _Rows, norms: Norms, signed: Floats, middle: Floats, size: float
) -> Indices:
    """Return the columns that are active or may exceed l1 v_j: |Δc_j| ≤ ‖x_j‖ ‖Δα‖."""
    step = signed - signed[rows.middle]
    distance = np.sqrt(np.einsum("ki,ki->k", step, step).max(initial=0.0))
    distance += len(norms.row) * _EPSILON * (size + distance)
    within = np.abs(middle) + distance * norms.column > rows.l1.min() * problem.l1_weight
    within[rows.active] = True
    return np.flatnonzero(within)


def _objective(
    problem: Problem,
    rows: _Rows,
    norms: Norms,
    near: _Near,
    far: _Far | None,
    products: _Products,
    value: Floats,
    fenchel: Floats,
    paid: Floats,
    l2: Floats,
) -> _Objective:
    terms = fenchel.sum(axis=1) + np.einsum("ki,ki->k", near.left_out, value - fenchel)
    ridge = 0.5 * l2 * rows.size**2
    plain = value.sum(axis=1) + products.far_loss + ridge + paid
    # Σ_j c_j b_j is Σ_i α_i t_i, because Σ_i s_i α_i = 0
    fit = ridge + paid - np.einsum("kj,kj->k", products.correlation, products.coef)
    without = terms + fit
    steep = problem.loss.steepest(problem.label)
    error = rows.unit * (np.abs(rows.intercept) * steep.sum() + rows.size * (steep @ norms.row))
    longer = 1.0 + _lengthening(problem.loss, rows, norms, near, far, products.score)
    possible = (longer <= 1.0 + _LONGEST) & (not problem.penalty.is_bent)
    if possible.any():
        longer = np.where(possible, longer, 1.0)
        stretched = longer * (longer * ridge + paid)
        plain = np.where(possible, stretched, plain)
        error = np.where(possible, 0.0, error)
        # longer * stretched: what was added is counted as if it were missing
        stretched_fit = longer * stretched - near.feasible @ near.loss.kink[:, 0]
        without = np.where(possible, stretched_fit, without)
    return _Objective(plain, terms, without, error, possible)


def _lengthening(
    loss: PiecewiseQuadratic,
    rows: _Rows,
    norms: Norms,
    near: _Near,
    far: _Far | None,
    score: Floats,
) -> Floats:
    """Return the least δ for which (1 + δ)(b0, b) has no loss, rounding included, or infinity."""
    none = np.full(len(rows.l1), np.inf)
    flat_behind = loss.shape[1] == 1 and not loss.slope[:, 1].any() and np.all(loss.kink > 0.0)
    if loss.is_curved or not flat_behind or (far is not None and far.signed.any()):
        return none
    counts = np.flatnonzero(near.loss.slope[:, 0] < 0.0)
    lengths = np.outer(rows.size, norms.row[near.points[counts]])
    safe = score[:, counts] - rows.unit * (np.abs(rows.intercept)[:, None] + lengths)
    kink = near.loss.kink[counts, 0]
    missing = np.divide(kink - safe, safe, out=np.full(safe.shape, np.inf), where=safe > 0.0)
    return np.asarray(missing.max(axis=1, initial=0.0))


def _ridge_difference(l2: Floats, objective: _Objective, columns: _Products) -> Floats:
    """Return P − D(α)."""
    if not l2.all():
        return np.where(columns.excess.any(axis=1), np.inf, objective.without)
    with np.errstate(over="ignore"):
        apart = l2[:, None] * columns.coef - columns.excess
        inside = columns.correlation - columns.excess
        terms = columns.threshold * np.abs(columns.coef) - inside * columns.coef
        fit = np.einsum("kj,kj->k", apart, apart) / (2.0 * l2) + np.maximum(terms, 0.0).sum(axis=1)
        beyond = np.einsum("kj,kj->k", columns.excess, columns.excess) / (2.0 * l2)
    return np.where(objective.lengthened, objective.without + beyond, objective.terms + fit)


def _shrunk_difference(objective: _Objective, columns: _Products) -> Floats:
    """Return P − D(θα), θ shrinking every |c_j| under its threshold."""
    size = np.abs(columns.correlation)
    lost = np.divide(np.abs(columns.excess), size, out=np.zeros_like(size), where=size > 0.0)
    most = lost.max(axis=1, initial=0.0)
    return most * objective.value + (1.0 - most) * objective.without


def _boxed(l2: Floats, primal: Floats, columns: _Products, size: Floats, norms: Norms) -> Floats:
    """Return Σ_j B_j |q_j|, over the columns whose q_j is more than rounding."""
    relative = np.where(columns.threshold > 0.0, len(norms.row) * _EPSILON, _VANISHING)
    excess = np.abs(columns.excess)
    counts = excess > relative * np.outer(size, norms.column[columns.columns])
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        box = primal[:, None] / columns.threshold
        box = np.fmin(box, np.sqrt(2.0 * primal / l2)[:, None])
        return np.where(counts, box * excess, 0.0).sum(axis=1)


def _size(near: _Near, far: _Far | None) -> Floats:
    """Return ‖α‖."""
    others = 0.0 if far is None else float(far.signed @ far.signed)
    return np.sqrt(np.einsum("ki,ki->k", near.feasible, near.feasible) + others)


def _transposed(coef: Floats, active: Indices, p: int) -> sparse.csc_array:
    """Return solutions as columns, of shape (p, k)."""
    k, size = coef.shape
    entries = (coef.ravel(), np.tile(active, k), np.arange(k + 1) * size)
    return sparse.csc_array(entries, shape=(p, k))
