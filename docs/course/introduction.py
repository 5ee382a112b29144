"""Chapter 1: classes, boundaries, regression lines, and two ways to keep coefficients small."""

# %% groups
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs


shapes = np.array([[[1.4, 0.9], [0.0, 0.4]], [[0.4, 0.0], [0.0, 1.2]], [[0.7, -0.5], [0.3, 0.8]]])
X, y = make_blobs(180, centers=[[-3, 0], [2, 3], [3, -2]], random_state=1)
centers = np.array([[-3, 0], [2, 3], [3, -2]])
X = centers[y] + np.einsum("ni,nij->nj", X - centers[y], shapes[y])

fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
axes[0].plot(*X.T, "o", color="grey", alpha=0.7)
for k, mark in enumerate("os^"):
    axes[1].plot(*X[y == k].T, mark, alpha=0.7, label=f"class {k + 1}")
axes[1].plot(0.4, 0.9, "k*", markersize=14, label="which class?")
axes[0].set(xlabel="first variable", ylabel="second variable", title="without labels")
axes[1].set(xlabel="first variable", title="with labels")
axes[1].legend()

# %% votes
from sklearn.linear_model import LogisticRegression

from chemin.multiclass import OneVsOne, OneVsRest

new = [[0.4, 0.9]]
for scheme in (OneVsRest(LogisticRegression()), OneVsOne(LogisticRegression())):
    fitted = scheme.fit(X, y)
    print(
        f"{type(scheme).__name__}: {fitted.n_machines_} machines, class {fitted.predict(new)[0] + 1}"
    )

# %% boundaries
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.neighbors import KNeighborsClassifier

moons, side = make_moons(160, noise=0.35, random_state=3)
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, neighbours in zip(axes, (1, 25), strict=True):
    model = KNeighborsClassifier(neighbours).fit(moons, side)
    DecisionBoundaryDisplay.from_estimator(
        model,
        moons,
        ax=ax,
        alpha=0.3,
        cmap="coolwarm",
        response_method="predict",
        xlabel="",
        ylabel="",
    )
    ax.scatter(*moons.T, c=side, cmap="coolwarm", s=14)
    ax.set_title(
        f"neighbours: {neighbours}, error on these points {1 - model.score(moons, side):.0%}"
    )

# %% curves
drawing = np.random.default_rng(0)
x = np.sort(drawing.uniform(0, 4, 25))
target = 1.0 + 0.8 * x + 0.4 * drawing.normal(size=25)
target[[4, 20]] += [4.0, -4.0]
grid = np.linspace(0, 4, 300)

fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, degree in zip(axes, (1, 14), strict=True):
    fit = np.polynomial.Polynomial.fit(x, target, degree)
    ax.plot(x, target, "o", grid, fit(grid), "-")
    ax.set(title=f"degree {degree}", ylim=(-4, 8), xlabel="x")

# %% shrinking
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

import chemin

table = load_diabetes(as_frame=True)
Z, measured = scale(table.data), table.target.to_numpy()
path = chemin.path(Z, measured, loss="squared", l2=1e-9)
l1 = 0.1 * path.l1[0]
kept = table.data.columns[path.coef_at(l1) != 0]
print(
    f"at a tenth of the largest λ₁ the Lasso keeps {len(kept)} of 10 variables: {', '.join(kept)}"
)
print(f"worst duality gap of the whole path: {path.certificate(midpoints=True).worst_gap:.0e}")

# %% geometry
from chemin.theory import penalty_map

pair = Z[:, [2, 4]]
ols = np.linalg.lstsq(pair, measured - measured.mean(), rcond=None)[0]
grid1, grid2 = np.meshgrid(np.linspace(-10, 50, 200), np.linspace(-22, 22, 200))
residual = measured - measured.mean()
loss = sum((residual[i] - pair[i, 0] * grid1 - pair[i, 1] * grid2) ** 2 for i in range(len(pair)))
fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True)
for ax, kind in zip(axes, ("lasso", "ridge"), strict=True):
    between = penalty_map(pair, measured, kind)
    size = 0.15 * between.largest
    best = between.coefficients(between.strength(size))
    norm = abs(grid1) + abs(grid2) if kind == "lasso" else np.hypot(grid1, grid2)
    reach = np.abs(best).sum() if kind == "lasso" else np.hypot(*best)
    at_best = ((residual - pair @ best) ** 2).sum()
    ax.contour(
        grid1, grid2, loss, levels=[*np.linspace(loss.min() * 1.001, at_best, 5)], colors="C0"
    )
    ax.contourf(grid1, grid2, norm, levels=[0, reach], colors=["C1"], alpha=0.4)
    ax.plot(*best, "ko")
    ax.plot(*ols, "C0+", markersize=12)
    ax.set(title=kind, xlabel="coefficient of bmi", aspect="equal")
    print(f"{kind}: coefficients {best.round(1)}")
axes[0].set_ylabel("coefficient of s1")
