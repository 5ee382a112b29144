"""Below which l1 do the right kernels replace the wrong ones? Toydata 2, on the exact path.

The zone of confusion is the vertical band, two lines of negative points, with the strip of positive ones between them.
Let R and W be Σ |B_jl| over its right and its wrong couples. Both are affine in l1 between breakpoints, so the critical
l1, the lowest at which R − W changes from ≤ 0 to > 0 as l1 falls, is found exactly.

Reference: section 3.5.2.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from chemin.datasets import TOYDATA2, toydata2
from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Floats, Indices
from chemin.engine.entry import svm_path
from chemin.engine.result import Path
from chemin.estimators import KernelBasisClassifier
from chemin.experiments.pictures import panels, write
from chemin.experiments.plane import kernels_of, right_kernels
from chemin.experiments.record import FRESH, Row, Say, verdict_of
from chemin.plots import canvas, plot_boundary

_FIGURES = ("toydata2.png", "toydata2_share.png")
_ABOVE, _BELOW = 1.2, 0.6  # of the critical l1: where the two models are looked at
_N_TEST = 1000
_LOWEST = 3.0  # paths are followed so far: well below the critical l1 of every draw


@dataclass(frozen=True)
class Side:
    """The model at one l1: accuracy on test points, and couples in the zone of confusion."""

    l1: float
    accuracy: float
    strip_accuracy: float
    right: int
    wrong: int
    share: float


@dataclass(frozen=True)
class Critical:
    """One draw of Toydata 2.

    Attributes
    ----------
    l1 : float
        The critical l1, where right couples come to carry more than half of Σ |B| in the zone.
    strip_enters : float
        Where the first couple of a strip point with its right kernel enters.
    wrong_gone : float
        The first l1 below the critical one at which the zone has no wrong couple; NaN if there is none.
    above, below : Side
        The models at 1.2 and 0.6 times the critical l1.
    """

    seed: int
    l1: float
    strip_enters: float
    wrong_gone: float
    above: Side
    below: Side
    status: str


@dataclass(frozen=True, eq=False)
class Zone:
    """Which columns are right and which are wrong couples of the zone of confusion, and those right on the strip."""

    right: Indices
    wrong: Indices
    strip: Indices

    def masses(self, path: Path) -> tuple[Floats, Floats]:
        """Return R and W at every breakpoint."""
        size = abs(path.coef).tocsc()
        right, wrong = (
            np.asarray(size[:, part].sum(axis=1)).ravel() for part in (self.right, self.wrong)
        )
        return right, wrong


def zone_of(X: Floats, y: Any) -> Zone:
    """Return the couples of the zone, as columns kernel × n + point."""
    n, kernels = len(y), right_kernels(TOYDATA2, X, y)
    regions = TOYDATA2.regions(X, y)
    inside = np.flatnonzero(
        np.isin(regions, ("strip", "left vertical band", "right vertical band"))
    )
    every = (np.arange(len(TOYDATA2.widths))[:, None] * n + inside).ravel()
    right, strip = kernels[inside] * n + inside, np.flatnonzero(regions == "strip")
    return Zone(right, np.setdiff1d(every, right), kernels[strip] * n + strip)


def critical_l1(path: Path, zone: Zone) -> float:
    """Return the lowest l1 at which R − W changes from ≤ 0 to > 0 as l1 falls, W > 0 above it; NaN if there is none."""
    right, wrong = zone.masses(path)
    lead = right - wrong
    turns = np.flatnonzero((lead[:-1] <= 0.0) & (lead[1:] > 0.0) & (wrong[:-1] > 0.0))
    if not len(turns):
        return float("nan")
    k = int(turns[-1])
    return float(path.l1[k] + lead[k] / (lead[k] - lead[k + 1]) * (path.l1[k + 1] - path.l1[k]))


def look(seed: int) -> Critical:
    """Follow the path of one draw, and find its critical l1."""
    rng = np.random.default_rng(seed)
    X, y = toydata2(random_state=rng)
    X_test, y_test = toydata2(_N_TEST, random_state=rng)
    kernels, zone = kernels_of(TOYDATA2), zone_of(X, y)
    path = svm_path(KernelDictionary(X, X, kernels), y, l2=1.0, min_l1=_LOWEST)
    l1 = critical_l1(path, zone)
    entered = path.events[
        (path.events["kind"] == "enter") & np.isin(path.events["index"], zone.strip)
    ]
    none = path.l1[(path.l1 < l1) & (zone.masses(path)[1] == 0.0)]
    test, strip = KernelDictionary(X_test, X, kernels), TOYDATA2.regions(X_test, y_test) == "strip"

    def side(level: float) -> Side:
        coef = path.coef_at(level)
        right = (test.scores(coef) + path.intercept_at(level) > 0) == (y_test > 0)
        counts = [int(np.count_nonzero(coef[part])) for part in (zone.right, zone.wrong)]
        masses = [float(np.abs(coef[part]).sum()) for part in (zone.right, zone.wrong)]
        share = masses[0] / sum(masses) if sum(masses) else 0.0
        return Side(
            level, float(right.mean()), float(right[strip].mean()), counts[0], counts[1], share
        )

    first, gone = (
        float(values[0]) if len(values) else float("nan") for values in (entered["l1"], none)
    )
    below = max(_BELOW * l1, float(path.l1[-1]))
    return Critical(seed, l1, first, gone, side(_ABOVE * l1), side(below), path.status.code)


def toydata2_rows(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Find the critical l1 of every draw, and draw the first one above and below it."""
    say(f"Toydata 2: {seeds} paths")
    draws = [look(seed) for seed in range(FRESH, FRESH + seeds)]
    _draw_models(draws[0], folder / _FIGURES[0])
    _draw_share(draws[0], folder / _FIGURES[1])
    above, below = ([getattr(draw, side) for draw in draws] for side in ("above", "below"))
    level = np.array([draw.l1 for draw in draws])
    gone = [draw.wrong_gone for draw in draws if np.isfinite(draw.wrong_gone)]
    holds = sum(
        draw.above.share < 0.5 < draw.below.share and draw.below.wrong < draw.above.wrong
        for draw in draws
    )
    row = Row(
        name="Toydata 2, λ₂ = 1",
        section="3.5.2",
        setup=f"Toydata 1 with each band in two, and 10 positive points between the two vertical lines; "
        f"{len(draws)} draws of "
        "100 + 100 points; 5 kernels, widths in `TOYDATA2`, chosen here. λ₂ = 1.",
        said="Too large a λ₁ classifies well with the wrong kernels; below a critical λ₁ the right ones enter "
        "and the wrong "
        "ones fade until they leave.",
        seen=f"**Critical λ₁ = {draws[0].l1:.4f}** for seed {draws[0].seed}; {level.mean():.2f} ± "
        f"{level.std(ddof=1):.2f} over all "
        f"(where right couples take over half of Σ|B| in the zone of confusion; strip couples enter at "
        f"{np.mean([draw.strip_enters for draw in draws]):.2f}). {_tell('Above it', _ABOVE, above)}; "
        f"{_tell('below', _BELOW, below)}. No wrong couple left somewhere below in {len(gone)} of {len(draws)} draws. "
        f"More than half wrong above, more than half right and fewer wrong below: {holds} of {len(draws)} draws."
        + _unfinished(draws),
        verdict=verdict_of(holds >= 0.8 * len(draws)),
        why="One wide kernel serves both lines at the price of the ten strip points; thin ones pay only "
        "together, so they need "
        "a smaller λ₁. Far below the critical λ₁ wrong couples come back: there nearly all columns enter.",
        figures=_FIGURES,
        values={"draws": [asdict(draw) for draw in draws]},
    )
    return [row]


def _unfinished(draws: list[Critical]) -> str:
    """Return which paths did not come down as far as asked; they are read where they end."""
    seeds = [str(draw.seed) for draw in draws if draw.status != "complete"]
    return (
        f" The paths of seeds {', '.join(seeds)} are not complete, and read where they end."
        if seeds
        else ""
    )


def _tell(where: str, factor: float, sides: list[Side]) -> str:
    def mean(name: str) -> float:
        return float(np.mean([getattr(side, name) for side in sides]))

    return (
        f"{where} (× {factor:g}) {mean('right'):.0f} right and {mean('wrong'):.0f} wrong couples in the zone, accuracy "
        f"{mean('accuracy'):.1%}, on the strip {mean('strip_accuracy'):.0%}"
    )


def _draw_models(draw: Critical, file: FilePath) -> None:
    X, y = toydata2(random_state=draw.seed)
    figure, axes = panels(1, 2, (6.8, 4.8))
    for ax, side, where in zip(axes[0], (draw.above, draw.below), ("Above", "Below"), strict=True):
        model = KernelBasisClassifier(kernels_of(TOYDATA2), l1=side.l1, l2=1.0).fit(X, y)
        plot_boundary(model, X, y, ax, resolution=300)
        ax.set_title(f"{where}: " + ax.get_title(loc="left"), loc="left", size="medium")
    write(
        figure,
        f"Toydata 2, seed {draw.seed}: above and below the critical λ₁ = {draw.l1:.4f}",
        file,
    )


def _draw_share(draw: Critical, file: FilePath) -> None:
    X, y = toydata2(random_state=draw.seed)
    path = svm_path(KernelDictionary(X, X, kernels_of(TOYDATA2)), y, l2=1.0, min_l1=_LOWEST)
    masses = zone_of(X, y).masses(path)
    figure, axes = panels(1, 1, (7.6, 3.6))
    ax = canvas.open_axes(axes[0, 0])
    colours = (canvas.BLUE, canvas.VERMILION)
    for mass, colour in zip(masses, colours, strict=True):
        ax.plot(path.l1, mass, color=colour, lw=1.5)
    canvas.set_abscissa(ax, "l1", (float(path.l1[0]), float(path.l1[-1])))
    ax.axvline(draw.l1, color="0.3", lw=0.9, ls="--")
    ax.annotate(
        f"critical λ₁ = {draw.l1:.4f}",
        (draw.l1, 1.0),
        (4, -4),
        ("data", "axes fraction"),
        "offset points",
        va="top",
    )
    ax.set_ylim(0.0, 1.2 * max(float(mass.max()) for mass in masses))
    ax.set_ylabel("Σ|B| in the zone of confusion")
    canvas.label_ends(
        ax, np.array([mass[-1] for mass in masses]), ["right kernels", "wrong kernels"], colours
    )
    write(figure, f"Toydata 2, seed {draw.seed}, λ₂ = 1: what right and wrong kernels carry", file)
