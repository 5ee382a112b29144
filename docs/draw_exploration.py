"""The pictures of docs/exploration.md.

python docs/draw_exploration.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_blobs

import chemin
from chemin.exploration import (
    bin_sensitivity,
    fit_laws,
    hierarchy,
    mean_shift,
    neighbour_density,
    parzen,
    pca,
)

DOCS = Path(__file__).resolve().parent


def kept(name: str) -> None:
    """Write the current figure beside the pages."""
    plt.gcf().savefig(DOCS / name, dpi=80)
    plt.close("all")


def main() -> None:
    """Draw all of them."""
    chemin.explore("breast-cancer").plot()
    kept("look.png")

    X, _ = make_blobs(300, 2, centers=5, cluster_std=1.1, random_state=4)
    _, axes = plt.subplots(1, 2, figsize=(13.5, 4.8), layout="constrained")
    mean_shift(X).plot(ax=axes[0])
    hierarchy(X[::4]).plot(ax=axes[1])
    kept("groups.png")

    age = chemin.read("patients")["âge"].values
    fit_laws(age).plot()
    kept("laws.png")

    _, axes = plt.subplots(1, 3, figsize=(15.0, 4.0), layout="constrained")
    bin_sensitivity(age, bins=10).plot(ax=axes[0])
    parzen(age, "likelihood").plot(ax=axes[1])
    neighbour_density(age, 30).plot(ax=axes[2])
    kept("densities.png")

    digits = load_digits().data
    pca(digits, 30, scale=False).plot_restored([2, 5, 10, 30])
    kept("restored.png")
    print(
        np.round(pca(digits, 30, scale=False).shares.sum(), 3), "of the variance in 30 directions"
    )


if __name__ == "__main__":
    main()
