"""Chapter 6: the best decision with a law that was estimated."""

# %% independence
import matplotlib.pyplot as plt
import numpy as np

drawing = np.random.default_rng(0)
X = np.vstack([drawing.normal([-2, -2], 0.8, (150, 2)), drawing.normal([2, 2], 0.8, (150, 2))])
y = np.repeat([0, 1], 150)
print(f"correlation of all points {np.corrcoef(X.T)[0, 1]:.2f}; ", end="")
print("inside the classes", [f"{np.corrcoef(X[y == k].T)[0, 1]:.2f}" for k in (0, 1)])
fig, ax = plt.subplots()
ax.scatter(*X.T, c=y, cmap="coolwarm", s=12)
ax.set(xlabel="first variable", ylabel="second variable")

# %% naive
from sklearn.datasets import load_iris

from chemin.models.bayes import NaiveBayes

flowers, kind = load_iris(return_X_y=True)
for marginals in ("gaussian", "parzen", "histogram"):
    model = NaiveBayes(marginals).fit(flowers, kind)
    print(f"{marginals}: {model.score(flowers, kind):.1%} right")

# %% conic
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from chemin import theory

pair = kind > 0
qda = QuadraticDiscriminantAnalysis().fit(flowers[pair][:, :2], kind[pair])
boundary = theory.quadric_of(qda)
print(boundary)
boundary.plot(points=flowers[pair][:, :2], labels=kind[pair])

# %% logistic
from scipy.special import expit

z = np.linspace(-6, 6, 200)
fig, ax = plt.subplots()
ax.plot(z, expit(z))
ax.set(xlabel="f(x)", ylabel="probability of the first class")

# %% generative
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chemin.evaluate import learning_curve

tumours, ill = load_breast_cancer(return_X_y=True)
fig, ax = plt.subplots()
for name, model in {
    "naive Bayes": GaussianNB(),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
}.items():
    curve = learning_curve(model, tumours, ill, (0.05, 0.1, 0.2, 0.4, 0.7, 1.0))
    ax.plot(curve.sizes, curve.test.mean(axis=1), "o-", label=name)
ax.set(xlabel="training rows", ylabel="error on other rows")
ax.legend()

# %% neighbours
from sklearn.neighbors import KNeighborsClassifier

from chemin.evaluate import cross_validate

for p in (1, 5, 10, 50):
    print(cross_validate(KNeighborsClassifier(p), flowers, kind, name=f"{p} nearest").scores)
