"""What does a whole path look like at a glance? Coefficients, sets and dual values on one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chemin.engine.proof.certificate import Certificate
from chemin.engine.result import Path
from chemin.plots import canvas
from chemin.plots.coefficients import plot_coefficients
from chemin.plots.dual import plot_dual
from chemin.plots.readings import Model, what_is_active
from chemin.plots.sets import plot_sets
from chemin.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLES = (
    "Coefficients",
    "Sizes of the four sets",
    "Dual values against λ₁",
    "Dual values against ‖b‖₁",
)


def plot_path(
    path: Path | Model,
    *,
    machine: Any = None,
    certificate: Certificate | None = None,
    top: int = 8,
    highlight: Sequence[int | str] | None = None,
    names: Sequence[str] | None = None,
    units: str = "user",
) -> Figure:
    """Draw a path on one page: coefficients, sizes of the sets, dual values against l1 and against ‖b‖₁.

    That of a classifier has the names of its classes and columns, and ends at its l1, which is marked.

    Parameters
    ----------
    path : Path or fitted classifier
        What to draw.
    machine : int, str or pair of labels, optional
        Which machine of a classifier, when there are more than two classes.
    certificate : Certificate, optional
        What ``path.certificate()`` returned; its worst gap is then part of the title.
    top : int, default 8
        How many variables have a colour and a name, the largest at the end.
    highlight : sequence of int or str, optional
        The variables, by index or name, to colour and name instead.
    names : sequence of str, optional
        Names of all variables, where the data had none.
    units : {"user", "path"}, default "user"
        Whether the coefficients of a classifier are those of its tables, in the user's units, or as they are
        penalised: per standard deviation if the classifier standardises.

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
    subject = subject_of(path, machine)
    with plt.rc_context({"font.size": 9.0, "axes.titlesize": 10.0, "axes.titleweight": "bold"}):
        wide = 10.0 if subject.columns == "variables" else 12.0  # couples have long names
        figure, panels = plt.subplots(2, 2, figsize=(wide, 7.0), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
        given: dict[str, Any] = {"top": top, "highlight": highlight, "names": names, "units": units}
        plot_coefficients(path, panels[0, 0], machine=machine, **given)
        plot_sets(path, panels[0, 1], machine=machine)
        plot_dual(path, panels[1, 0], machine=machine)
        plot_dual(path, panels[1, 1], machine=machine, against="norm1")
        for ax, title in zip(panels.flat, _TITLES, strict=True):
            ax.set_title(title, loc="left")
        figure.suptitle(_headline(subject, certificate), fontsize=11.0)
    return figure


def _headline(subject: Subject, certificate: Certificate | None) -> str:
    """Return what to know before looking: the size, the number of breakpoints, their worst gap, and any trouble."""
    path, reading = subject.path, subject.reading
    n, p = path.problem.dictionary.shape
    facts = [_count(n, "point"), _count(p, subject.columns.removesuffix("s"))]
    if reading is not None:
        facts = [str(reading.sides), _count(n, "point"), what_is_active(reading)]
        facts += [f"φ = {reading.relax:.3g}"] * (reading.relax != 1.0)
    facts += [f"λ₂ = {path.l2:g}", _count(len(path.l1), "breakpoint")]
    if certificate is not None:
        facts.append(f"worst relative gap {certificate.worst_gap:.0e}")
    return " · ".join(facts) + ("" if path.status.code == "complete" else f"\n{path.status}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)
