"""Imbalance: one in fifty
=======================

Where one row in fifty is a fraud, the model that never sees any is right 98 times in a hundred. Weights say what a miss
costs; on an exact path a weight of 2 is the row twice, so they mean what they say.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from chemin import SparseSVCCV
from chemin.evaluate import choose_threshold, confusion
from chemin.plots import plot_roc

X, y = make_classification(
    3000, 20, n_informative=4, n_redundant=0, weights=[0.98], class_sep=0.9, random_state=3
)
y = np.where(y == 1, "fraud", "fair")
X, X_new, y, y_new = train_test_split(X, y, stratify=y, test_size=0.5, random_state=0)

# %%
# Without weights the best model is empty, and says why. With weights both classes count the same.

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    SparseSVCCV(tol=1e-3, random_state=0).fit(X, y)
print(said[0].message, end="\n\n")

model = SparseSVCCV(class_weight="balanced", scoring="balanced_accuracy", tol=1e-3, random_state=0)
model.fit(X, y)
print(f"{len(model.support_)} variables of 20; on new rows:")
print(confusion(y_new, model.predict(X_new)))

# %%
# The weighted decision can be cut anywhere: here, where a missed fraud costs ten times a false alarm.

print(choose_threshold(y, model.decision_function(X), positive="fraud", cost_false_negative=10.0))
plot_roc(model, X_new, y_new)
plt.show()
