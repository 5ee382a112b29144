"""How are the pictures of the experiments laid out and written? Panels side by side, one file each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from chemin.path.result import Path
from chemin.plots import canvas, plot_dual, plot_norm1

_LOOK = {"font.size": 9.0, "axes.titlesize": 10.0, "axes.titlelocation": "left"}
_DPI = 130


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes, ``size`` inches each."""
    plt = canvas.pyplot()
    with plt.rc_context(_LOOK):
        shape = (columns * size[0], rows * size[1])
        figure, axes = plt.subplots(rows, columns, figsize=shape, layout="constrained", squeeze=False)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    return figure, axes


def write(figure: Any, title: str, file: FilePath) -> None:
    """Write a figure and forget it."""
    with canvas.pyplot().rc_context(_LOOK):
        figure.suptitle(title, fontsize=11.0)
        figure.savefig(file, dpi=_DPI)
    canvas.pyplot().close(figure)


def draw_paths(paths: Sequence[Path], title: str, file: FilePath, highlight: tuple[int, ...] = ()) -> None:
    """Draw one row per path: s against l1, α against s, α against l1."""
    figure, axes = panels(len(paths), 3, (4.0, 3.1))
    for row, path in zip(axes, paths, strict=True):
        plot_norm1(path, row[0]).set_title(f"λ₂ = {path.l2:g}: s = ‖b‖₁ against λ₁")
        plot_dual(path, row[1], against="norm1", highlight=highlight).set_title("α against s = ‖b‖₁")
        plot_dual(path, row[2], highlight=highlight).set_title("α against λ₁")
        row[1].get_legend().remove()  # the same as on its right
    write(figure, title, file)
