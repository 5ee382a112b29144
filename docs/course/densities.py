"""Chapter 5: what law did these numbers come from?"""

# %% histograms
import matplotlib.pyplot as plt
import numpy as np

from chemin import exploration

drawing = np.random.default_rng(0)
x = np.concatenate([drawing.normal(-1.0, 0.5, 60), drawing.normal(1.5, 0.8, 90)])
looked = exploration.bin_sensitivity(x, bins=12)
print(looked)
looked.plot()

# %% windows
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
grid = np.linspace(-3, 5, 400)
some = x[::8]
for ax, h in zip(axes, (0.2, 0.05), strict=True):
    density = exploration.parzen(some, bandwidth=h)
    ax.plot(grid, density.pdf(grid))
    for point in some:
        ax.plot(
            grid,
            np.exp(-0.5 * ((grid - point) / h) ** 2) / (np.sqrt(2 * np.pi) * h * len(some)),
            "C1",
            lw=0.5,
        )
    ax.set_title(f"h = {h}")

# %% neighbours
near = exploration.neighbour_density(x, neighbours=20)
smooth = exploration.parzen(x)
fig, ax = plt.subplots()
ax.plot(grid, near.pdf(grid), label="20 neighbours")
ax.plot(grid, smooth.pdf(grid), label="windows")
ax.legend()

# %% mixture
shapes = ([[1.0, 0.6], [0.6, 0.6]], [[0.3, 0.0], [0.0, 1.0]], [[0.5, -0.3], [-0.3, 0.5]])
means = ([-2, 0], [2, 1], [0.5, -3])
points = np.vstack(
    [drawing.multivariate_normal(m, S, 120) for m, S in zip(means, shapes, strict=True)]
)
made = exploration.mixture(points)
print(made.name)
fig = plt.figure(figsize=(9, 4))
u, v = np.meshgrid(np.linspace(-5, 5, 80), np.linspace(-6, 4, 80))
height = made.pdf(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
ax = fig.add_subplot(1, 2, 1)
ax.plot(*points.T, ".", color="grey", markersize=3)
ax.contour(u, v, height, 9)
ax = fig.add_subplot(1, 2, 2, projection="3d")
ax.plot_surface(u, v, height, cmap="viridis")

# %% scores
made.plot_scores()

# %% rate
rate = exploration.covariance_rate((1, 10, 100), (100, 300, 1000))
print(rate)
fig, ax = plt.subplots()
for d, error in zip(rate.dimensions, rate.error, strict=True):
    ax.loglog(rate.sizes, error, "o-", label=f"dimension {d}")
ax.set(xlabel="rows", ylabel="error of the covariance")
ax.legend()

# %% soft
corner = points[[0, 1, 2]]
for sigma in (3.0, 1.0, 0.1):
    groups = exploration.soft_kmeans(points, sigma, start=corner)
    print(f"σ = {sigma}: centres", groups.centers.round(1).tolist())
print("Lloyd:      ", exploration.lloyd(points, start=corner).steps[-1].centers.round(1).tolist())
