"""The picture of docs/theory.md.

python docs/draw_theory.py
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import load_diabetes

from chemin.kernels import Epanechnikov
from chemin.theory import (
    bayes_rule,
    descend,
    hughes,
    majority_vote,
    penalty_map,
    spectrum,
)

DOCS = Path(__file__).resolve().parent
CURVED = np.diag([1.0, 12.0])


def main() -> None:
    """Draw six results side by side."""
    X, y = load_diabetes(return_X_y=True)
    X = 20.0 * X[:, [2, 3]]
    results = [
        bayes_rule([norm(-1.0), norm(1.0, 2.0)], [0.6, 0.4], bounds=(-9.0, 11.0)).plot,
        hughes((1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), repeats=40).plot,
        majority_vote(41, 0.3).plot,
        partial(penalty_map(X, y, "lasso").plot_geometry, 26_000.0),
        descend(
            lambda x: 0.5 * x @ CURVED @ x, lambda x: CURVED @ x, [6.0, 1.0], step=0.1, method="momentum",
            momentum=0.5,
        ).plot,
        spectrum(Epanechnikov(), highest=20.0).plot,
    ]  # fmt: skip
    _, axes = plt.subplots(2, 3, figsize=(19.0, 9.0), layout="constrained")
    for draw, ax in zip(results, axes.ravel(), strict=True):
        draw(ax=ax)
    plt.savefig(DOCS / "theory.png", dpi=60)


if __name__ == "__main__":
    main()
