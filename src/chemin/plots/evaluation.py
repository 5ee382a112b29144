"""How good is it, as a picture? Intervals, confusion, calibration, thresholds, learning curves and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.exploration.marks import TINT, legend_beside, plain, set_title, set_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Ends = tuple[float, float, float]  # value, low and high
_MANY = 30  # classes beyond which cells have no numbers
_DARK = 0.55  # share from which on a cell needs white letters
_HIGHEST = 0.2  # bar below a reliability curve
_QUIET = "0.35"


def draw_intervals(
    names: Sequence[str], ends: Sequence[_Ends], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw values and their intervals, one below the other, the numbers beside them; NaN for ends not known."""
    if ax is None:
        height = 1.2 + 0.36 * len(names)
        ax = canvas.pyplot().subplots(figsize=(7.0, height), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    for place, (value, low, high) in enumerate(ends):
        ax.plot([low, high], [place, place], color=canvas.BLUE, lw=2.2, solid_capstyle="round")
        ax.plot(value, place, "o", color=canvas.BLUE, mec="white", ms=7, zorder=3)
        told = f"{value:.3g}" if np.isnan(low) else f"{value:.3g}   ({low:.3g} to {high:.3g})"
        ax.text(
            1.02, place, told, size="small", va="center", color=_QUIET,
            transform=ax.get_yaxis_transform(),
        )  # fmt: skip
    ax.set_yticks(range(len(names)), [plain(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color="0.92", lw=0.8)
    ax.set_axisbelow(True)
    known = np.array(ends)
    if np.nanmin(known) >= 0.0 and np.nanmax(known) <= 1.0:
        ax.set_xlim(-0.02, 1.02)
    set_title(ax, title)
    return ax


def draw_confusion(
    labels: Sequence[Any], counts: Indices, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw a confusion matrix: counts as numbers, shares of the rows of each label as colours."""
    K = len(labels)
    if ax is None:
        side = float(np.clip(2.6 + 0.55 * K, 3.6, 10.0))
        ax = canvas.pyplot().subplots(figsize=(side + 1.4, side), layout="constrained")[1]
    rows = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, rows, out=np.zeros(counts.shape), where=rows > 0)
    image = ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    if K <= _MANY:
        for i, j in np.ndindex(K, K):
            told = f"{counts[i, j]}" if K > 6 else f"{counts[i, j]}\n{shares[i, j]:.0%}"
            colour = "white" if shares[i, j] > _DARK else "0.15"
            ax.text(j, i, told, ha="center", va="center", color=colour, size="small")
    names = [plain(label, 16) for label in labels]
    slanted = K > 4 and max(map(len, names)) > 3
    ax.set_xticks(
        range(K), names, rotation=45 if slanted else 0, ha="right" if slanted else "center"
    )
    ax.set_yticks(range(K), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    ax.figure.colorbar(image, ax=ax, label="share of the true label", shrink=0.8)
    set_title(ax, title)
    return ax


def draw_calibration(
    foretold: Floats,
    ends: Floats,
    edges: Floats,
    counts: Indices,
    positive: str,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share that came true against the probability, and as bars below which share of the rows is in a bin."""
    ax = _square(ax)
    value, low, high = ends.T
    heights = _HIGHEST * counts / counts.max()
    ax.bar(
        edges[:, 0], heights, np.diff(edges, axis=1)[:, 0], align="edge",
        color=TINT, edgecolor="white", lw=0.8, zorder=0, label="rows in the bin",
    )  # fmt: skip
    ax.plot([0.0, 1.0], [0.0, 1.0], color=canvas.GREY, lw=0.9, ls=(0, (4, 3)), label="as foretold")
    ax.errorbar(
        foretold, value, np.maximum([value - low, high - value], 0.0), color=canvas.BLUE,
        lw=0.9, elinewidth=1.4, capsize=2.5, marker="o", ms=5, mec="white", mew=0.6, zorder=3,
        label="came true",
    )  # fmt: skip
    for (left, right), count in zip(edges.tolist(), counts.tolist(), strict=True):
        place = ((left + right) / 2.0, -0.045)
        ax.annotate(f"{count}", place, ha="center", va="center", size="x-small", color=_QUIET)
    ax.set_ylim(bottom=-0.09)
    ax.set_xlabel(f"probability of {plain(positive, 24)}")
    ax.set_ylabel(f"share that is {plain(positive, 24)}")
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_threshold(
    false_positive: Floats,
    true_positive: Floats,
    points: Mapping[str, int],
    slope: float,
    positive: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a ROC curve, thresholds on it, and the line of equal cost through the first of them."""
    ax = _square(ax)
    ax.plot([0.0, 1.0], [0.0, 1.0], color=canvas.GREY, lw=0.9, ls=(0, (4, 3)), label="chance")
    ax.plot(false_positive, true_positive, color=canvas.BLUE, lw=1.6, label="thresholds", zorder=3)
    best = next(iter(points.values()))
    ax.axline(
        (float(false_positive[best]), float(true_positive[best])), slope=slope, color=canvas.VERMILION,
        lw=0.9, ls=(0, (1.5, 1.5)), label="same cost", zorder=2,
    )  # fmt: skip
    for (name, place), colour in zip(
        points.items(), (canvas.VERMILION, canvas.BLACK), strict=False
    ):
        mark: dict[str, Any] = {"color": colour, "edgecolors": "white", "s": 46}
        ax.scatter(false_positive[place], true_positive[place], zorder=4, label=name, **mark)
    name = plain(positive, 24)
    ax.set_xlabel(f"share of the others called {name}")
    ax.set_ylabel(f"share of {name} called so")
    legend_beside(ax)
    return ax


def draw_folds(
    sides: Mapping[str, Floats],
    ends: _Ends | None,
    *,
    measure: str,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw two scores per split, joined, and the mean of the latter with its interval."""
    ax = canvas.open_axes(ax)
    (before, one), (after, other) = sides.items()
    splits = np.arange(len(one))
    if ends is not None:
        ax.axhspan(ends[1], ends[2], color=TINT, lw=0, zorder=0, label="interval of the mean")
        ax.axhline(ends[0], color=canvas.BLUE, lw=1.0, zorder=1, label=f"mean {ends[0]:.3g}")
    ax.vlines(splits, one, other, color=canvas.GREY, lw=1.0, zorder=1)
    ax.plot(splits, one, "o", color=canvas.VERMILION, mec="white", ms=7, label=before, zorder=3)
    ax.plot(splits, other, "o", color=canvas.BLUE, mec="white", ms=7, label=after, zorder=3)
    set_whole(ax.xaxis)
    ax.set_xlabel("split")
    ax.set_ylabel(measure)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_learning_curve(
    sizes: Indices,
    sides: Mapping[str, Floats],
    *,
    measure: str,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw mean scores on training and test rows against the number of training rows, with their intervals."""
    ax = canvas.open_axes(ax)
    for (name, ends), colour in zip(sides.items(), (canvas.VERMILION, canvas.BLUE), strict=True):
        value, low, high = ends.T
        ax.fill_between(sizes, low, high, color=colour, alpha=0.15, lw=0)
        ax.plot(sizes, value, "o-", color=colour, lw=1.6, mec="white", ms=6, label=name)
    ax.set_xlabel("training rows")
    ax.set_ylabel(measure)
    ax.set_xlim(left=0.0)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_difference(
    values: Floats, ends: _Ends, *, label: str, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the difference on every split as a dot, and their mean with its interval below."""
    if ax is None:
        ax = canvas.pyplot().subplots(figsize=(7.0, 2.6), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    mean, low, high = ends
    ax.axvline(0.0, color=canvas.GREY, lw=0.9, ls=(0, (4, 3)), zorder=0)
    ax.plot(values, np.ones(len(values)), "o", color=canvas.BLUE, alpha=0.6, mec="white", ms=7)
    ax.plot([low, high], [0.0, 0.0], color=canvas.VERMILION, lw=2.2, solid_capstyle="round")
    ax.plot(mean, 0.0, "o", color=canvas.VERMILION, mec="white", ms=8, zorder=3)
    ax.set_yticks([1.0, 0.0], ["splits", "mean"])
    ax.set_ylim(-0.7, 1.7)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(plain(label, 90))
    set_title(ax, title)
    return ax


def draw_posterior(
    gains: Floats,
    density: Floats,
    rope: float,
    said: Mapping[str, float],
    *,
    label: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of a gain in three parts: below, within and above the region of practical equivalence."""
    ax = canvas.open_axes(ax)
    inside = [(gains <= -rope), (gains >= -rope) & (gains <= rope), (gains >= rope)]
    colours = (canvas.VERMILION, canvas.GREY, canvas.BLUE)
    for (name, share), mine, colour in zip(said.items(), inside, colours, strict=True):
        ax.fill_between(
            gains, density, where=mine, color=colour, alpha=0.55, lw=0,
            label=f"{plain(name)}: {share:.1%}",
        )  # fmt: skip
    ax.plot(gains, density, color=canvas.BLACK, lw=1.2)
    for end in {-rope, rope}:
        ax.axvline(end, color=canvas.BLACK, lw=0.9, ls=(0, (1.5, 2)))
    ax.set_ylim(bottom=0.0)
    ax.set_xlim(gains[0], gains[-1])
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(plain(label, 90))
    legend_beside(ax)
    return ax


def draw_ranks(
    names: Sequence[str],
    means: Floats,
    critical: float,
    joined: Sequence[Sequence[int]],
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw Demšar's diagram: mean ranks on a line, bars that join models not shown to differ."""
    order = np.argsort(means, kind="stable")
    k = len(order)
    half = (k + 1) // 2
    below = 0.45 * len(joined) + 0.5
    depth = below + 0.6 * half
    if ax is None:
        ax = canvas.pyplot().subplots(figsize=(8.0, 1.5 + 0.45 * depth), layout="constrained")[1]
    ax.plot([1.0, k], [0.0, 0.0], color=canvas.BLACK, lw=1.2)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [0.0, 0.12], color=canvas.BLACK, lw=1.2)
        ax.text(rank, 0.2, f"{rank}", ha="center", va="bottom", size="small")
    ax.plot([1.0, min(1.0 + critical, float(k))], [1.3, 1.3], color=canvas.VERMILION, lw=2.2)
    ax.text(1.0, 1.45, f"critical difference {critical:.2f}", color=canvas.VERMILION, size="small")
    margin = 0.12 * (k - 1)
    for place, j in enumerate(order.tolist()):
        left = place < half
        depth_here = -(below + 0.6 * (place if left else k - 1 - place))
        end = 1.0 - margin if left else k + margin
        ax.plot([means[j], means[j], end], [0.0, depth_here, depth_here], color=_QUIET, lw=0.9)
        ax.text(
            end, depth_here, f" {plain(names[j], 28)} ({means[j]:.2f}) ",
            ha="right" if left else "left", va="center", size="small",
        )  # fmt: skip
    for level, group in enumerate(joined):
        ends = means[list(group)]
        height = -0.4 - 0.45 * level
        ax.plot(
            [ends.min() - 0.02 * k, ends.max() + 0.02 * k], [height, height], color=canvas.BLUE,
            lw=3.5, solid_capstyle="round",
        )  # fmt: skip
    ax.set_xlim(1.0 - 4.5 * margin, k + 4.5 * margin)
    ax.set_ylim(-depth - 0.3, 1.9)
    ax.axis("off")
    set_title(ax, title)
    return ax


def _square(ax: Axes | None) -> Axes:
    """Return axes of shares in both directions."""
    if ax is None:
        ax = canvas.pyplot().subplots(figsize=(6.8, 4.5), layout="constrained")[1]
    ax = canvas.open_axes(ax)
    ax.set_aspect("equal")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    return ax
