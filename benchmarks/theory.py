"""How tight are the bounds? Each promised level beside what simulation, brute force or enumeration sees.

python benchmarks/theory.py
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer

from chemin.models.boosting import AdaBoost
from chemin.models.perceptrons import RosenblattPerceptron
from chemin.theory import (
    boosting_bound,
    cover_count,
    finite_class,
    hoeffding,
    hughes,
    majority_vote,
    rademacher_class,
    rademacher_linear,
    shattering,
    structural_risk,
    trunk_error,
    vc_bound,
)

NOISE = 0.2
DELTA = 0.05


def drawn(drawing: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places in [0, 1] and the labels x ≥ ½, a fifth of them flipped."""
    x = drawing.uniform(size=n)
    return x, (x >= 0.5) ^ (drawing.uniform(size=n) < NOISE)


def risk(thresholds: np.ndarray) -> np.ndarray:
    """Return the expected errors of x ≥ t."""
    return NOISE + (1.0 - 2.0 * NOISE) * np.abs(thresholds - 0.5)


def measured(thresholds: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the training errors of x ≥ t."""
    return ((x[:, None] >= thresholds) != y[:, None]).mean(axis=0)


def told(name: str, promised: float, seen: np.ndarray) -> None:
    """Print how often a deviation was above the promised one, and the deviation that is above it with δ."""
    missed, needed = np.mean(seen > promised), np.quantile(seen, 1.0 - DELTA)
    print(f"{name}: ε {promised:.3f}, missed {missed:.4f} of {len(seen)}, {needed:.3f} is enough")


def deviations() -> None:
    """Compare bounds on deviations with draws."""
    drawing = np.random.default_rng(0)
    n, p = 30, 0.3
    epsilon = hoeffding(n=n, delta=DELTA).epsilon
    k = np.arange(n + 1)
    exact = binom.pmf(k, n, p)[np.abs(k / n - p) >= epsilon].sum()
    print(f"Hoeffding, exactly: {exact:.5f}")
    told("Hoeffding", epsilon, np.abs(drawing.binomial(n, p, size=20_000) / n - p))
    few, fine = np.linspace(0.0, 1.0, 21), np.linspace(0.0, 1.0, 201)
    for name, t, n, epsilon, repeats in (
        ("21 thresholds", few, 40, finite_class(21, n=40, delta=DELTA).epsilon, 5000),
        ("dimension 1", fine, 400, vc_bound(1, n=400, delta=DELTA).epsilon, 2000),
    ):
        seen = [np.abs(measured(t, *drawn(drawing, n)) - risk(t)).max() for _ in range(repeats)]
        told(name, epsilon, np.array(seen))
    margin = []
    for k in range(400):
        x, y = drawn(drawing, 60)
        losses = ((x[:, None] >= few) != y[:, None]).astype(float).T
        bound = rademacher_class(losses, draws=100, random_state=k).deviation(DELTA)
        margin.append((np.max(risk(few) - losses.mean(axis=1)), bound))
    seen, bound = np.array(margin).T
    print(
        f"Rademacher: ε {bound.mean():.3f}, missed {np.mean(seen > bound):.4f} of {len(seen)}, "
        f"{np.quantile(seen, 1.0 - DELTA):.3f} is enough"
    )
    nested = [few[::k] for k in (20, 10, 5, 2, 1)]
    missed = 0
    for _ in range(1000):
        errors = [measured(t, *sample) for sample in [drawn(drawing, 50)] for t in nested]
        best = np.array([t[np.argmin(e)] for t, e in zip(nested, errors, strict=True)])
        made = structural_risk(
            [e.min() for e in errors], sizes=[len(t) for t in nested], n=50, delta=DELTA
        )
        missed += bool(np.any(risk(best) > made.bounds))
    print(f"structural risk, five classes: missed {missed / 1000:.4f}")


def counts() -> None:
    """Compare bounds on votes, updates and training errors with what happens."""
    vote = majority_vote(20, 0.3)
    print(f"vote of 20: bound {vote.bound:.4f}, exactly {vote.wrong:.5f}")
    shares = []
    for seed in range(100):
        drawing = np.random.default_rng(seed)
        X = drawing.normal(size=(40, 3))
        y = X @ [1.0, -2.0, 0.5] > 0
        X[y] += [0.1, -0.2, 0.05]
        found = RosenblattPerceptron(fit_intercept=False).fit(X, y).bound(X, y)
        shares.append(found.updates / found.bound)
    print(f"Novikoff: updates over bound, median {np.median(shares):.3f}, most {max(shares):.3f}")
    X, y = load_breast_cancer(return_X_y=True)
    found = AdaBoost(n_estimators=50, random_state=0).fit(X, y).bound(X, y)
    made = boosting_bound(found.weighted_errors)
    for t in (5, 20, 50):
        print(
            f"AdaBoost, {t}: error {found.training_errors[t - 1]:.4f}, Π Z {made.bounds[t - 1]:.4f}"
        )


def closed_forms() -> None:
    """Compare closed forms with simulation and brute force."""
    for d in (1, 10, 50, 200, 1000, 5000):
        seen = hughes([d], [10], rules=["plug-in"], repeats=4000)
        away = trunk_error(d, 10) / seen.errors[0, 0, 0] - 1.0
        print(f"Trunk, d {d}: {seen.errors[0, 0, 0]:.4f}, closed form {100 * away:+.2f} %")
    worst = 0.0
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(6, 2))
        signs = np.array(list(product([-1.0, 1.0], repeat=6)))
        by_hand = np.linalg.norm(signs @ X, axis=1).mean() / 6
        worst = max(worst, abs(rademacher_linear(X).value - by_hand))
    print(f"Rademacher of six points against all signs: {worst:.1e}")
    for n, d in ((4, 2), (5, 2), (6, 3), (7, 1), (8, 2)):
        found = shattering(np.random.default_rng(n).normal(size=(n, d)))
        print(
            f"labellings of {n} points of {d} variables: {found.count}, Cover {cover_count(n, d)}"
        )


if __name__ == "__main__":
    deviations()
    counts()
    closed_forms()
