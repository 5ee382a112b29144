"""On which data are the tables made, and how do they read?

A data folder holds one sub-folder per set with `.npz` files of arrays `X` (n, p) and `y` (-1 or +1).
"""

from __future__ import annotations

import json
import platform
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import Normalizer, StandardScaler

import chemin

FILES = {
    "golub": "golub_leukemia/golub_leukemia",
    "colon": "colon_alon/colon_alon",
    "prostate": "prostate_singh/prostate_singh",
    "spambase": "spambase/spambase",
    "heart": "heart_statlog/heart_statlog",
    "ionosphere": "ionosphere/ionosphere",
    "pima": "pima_diabetes/pima_diabetes",
    "german": "german_credit/german_credit",
    "basehock": "newsgroups/basehock",
    "pcmac": "newsgroups/pcmac",
    "windows_hockey": "newsgroups/windows_hockey",
}
PACKAGES = ("numpy", "scipy", "scikit-learn", "rehline", "interpret-core")


class AbsentError(Exception):
    """A row that cannot be made here, and why."""


@dataclass(frozen=True)
class Table:
    """Titled rows, with a sentence on how they were made and one on what they say."""

    name: str
    note: str
    rows: list[dict[str, Any]]
    summary: str = ""

    def markdown(self) -> str:
        """The rows as a Markdown table, missing cells left empty."""
        titles = list(dict.fromkeys(title for row in self.rows for title in row))
        lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
        lines += [
            "| " + " | ".join(str(row.get(title, "")) for title in titles) + " |"
            for row in self.rows
        ]
        below = ["", self.summary] if self.summary else []
        return "\n".join([f"## {self.name}", "", self.note, "", *lines, *below, ""])

    def save(self, folder: Path, settings: dict[str, Any]) -> None:
        """Write `NAME.md` and `NAME.json`, with hyphens for what is not a letter in the name."""
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"\W+", "-", self.name)
        record = {"table": self.name, "note": self.note, "summary": self.summary}
        record |= {"settings": settings}
        record |= {"environment": environment(), "rows": self.rows}
        (folder / f"{name}.md").write_text(self.markdown(), encoding="utf-8")
        (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def environment() -> dict[str, Any]:
    """What a reader needs to compare figures."""
    versions = {"chemin": getattr(chemin, "__version__", "source")}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "absent"
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": versions,
    }


def say(text: str) -> None:
    """A sign of life."""
    print(text, file=sys.stderr, flush=True)


def read_arrays(name: str, data: Path | None) -> dict[str, np.ndarray]:
    """The arrays of one file."""
    if data is None:
        raise AbsentError("give its folder with --data DIR")
    path = data / f"{FILES[name]}.npz"
    if not path.is_file():
        raise AbsentError(f"no file {FILES[name]}.npz under the --data folder")
    with np.load(path, allow_pickle=False) as arrays:
        return {key: arrays[key] for key in arrays.files}


def load_genes(name: str, data: Path | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Expressions, labels and, where there is one, the published test part.

    The values of golub are raw intensities: they are cut to [100, 16000] and their log2 is taken.
    """
    arrays = read_arrays(name, data)
    X = arrays["X"].astype(float)
    return (
        np.log2(np.clip(X, 100, 16000)) if name == "golub" else X,
        arrays["y"],
        arrays.get("is_test"),
    )


def load_sparse(name: str, data: Path | None) -> tuple[sparse.csr_array, np.ndarray]:
    """A table as CSR, zeros kept: columns in units of their deviation, or log(1 + count) in rows of norm 1."""
    if name == "synthetic":
        return synthetic_text()
    arrays = read_arrays(name, data)
    X = sparse.csr_array(arrays["X"].astype(float))
    scaled = StandardScaler(with_mean=False).fit_transform(X) if name == "spambase" else X.log1p()
    return sparse.csr_array(
        scaled if name == "spambase" else Normalizer().fit_transform(scaled)
    ), arrays["y"]


def synthetic_text(
    n: int = 2000, p: int = 200_000, words: int = 200, seed: int = 0
) -> tuple[sparse.csr_array, Any]:
    """Rows of `words` words among p, word ⌊p u³⌋ for uniform u; 50 of the 200 commonest tell the class."""
    rng = np.random.default_rng(seed)
    column = (p * rng.random((n, words)) ** 3).astype(np.int32)
    starts = np.arange(0, n * words + 1, words, dtype=np.int32)  # LinearSVC takes no 64-bit indices
    X = sparse.csr_array((np.ones(n * words), column.ravel(), starts), shape=(n, p))
    X.sum_duplicates()
    X = sparse.csr_array(Normalizer().fit_transform(X))
    weight = np.zeros(p)
    weight[rng.choice(200, 50, replace=False)] = rng.standard_normal(50)
    score = X @ weight
    return X, np.where(score > np.median(score), 1, -1)
