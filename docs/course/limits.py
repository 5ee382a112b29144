"""Chapter 2: what is hard in high dimension, and what a sample can promise."""

# %% volume
import numpy as np

from chemin import theory

space = theory.empty_space()
print(space)
space.plot()

# %% distance
crowd = theory.distance_concentration()
print(crowd)
crowd.plot()

# %% hughes
few = theory.hughes((1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), repeats=20)
print(few)
few.plot()

# %% promise
small, large = (
    theory.finite_class(2**10, n=100, delta=0.05),
    theory.finite_class(2**10, n=10_000, delta=0.05),
)
print(small)
print(large)
print("rows for a deviation of 1 %:", theory.finite_class(2**10, epsilon=0.01, delta=0.05).n)

# %% fluctuation
drawing = np.random.default_rng(0)
chances = drawing.uniform(size=8)
law = np.column_stack([chances, 1 - chances]) / 8  # eight places, two labels
steps = {
    f"{2**k} functions": np.array(
        [np.repeat([int(b) for b in np.binary_repr(code, k)], 8 // k) for code in range(2**k)]
    )
    for k in (1, 2, 4, 8)
}
found = theory.bias_fluctuation(steps, law, n=40, repeats=300)
print(found)
found.plot()

# %% minimiser
import matplotlib.pyplot as plt

places = drawing.choice(16, size=20, p=law.ravel())  # one sample: a place and a label each
seen = np.bincount(places, minlength=16).reshape(8, 2) / 20
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, name in zip(axes, ("16 functions", "256 functions"), strict=True):
    wrong = np.stack([steps[name] != 0, steps[name] != 1], axis=2)
    true, empirical = (wrong * law).sum(axis=(1, 2)), (wrong * seen).sum(axis=(1, 2))
    order = true.argsort()
    ax.plot(empirical[order], color="C1", lw=0.8, label="error on the sample")
    ax.plot(true[order], color="C0", label="error under the law")
    found_at = int(empirical[order].argmin())
    ax.plot(0, true.min(), "C0o", label="the best function")
    ax.plot(found_at, true[order][found_at], "C1o", label="the learned function")
    ax.set(title=name, xlabel="functions, best first")
axes[0].set_ylabel("error")
axes[0].legend()

# %% variance
from sklearn.pipeline import make_pipeline
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import PolynomialFeatures

wave = theory.RegressionLaw(lambda X: np.sin(6.0 * X[:, 0]), noise=0.3)
degrees = {
    f"degree {p}": make_pipeline(PolynomialFeatures(p), LinearRegression()) for p in (0, 1, 3, 5, 9)
}
theory.bias_variance(degrees, wave, n=30, repeats=80).plot()

# %% folds
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

from chemin.evaluate import cross_validate, make_splits

X, y = load_breast_cancer(return_X_y=True)
splits = make_splits(len(y), y, folds=5)
for neighbours in (1, 5, 25):
    print(
        cross_validate(
            KNeighborsClassifier(neighbours), scale(X), y, splits, name=f"{neighbours} neighbours"
        ).scores
    )
