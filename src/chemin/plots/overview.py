"""What does a whole path look like at a glance? Coefficients, sets and dual values on one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chemin.engine.proof.certificate import Certificate
from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.coefficients import plot_coefficients
from chemin.plots.dual import plot_dual
from chemin.plots.sets import plot_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLES = (
    "Coefficients",
    "Sizes of the four sets",
    "Dual values against λ₁",
    "Dual values against ‖b‖₁",
)


def plot_path(
    path: Path,
    *,
    certificate: Certificate | None = None,
    top: int = 8,
    highlight: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
) -> Figure:
    """Draw a path on one page: coefficients, sizes of the sets, dual values against l1 and against ‖b‖₁.

    Parameters
    ----------
    path : Path
        What to draw.
    certificate : Certificate, optional
        What ``path.certificate()`` returned; its worst gap is then part of the title.
    top : int, default 8
        How many variables have a colour and a name, the largest at the end.
    highlight : sequence of int or str, optional
        The variables, by index or name, to colour and name instead.
    names : sequence of str, optional
        Names of all variables, where the data had none.

    Returns
    -------
    matplotlib Figure
        1600 × 1120 pixels when saved with ``dpi=160``.

    Examples
    --------
    >>> import chemin
    >>> from chemin.plots import plot_path
    >>> path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> figure = plot_path(path, certificate=path.certificate())
    >>> len(figure.axes)
    4
    """
    plt = canvas.pyplot()
    with plt.rc_context({"font.size": 9.0, "axes.titlesize": 10.0, "axes.titleweight": "bold"}):
        figure, panels = plt.subplots(2, 2, figsize=(10.0, 7.0), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
        plot_coefficients(path, panels[0, 0], top=top, highlight=highlight, names=names)
        plot_sets(path, panels[0, 1])
        plot_dual(path, panels[1, 0])
        plot_dual(path, panels[1, 1], against="norm1")
        for ax, title in zip(panels.flat, _TITLES, strict=True):
            ax.set_title(title, loc="left")
        figure.suptitle(_headline(path, certificate), fontsize=11.0)
    return figure


def _headline(path: Path, certificate: Certificate | None) -> str:
    """Return what to know before looking: the size, the number of breakpoints, their worst gap, and any trouble."""
    n, p = path.problem.dictionary.shape
    facts = [
        _count(n, "point"),
        _count(p, "variable"),
        f"λ₂ = {path.l2:g}",
        _count(len(path.l1), "breakpoint"),
    ]
    if certificate is not None:
        facts.append(f"worst relative gap {certificate.worst_gap:.0e}")
    return " · ".join(facts) + ("" if path.status.code == "complete" else f"\n{path.status}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)
