"""How do the figures look?

One panel per row, one line per solver, seconds on a shared logarithmic axis. Filled dots reach the
accuracy of the path (1e-6), hollow ones do not; an arrow is a lower bound. Families keep one colour
of the Okabe-Ito palette, and every line is named, so that colour is never needed.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

COLOURS = {
    "active set": "#0072B2",
    "interior point": "#009E73",
    "splitting": "#CC79A7",
    "first order": "#E69F00",
}
OURS = "#D55E00"


def draw_peer(axes: Axes, height: int, run: dict) -> None:
    """One peer's mark, or the reason why there is none."""
    colour = COLOURS[run["family"]]
    if run["seconds"] is None:
        axes.text(
            0.99, height, run["status"], ha="right", va="center", fontsize=7, color="0.45",
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
        return
    bound = run["status"] == "lower bound"
    axes.plot(
        run["seconds"], height, ">" if bound else "o", ms=6, mec=colour, mew=1.4,
        mfc=colour if run["equal_accuracy"] else "white",
    )  # fmt: skip
    if run["status"] == "estimate":
        axes.annotate(
            "~", (run["seconds"], height), xytext=(5, 0), textcoords="offset points",
            va="center", fontsize=8, color=colour,
        )  # fmt: skip


def draw_row(axes: Axes, row: dict) -> None:
    """One panel: ours on top, then the peers."""
    ours, runs = row["ours"], row["peers"]
    axes.axvline(ours["seconds"], color=OURS, lw=1, alpha=0.5, zorder=0)
    axes.plot(ours["seconds"], 0, "D", ms=8, color=OURS)
    for height, run in enumerate(runs, start=1):
        draw_peer(axes, height, run)
    axes.set_xscale("log")
    axes.set_yticks(range(len(runs) + 1), ["exact path", *(run["name"] for run in runs)])
    axes.get_yticklabels()[0].set(fontweight="bold", color=OURS)
    axes.set_ylim(len(runs) + 0.6, -0.6)
    axes.set_title(
        f"{row['row']}, {row['shape']}: {ours['breakpoints']} breakpoints", loc="left", fontsize=9
    )
    axes.tick_params(labelsize=8, left=False)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)


def draw_comparison(rows: list[dict], path: Path) -> None:
    """Save the picture of every row that was run."""
    present = [row for row in rows if "absent" not in row]
    if not present:
        return
    columns = min(2, len(present))
    lines = -(-len(present) // columns)
    height = 0.6 + lines * (0.75 + 0.21 * (1 + len(present[0]["peers"])))
    figure, panels = plt.subplots(
        lines, columns, figsize=(5.2 * columns, height), sharex=True, squeeze=False
    )
    for axes, row in zip(panels.flat, present, strict=False):
        draw_row(axes, row)
    for axes in panels.flat[len(present) :]:
        axes.set_visible(False)
    figure.supxlabel(
        "seconds: the whole exact path against 100 values of l1\n"
        "(filled: within 1e-6 of optimal; hollow: not; arrow: stopped by the budget; ~: estimated)",
        fontsize=8,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=160)
    plt.close(figure)
