"""Draw the pictures of docs/plane.md: cells, the cross-validated error beside a grid, the front of loss and norm."""

import io
import pathlib

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

import chemin
from chemin.dictionaries import DenseDictionary
from chemin.estimators.plane import Steps, best_region, steps_of
from chemin.plots import plot_front, plot_surface
from chemin.plots.plane import mark_region, set_plane

DOCS = pathlib.Path(__file__).parent
ROWS, COLUMNS = 100, 10
L2 = (1e-2, 1e2)
PIXELS = 700
GRID = 10


def painted(steps: Steps, unit: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the values of a function that is constant on polygons, at the points of a raster."""
    image = np.full((len(y), len(x)), np.nan)
    for piece, value in enumerate(steps.values):
        vertex = steps.piece(piece) * unit
        (left, low), (right, high) = vertex.min(axis=0), vertex.max(axis=0)
        columns = slice(*np.searchsorted(x, [left, right]))
        rows = slice(*np.searchsorted(y, [low, high]))
        inside = np.ones((len(y[rows]), len(x[columns])), dtype=bool)
        for (x0, y0), (x1, y1) in zip(vertex, np.roll(vertex, -1, axis=0), strict=True):
            inside &= (x1 - x0) * (y[rows, None] - y0) >= (y1 - y0) * (x[columns] - x0)
        image[rows, columns][inside] = value
    return image


def kept(figure: plt.Figure, name: str) -> None:
    """Write a figure in few colours: thousands of cells make a large file otherwise."""
    whole = io.BytesIO()
    figure.savefig(whole, dpi=80)
    Image.open(whole).convert("RGB").quantize(256).save(DOCS / name, optimize=True)


def main() -> None:
    """Compute the surfaces of the data and of the folds, and draw."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X[:ROWS, :COLUMNS])
    y = y[:ROWS]
    surface = chemin.svm_surface(X, y, l2=L2)
    l1 = surface.l1
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    folds = []
    at = np.meshgrid(np.geomspace(*l1, GRID), np.geomspace(*L2, GRID))
    seen = 0.0
    for train, test in splits:
        part = chemin.svm_surface(X[train], y[train], l1=l1, l2=L2)
        folds.append(steps_of(part, DenseDictionary(X[test]), y[test] == 1, np.ones(len(test))))
        decision = part.decision_at(X[test], at[0].ravel(), at[1].ravel())
        seen = seen + ((decision > 0.0) != (y[test, None] == 1)).mean(axis=0) / len(splits)
    unit = np.array([l1[1], L2[1]])
    region = best_region(folds, unit, np.array([l1[0], L2[0]]) / unit)
    print(surface, region, sep="\n")

    figure, axes = plt.subplots(1, 2, figsize=(12.5, 4.9), layout="constrained")
    plot_surface(surface, axes[0])
    axes[0].set_title(f"{len(surface)} cells: one formula on each")
    x, z = np.geomspace(*l1, PIXELS), np.geomspace(*L2, PIXELS)
    error = np.mean([painted(fold, unit, x, z) for fold in folds], axis=0)
    ends = {"vmin": 100.0 * region.error, "vmax": 300.0 * region.error}
    image = axes[1].pcolormesh(x, z, 100.0 * error, cmap="cividis_r", **ends)
    figure.colorbar(image, ax=axes[1], label="cross-validated error, %", extend="max")
    mark_region(axes[1], region.polygons, l1[0])
    axes[1].plot(at[0].ravel(), at[1].ravel(), "+", color="w", ms=5, mew=1.0)
    axes[1].set_title(
        f"best of the {GRID} × {GRID} grid {100 * np.min(seen):.1f} %, of all {100 * region.error:.1f} %"
    )
    set_plane(axes[1], l1, L2)
    kept(figure, "plane-cells.png")

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.8), layout="constrained")
    rng = np.random.default_rng(0)
    where = np.exp(rng.uniform(np.log([l1[0], L2[0]]), np.log([l1[1], L2[1]]), size=(800, 2)))
    coef = surface.coef_at(*where.T)
    decision = surface.decision_at(X, *where.T)
    loss = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0)[:, None] * decision).sum(axis=0)
    sizes = {"l1": np.abs(coef).sum(axis=1), "l2": np.sqrt((coef**2).sum(axis=1))}
    titles = {
        "l1": f"‖b‖₁: the side λ₂ = {L2[0]:g}",
        "l2": f"‖b‖₂: the sides λ₂ = {L2[1]:g} and λ₁ = {l1[0]:.2g}",
    }
    for ax, (norm, size) in zip(axes, sizes.items(), strict=True):
        ax.plot(size, loss, ".", color="0.7", ms=3, label="solutions at random (λ₁, λ₂)")
        plot_front(surface, norm, ax).set_xlabel(titles[norm])
        ax.legend(frameon=False)
    kept(figure, "plane-front.png")


if __name__ == "__main__":
    main()
