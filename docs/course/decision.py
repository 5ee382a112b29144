"""Chapter 4: the best decision when the law is known, and costs that forgive outliers."""

# %% mean
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from chemin import theory

best = theory.optimal_regressor(
    lambda x, y: norm.pdf(x) * norm.pdf(y, np.sin(2 * x), 0.2 + 0.2 * abs(x)), (-6, 6), (-9, 9)
)
print(f"least expected squared error: {best.risk:.4f}")
ax = best.plot()
ax.set(xlim=(-3, 3), ylim=(-4, 4))

# %% bayes
rule = theory.bayes_rule([norm(-1), norm(1.5, 1.5)], priors=[0.6, 0.4], bounds=(-9, 12))
print(rule)
rule.plot()

# %% gaussian
from scipy.stats import multivariate_normal

mean, covariance = [0.0, 1.0], [[4.0, 1.0], [1.0, 2.0]]
print(theory.gaussian_conditional(mean, covariance, {0: 2.0}))
joint = multivariate_normal(mean, covariance)
straight = theory.optimal_regressor(
    lambda x, y: joint.pdf(np.stack(np.broadcast_arrays(x, y), axis=-1)), (-12, 12), (-9, 11)
)
ax = straight.plot()
ax.set(xlim=(-5, 5), ylim=(-4, 6))

# %% costs
from chemin.problems import Absolute, Huber, Squared

r = np.linspace(-3, 3, 301)
fig, ax = plt.subplots()
for name, loss in (("½ r²", Squared()), ("Huber, δ = 1", Huber(1.0)), ("|r|", Absolute())):
    ax.plot(r, loss.table(np.zeros_like(r), np.ones_like(r)).value(r), label=name)
ax.set(xlabel="residual r", ylabel="cost", ylim=(0, 4))
ax.legend()

# %% outliers
from chemin import SparseRegressor

drawing = np.random.default_rng(0)
x = np.sort(drawing.uniform(0, 10, 40))
y = 1.0 + 0.5 * x + 0.3 * drawing.normal(size=40)
y[[33, 36, 38]] -= 8.0
fig, ax = plt.subplots()
ax.plot(x, y, "o", color="grey")
for name, loss in (("squared", "squared"), ("Huber, δ = 1", Huber(1.0))):
    line = SparseRegressor(l1=0.0, l2=1e-9, loss=loss).fit(x[:, None], y)
    ax.plot(x, line.predict(x[:, None]), label=name)
    print(f"{name}: slope {line.coef_[0]:.2f}")
consensus = theory.max_consensus(x[:, None], y, tolerance=0.8)
print(consensus)
ax.set(xlabel="x", ylabel="y")
ax.legend()
