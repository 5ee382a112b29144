"""Which genes would be found again?
=================================

Seventy patients, two thousand genes: many short lists of genes separate the classes, and most of them are chance. The
genes here are made up, in modules of ten that rise and fall together; only the first two modules have to do with the
disease. A path on every half of the patients tells which genes keep coming back.
"""

import matplotlib.pyplot as plt
import numpy as np

import chemin
from chemin.plots import plot_stability

drawing = np.random.default_rng(0)
ill = np.repeat([False, True], 35)
modules = drawing.normal(size=(70, 200))  # each moves ten genes
modules[ill, :2] += 2.0
X = 0.8 * np.repeat(modules, 10, axis=1) + 0.6 * drawing.normal(size=(70, 2000))
y = np.where(ill, "ill", "healthy")

# %%
# One path holds the models of every length, each proved to be optimal.

path = chemin.svm_path(X, y, l2=100.0, min_ratio=0.05)
print(path.status)
print(f"largest relative duality gap: {path.certificate(midpoints=True).worst_gap:.0e}")

# %%
# A ridge penalty lets genes of a module enter together. How many of the genes chosen at some λ₁ are right?

for share in (0.7, 0.4, 0.1):
    chosen = np.flatnonzero(path.coef_at(share * path.l1[0]))
    print(
        f"λ₁ = {share} of the largest: {len(chosen)} genes, {np.sum(chosen < 20)} of the right ones"
    )

# %%
# Genes that are selected on most halves of the patients, with a bound on how many of them are there by chance.

found = chemin.stability(X, y, l2=100.0, resamples=40, random_state=0)
kept = np.asarray(found.selected())
print(f"{len(kept)} genes are kept, {np.sum(kept < 20)} of them right")
plot_stability(found)
plt.show()
