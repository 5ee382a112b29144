"""Does a model made of few couples tell the shape of each region? Toydata 1 with the kernels of its regions.

l1 is chosen by cross-validation over the whole path. A couple is right if its kernel is the one of the region of its
point. The distance of a point from the boundary f = 0 is measured in the plane.

Reference: sections 3.5.1.1 and 3.5.1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from chemin.datasets import TOYDATA1, toydata1
from chemin.estimators import KernelBasisClassifier, KernelBasisClassifierCV
from chemin.experiments.pictures import panels, write
from chemin.experiments.plane import boundary_of, kernels_of, right_kernels
from chemin.experiments.record import FRESH, Row, Say, verdict_of
from chemin.plots import plot_boundary

N_TEST = 1000
_INSIDE = 0.02  # of the interval of least error, from its upper end: the sparsest of the equally good models
_FIGURE = "toydata1.png"
_SETUP = (
    "100 + 100 points: a Gaussian blob, and two bands, very thin across, whose geometry is in `TOYDATA1`; kernels "
    "isotropic {isotropic}, vertical {vertical} and horizontal {horizontal} (widths per axis); positions and widths "
    "chosen here. λ₁ by 5-fold cross-validation over the whole path: of the values of least error the largest, hence "
    "the sparsest model."
)


@dataclass(frozen=True)
class Draw:
    """What one draw of Toydata 1 gave: the chosen model, counted and measured."""

    seed: int
    l1: float
    couples: int
    right: int
    kernels: int
    active_distance: float
    support_distance: float
    active_support: int
    test_error: float
    status: str

    @property
    def all_right(self) -> bool:
        """Whether every couple has the kernel of its region."""
        return self.right == self.couples

    @property
    def far(self) -> bool:
        """Whether active points are farther from the boundary than support vectors, on average."""
        return self.active_distance > self.support_distance


def fit(seed: int, l2: float) -> tuple[Any, Any, Any, Draw]:
    """Draw training and test points, let the folds choose l1, and look at the model."""
    rng = np.random.default_rng(seed)
    X, y = toydata1(random_state=rng)
    X_test, y_test = toydata1(N_TEST, random_state=rng)
    kernels = kernels_of(TOYDATA1)
    whole: dict[str, Any] = {"rule": "best", "relax": None, "min_ratio": 0.0}
    folds = KernelBasisClassifierCV(kernels, l2, refit=False, random_state=seed, **whole).fit(X, y)
    results: Any = folds.cv_results_
    low, high = results["interval"][0]
    model = KernelBasisClassifier(kernels, l1=high - _INSIDE * (high - low), l2=l2).fit(X, y)
    B: Any = model.B_
    point, kernel = B.nonzero()
    away = boundary_of(model.decision_function, X).distances(X)
    active, support = model.active_points_, model.support_
    return model, X, y, Draw(
        seed=seed,
        l1=float(model.l1_),
        couples=len(point),
        right=int(np.sum(right_kernels(TOYDATA1, X, y)[point] == kernel)),
        kernels=len(np.unique(kernel)),
        active_distance=float(away[active].mean()),
        support_distance=float(away[support].mean()),
        active_support=len(np.intersect1d(active, support)),
        test_error=float(np.mean(model.predict(X_test) != y_test)),
        status=model.path_.status.code,
    )  # fmt: skip


def look(seeds: Sequence[int], l2: float, n_jobs: int | None = -1) -> list[Draw]:
    """Return what the draws of these seeds give."""
    return list(Parallel(n_jobs=n_jobs)(delayed(_draw)(seed, l2) for seed in seeds))


def toydata1_rows(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Fit every draw with l2 = 1e-10 and with 1, fresh seeds and those on which the geometry was chosen."""
    fresh = range(FRESH, FRESH + seeds)
    say(f"Toydata 1: {3 * seeds} models, each with the paths of 5 folds")
    sparse, tuned, smooth = look(fresh, 1e-10), look(range(seeds), 1e-10), look(fresh, 1.0)
    shown = next(
        (draw.seed for draw in sparse if draw.kernels == 3), FRESH
    )  # a draw that shows all three kernels
    figure, axes = panels(1, 2, (6.6, 4.6))
    for ax, l2 in zip(axes[0], (1e-10, 1.0), strict=True):
        model, X, y, _ = fit(shown, l2)
        plot_boundary(model, X, y, ax)
        ax.set_aspect("equal")
    write(
        figure, f"Toydata 1, seed {shown}: the model chosen by cross-validation", folder / _FIGURE
    )
    return [_few(sparse, tuned), _more(smooth, sparse)]


def _few(draws: list[Draw], tuned: list[Draw]) -> Row:
    n = len(draws)
    good, couples = (
        sum(draw.all_right and draw.far for draw in draws),
        np.median([draw.couples for draw in draws]),
    )
    before = sum(draw.all_right and draw.far for draw in tuned)
    return Row(
        name="Toydata 1, λ₂ = 1e-10",
        section="3.5.1.4",
        setup=_SETUP.format(**TOYDATA1.widths),
        said="3 couples, one per region, each with its region's kernel; active points are far from the boundary and no "
        "support vectors.",
        seen=f"Every couple right and active points farther than support vectors: **{good} of {n} fresh draws** "
        "(of the draws "
        f"used for tuning, {before} of {len(tuned)}). {_describe(draws)}",
        verdict=verdict_of(good >= 0.8 * n and couples <= 6),
        why="Blob and bands need one couple each in principle; the exact optimum shares a region between two or three "
        "neighbouring points where none of them sits at its very centre, hence a few more than 3.",
        figures=(_FIGURE,),
        values={
            "fresh": [asdict(draw) for draw in draws],
            "tuned": [asdict(draw) for draw in tuned],
        },
    )


def _more(draws: list[Draw], sparse: list[Draw]) -> Row:
    couples, fewer = (np.median([draw.couples for draw in some]) for some in (draws, sparse))
    right = sum(draw.right for draw in draws) / sum(draw.couples for draw in draws)
    return Row(
        name="Toydata 1, λ₂ = 1",
        section="3.5.1.4",
        setup="The same draws, the same protocol, λ₂ = 1.",
        said="More couples than with λ₂ = 1e-10, and still the kernels of their regions.",
        seen=f"{couples:g} couples where λ₂ = 1e-10 has {fewer:g} (medians), {right:.1%} of them right. "
        f"{_describe(draws)}",
        verdict=verdict_of(bool(couples > fewer and right > 0.9)),
        why="The squared norm makes it cheaper to share a weight among neighbours, whose columns are nearly the same.",
        figures=(_FIGURE,),
        values={"fresh": [asdict(draw) for draw in draws]},
    )


def _draw(seed: int, l2: float) -> Draw:
    return fit(seed, l2)[3]


def _describe(draws: list[Draw]) -> str:
    def of(name: str) -> Any:
        return np.array([getattr(draw, name) for draw in draws])

    return (
        f"Of {len(draws)} fresh draws: all couples right in {sum(draw.all_right for draw in draws)}, all three "
        "kernels in use "
        f"in {np.sum(of('kernels') == 3)}, farther in {sum(draw.far for draw in draws)}, no active point a "
        "support vector in "
        f"{np.sum(of('active_support') == 0)}. Couples {of('couples').min()} to {of('couples').max()}, median "
        f"{np.median(of('couples')):g}; mean distance {of('active_distance').mean():.2f} (active) and "
        f"{of('support_distance').mean():.2f} (support); λ₁ {np.median(of('l1')):.1f}; test error "
        f"{of('test_error').mean():.1%}."
    )
