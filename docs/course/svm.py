"""Chapter 8: margins, kernels, and the exact path of a sparse support vector machine."""

# %% margin
import matplotlib.pyplot as plt
import numpy as np

from chemin.models.svm import HardMarginSVC, support_table

drawing = np.random.default_rng(4)
X = np.vstack([drawing.normal([-2, 0], 0.7, (20, 2)), drawing.normal([2, 0.5], 0.7, (20, 2))])
y = np.repeat([-1, 1], 20)
hard = HardMarginSVC().fit(X, y)
print(f"margin {hard.margin_:.3f}, relative duality gap {hard.gap_:.0e}")
fig, ax = plt.subplots()
ax.scatter(*X.T, c=y, cmap="coolwarm")
u = np.linspace(-4, 4, 2)
for level, line in ((0, "-"), (-1, "--"), (1, "--")):
    ax.plot((level - hard.intercept_[0] - hard.coef_[0, 1] * u) / hard.coef_[0, 0], u, f"k{line}")
ax.set(xlabel="first variable", ylabel="second variable")

# %% impossible
try:
    HardMarginSVC(strict=True).fit(np.vstack([X, [[2, 0]]]), np.append(y, -1))
except ValueError as refused:
    print(refused)

# %% slack
from sklearn.svm import SVC

mixed = np.vstack([drawing.normal([-1, 0], 1.0, (40, 2)), drawing.normal([1, 0.5], 1.0, (40, 2))])
side = np.repeat([-1, 1], 40)
print(support_table(SVC(kernel="linear", C=1.0).fit(mixed, side), mixed, side, C=1.0))

# %% shatter
from chemin import theory

print(theory.shattering([[0, 0], [0, 1], [1, 0], [1, 1]]))
theory.shattering([[0, 0], [0, 1], [1, 0]]).plot()

# %% rbf
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

moons, kind = make_moons(200, noise=0.25, random_state=0)
new, truth = make_moons(2000, noise=0.25, random_state=1)
fig, axes = plt.subplots(2, 2, figsize=(8, 6.4), sharex=True, sharey=True)
for ax, C in zip(axes.flat, (0.01, 1, 100, 10000), strict=True):
    model = SVC(C=C, gamma=1.0).fit(moons, kind)
    DecisionBoundaryDisplay.from_estimator(
        model,
        moons,
        ax=ax,
        alpha=0.4,
        cmap="coolwarm",
        response_method="predict",
        xlabel="",
        ylabel="",
    )
    ax.scatter(*moons.T, c=kind, cmap="coolwarm", s=5)
    ax.plot(*moons[model.support_].T, "k*", markersize=5)
    ax.set_title(
        f"C = {C}: {model.n_support_.sum()} vectors, error {1 - model.score(new, truth):.1%}"
    )

# %% path
import chemin
from chemin.datasets import breast_cancer
from chemin.plots import plot_path

sample = breast_cancer()
path = chemin.svm_path(sample.columns, sample.y, l2=1.0)
print(path.status)
print(f"worst duality gap: {path.certificate(midpoints=True).worst_gap:.0e}")
plot_path(path)

# %% everyC
ray = chemin.ray_path(sample.X, sample.y, l2=(1e3, 1e-2))
print(f"{len(ray.l2)} breakpoints are the support vector machine for every C from 0.001 to 100")

# %% couples
from chemin import KernelBasisClassifierCV
from chemin.datasets import toydata1
from chemin.kernels import Gaussian
from chemin.plots import plot_boundary

toy, label = toydata1()
kernels = [
    Gaussian(2).named("round"),
    Gaussian((1, 8)).named("upright"),
    Gaussian((8, 1)).named("lying"),
]
basis = KernelBasisClassifierCV(kernels, l2=1e-10, random_state=0).fit(toy, label)
print(f"{len(basis.couples_)} couples (training point, kernel) of {3 * len(toy)} offered")
plot_boundary(basis, toy, label)

# %% losses
from chemin.models.losses import plot_losses

plot_losses()

# %% tube
from sklearn.svm import SVR

x = np.sort(drawing.uniform(0, 5, 60))[:, None]
wave = np.sin(2 * x[:, 0]) + 0.2 * drawing.normal(size=60)
tube = SVR(epsilon=0.3).fit(x, wave)
curve = tube.predict(x)
above = np.maximum(0, wave - curve - 0.3)
below = np.maximum(0, curve - wave - 0.3)
fig, ax = plt.subplots()
ax.plot(x, wave, ".", color="grey")
ax.plot(x[tube.support_], wave[tube.support_], "o", mfc="none", label="support vectors")
ax.vlines(x[:, 0], wave - above, wave, color="C3", label="slack ξ, above the tube")
ax.vlines(x[:, 0], wave, wave + below, color="C2", label="slack ξ*, below the tube")
ax.plot(x, curve, "C1")
ax.fill_between(x[:, 0], curve - 0.3, curve + 0.3, color="C1", alpha=0.2)
ax.set(xlabel="x", ylabel="y")
ax.legend(fontsize=8)
print(f"{len(tube.support_)} vectors; no row has both slacks: {not (above * below).any()}")

# %% svr
fig, axes = plt.subplots(2, 3, figsize=(10, 6), sharex=True, sharey=True)
settings = [(1, 0.1), (1, 0.5), (1, 1.0), (0.01, 0.1), (0.1, 0.1), (1, 0.1)]
for ax, (C, epsilon) in zip(axes.flat, settings, strict=True):
    fit = SVR(C=C, epsilon=epsilon).fit(x, wave)
    ax.plot(x, wave, "k.")
    ax.plot(x[fit.support_], wave[fit.support_], "o", color="C0", mfc="white")
    ax.plot(x, fit.predict(x), "C1")
    ax.plot(x, fit.predict(x)[:, None] + [-epsilon, epsilon], "C1--", lw=0.8)
    ax.set_title(f"C = {C}, ε = {epsilon}: {len(fit.support_)} vectors")

# %% ridge
from sklearn.kernel_ridge import KernelRidge

fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, C in zip(axes, (0.01, 1, 1000), strict=True):
    fit = KernelRidge(alpha=1 / (2 * C), kernel="rbf", gamma=5.0).fit(x, wave - wave.mean())
    ax.plot(x, wave, ".", color="grey")
    ax.plot(x, fit.predict(x) + wave.mean(), "C1")
    ax.set_title(f"C = {C}")
