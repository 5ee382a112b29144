"""Is this one bell, or several? Mixtures of Gaussians by EM, and how many, of which shape, by AIC or BIC.

p(x) = Σ π_m N(x; μ_m, Σ_m). EM repeats γ_nm ∝ π_m N(x_n; μ_m, Σ_m), then weights, means and covariances weighted by
these γ, those around the new means. With p free parameters and log-likelihood L, AIC = −2L + 2p, BIC = −2L + p log N.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.densities.density import Density
from chemin.exploration.points import Points, as_points
from chemin.frames import as_frame
from chemin.progress import Bar
from chemin.tables.notes import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHAPES = ("full", "tied", "diag", "spherical")
_MOST = 6  # components that are tried by default


@dataclass(frozen=True)
class Candidate:
    """One mixture that was tried: how many components, of which shape, and how it scores."""

    components: int
    covariance: str
    parameters: int
    log_likelihood: float
    aic: float
    bic: float


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Density):
    """A mixture of Gaussians.

    Attributes
    ----------
    weights, means, covariances : ndarray
        Of shapes (m,), (m, p) and (m, p, p).
    covariance : str
        "full", "tied" (one for all), "diag" or "spherical".
    likelihoods : ndarray
        Mean log-likelihood of a point after each step of EM, which never falls.
    candidates : tuple of Candidate
        All mixtures that were tried.
    criterion : str
        What chose among them.
    converged : bool
        Whether EM came to rest.
    """

    weights: Floats
    means: Floats
    covariances: Floats
    covariance: str
    likelihoods: Floats
    candidates: tuple[Candidate, ...]
    criterion: str
    converged: bool
    _model: Any = field(repr=False)

    @property
    def name(self) -> str:
        shape = {"diag": "diagonal"}.get(self.covariance, self.covariance)
        return f"mixture of {len(self.weights)} Gaussians, {shape} covariance"

    def log_pdf(self, x: Any) -> Floats:
        return np.asarray(self._model.score_samples(self._nodes(x)))

    def responsibilities(self, x: Any = None) -> Floats:
        """Return the probability of every component given each point."""
        nodes = self.points.values if x is None else self._nodes(x)
        return np.asarray(self._model.predict_proba(nodes))

    def labels(self, x: Any = None) -> Indices:
        """Return the likeliest component of each point."""
        return np.argmax(self.responsibilities(x), axis=1)

    def sample(self, count: int, random_state: int = 0) -> Floats:
        """Return new points drawn from the mixture."""
        if not _is_whole(count) or count < 0:
            raise InvalidInputError(f"count is {count!r}: pass a whole number, 0 or larger")
        drawing = np.random.default_rng(random_state)
        which = drawing.choice(len(self.weights), size=count, p=self.weights)
        roots = np.linalg.cholesky(self.covariances)
        noise = drawing.normal(size=(count, self.means.shape[1]))
        return self.means[which] + np.einsum("nij,nj->ni", roots[which], noise)

    def scores(self) -> Any:
        """Return all mixtures that were tried as a DataFrame."""
        made = {
            name: [getattr(candidate, name) for candidate in self.candidates]
            for name in Candidate.__dataclass_fields__
        }
        return as_frame(made, instead="candidates")

    def plot_scores(self, ax: Axes | None = None) -> Axes:
        """Draw the criterion against the number of components."""
        from chemin.plots.exploration.densities import draw_criterion

        curves: dict[str, tuple[list[int], list[float]]] = {}
        for tried in self.candidates:
            counts, values = curves.setdefault(tried.covariance, ([], []))
            counts.append(tried.components)
            values.append(getattr(tried, self.criterion))
        chosen = (len(self.weights), self.covariance)
        return draw_criterion(curves, chosen, self.criterion.upper(), ax=ax)


def mixture(
    data: Any,
    components: int | Sequence[int] | None = None,
    *,
    covariance: str | Sequence[str] | None = None,
    criterion: str = "bic",
    restarts: int = 3,
    start: str = "kmeans",
    scale: bool = False,
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Mixture:
    """Estimate a mixture of Gaussians, by default with as many components, of the shape, that BIC prefers.

    Parameters
    ----------
    data : array, DataFrame, Table or path
        The points.
    components : int or list of int, optional
        How many; of several, the best. From 1 to 6 by default.
    covariance : str or list of str, optional
        "full", "tied", "diag", "spherical"; of several, the best. All four by default.
    criterion : {"bic", "aic"}, default "bic"
        What is best; never the likelihood alone, which grows with every component.
    restarts : int, default 3
        How often EM starts, to keep the likeliest end.
    start : {"kmeans", "random"}, default "kmeans"
        What EM starts from.
    scale : bool, default False
        Bring columns to standard deviation 1 first.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Of starts and rows.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Mixture

    Examples
    --------
    >>> import numpy as np
    >>> drawing = np.random.default_rng(0)
    >>> X = np.concatenate([drawing.normal(size=(100, 2)), drawing.normal(size=(100, 2)) + 6.0])
    >>> made = mixture(X)
    >>> made.name
    'mixture of 2 Gaussians, spherical covariance'
    """
    points = as_points(
        data, scale=scale, least=2, part="mixture", budget=budget, random_state=random_state
    )
    n, d = points.shape
    counts = _counts(components, n)
    shapes = SHAPES if covariance is None else _listed(covariance)
    if criterion not in ("aic", "bic"):
        raise InvalidInputError(f"criterion is {criterion!r}: pass 'bic' or 'aic'")
    for shape in shapes:
        if shape not in SHAPES:
            raise InvalidInputError(f"covariance is {shape!r}: pass one of {', '.join(SHAPES)}")
    if not shapes:
        raise InvalidInputError(f"covariance is empty: pass some of {', '.join(SHAPES)}")
    if start not in ("kmeans", "random"):
        raise InvalidInputError(f"start is {start!r}: pass 'kmeans' or 'random'")
    if not _is_whole(restarts) or restarts < 1:
        raise InvalidInputError(f"restarts is {restarts!r}: pass a whole number, 1 or larger")
    tried = [(count, shape) for count in counts for shape in shapes]
    bar = Bar("mixtures", len(tried), progress)
    fitted = list(
        bar.over(_fit(points.values, one, restarts, start, random_state) for one in tried)
    )
    candidates = tuple(
        Candidate(
            count,
            shape,
            count_parameters(count, d, shape),
            float(model.score(points.values) * n),
            float(model.aic(points.values)),
            float(model.bic(points.values)),
        )
        for (count, shape), model in zip(tried, fitted, strict=True)
    )
    best = int(np.argmin([getattr(candidate, criterion) for candidate in candidates]))
    return _mixture(points, fitted[best], candidates, criterion)


def count_parameters(components: int, d: int, covariance: str) -> int:
    """Return the number of free parameters: weights, means, covariances.

    Examples
    --------
    >>> count_parameters(3, 2, "full"), count_parameters(3, 2, "spherical")
    (17, 11)
    """
    full = d * (d + 1) // 2
    shapes = {
        "full": components * full,
        "tied": full,
        "diag": components * d,
        "spherical": components,
    }
    return components - 1 + components * d + shapes[covariance]


def _counts(components: Any, n: int) -> list[int]:
    if components is None:
        return list(range(1, min(_MOST, n) + 1))
    counts = _listed(components)
    if not counts or not all(_is_whole(count) and 1 <= count <= n for count in counts):
        raise InvalidInputError(
            f"components is {components!r}: pass whole numbers from 1 to the {n} points"
        )
    return [int(count) for count in counts]


def _listed(given: Any) -> list[Any]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return list(given) if several else [given]


def _is_whole(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def _fit(X: Floats, tried: tuple[int, str], restarts: int, start: str, random_state: int) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    count, shape = tried
    spread = max(float(X.var(axis=0).mean()), 1e-12)
    model = GaussianMixture(
        count, covariance_type=shape, n_init=restarts, init_params=start, random_state=random_state,
        reg_covar=1e-6 * spread, max_iter=300,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `converged` says it
        try:
            return model.fit(X)
        except ValueError as error:
            raise InvalidInputError(
                f"EM fails for {count} components, {shape} covariance ({brief(error)}): pass scale=True, or fewer"
            ) from error


def _mixture(
    points: Points, model: Any, candidates: tuple[Candidate, ...], criterion: str
) -> Mixture:
    m, d = model.means_.shape
    shape = model.covariance_type
    given = np.asarray(model.covariances_)
    if shape == "tied":
        covariances = np.broadcast_to(given, (m, d, d)).copy()
    elif shape == "full":
        covariances = given
    else:
        covariances = np.stack([np.diag(np.broadcast_to(row, (d,))) for row in given])
    steps = np.asarray(getattr(model, "lower_bounds_", [model.lower_bound_]))
    return Mixture(
        points, np.asarray(model.weights_), np.asarray(model.means_), covariances, shape, steps,
        candidates, criterion, bool(model.converged_), model,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class EMStep:
    """Parameters of a mixture with full covariances, and the log-likelihood of the points under them.

    Attributes
    ----------
    weights, means, covariances : ndarray
        Of shapes (m,), (m, p) and (m, p, p).
    log_likelihood : float
        Of all points.
    """

    weights: Floats
    means: Floats
    covariances: Floats
    log_likelihood: float


def em_step(X: Floats, current: EMStep) -> EMStep:
    """Return what one step of EM makes of a mixture, written as in the course: to follow it by hand.

    The covariances are those around the *new* means.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> first = EMStep(np.array([0.5, 0.5]), np.array([[0.0], [5.0]]), np.ones((2, 1, 1)), -np.inf)
    >>> em_step(X, first).means.round(2).tolist()
    [[0.5], [9.5]]
    """
    joint = _log_joint(X, current)
    gamma = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    mass = gamma.sum(axis=0)
    means = gamma.T @ X / mass[:, None]
    covariances = np.stack(
        [
            (gamma[:, m, None] * (X - means[m])).T @ (X - means[m]) / mass[m]
            for m in range(len(mass))
        ]
    )
    made = EMStep(mass / len(X), means, covariances, -np.inf)
    return replace(
        made, log_likelihood=float(np.logaddexp.reduce(_log_joint(X, made), axis=1).sum())
    )


def _log_joint(X: Floats, at: EMStep) -> Floats:
    from scipy.stats import multivariate_normal

    laws = zip(at.weights, at.means, at.covariances, strict=True)
    try:
        columns = [
            np.log(weight) + np.atleast_1d(multivariate_normal(mean, covariance).logpdf(X))
            for weight, mean, covariance in laws
        ]
    except np.linalg.LinAlgError as error:
        raise InvalidInputError(
            "a component has shrunk to so few points that its covariance is singular, and the likelihood has no "
            "maximum there: pass another start, or fewer components"
        ) from error
    return np.column_stack(columns)
