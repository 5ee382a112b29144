"""A prediction with its uncertainty: two quantiles
================================================

How ill will a diabetic be in a year? A single number hides how little is known. Two conditional quantiles bound the
answer: a tenth of all patients should be below the lower one, a tenth above the upper one. Each quantile
chooses its own variables, and each is the end of an exact path.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from chemin import IntervalRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = IntervalRegressor(coverage=0.8).fit(X_train, y_train)
intervals = model.predict_interval(X_test)

# %%
# How often is the interval right on patients that were not used to fit it?

inside = (intervals[:, 0] <= y_test) & (y_test <= intervals[:, 1])
print(
    f"{inside.mean():.0%} of {len(y_test)} new patients lie in their interval; 80% were asked for"
)

# %%
# The bounds are far apart for some patients and close for others: that is what the median alone cannot say.

order = np.argsort(intervals.mean(axis=1))
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.vlines(range(len(order)), intervals[order, 0], intervals[order, 1], color="C0", alpha=0.4)
ax.plot(y_test.to_numpy()[order], ".", color="C1", label="measured")
ax.set(xlabel="new patients, by the middle of their interval", ylabel="progression after a year")
ax.legend()
plt.show()
