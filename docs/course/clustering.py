"""Chapter 3: groups without labels."""

# %% chaining
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from chemin import exploration

centers = [[-4, -3], [-4, 3], [0, 0], [4, 3], [4, -3]]
X, _ = make_blobs(150, centers=centers, cluster_std=0.6, random_state=2)
bridge = np.column_stack([np.linspace(-3.6, -0.4, 9), np.linspace(2.7, 0.3, 9)])
X = np.vstack([X, bridge])

fig, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True)
cases = ((X[:150], "single"), (X, "single"), (X, "ward"))
for ax, (points, linkage) in zip(axes, cases, strict=True):
    groups = exploration.hierarchy(points, linkage).cut(5)
    ax.scatter(*points.T, c=groups.labels, cmap="tab10", s=14)
    ax.set_title(linkage)
    print(groups)

# %% dendrogram
tree = exploration.hierarchy(X, "ward")
print("the largest jump asks for", len(set(tree.cut().labels)), "groups")
tree.plot(groups=5)

# %% lloyd
trace = exploration.lloyd(X, start=X[[0, 1, 2, 3, 4]])
print("inertia after each step:", [round(step.inertia) for step in trace.steps])
trace.plot()

# %% elbow
exploration.inertia_curve(X, 10).plot()

# %% dbscan
from sklearn.datasets import make_moons

moons, _ = make_moons(300, noise=0.08, random_state=0)
moons = np.vstack([moons, np.random.default_rng(0).uniform([-1.5, -1], [2.5, 1.5], (30, 2))])
dense = exploration.dbscan(moons, eps=0.15, min_samples=8, border="nearest")
print(dense)
ax = dense.plot()
border = dense.kinds == "border"
ax.plot(*moons[border].T, "o", mfc="none", color="k", label=f"border points ({border.sum()})")
ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)

# %% shift
two = np.vstack([np.random.default_rng(1).normal(m, 0.6, (60, 2)) for m in (-1.5, 1.5)])
climbed = exploration.mean_shift(two, bandwidth=0.5)
print(climbed)
climbed.plot()

# %% widths
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, bandwidth in zip(axes, (1.2, 2.5), strict=True):
    groups = exploration.mean_shift(X, bandwidth=bandwidth, window="epanechnikov")
    ax.scatter(*X.T, c=groups.labels, cmap="tab10", s=14)
    ax.set_title(f"bandwidth {bandwidth}: {len(groups.modes)} groups")

# %% stable
print(exploration.structure(X))
