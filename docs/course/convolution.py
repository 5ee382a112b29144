"""Chapter 10: filters that are shared by all places of an image."""

# %% filters
import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter, prewitt
from sklearn.datasets import load_sample_image

image = load_sample_image("china.jpg").mean(axis=2)[::3, ::3]
filtered = {
    "Dirac": image,
    "Gaussian, σ = 1": gaussian_filter(image, 1.0, radius=2, mode="constant"),
    "Prewitt, vertical edges": prewitt(image, axis=1, mode="constant"),
    "Prewitt, horizontal edges": prewitt(image, axis=0, mode="constant"),
}
fig, axes = plt.subplots(2, 2, figsize=(9, 6.4))
for ax, (name, seen) in zip(axes.flat, filtered.items(), strict=True):
    ax.imshow(seen, cmap="gray")
    ax.set_title(name)
    ax.axis("off")

# %% sharing
side, depth, filters, width = 224, 3, 64, 3
shared = filters * (width * width * depth + 1)
dense = filters * side * side * (side * side * depth + 1)
print(f"first layer of VGG16: {shared} shared weights; without sharing they would be {dense:.1e}")

# %% vgg
blocks = [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)]
weights, channels = 0, 3
for layers, features in blocks:
    for _ in range(layers):
        weights += features * (9 * channels + 1)
        channels = features
for inputs, outputs in ((7 * 7 * 512, 4096), (4096, 4096), (4096, 1000)):
    weights += outputs * (inputs + 1)
print(f"VGG16 has {weights:,} weights")

# %% pooling
square = np.array([[1, 3, 2, 1], [4, 6, 5, 0], [3, 1, 9, 8], [2, 0, 7, 4]])
print(square.reshape(2, 2, 2, 2).max(axis=(1, 3)))

# %% windows
from sklearn.datasets import load_digits

from chemin import KernelBasisClassifier
from chemin.kernels import Gaussian, windows
from chemin.plots import plot_couple_images

images, digit = load_digits(return_X_y=True)
pair = np.isin(digit, (3, 8))
X, y = images[pair] / 16.0, digit[pair]
kernels = windows((8, 8), 4, 2, Gaussian(1.0))
model = KernelBasisClassifier(kernels, l1=5.0, l2=1e-3).fit(X[::2], y[::2])
print(
    f"{len(model.couples_)} couples (digit, window); {1 - model.score(X[1::2], y[1::2]):.1%} wrong on the other half"
)
plot_couple_images(model, (8, 8), top=6)
