"""What does each couple look at? A digit in red, and in blue the window of it that its kernel compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.plots import canvas
from chemin.plots.boundary import COLOURS
from chemin.plots.naming import clipped, point_name
from chemin.plots.readings import Model, Reading, as_dense
from chemin.tables import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = np.array([0.80, 0.05, 0.10])
_WINDOW = np.array([0.62, 0.80, 0.96])
_ACROSS = 6  # images in a row
_LONGEST = 16  # letters of a point's name


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A couple as a picture: the image of its point from 0 to 1, and which of its pixels the kernel sees."""

    image: Floats
    seen: NDArray[np.bool_]
    row: int
    point: Any
    label: Any
    coefficient: float
    share: float

    @property
    def colours(self) -> Floats:
        """Red ink on white, on light blue where the kernel looks."""
        paper = np.where(self.seen[:, :, None], _WINDOW, 1.0)
        ink = self.image[:, :, None]
        return (1.0 - ink) * paper + ink * _INK


def plot_couple_images(
    model: Model,
    shape: tuple[int, int],
    *,
    machine: Any = None,
    top: int = 12,
    columns: int = _ACROSS,
) -> Figure:
    """Draw the couples that carry most of the decision, for points that are images.

    The point of a couple is in red; what its kernel compares is tinted and framed in blue. Titles have the class of the
    image and the coefficient, in the colour of the side that it speaks for.

    Parameters
    ----------
    model : fitted KernelBasisClassifier or KernelBasisClassifierCV
        What to draw.
    shape : (int, int)
        Numbers of rows and columns of an image, whose pixels are the variables, row after row.
    machine : int, str or pair of labels, optional
        Which machine, when there are more than two classes.
    top : int, default 12
        How many couples are drawn, those of the largest shares.
    columns : int, default 6
        How many stand side by side.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> from chemin.estimators import KernelBasisClassifier
    >>> from chemin.kernels import Linear, windows
    >>> from chemin.plots import plot_couple_images
    >>> X = np.random.default_rng(0).random((20, 16))
    >>> model = KernelBasisClassifier(windows((4, 4), 2, 2, Linear()), l1=0.1).fit(X, X[:, 0] > 0.5)
    >>> len(plot_couple_images(model, (4, 4), top=3).axes)
    3
    """
    reading = opened(model).reading(machine)
    pictures = thumbnails(reading, shape, top)
    across = max(1, min(int(columns), len(pictures)))
    down = max(1, -(-len(pictures) // across))
    plt = canvas.pyplot()
    figure, panels = plt.subplots(
        down,
        across,
        figsize=(max(1.45 * across, 5.5), 1.8 * down + 0.55),
        layout="constrained",
        squeeze=False,
    )
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.06)
    for ax, picture in zip(panels.flat, pictures, strict=False):
        _draw(ax, picture)
    for ax in panels.flat[len(pictures) :]:
        ax.remove()
    figure.suptitle(_headline(reading, pictures), size="medium")
    return figure


def thumbnails(reading: Reading, shape: tuple[int, int], top: int = 12) -> list[Thumbnail]:
    """Return the couples of the largest shares, as pictures."""
    height, width = shape
    if height * width != reading.n_features:
        raise InvalidInputError(
            f"an image of {height} × {width} pixels has {height * width}, and the model has {reading.n_features} "
            "variables: pass the shape of the images that the model was fitted on"
        )
    centers = as_dense(reading.centers)
    shares = reading.shares[reading.couple_places]
    order = np.argsort(-shares, kind="stable")[:top]
    low, high = (centers.min(), centers.max()) if centers.size else (0.0, 1.0)
    scaled = (centers - low) / ((high - low) or 1.0)
    rows, points, numbers = reading.rows, reading.points, reading.kernel_numbers
    coefficients = reading.coefficients[reading.couple_places]
    return [
        Thumbnail(
            scaled[k].reshape(shape), _seen(reading.kernels[numbers[k]], shape), int(rows[k]), points[k],
            reading.labels[rows[k]], float(coefficients[k]), float(shares[k]),
        )
        for k in order
    ]  # fmt: skip


def _seen(kernel: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the pixels that a kernel reads."""
    seen = np.ones(shape[0] * shape[1], dtype=bool)
    if kernel.columns_needed is not None:
        seen[:] = False
        seen[[int(column) for column in kernel.columns_needed]] = True
    return seen.reshape(shape)


def _draw(ax: Axes, picture: Thumbnail) -> None:
    ax.imshow(picture.colours, interpolation="nearest")
    if not picture.seen.all():
        for segment in _frame(picture.seen):
            ax.plot(*segment, color=canvas.BLUE, lw=1.5, solid_capstyle="projecting")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set(color=canvas.GREY, linewidth=0.6)
    colour = COLOURS[int(picture.coefficient > 0)]
    ax.set_title(
        f"class {picture.label}: {picture.coefficient:+.3g}", size="small", color=colour, pad=3
    )
    name = clipped(point_name(picture.point), _LONGEST)
    ax.set_xlabel(f"{name}, {100 * picture.share:.2g} %", size="x-small", labelpad=2)


def _frame(seen: NDArray[np.bool_]) -> list[tuple[list[float], list[float]]]:
    """Return the edges between pixels that are seen and pixels that are not, as segments (x, y)."""
    inside = np.pad(seen, 1).astype(int)
    # Pixel (r, c) covers r ± ½ and c ± ½, and padding shifts both by one.
    across = np.argwhere(np.diff(inside, axis=0)[:, 1:-1])
    down = np.argwhere(np.diff(inside, axis=1)[1:-1])
    level = [([c - 0.5, c + 0.5], [r - 0.5, r - 0.5]) for r, c in across.tolist()]
    upright = [([c - 0.5, c - 0.5], [r - 0.5, r + 0.5]) for r, c in down.tolist()]
    return level + upright


def _headline(reading: Reading, pictures: list[Thumbnail]) -> str:
    carried = 100 * sum(picture.share for picture in pictures)
    first = f"{len(pictures)} of {len(reading.couple_places)} active couples, {carried:.0f} % of the decision"
    negative, positive = reading.sides.toward(-1.0), reading.sides.toward(1.0)
    return f"{first}\ncoefficients > 0 speak for {positive}, < 0 for {negative}; blue: what the kernel compares"
