"""Credit: an expert's blocks of variables
=======================================

Whoever lends money knows that some variables belong together: what comes in and goes out, how old debts were
paid, who someone is. Each block can get a kernel of its own, and the path decides which blocks matter, and for
whom. The applicants are made up: they fail if debts are large for the income, *or* if late payments are recent.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from chemin import KernelBasisClassifierCV
from chemin.interpret import kernel_shares
from chemin.kernels import Gaussian, Linear
from chemin.plots import plot_explanation

drawing = np.random.default_rng(1)
X = pd.DataFrame(
    {
        "income": drawing.normal(size=300),
        "debt": drawing.normal(size=300),
        "late payments": drawing.normal(size=300),
        "months since": drawing.normal(size=300),
        "age": drawing.normal(size=300),
        "rooms": drawing.normal(size=300),
    },
    index=[f"A{k:03}" for k in range(300)],
)
burdened = X["debt"] - X["income"] > 1.0
careless = (X["late payments"] > 0.3) & (X["months since"] < 0.0)
y = np.where(burdened | careless, "fails", "pays")

# %%
# What the expert says: budget is a matter of degree, payments have a corner, and a person is hardly a reason.

blocks = [
    Linear().on(["income", "debt"]).named("budget"),
    Gaussian(1.0).on(["late payments", "months since"]).named("payments"),
    Gaussian(1.0).on(["age", "rooms"]).named("person"),
]
model = KernelBasisClassifierCV(blocks, positive="fails", random_state=0).fit(X[:200], y[:200])
print(
    f"{len(model.couples_)} couples; {1 - model.score(X[200:], y[200:]):.1%} wrong on new applicants"
)
print(kernel_shares(model))

# %%
# The reasons of one decision, as they can be told to the applicant.

failing = X[200:][y[200:] == "fails"].iloc[[0]]
print(model.explain(failing)[0])
plot_explanation(model.explain(failing)[0])
plt.show()
