"""Which tables come along? Those of scikit-learn, and a small one of made-up patients, by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from chemin.tables.files.grid import Grid
from chemin.tables.notes import Guess

PATIENTS = "patients"


def _of_scikit_learn(name: str) -> Callable[[], Grid]:
    def load() -> Grid:
        import sklearn.datasets

        data: Any = getattr(sklearn.datasets, f"load_{name}")()
        X, y = np.asarray(data.data), np.asarray(data.target)
        if hasattr(data, "target_names"):
            y = np.asarray(data.target_names).astype(str).astype(object)[y]
        names = [
            str(column)
            for column in getattr(data, "feature_names", [f"x{j}" for j in range(X.shape[1])])
        ]
        guess = Guess("target", "'target'", "the data set has one", "target", "target")
        shape = data.images.shape[1:] if "images" in data else None
        return Grid(
            [*names, "target"], [*X.T, y], guesses=[guess], target="target", image_shape=shape
        )

    return load


BUNDLED: dict[str, Callable[[], Grid]] = {
    "breast-cancer": _of_scikit_learn("breast_cancer"),
    "diabetes": _of_scikit_learn("diabetes"),
    "digits": _of_scikit_learn("digits"),
    "iris": _of_scikit_learn("iris"),
    "wine": _of_scikit_learn("wine"),
}


def patients_file() -> Path:
    """Return the path of the bundled patients: a CSV file with semicolons, decimal commas, dates and gaps."""
    return Path(str(resources.files("chemin.tables") / "patients.csv"))
