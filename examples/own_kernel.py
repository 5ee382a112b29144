"""A kernel of one's own: how many short pieces two sequences share, used, explained, saved and loaded again.

A kernel is a frozen dataclass that derives from `chemin.kernels.Kernel`. Its fields are its parameters and make its
name; four answers are asked of it. Run with ``python examples/own_kernel.py``.
"""

from __future__ import annotations

import pathlib
import tempfile
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import chemin
from chemin.kernels import Kernel


@dataclass(frozen=True)
class Pieces(Kernel):
    """k(x, z) = Σ_w n_w(x) n_w(z) / (|n(x)| |n(z)|), n_w(x) the number of times the piece w of some length is in x."""

    length: int = 3

    numeric = False  # points are texts, not rows of numbers
    positive = (
        True  # an inner product of the counts: every matrix k(X, X) is positive semi-definite
    )

    def __call__(self, X: Any, Z: Any) -> np.ndarray:
        left = [self._counts(text) for text in texts_of(X)]
        right = [self._counts(text) for text in texts_of(Z)]
        return np.array([[_cosine(x, z) for z in right] for x in left]).reshape(
            len(left), len(right)
        )

    def diagonal(self, X: Any) -> np.ndarray:
        return np.array([float(bool(self._counts(text))) for text in texts_of(X)])

    def _counts(self, text: str) -> Counter[str]:
        return Counter(text[k : k + self.length] for k in range(len(text) - self.length + 1))


def texts_of(points: Any) -> list[str]:
    """Return the texts of a list, or of a table of one column, which is how estimators hand points on."""
    return [str(text) for text in np.asarray(points, dtype=object).ravel()]


def _cosine(left: Counter[str], right: Counter[str]) -> float:
    product = sum(count * right[piece] for piece, count in left.items())
    size = sum(count**2 for count in left.values()) * sum(count**2 for count in right.values())
    return product / size**0.5 if size else 0.0


def sequences(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return sequences of the letters ACGT, half of which hold the motif TATAAA, and their labels."""
    rng = np.random.default_rng(seed)
    made, labels = [], []
    for number in range(count):
        letters = rng.choice(list("ACGT"), 20)
        if number % 2:
            start = rng.integers(0, 14)
            letters[start : start + 6] = list("TATAAA")
        made.append("".join(letters))
        labels.append("promoter" if number % 2 else "other")
    return made, labels


def main() -> None:
    """Fit, explain, save, load."""
    X, y = sequences(80)
    new, truth = sequences(200, seed=1)
    kernels = [Pieces(3), Pieces(5)]
    model = chemin.KernelBasisClassifierCV(kernels, positive="promoter", random_state=0).fit(X, y)
    print(f"{model.n_terms_} couples, {model.score(new, truth):.0%} right on new sequences")
    print(model.explain(new[:1])[0].summary(top=3))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "promoters.skops"
        chemin.save(model, file)
        own = f"{Pieces.__module__}.Pieces"  # a type the file may name because you say so
        again = chemin.load(file, trusted=[own])
    print(
        "loaded again, the same decisions:", bool((again.predict(new) == model.predict(new)).all())
    )


if __name__ == "__main__":
    main()
