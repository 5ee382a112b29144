"""Which law does a column follow? The usual ones by maximum likelihood, compared by AIC, with their fit shown.

The distance of Kolmogorov and Smirnov, the largest |F_N − F|, is reported as a distance: with parameters estimated from
the same data its usual p-value is too high.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.exploration.points import as_column
from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    pass

_LINE = 400  # places at which a law is drawn
_MOST = 20_000  # values that iterative fits look at
_POINTED = 1e-3  # of the least gap between two values: a narrower law has seen one that repeats


@dataclass(frozen=True)
class _Usual:
    """A law of `scipy.stats`: which parameters are fixed or given in closed form, and which columns it can have."""

    scipy: str
    parameters: tuple[str, ...]
    fits: Callable[[Floats], bool]
    fixed: Mapping[str, float]
    closed: Callable[[Floats], tuple[float, ...]] | None = None
    discrete: bool = False


def _always(x: Floats) -> bool:
    return True


def _positive(x: Floats) -> bool:
    return bool(x.min() > 0.0)


def _at_least_zero(x: Floats) -> bool:
    return bool(x.min() >= 0.0)


def _proportions(x: Floats) -> bool:
    return bool(x.min() > 0.0 and x.max() < 1.0)


def _whole(least: float) -> Callable[[Floats], bool]:
    return lambda x: bool(x.min() >= least and np.all(x == np.round(x)))


LAWS = {
    "normal": _Usual("norm", ("mean", "sd"), _always, {}, lambda x: (x.mean(), x.std())),
    "Laplace": _Usual("laplace", ("median", "scale"), _always, {}),
    "logistic": _Usual("logistic", ("mean", "scale"), _always, {}),
    "Student": _Usual("t", ("freedom", "centre", "scale"), _always, {}),
    "uniform": _Usual("uniform", ("from", "length"), _always, {}, lambda x: (x.min(), np.ptp(x))),
    "exponential": _Usual("expon", ("from", "mean"), _at_least_zero, {"floc": 0.0}),
    "log-normal": _Usual("lognorm", ("log sd", "from", "median"), _positive, {"floc": 0.0}),
    "gamma": _Usual("gamma", ("shape", "from", "scale"), _positive, {"floc": 0.0}),
    "Weibull": _Usual("weibull_min", ("shape", "from", "scale"), _positive, {"floc": 0.0}),
    "beta": _Usual(
        "beta", ("a", "b", "from", "length"), _proportions, {"floc": 0.0, "fscale": 1.0}
    ),
    "Poisson": _Usual("poisson", ("mean",), _whole(0.0), {}, lambda x: (x.mean(),), True),
    "geometric": _Usual("geom", ("p",), _whole(1.0), {}, lambda x: (1.0 / x.mean(),), True),
}


@dataclass(frozen=True, eq=False, repr=False)
class Law(Result):
    """One law with its likeliest parameters.

    Attributes
    ----------
    name : str
        "normal", "gamma", …
    parameters : dict
        By name.
    log_likelihood, aic, bic : float
        How well it fits.
    distance : float
        The largest difference between its distribution function and that of the column.
    discrete : bool
        Whether its values are whole numbers.
    """

    name: str
    parameters: Mapping[str, float]
    log_likelihood: float
    aic: float
    bic: float
    distance: float
    discrete: bool
    law: Any

    def __str__(self) -> str:
        told = ", ".join(f"{name} {value:.4g}" for name, value in self.parameters.items())
        return f"{self.name}: {told}; AIC {self.aic:.1f}, distance {self.distance:.3f}"

    def pdf(self, x: Any) -> Floats:
        """Return the density, or the probability of whole numbers."""
        return np.asarray(self.law.pmf(x) if self.discrete else self.law.pdf(x))

    def quantile(self, share: Any) -> Floats:
        """Return the values below which these shares lie."""
        return np.asarray(self.law.ppf(share))


@dataclass(frozen=True, eq=False, repr=False)
class Laws(Result):
    """The usual laws fitted to one column, the best first.

    Attributes
    ----------
    name : str
        The column.
    values : ndarray
        Its values.
    laws : tuple of Law
        By increasing AIC.
    left_out : dict
        Laws that the column cannot have, and why.
    """

    name: str
    values: Floats
    laws: tuple[Law, ...]
    left_out: Mapping[str, str]

    @property
    def best(self) -> Law:
        """The law of the least AIC."""
        return self.laws[0]

    def __getitem__(self, name: str) -> Law:
        for law in self.laws:
            if law.name == name:
                return law
        raise KeyError(name)

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.name}, {len(self.values)} values", *(f"  {law}" for law in self.laws)]
        )

    def frame(self) -> Any:
        """Return a row per law as a DataFrame."""
        told = [
            ", ".join(f"{name} {value:.4g}" for name, value in law.parameters.items())
            for law in self.laws
        ]
        made = {
            "law": [law.name for law in self.laws],
            "parameters": told,
            "log-likelihood": [law.log_likelihood for law in self.laws],
            "AIC": [law.aic for law in self.laws],
            "BIC": [law.bic for law in self.laws],
            "distance": [law.distance for law in self.laws],
        }
        return as_frame(made, instead="laws")

    def plot(self, law: str | None = None) -> Any:
        """Draw a law, by default the best, over the histogram, and its quantiles against those of the column."""
        from chemin.plots.exploration.densities import draw_fit

        chosen = self.best if law is None else self[law]
        low, high = float(self.values.min()), float(self.values.max())
        x = np.linspace(low, high, _LINE)
        if chosen.discrete:
            x = np.arange(low, high + 1.0) if high - low < _LINE else np.unique(x.round())
        shares = (np.arange(len(self.values)) + 0.5) / len(self.values)
        return draw_fit(
            self.values, x, chosen.pdf(x), chosen.quantile(shares), name=self.name,
            law=chosen.name, distance=chosen.distance, discrete=chosen.discrete,
        )  # fmt: skip


def fit_laws(data: Any, laws: str | Sequence[str] | None = None) -> Laws:
    """Fit the usual laws to a column by maximum likelihood.

    Parameters
    ----------
    data : array of shape (n,)
        The column; gaps are left out.
    laws : str or list of str, optional
        Which: "normal", "Laplace", "logistic", "Student", "uniform"; of positive numbers "exponential", "log-normal",
        "gamma", "Weibull"; of proportions "beta"; of counts "Poisson", "geometric". All that are possible by default.

    Returns
    -------
    Laws

    Examples
    --------
    >>> import numpy as np
    >>> fitted = fit_laws(np.random.default_rng(0).gamma(3.0, 2.0, size=500))
    >>> fitted.best.name
    'gamma'
    >>> {name: round(value, 1) for name, value in fitted.best.parameters.items()}
    {'shape': 3.2, 'scale': 1.8}
    """
    name, values = as_column(data, least=3)
    asked = _asked(laws)
    for law in asked:
        if law not in tuple(LAWS):
            raise InvalidInputError(f"there is no law {law!r}: pass some of {', '.join(LAWS)}")
    if np.ptp(values) == 0.0:
        raise InvalidInputError(f"{name!r} is constant, {values[0]:g} throughout: leave it out")
    made, left_out = [], {}
    counts = bool(np.all(values == np.round(values)))
    for law in asked:
        usual = LAWS[law]
        if not usual.fits(values):
            left_out[law] = "some values are outside of what it can have"
        elif usual.discrete and not counts:
            left_out[law] = "some values are not whole numbers"
        else:
            try:
                made.append(_fit(law, usual, values, counts))
            except (ValueError, RuntimeError, FloatingPointError) as error:
                left_out[law] = f"its likelihood has no maximum ({error})"
    if not made:
        raise InvalidInputError(
            f"none of the laws {', '.join(asked)} can have the values of {name!r}: pass others"
        )
    made.sort(key=lambda law: law.aic)
    return Laws(name, values, tuple(made), left_out)


def _asked(laws: Any) -> list[Any]:
    if laws is None:
        return list(LAWS)
    several = isinstance(laws, Iterable) and not isinstance(laws, str)
    return list(laws) if several else [laws]


def _fit(name: str, usual: _Usual, values: Floats, counts: bool) -> Law:
    from scipy import stats

    family = getattr(stats, usual.scipy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of searches that pass by the edge
        if usual.closed is not None:
            found = tuple(float(value) for value in usual.closed(values))
        else:
            some = values[:: max(len(values) // _MOST, 1)]
            found = tuple(float(value) for value in family.fit(some, **usual.fixed))
        if name == "Student" and found[-1] < _POINTED * np.diff(np.unique(values)).min():
            raise ValueError("it would be a point on a value that repeats")
        law = family(*found)
        logs = _logs(law, values, usual.discrete, counts)
    total = float(np.sum(logs))
    if not np.isfinite(total):
        raise ValueError("some value is impossible under it")
    free = len(found) - len(usual.fixed)
    known = {"floc": len(usual.parameters) - 2, "fscale": len(usual.parameters) - 1}
    hidden = {known[key] for key in usual.fixed}
    named = {
        name: value
        for place, (name, value) in enumerate(zip(usual.parameters, found, strict=True))
        if place not in hidden
    }
    return Law(
        name,
        named,
        total,
        -2.0 * total + 2.0 * free,
        -2.0 * total + free * float(np.log(len(values))),
        _distance(law, values, usual.discrete),
        usual.discrete,
        law,
    )


def _logs(law: Any, values: Floats, discrete: bool, counts: bool) -> Floats:
    """Return the logarithms of the probabilities of whole numbers, or of the density of others.

    A continuous law gives a whole number k the probability of k ± ½, so that laws of counts compare with it.
    """
    if discrete:
        return np.asarray(law.logpmf(values))
    if not counts:
        return np.asarray(law.logpdf(values))
    distinct, place = np.unique(values, return_inverse=True)
    upper = law.sf(distinct - 0.5) - law.sf(distinct + 0.5)
    lower = law.cdf(distinct + 0.5) - law.cdf(distinct - 0.5)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.where(law.cdf(distinct) > 0.5, upper, lower))[place])


def _distance(law: Any, values: Floats, discrete: bool) -> float:
    """Return the largest difference of the two distribution functions, at and just before every value."""
    distinct, counts = np.unique(values, return_counts=True)
    reached = np.cumsum(counts) / len(values)
    before = np.append(0.0, reached[:-1])
    below = law.cdf(distinct - 1.0) if discrete else law.cdf(distinct)
    return float(max(np.abs(law.cdf(distinct) - reached).max(), np.abs(below - before).max()))
