"""Text beside numbers: what a doctor wrote
========================================

A table of patients has ages, pressures, towns and a column of sentences. `Prepare` makes columns of numbers of all of
them and remembers where each came from, so that the explanation speaks of the sentence, not of column 17.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import chemin
from chemin.interpret import explain
from chemin.plots import plot_explanation

table = chemin.read("patients", target="diagnostic")
print(table.X[["âge", "tension", "observation"]].head(3).to_string())

# %%
# The same pipeline with the sentences and without them.

X, X_new, y, y_new = train_test_split(table.X, table.y, random_state=0)
for columns in (list(X), [name for name in X if name != "observation"]):
    model = make_pipeline(chemin.Prepare(), chemin.SparseSVCCV(standardize=True, random_state=0))
    model.fit(X[columns], y)
    heard = "with" if "observation" in columns else "without"
    print(
        f"{heard} the sentences: {1 - model.score(X_new[columns], y_new):.0%} of new patients wrong"
    )

# %%
# What one patient's sentence says, beside the numbers.

model = make_pipeline(chemin.Prepare(), chemin.SparseSVCCV(standardize=True, random_state=0))
reason = explain(model.fit(X, y), X_new.iloc[[3]])[0]
print(reason)
plot_explanation(reason)
plt.show()
