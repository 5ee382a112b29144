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


# %% bowl
import matplotlib.pyplot as plt


def valley(x):
    """Return a long bowl."""
    return x[0] ** 2 + 5.0 * x[1] ** 2


def slope(x):
    """Return its gradient."""
    return np.array([2.0 * x[0], 10.0 * x[1]])


u, v = np.meshgrid(np.linspace(-4, 4, 60), np.linspace(-2, 2, 60))
height = valley([u, v])
fig = plt.figure(figsize=(9, 4))
ax = fig.add_subplot(1, 2, 1, projection="3d")
ax.plot_surface(u, v, height, cmap="viridis", alpha=0.8)
ax.contour(u, v, height, 10, offset=0.0, colors="grey", linewidths=0.6)
ax.set(xlabel="first weight", ylabel="second weight", yticks=[-2, 0, 2])
ax = fig.add_subplot(1, 2, 2)
ax.contour(u, v, height, 10, cmap="viridis")
few = (slice(3, None, 9), slice(3, None, 9))
down = -slope([u[few], v[few]])
ax.quiver(u[few], v[few], *down, angles="xy")
ax.set(xlabel="first weight", ylabel="second weight", aspect="equal")

# %% steps

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


u = np.linspace(-3.2, 3.2, 200)
fig, ax = plt.subplots()
ax.plot(u, hills([u]), color="grey")
for start, step in ((-0.5, 0.3), (0.6, 1.3)):
    way = theory.descend(hills, rise, [start], step=step, steps=40)
    label = f"from {start}, step {step}"
    ax.plot(way.points[:, 0], hills([way.points[:, 0]]), "o-", markersize=4, label=label)
    print(way)
ax.set(xlabel="x", ylabel="f(x)")
ax.legend()
