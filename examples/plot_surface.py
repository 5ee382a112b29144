"""The surface: every C of a support vector machine, and every λ₁ beside it
========================================================================

The dual solution is a surface over the plane of both penalties, flat on polygons. A ray across the plane meets
their edges in exact breakpoints. Along λ₁ = 0 that is the ordinary machine for every C, without a grid; other rays
cross into sparse models.
"""

import matplotlib.pyplot as plt
import numpy as np

import chemin
from chemin.datasets import breast_cancer

sample = breast_cancer()
X, y = sample.X[::2], sample.y[::2]
X_new, y_new = sample.X[1::2], sample.y[1::2]

# %%
# Three rays: no L1 penalty, a fixed one, and one that falls together with λ₂.

rays = {
    "λ₁ = 0": chemin.ray_path(X, y, l1=0.0, l2=(1e3, 1e-2)),
    "λ₁ = 5": chemin.ray_path(X, y, l1=5.0, l2=(1e3, 1e-2)),
    "λ₁ = λ₂ / 50": chemin.ray_path(X, y, l1=(20.0, 2e-4), l2=(1e3, 1e-2)),
}
for name, ray in rays.items():
    print(f"{name}: {len(ray.l2)} breakpoints, gap {ray.certificate().worst_gap:.0e}")

# %%
# Error on the other half, and the number of variables in use, for every λ₂ between.

l2 = np.geomspace(1e3, 1e-2, 60)
fig, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
for name, ray in rays.items():
    wrong = [np.mean((ray.decision_at(X_new, l2=v) > 0) != (y_new == "malignant")) for v in l2]
    top.semilogx(l2, wrong, label=name)
    bottom.semilogx(l2, [np.sum(ray.coef_at(l2=v) != 0) for v in l2])
top.set(ylabel="error on the other half")
top.legend()
bottom.set(xlabel="λ₂", ylabel="variables in use")
bottom.invert_xaxis()
plt.show()
