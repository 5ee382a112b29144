"""What do groups look like? Rows in their colours, trees, silhouettes, and how many groups there may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.plots import canvas
from chemin.plots.exploration.densities import draw_level_lines
from chemin.plots.exploration.marks import (
    NOISE,
    draw_members,
    group_look,
    legend_beside,
    plain,
    set_plane,
    set_title,
    set_whole,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAVES = 60  # that are named
_NAMED = 20  # groups that are named beside their silhouettes
_DOTTED = 12  # ways of which every step has a dot
_UNGROUPED = "0.45"


def draw_groups(
    plane: Floats, labels: Indices, names: Sequence[str], *, title: str, ax: Axes | None = None
) -> Axes:
    """Draw rows in a plane, in the colours of their groups."""
    ax = canvas.open_axes(ax)
    draw_members(ax, plane, labels)
    set_plane(ax, names)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_ways(
    plane: Floats,
    labels: Indices,
    ways: Sequence[Floats],
    names: Sequence[str],
    title: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in the colours of their groups, and the way of every centre from its start to its end."""
    ax = canvas.open_axes(ax)
    draw_members(ax, plane, labels)
    _draw_lines(ax, ways, {"lw": 1.2, "color": "0.1", "marker": ".", "ms": 5}, "steps of a centre")
    starts = np.array([way[0] for way in ways]).reshape(-1, 2)
    ends = np.array([way[-1] for way in ways]).reshape(-1, 2)
    start: dict[str, Any] = {"facecolors": "white", "edgecolors": "0.1", "s": 36}
    ax.scatter(starts[:, 0], starts[:, 1], zorder=4, label="where it starts", **start)
    _draw_stars(ax, ends, "where it ends")
    set_plane(ax, names)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_modes(
    plane: Floats,
    labels: Indices,
    modes: Floats,
    ways: Sequence[Floats],
    names: Sequence[str],
    title: str,
    density: tuple[Floats, Floats, Floats] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in the colours of their groups, the ways that climb the density, and the modes they end at.

    The density is given as x, y and ``values[ix, iy]``, and drawn as faint level lines.
    """
    ax = canvas.open_axes(ax)
    if density is not None:
        draw_level_lines(ax, *density, faint=True)
    draw_members(ax, plane, labels)
    _draw_lines(ax, ways, {"lw": 0.7, "color": "0.25", "alpha": 0.7}, "ways uphill")
    starts = np.array([way[0] for way in ways]).reshape(-1, 2)
    ax.scatter(starts[:, 0], starts[:, 1], s=7, color="0.25", linewidths=0, zorder=3)
    _draw_stars(ax, np.reshape(modes, (-1, 2)), "mode")
    set_plane(ax, names)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def draw_tree(
    merges: Floats,
    level: float,
    rows: Sequence[Any] | NDArray[Any],
    *,
    title: str,
    kept: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the tree of merges, its groups below the level in their colours.

    Every row of ``merges`` has the two nodes that merge, their height, and how many rows they hold; node n + k is that
    of merge k. Groups are numbered by their first rows. Where merges are on the level itself, ``kept`` says how many
    count as below it.
    """
    ax = canvas.open_axes(ax)
    n = len(merges) + 1
    children = merges[:, :2].astype(np.intp)
    height = np.append(np.zeros(n), merges[:, 2])
    leaves = _leaves(children)
    place, least = np.arange(2 * n - 1.0), np.arange(2 * n - 1)
    place[leaves] = np.arange(n)
    for node, (first, second) in enumerate(children, start=n):
        place[node] = (place[first] + place[second]) / 2.0
        least[node] = min(least[first], least[second])
    above = height > level if kept is None else np.arange(2 * n - 1) >= n + kept
    group = _groups_below(children, above, least)
    sides = children[:, [0, 0, 1, 1]]
    tops = np.repeat(height[n:, None], 2, axis=1)
    heights = np.column_stack([height[children[:, 0]], tops, height[children[:, 1]]])
    looks = [_branch(rank) for rank in group[n:].tolist()]
    _add_segments(ax, np.stack([place[sides], heights], axis=2), looks)
    ax.axhline(level, color=canvas.VERMILION, lw=1.0, ls=(0, (4, 3)), zorder=1)
    ax.set_xlim(-0.5 - 0.01 * n, n - 0.5 + 0.01 * n)
    ax.set_ylim(0.0, 1.05 * float(height.max(initial=level)) or 1.0)
    ax.set_ylabel("height of the merge")
    _name_leaves(ax, leaves, rows, group)
    set_title(ax, title)
    return ax


def draw_inertia(
    counts: Indices, inertias: Floats, elbow: int | None, *, ax: Axes | None = None
) -> Axes:
    """Draw the inertia against the number of groups, and its elbow if there is one."""
    ax = canvas.open_axes(ax)
    ax.plot(counts, inertias, color=canvas.BLUE, lw=1.5, marker="o", ms=5)
    if elbow is not None:
        ax.axvline(elbow, color=canvas.VERMILION, lw=1.1, ls=(0, (4, 3)), zorder=1)
    set_title(ax, "no elbow" if elbow is None else f"elbow at {elbow} groups")
    ax.set_ylim(bottom=0.0)
    _set_counts(ax)
    ax.set_ylabel("least inertia found")
    return ax


def draw_silhouettes(
    silhouettes: Floats, labels: Indices, *, title: str, ax: Axes | None = None
) -> Axes:
    """Draw the silhouette of every row, sorted group by group, and their mean as a dashed line."""
    ax = canvas.open_axes(ax)
    groups, sizes = np.unique(labels, return_counts=True)
    order = np.argsort(groups == NOISE, kind="stable")
    named = set(groups[np.argsort(-sizes, kind="stable")][:_NAMED].tolist())
    gap = max(0.015 * len(labels), 0.3)
    low, middles, texts, colours = 0.0, [], [], []
    for label, size in zip(groups[order].tolist(), sizes[order].tolist(), strict=True):
        bars = np.sort(np.nan_to_num(silhouettes[labels == label]))[::-1]
        colour = group_look(label)["color"]
        ax.stairs(
            bars, low + np.arange(size + 1.0), orientation="horizontal", baseline=0.0, fill=True,
            color=colour, label=f"group {label}",
        )  # fmt: skip
        if label in named:
            middles.append(low + size / 2.0)
            texts.append(f"in none ({size})" if label == NOISE else f"group {label} ({size})")
            colours.append("0.4" if label == NOISE else colour)
        low += size + gap
    known = silhouettes[np.isfinite(silhouettes) & (labels != NOISE)]
    if not len(known):
        ax.text(0.5, 0.5, "no row has a silhouette", ha="center", transform=ax.transAxes)
    else:
        mean = float(known.mean())
        ax.axvline(mean, color="0.1", lw=1.1, ls=(0, (4, 3)), label="mean")
        ax.annotate(
            f"mean {mean:.2f}", (mean, 0.0), (3.0, 3.0), xycoords=("data", "axes fraction"),
            textcoords="offset points", size="small",
            bbox={"boxstyle": "square,pad=0.1", "color": "white", "alpha": 0.7},
        )  # fmt: skip
    ax.axvline(0.0, color="0.1", lw=0.7)
    ax.set_xlim(min(-0.05, float(known.min(initial=0.0)) - 0.03), 1.0)
    ax.set_ylim(low - gap + 0.5, -0.5)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("silhouette")
    set_title(ax, title)
    canvas.label_ends(ax, np.array(middles), texts, colours)
    return ax


def draw_structure(
    counts: Indices,
    valleys: Floats,
    limits: Floats,
    stabilities: Floats,
    chosen: int | None,
    *,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw how deep the valleys between groups are, what they must exceed, and how far halves of the rows agree."""
    ax = canvas.open_axes(ax)
    ax.fill_between(counts, -1.0, limits, color="0.93", linewidth=0, zorder=0.5)
    dashed: dict[str, Any] = {"color": "0.45", "lw": 1.1, "ls": (0, (4, 3))}
    main: dict[str, Any] = {"color": canvas.BLUE, "lw": 1.6, "marker": "o", "ms": 5}
    other: dict[str, Any] = {"color": canvas.GREEN, "lw": 1.3, "marker": "^", "ms": 5}
    ax.plot(counts, valleys, zorder=3, label="shallowest valley\nbetween two groups", **main)
    ax.plot(counts, limits, zorder=2, label="depth it must exceed", **dashed)
    ax.plot(counts, stabilities, zorder=2.5, label="agreement of halves", **other)
    if chosen is not None:
        mark: dict[str, Any] = {"color": canvas.VERMILION, "lw": 1.3}
        ax.axvline(chosen, zorder=1, label=f"chosen: {chosen}", **mark)
    lowest = np.concatenate([valleys, limits, stabilities])
    ax.set_ylim(min(0.0, float(np.nanmin(lowest, initial=0.0)) - 0.05), 1.03)
    _set_counts(ax)
    set_title(ax, title)
    legend_beside(ax)
    return ax


def _set_counts(ax: Axes) -> None:
    set_whole(ax.xaxis)
    ax.set_xlabel("groups")


def _draw_stars(ax: Axes, places: Floats, name: str) -> None:
    star: dict[str, Any] = {"marker": "*", "s": 170, "color": "#F0E442", "edgecolors": "0.1"}
    ax.scatter(places[:, 0], places[:, 1], linewidths=0.9, zorder=5, label=name, **star)


def _draw_lines(ax: Axes, ways: Sequence[Floats], look: dict[str, Any], name: str) -> None:
    dotted = look if len(ways) <= _DOTTED else look | {"marker": None}
    for k, way in enumerate(ways):
        ax.plot(way[:, 0], way[:, 1], zorder=3, label="_" if k else name, **dotted)


def _leaves(children: Indices) -> list[int]:
    """Return the rows from left to right, so that no branches cross."""
    n = len(children) + 1
    found, waiting = [], [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node < n:
            found.append(node)
        else:
            waiting += [int(child) for child in children[node - n, ::-1]]
    return found


def _groups_below(children: Indices, above: NDArray[np.bool_], least: Indices) -> Indices:
    """Return the group of every node, numbered by the first row of each; −1 for nodes above the level."""
    n = len(children) + 1
    head = np.arange(2 * n - 1)
    for node in range(2 * n - 2, n - 1, -1):
        if not above[node]:
            head[children[node - n]] = head[node]
    heads = np.unique(head[:n])
    rank = np.full(2 * n - 1, NOISE)
    rank[heads[np.argsort(least[heads])]] = np.arange(len(heads))
    return np.where(above, NOISE, rank[head])


def _branch(rank: int) -> dict[str, Any]:
    return {"color": _UNGROUPED, "linestyle": "-"} if rank == NOISE else canvas.style(rank)


def _add_segments(ax: Axes, segments: Floats, looks: Sequence[dict[str, Any]]) -> None:
    from matplotlib.collections import LineCollection

    width = 1.3 if len(segments) <= 300 else 0.6
    colours = [look["color"] for look in looks]
    dashes = [look["linestyle"] for look in looks]
    lines = LineCollection(list(segments), colors=colours, linestyles=dashes, linewidths=width)
    ax.add_collection(lines)


def _name_leaves(
    ax: Axes, leaves: Sequence[int], rows: Sequence[Any] | NDArray[Any], group: Indices
) -> None:
    """Write the rows below their branches where there is room, in the colours of their groups."""
    if len(leaves) > _LEAVES:
        ax.set_xticks([])
        ax.set_xlabel(f"{len(leaves)} rows")
        return
    small = "small" if len(leaves) <= 30 else "x-small"
    names = [plain(rows[leaf], 20) for leaf in leaves]
    ax.set_xticks(np.arange(len(leaves)), names, rotation=90, size=small)
    ax.tick_params(axis="x", length=0)
    for leaf, text in zip(leaves, ax.get_xticklabels(), strict=True):
        text.set_color(_branch(int(group[leaf]))["color"])
    ax.set_xlabel("row")
