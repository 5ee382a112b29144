"""N. Baskiotis, lecture 6: what can be promised, votes, codes, and how to judge."""

# %% theory
from chemin import theory

print(
    theory.finite_class(1000, epsilon=0.05, delta=0.05).n, "rows for a thousand functions, to 5 %"
)
print(theory.vc_bound(3, n=10_000, delta=0.05))
print(theory.no_free_lunch())

# %% risk
theory.structural_risk(
    [0.4, 0.22, 0.1, 0.08, 0.07], sizes=[2, 2**4, 2**10, 2**30, 2**80], n=2000
).plot()

# %% bootstrap
import numpy as np

n = 10_000
drawn = np.random.default_rng(0).integers(n, size=n)
print(f"a bootstrap sample holds {len(set(drawn)) / n:.1%} of the rows")

# %% confusion
from chemin.evaluate import confusion

worked = confusion(["+"] * 5 + ["-"] * 5, ["+"] * 2 + ["-"] * 3 + ["+"] + ["-"] * 4)
print(worked)
worked.plot()

# %% codes
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chemin.multiclass import ECOC, ClassTree, OneVsOne, OneVsRest

X, y = load_digits(return_X_y=True)
base = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
for scheme in (OneVsRest(base), OneVsOne(base), ECOC(base, random_state=0), ClassTree(base)):
    model = scheme.fit(X[::2], y[::2])
    print(
        f"{type(scheme).__name__:10} {model.n_machines_:3} machines, {1 - model.score(X[1::2], y[1::2]):.1%} wrong"
    )

# %% boosting
print(theory.boosting_bound([0.3] * 20))

# %% tests
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from chemin.evaluate import corrected_t, cross_validate, make_splits

table, ill = load_breast_cancer(return_X_y=True)
splits = make_splits(len(ill), ill, folds=5, repeats=2)
one = cross_validate(DecisionTreeClassifier(random_state=0), table, ill, splits)
two = cross_validate(base, table, ill, splits)
print(
    corrected_t(
        two.scores.values,
        one.scores.values,
        splits=splits,
        names=("logistic", "tree"),
        greater_is_better=False,
    )
)
