"""Handwriting: where do a 4 and a 9 differ?
=========================================

A kernel on every window of an image compares two digits at one place only. The path chooses few couples
(training image, window): the places at which a 4 and a 9 differ, and an image that shows it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from chemin import KernelBasisClassifierCV
from chemin.kernels import Gaussian, windows
from chemin.plots import plot_couple_images

images, digits = load_digits(return_X_y=True)
pair = np.isin(digits, (4, 9))
X, X_new, y, y_new = train_test_split(images[pair] / 16, digits[pair], random_state=0)

# %%
# Nine windows of 4 × 4 pixels, and all training images: some thousands of couples are offered.

family = windows((8, 8), size=4, stride=2, kernel=Gaussian(1.0))
model = KernelBasisClassifierCV(family, random_state=0).fit(X, y)
print(f"{len(model.couples_)} couples of {len(family) * len(X)} offered")
print(f"{1 - model.score(X_new, y_new):.1%} wrong on {len(y_new)} new images")

# %%
# The couples that carry most of the decision. The frame is what the kernel compares.

plot_couple_images(model, (8, 8), top=6)
plt.show()
