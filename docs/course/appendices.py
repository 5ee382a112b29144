"""Appendices A and B: inequalities, quadrics, convexity, and ways down."""

# %% ellipses
import numpy as np

from chemin import theory

drawing = np.random.default_rng(0)
covariance = np.array([[2.0, 1.2], [1.2, 1.0]])
points = drawing.multivariate_normal([0, 0], covariance, 300)
levels = theory.level_ellipses([0, 0], covariance)
print(levels)
levels.plot(points=points)

# %% quadric
print(theory.quadric([[1.0, 0.5], [0.5, 1.0]], [-3.0, -3.0], 2.0))
print(theory.critical_point(lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0]))

# %% dual
margin = theory.quadratic_program([[1, 0], [0, 0]], [0, 0], G=[[-1, 1], [-1, -1]], h=[-1, -1])
dual = margin.dual()
print(f"maximise over λ ≥ 0 with {dual.A[0]} · λ = {dual.b[0]:g}")
print(margin.check([1.0, 0.0], [0.5, 0.5]))


# %% steps
def valley(x):
    """Return a long bowl."""
    return x[0] ** 2 + 5.0 * x[1] ** 2


def slope(x):
    """Return its gradient."""
    return np.array([2.0 * x[0], 10.0 * x[1]])


small = theory.descend(valley, slope, [-4.0, 1.5], step=0.02, steps=60)
large = theory.descend(valley, slope, [-4.0, 1.5], step=0.19, steps=60)
print(small)
print(large)
small.plot()
large.plot()


# %% momentum
for method in ("constant", "momentum", "nesterov", "conjugate"):
    print(theory.descend(valley, slope, [-4.0, 1.5], method=method, step=0.03, momentum=0.6))


# %% minima
def hills(x):
    """Return a curve with two valleys."""
    return 0.05 * x[0] ** 4 - 0.5 * x[0] ** 2 + 0.2 * x[0]


def rise(x):
    """Return its derivative."""
    return np.array([0.2 * x[0] ** 3 - x[0] + 0.2])


import matplotlib.pyplot as plt

u = np.linspace(-3.2, 3.2, 200)
fig, ax = plt.subplots()
ax.plot(u, hills([u]), color="grey")
for start in (-0.5, 0.6):
    way = theory.descend(hills, rise, [start], step=0.3)
    ax.plot(way.points[:, 0], hills([way.points[:, 0]]), "o-", markersize=4, label=f"from {start}")
ax.set(xlabel="x", ylabel="f(x)")
ax.legend()
