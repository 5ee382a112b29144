"""What do a few wild targets do to least squares, and what do Huber's loss and the median make of them?

Twenty variables, four of which count; in every tenth row the target was written down in another unit, or with a slip of
the decimal point. Run it with `python examples/outliers.py --out demo`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

import chemin
from chemin.problems import Absolute, Huber, Loss, Squared

TRUE = np.array([3.0, -2.0, 1.5, 1.0] + [0.0] * 16)
LOSSES: dict[str, Loss] = {
    "least squares": Squared(),
    "Huber, δ = 1.5": Huber(1.5),
    "median": Absolute(),
}


class Found(NamedTuple):
    """What a loss found: its coefficients, its error on clean rows, and right and wrong variables."""

    coef: np.ndarray
    error: float
    right: int
    wrong: int


def make_data(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return variables and targets, a share of which is wild."""
    X = rng.standard_normal((n, len(TRUE)))
    y = X @ TRUE + rng.standard_normal(n)
    wild = rng.random(n) < share
    y[wild] *= rng.choice([-10.0, 10.0], wild.sum())
    return X, y


def learn(loss: Loss, seed: int, share: float) -> Found:
    """Fit the fewest variables that predict as well as the best, and judge them on rows without slips."""
    rng = np.random.default_rng(seed)
    X, y = make_data(rng, 150, share)
    X_clean, y_clean = make_data(rng, 2000, 0.0)
    model = chemin.SparseRegressorCV(loss=loss, rule="fewest", relax="auto", random_state=0)
    model.fit(X, y)
    error = float(np.sqrt(np.mean((y_clean - model.predict(X_clean)) ** 2)))
    found = np.flatnonzero(model.coef_)
    right = int(np.sum(TRUE[found] != 0.0))
    return Found(model.coef_, error, right, len(found) - right)


def print_table(found: dict[tuple[str, float], list[Found]]) -> None:
    """Print the root mean square error on clean rows, and the variables, as means over the draws."""
    print(f"{'loss':<16} {'slips':>6} {'error':>7} {'right of 4':>11} {'wrong of 16':>12}")
    for (name, share), draws in found.items():
        error, right, wrong = np.mean([(one.error, one.right, one.wrong) for one in draws], axis=0)
        print(f"{name:<16} {share:>6.0%} {error:>7.2f} {right:>11.1f} {wrong:>12.1f}")


def draw(found: dict[tuple[str, float], list[Found]], file: Path) -> None:
    """Draw the coefficients that each loss gives to the four variables that count, and to the others."""
    import matplotlib.pyplot as plt

    shares = sorted({share for _, share in found})
    figure, axes = plt.subplots(
        1, len(shares), figsize=(9.0, 3.6), sharey=True, layout="constrained"
    )
    for ax, share in zip(axes, shares, strict=True):
        for k, name in enumerate(LOSSES):
            coef = np.array([one.coef for one in found[name, share]])
            groups = [*coef[:, :4].T, coef[:, 4:].ravel()]
            low, middle, high = np.array([np.quantile(some, [0.1, 0.5, 0.9]) for some in groups]).T
            bars = [middle - low, high - middle]
            place = np.arange(5) + 0.22 * (k - 1)
            ax.errorbar(place, middle, yerr=bars, fmt="o", ms=4, capsize=2, lw=1.2, label=name)
        for k, true in enumerate([*TRUE[:4], 0.0]):
            ax.plot([k - 0.4, k + 0.4], [true, true], color="0.4", lw=1.0, zorder=0)
        ax.set_xticks(range(5), ["x0", "x1", "x2", "x3", "the rest"])
        ax.set_title(f"{share:.0%} of the targets are slips")
    axes[0].set_ylabel("coefficient\n(median and 80 % of the draws)")
    axes[-1].legend(frameon=False, fontsize="small")
    figure.savefig(file, dpi=110)


def main() -> None:
    """Print the table and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("demo"))
    parser.add_argument("--draws", type=int, default=20)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    found = {
        (name, share): [learn(loss, seed, share) for seed in range(asked.draws)]
        for share in (0.0, 0.1)
        for name, loss in LOSSES.items()
    }
    print_table(found)
    draw(found, asked.out / "outliers.png")
    print(f"The picture is in {asked.out / 'outliers.png'}.")


if __name__ == "__main__":
    main()
