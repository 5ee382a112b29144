"""N. Baskiotis, lecture 3: gradient descent and the perceptron."""

# %% surface
import matplotlib.pyplot as plt
import numpy as np

drawing = np.random.default_rng(0)
X = np.vstack([drawing.normal([-1, -1], 0.7, (40, 2)), drawing.normal([1, 1], 0.7, (40, 2))])
y = np.repeat([-1, 1], 40)
w1, w2 = np.meshgrid(np.linspace(-1.5, 2.5, 120), np.linspace(-1.5, 2.5, 120))
margins = y[:, None, None] * (X[:, 0, None, None] * w1 + X[:, 1, None, None] * w2)
risks = {
    "hinge": np.maximum(0, 1 - margins).mean(axis=0),
    "squared": ((1 - margins) ** 2).mean(axis=0),
}
fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
for ax, (name, risk) in zip(axes, risks.items(), strict=True):
    ax.contourf(w1, w2, risk, 20, cmap="viridis")
    low = np.unravel_index(risk.argmin(), risk.shape)
    ax.plot(w1[low], w2[low], "w*", markersize=12)
    ax.set(title=name, xlabel="first weight")
axes[0].set_ylabel("second weight")

# %% descent
from chemin import theory


def cost(w):
    """Return the mean logistic loss."""
    return np.logaddexp(0.0, -y * (X @ w)).mean()


def gradient(w, rows=slice(None)):
    """Return its gradient on some rows."""
    share = 1.0 / (1.0 + np.exp(y[rows] * (X[rows] @ w)))
    return -(share * y[rows]) @ X[rows] / len(y[rows])


batch = theory.descend(cost, gradient, [-1.0, 1.5], step=1.0, steps=60)
drawn = theory.stochastic_descent(
    cost, gradient, [-1.0, 1.5], terms=len(y), batch=8, step=0.5, decay=0.1, passes=10
)
print(batch)
print(drawn)
fig, ax = plt.subplots()
loss = np.array(
    [[cost(np.array([a, b])) for a in np.linspace(-1.5, 3, 60)] for b in np.linspace(-1, 3, 60)]
)
ax.contour(np.linspace(-1.5, 3, 60), np.linspace(-1, 3, 60), loss, 20, cmap="Greys")
ax.plot(*batch.points.T, "o-", markersize=3, label="all rows at a time")
ax.plot(*drawn.points.T, ".-", markersize=3, lw=0.7, label="eight rows at a time")
ax.set(xlabel="first weight", ylabel="second weight")
ax.legend()

# %% novikoff
from chemin.models.perceptrons import RosenblattPerceptron

apart = y * (X @ [1, 1]) > 0.3
print(RosenblattPerceptron().fit(X[apart], y[apart]).bound(X[apart], y[apart]))
print(RosenblattPerceptron(margin=1.0).fit(X[apart], y[apart]).bound(X[apart], y[apart]))
