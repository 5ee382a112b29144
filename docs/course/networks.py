"""Chapter 9: from one neuron to several layers."""

# %% rosenblatt
import matplotlib.pyplot as plt
import numpy as np

from chemin.models.perceptrons import RosenblattPerceptron

drawing = np.random.default_rng(0)
X = np.vstack([drawing.normal([-2, 0], 0.8, (30, 2)), drawing.normal([2, 1], 0.8, (30, 2))])
y = np.repeat([0, 1], 30)
model = RosenblattPerceptron().fit(X, y)
print(model.bound(X, y))

# %% orders
fig, ax = plt.subplots()
ax.scatter(*X.T, c=y, cmap="coolwarm")
u = np.linspace(-3, 3, 2)
for _ in range(5):
    shuffled = drawing.permutation(len(y))
    line = RosenblattPerceptron().fit(X[shuffled], y[shuffled])
    w, b = line.coef_[0], line.intercept_[0]
    ax.plot(-(b + w[1] * u) / w[0], u)
ax.plot(0.85, -2.2, "k*", markersize=14, label="which class?")
ax.set(xlabel="first variable", ylabel="second variable", xlim=(-5, 5), ylim=(-3, 3.5))
ax.legend()

# %% logic
from chemin.models.networks import compile_formula

network = compile_formula("x1 xor x2")
print(network)
network.plot()

# %% gradients
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier

from chemin.models.networks import trace_gradients

flowers, kind = load_iris(return_X_y=True)
deep = MLPClassifier((10, 10, 10, 10), activation="logistic", random_state=0)
trace = trace_gradients(deep.partial_fit(flowers, kind, classes=[0, 1, 2]), flowers, kind)
print(trace)
trace.plot()

# %% overfit
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

moons, side = make_moons(60, noise=0.4, random_state=0)
new, truth = make_moons(1000, noise=0.4, random_state=1)
net = MLPClassifier((100, 100), learning_rate_init=0.01, random_state=0)
costs = []
for _ in range(300):
    net.partial_fit(moons, side, classes=[0, 1])
    costs.append(
        [log_loss(side, net.predict_proba(moons)), log_loss(truth, net.predict_proba(new))]
    )
training, validation = np.array(costs).T
best = int(validation.argmin())
print(
    f"stop after epoch {best}: later the cost on other rows goes from {validation[best]:.2f} to {validation[-1]:.2f}"
)
fig, ax = plt.subplots()
ax.plot(training, label="training rows")
ax.plot(validation, label="other rows")
ax.axvline(best, color="grey", linestyle=":")
ax.set(xlabel="epoch", ylabel="cross-entropy", ylim=(0, 2))
ax.legend()
