"""How are the pictures of the experiments laid out and written? Panels side by side, one file each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from chemin.engine.result import Path
from chemin.plots import canvas, plot_dual, plot_norm1

_DPI = 130
_TITLE: dict[str, Any] = {"loc": "left", "size": "medium"}


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes, ``size`` inches each."""
    shape = (columns * size[0], rows * size[1])
    figure, axes = canvas.pyplot().subplots(
        rows, columns, figsize=shape, layout="constrained", squeeze=False
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    return figure, axes


def entitle(ax: Any, title: str) -> None:
    """Write the title of one panel."""
    ax.set_title(title, **_TITLE)


def write(figure: Any, title: str, file: FilePath) -> None:
    """Write a figure and forget it."""
    figure.suptitle(title, fontsize=12.0)
    figure.savefig(file, dpi=_DPI)
    canvas.pyplot().close(figure)


def draw_paths(
    paths: Sequence[Path], title: str, file: FilePath, highlight: tuple[int, ...] = ()
) -> None:
    """Draw one row per path: s against l1, α against s, α against l1."""
    figure, axes = panels(len(paths), 3, (4.0, 3.1))
    for row, path in zip(axes, paths, strict=True):
        entitle(plot_norm1(path, row[0]), f"λ₂ = {path.l2:g}: s = ‖b‖₁ against λ₁")
        entitle(plot_dual(path, row[1], against="norm1", highlight=highlight), "α against s = ‖b‖₁")
        entitle(plot_dual(path, row[2], highlight=highlight), "α against λ₁")
        row[1].get_legend().remove()  # the same as on its right
    write(figure, title, file)
