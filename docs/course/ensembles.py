"""Chapter 7: many weak opinions, one strong one."""

# %% vote
import matplotlib.pyplot as plt
import numpy as np

from chemin import theory

vote = theory.majority_vote(20, 0.3)
print(vote)
vote.plot()

# %% tree
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.tree import DecisionTreeClassifier, plot_tree

X, y = make_moons(300, noise=0.3, random_state=0)
new, truth = make_moons(2000, noise=0.3, random_state=1)
tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
fig, ax = plt.subplots(figsize=(9, 5))
plot_tree(tree, ax=ax, filled=True, impurity=False, label="none", fontsize=7)
fig, ax = plt.subplots()
DecisionBoundaryDisplay.from_estimator(
    tree, X, ax=ax, alpha=0.4, cmap="coolwarm", response_method="predict", xlabel="", ylabel=""
)
ax.scatter(*X.T, c=y, cmap="coolwarm", s=12)


# %% map
def draw(ax, model):
    """Draw what a fitted model decides, with its error on new points."""
    DecisionBoundaryDisplay.from_estimator(
        model, X, ax=ax, alpha=0.4, cmap="coolwarm", response_method="predict", xlabel="", ylabel=""
    )
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=5)
    return 1 - model.score(new, truth)


# %% depth
fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, depth in zip(axes, (1, 5, 20), strict=True):
    error = draw(ax, DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y))
    ax.set_title(f"depth: {depth}, error {error:.1%}")

# %% forest
from sklearn.ensemble import RandomForestClassifier

fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, n in zip(axes, (1, 10, 100), strict=True):
    forest = RandomForestClassifier(n, max_features=1, random_state=0).fit(X, y)
    ax.set_title(f"trees: {n}, error {draw(ax, forest):.1%}")

# %% stumps
from chemin.models.boosting import AdaBoost

fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, n in zip(axes, (1, 10, 200), strict=True):
    boosted = AdaBoost(n_estimators=n).fit(X, y)
    ax.set_title(f"stumps: {n}, error {draw(ax, boosted):.1%}")

# %% bound
print(boosted.bound())
boosted.bound().plot()

# %% gradient
from sklearn.tree import DecisionTreeRegressor

from chemin.models.boosting import FunctionalBoostingRegressor

x = np.linspace(0, 1, 80)[:, None]
wave = np.sin(6 * x[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=80)
fig, ax = plt.subplots()
ax.plot(x, wave, ".", color="grey")
for n in (1, 10, 100):
    model = FunctionalBoostingRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=n).fit(
        x, wave
    )
    ax.plot(x, model.predict(x), label=f"rounds: {n}")
ax.legend()
