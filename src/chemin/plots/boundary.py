"""Where does a model draw the line, and on which points does it stand? The decision in a plane of two variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats, Indices
from chemin.exceptions import InvalidInputError
from chemin.plots import canvas
from chemin.plots.naming import shared_part, short_names
from chemin.plots.readings import Model, Reading, as_dense, check_decides, what_is_active
from chemin.tables import Piped, opened
from chemin.validation import as_dictionary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (canvas.VERMILION, canvas.BLUE)  # of the negative and of the positive side
_TINTS = ("#FBE9DE", "#DDEBF5")
_CROSSES = ("x", "+")  # of the points, so that their class does not depend on colour
_MARKERS = ("o", "^", "s", "D", "v", "P", "h", "<", ">", "*", "p", "8")  # of the kernels
_ROOM = 0.06  # around the points, of their range


@dataclass(frozen=True, eq=False)
class Plane:
    """The decision on a grid of a plane: ``values[b, a]`` at ``(x[a], y[b])``, all other variables held still."""

    x: Floats
    y: Floats
    values: Floats


def plot_boundary(
    model: Model,
    X: Any,
    y: Any,
    ax: Axes | None = None,
    *,
    machine: Any = None,
    variables: Sequence[int | str] | None = None,
    at: Mapping[int | str, float] | Sequence[float] | None = None,
    resolution: int = 200,
) -> Axes:
    """Draw the boundary and the margins of a model in the plane, the points, and the active couples.

    Every active couple has the marker of its kernel, the colour of the side it speaks for, and an area that grows with
    its share of the decision. Support vectors have a thin ring if X and y are those given to fit.

    Parameters
    ----------
    model : fitted classifier
        What to draw.
    X : array or DataFrame of shape (n, p)
        The points to draw.
    y : array of shape (n,)
        Their labels; points of classes that the machine does not know are left out.
    ax : matplotlib Axes, optional
        Where to draw; new axes are made otherwise.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes.
    variables : pair of int or str, optional
        The variables that span the plane, by position or name; needed if there are more than two.
    at : mapping or sequence of float, optional
        Where the plane cuts the other variables: {variable: value}, or a whole point. The default is their medians.
    resolution : int, default 200
        Grid points along each axis.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from chemin.datasets import TOYDATA1, toydata1
    >>> from chemin.estimators import KernelBasisClassifier
    >>> from chemin.kernels import Gaussian
    >>> from chemin.plots import plot_boundary
    >>> X, y = toydata1()
    >>> model = KernelBasisClassifier([Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()], l1=10.0)
    >>> ax = plot_boundary(model.fit(X, y), X, y, resolution=50)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    model = opened(model)
    check_decides(model)
    reading = model.reading(machine)
    points, labels = _points(reading, model.transformed(X) if isinstance(model, Piped) else X, y)
    pair = _pair(reading, variables)
    plane = in_units(reading, decision_plane(reading, points, pair, at, resolution), pair)
    ax = canvas.open_axes(ax)
    _draw_plane(ax, plane)
    _draw_points(ax, reading, _places(reading, points, pair), labels)
    if reading.has_couples:
        _draw_couples(ax, reading, _places(reading, as_dense(reading.centers), pair))
    ax.set_xlim(plane.x[0], plane.x[-1])
    ax.set_ylim(plane.y[0], plane.y[-1])
    ax.set_xlabel(_name(reading, pair[0]))
    ax.set_ylabel(_name(reading, pair[1]))
    ax.set_title(_title(reading, at), loc="left", size="medium")
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": "small",
        "borderaxespad": 0.0,
        "labelspacing": 0.6,
    }
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), **look)
    return ax


def decision_plane(
    reading: Reading,
    points: Floats,
    pair: Indices,
    at: Mapping[int | str, float] | Sequence[float] | None = None,
    resolution: int = 200,
) -> Plane:
    """Return the decision on a grid that holds all points, the other variables at given values or their medians."""
    rest = np.median(points, axis=0)
    if isinstance(at, Mapping):
        for variable, value in at.items():
            place = _position(reading, variable)
            center, scale = _way_back(reading, place)
            rest[place] = (value - center) / scale
    elif at is not None:
        rest = np.array(at, dtype=float)
        if rest.shape != (reading.n_features,):
            raise InvalidInputError(
                f"at has shape {rest.shape}: pass {{variable: value}}, or one value for each of {reading.n_features} "
                "variables"
            )
    shown = points[:, pair]
    room = _ROOM * np.where(np.ptp(shown, axis=0) > 0, np.ptp(shown, axis=0), 1.0)
    x, y = np.linspace(shown.min(axis=0) - room, shown.max(axis=0) + room, resolution).T
    grid = np.tile(rest, (resolution**2, 1))
    grid[:, pair[0]], grid[:, pair[1]] = np.tile(x, resolution), np.repeat(y, resolution)
    return Plane(x, y, reading.decision(grid).reshape(resolution, resolution))


def in_units(reading: Reading, plane: Plane, pair: Indices) -> Plane:
    """Return a plane with its axes in the user's units, where a pipeline has changed them."""
    x, y = (
        center + scale * axis
        for axis, (center, scale) in zip(
            (plane.x, plane.y), (_way_back(reading, j) for j in pair), strict=True
        )
    )
    return replace(plane, x=x, y=y)


def _places(reading: Reading, points: Floats, pair: Indices) -> Floats:
    """Return points in the plane of two variables, in the user's units."""
    back = np.array([_way_back(reading, j) for j in pair])
    return np.asarray(back[:, 0] + back[:, 1] * points[:, pair])


def _way_back(reading: Reading, variable: int) -> tuple[float, float]:
    """Return center and scale: a value in the user's units is center + scale × column."""
    if reading.origins is None or not reading.origins[variable].is_number:
        return 0.0, 1.0
    origin = reading.origins[variable]
    return origin.center, origin.scale


def _points(reading: Reading, X: Any, y: Any) -> tuple[Floats, NDArray[Any]]:
    columns, labels = as_dictionary(X), np.asarray(y)
    n, p = columns.shape
    if p != reading.n_features:
        raise InvalidInputError(
            f"X has {p} variables where the model has {reading.n_features}: pass those of fit"
        )
    if labels.shape != (n,):
        raise InvalidInputError(
            f"X has {n} rows and y has shape {labels.shape}: pass one label per row"
        )
    if not np.isin(labels, [*reading.sides.negative, *reading.sides.positive]).any():
        raise InvalidInputError(
            f"no label of y is one of the machine's ({reading.sides}): pass labels as they were given to fit"
        )
    return columns.columns(np.arange(p)), labels


def _pair(reading: Reading, variables: Sequence[int | str] | None) -> Indices:
    p = reading.n_features
    if variables is None and p != 2:
        raise InvalidInputError(
            f"the model has {p} variables: choose the two of the plane with variables=(a, b)"
        )
    pair = np.array(
        [_position(reading, name) for name in ((0, 1) if variables is None else variables)],
        dtype=np.intp,
    )
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError(
            f"variables is {variables!r}: pass two different ones, by position or name"
        )
    return pair


def _position(reading: Reading, variable: int | str) -> int:
    names = [] if reading.names is None else [str(name) for name in reading.names]
    if isinstance(variable, str) and variable in names:
        return names.index(variable)
    if isinstance(variable, int | np.integer) and 0 <= variable < reading.n_features:
        return int(variable)
    known = (
        f"one of {', '.join(names[:8])}"
        if names
        else f"a position from 0 to {reading.n_features - 1}"
    )
    raise InvalidInputError(f"there is no variable {variable!r}: pass {known}")


def _name(reading: Reading, variable: int) -> str:
    return f"x{variable}" if reading.names is None else str(reading.names[variable])


def _draw_plane(ax: Axes, plane: Plane) -> None:
    """Tint the two sides, and draw the boundary f = 0 and the margins f = ±1 where they pass."""
    given = (plane.x, plane.y, plane.values)
    ax.contourf(*given, levels=[-np.inf, 0.0, np.inf], colors=_TINTS, zorder=0)
    low, high = plane.values.min(), plane.values.max()
    for level, width, dash in ((0.0, 1.8, "-"), (-1.0, 0.9, "--"), (1.0, 0.9, "--")):
        if low < level < high:
            ax.contour(
                *given, levels=[level], colors="0.15", linewidths=width, linestyles=dash, zorder=2
            )
    ax.plot([], [], color="0.15", lw=1.8, label="boundary, f = 0")
    ax.plot([], [], color="0.15", lw=0.9, ls="--", label="margins, f = ±1")


def _draw_points(ax: Axes, reading: Reading, places: Floats, labels: NDArray[Any]) -> None:
    for sign, side in ((-1, reading.sides.negative), (1, reading.sides.positive)):
        members = np.isin(labels, side)
        which = int(sign > 0)
        look: dict[str, Any] = {
            "marker": _CROSSES[which],
            "color": COLOURS[which],
            "s": 26,
            "linewidths": 1.0,
            "alpha": 0.75,
        }
        ax.scatter(
            places[members, 0],
            places[members, 1],
            zorder=1.5,
            label=f"class {reading.sides.toward(sign)}",
            **look,
        )
    if np.array_equal(labels, reading.labels):
        ring: dict[str, Any] = {
            "facecolors": "none",
            "edgecolors": "0.25",
            "s": 75,
            "linewidths": 0.6,
        }
        support = reading.support
        ax.scatter(
            places[support, 0],
            places[support, 1],
            zorder=1.6,
            label=f"support vector ({len(support)})",
            **ring,
        )


def _draw_couples(ax: Axes, reading: Reading, places: Floats) -> None:
    """Draw the couples, the largest below, and an entry of the legend for each kernel in use."""
    mine = reading.couple_places
    numbers = reading.kernel_numbers
    share = reading.shares[mine]
    sign = reading.coefficients[mine] > 0
    names = [kernel.name for kernel in reading.kernels]
    shared, short = shared_part(names), short_names(names)
    ax.plot(
        [],
        [],
        color="none",
        label="\n".join(
            ["active couples, by kernel,", "sized by share:"] + [shared] * bool(shared)
        ),
    )
    area = 35.0 + 215.0 * share / share.max(initial=0.0) if len(share) else share
    for kernel in np.unique(numbers):
        marker = _MARKERS[kernel % len(_MARKERS)]
        some = np.flatnonzero(numbers == kernel)
        some = some[np.argsort(-area[some], kind="stable")]
        look: dict[str, Any] = {"edgecolors": "black", "linewidths": 0.9, "zorder": 3}
        colours = np.array(COLOURS)[sign[some].astype(int)]
        ax.scatter(places[some, 0], places[some, 1], s=area[some], c=colours, marker=marker, **look)
        entry: dict[str, Any] = {
            "marker": marker,
            "color": "none",
            "markeredgecolor": "black",
            "markerfacecolor": "0.8",
        }
        ax.plot([], [], markersize=9, label=f"{short[kernel]} ({len(some)})", **entry)


def _title(reading: Reading, at: Any) -> str:
    others = reading.n_features - 2
    facts = [
        what_is_active(reading),
        f"λ₁ = {reading.l1:.3g}",
        f"λ₂ = {reading.path.l2:.3g}",
    ]
    if others:
        place = "median" if at is None else "given value"
        facts.append(
            f"{others} other variable"
            + (f"s at their {place}s" if others > 1 else f" at its {place}")
        )
    return " · ".join(facts)
