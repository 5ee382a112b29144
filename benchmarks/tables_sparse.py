"""Is sparse input fitted without being made dense? Time, error and peak memory, beside the dense bytes.

    python benchmarks/tables_sparse.py MODEL FOLDER     # one measurement, in a process of its own

Each row is measured in a fresh process that loads the CSR arrays and fits. Peak memory is that of the
process, less what it had after its imports; the CSR arrays themselves are included.
"""

from __future__ import annotations

import one_thread  # isort: skip  # noqa: F401  # before numpy is loaded

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC
from tables_data import AbsentError, Table, load_sparse, say

from chemin.estimators import SparseSVC

SETS = (
    *(("spambase", 10.0), ("windows_hockey", 1.0), ("basehock", 1.0), ("pcmac", 1.0)),
    *(("synthetic", 4.0), ("synthetic", 2.0)),
)
MODELS = ("SparseSVC", "LinearSVC")
NOTE = (
    "CSR input, a third held out; l1 as given, not tuned, and l2 = 1, against `LinearSVC(penalty='l1', dual=False,"
    " C=1/l1)` (squared hinge) on the same arrays. *Seconds* of processor, on one thread. *Peak* is the memory of a"
    " fresh process above its imports; *dense* and *CSR* are the bytes of the training part in either form. Synthetic:"
    " rows of 200 words among 200 000."
)
MB = 1e6


def peak_bytes() -> int:
    """The largest memory this process has had.

    Linux counts the memory of the parent in `ru_maxrss` when a process is started, hence /proc first.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def new_model(name: str, l1: float) -> Any:
    """An unfitted classifier."""
    if name == "SparseSVC":
        return SparseSVC(l1=l1)
    return LinearSVC(penalty="l1", dual=False, C=1.0 / l1, max_iter=10_000, random_state=0)


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Fit in this process, and say what it took."""
    before = peak_bytes()
    X, test = (sparse.load_npz(folder / f"{part}.npz") for part in ("train", "test"))
    labels = np.load(folder / "labels.npz")
    l1 = float(labels["l1"])
    start = time.process_time()
    model = new_model(name, l1).fit(X, labels["train"])
    seconds = time.process_time() - start
    peak = peak_bytes() - before
    error = float(np.mean(model.predict(test) != labels["test"]))
    events = int(model.n_iter_[0]) if name == "SparseSVC" else None
    variables = int(np.count_nonzero(model.coef_))
    return {
        "seconds": seconds,
        "peak": peak,
        "error": error,
        "events": events,
        "variables": variables,
    }


def write_parts(X: sparse.csr_array, y: np.ndarray, l1: float, folder: Path) -> sparse.csr_array:
    """Leave the two parts where the measuring process finds them; give the training part."""
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=1 / 3, random_state=0, stratify=y
    )
    sparse.save_npz(folder / "train.npz", train, compressed=False)
    sparse.save_npz(folder / "test.npz", test, compressed=False)
    np.savez(folder / "labels.npz", train=y_train, test=y_test, l1=l1)
    return train


def measure_apart(model: str, folder: Path, limit: float) -> dict[str, Any]:
    """Measure in a fresh process; say so where it fails or takes too long."""
    command = [sys.executable, str(Path(__file__).resolve()), model, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return {"seconds": f"over {limit:g}"}
    except subprocess.CalledProcessError as failure:
        return {"seconds": f"failed: {(failure.stderr.strip() or 'no message').splitlines()[-1]}"}
    seen = json.loads(done.stdout)
    return {
        "seconds": f"{seen['seconds']:.2f}",
        "peak MB": f"{seen['peak'] / MB:.1f}",
        "error": f"{seen['error']:.3f}",
        "variables": seen["variables"],
        "events": seen["events"] or "",
    }


def compare(name: str, l1: float, data: Path | None, limit: float) -> list[dict[str, Any]]:
    """Both classifiers on one set of data."""
    X, y = load_sparse(name, data)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        train = write_parts(X, y, l1, Path(folder))
        n, p = train.shape
        csr = train.data.nbytes + train.indices.nbytes + train.indptr.nbytes
        for model in MODELS:
            row = {"data": name, "n × p": f"{n} × {p}", "density": f"{train.nnz / (n * p):.1e}"}
            row |= {
                "CSR MB": f"{csr / MB:.1f}",
                "dense MB": f"{8 * n * p / MB:.1f}",
                "l1": f"{l1:g}",
            }
            rows.append(row | {"model": model} | measure_apart(model, Path(folder), limit))
            say(f"[{name}] {rows[-1]}")
    return rows


def make_sparse(data: Path | None, limit: float) -> Table:
    """The whole table."""
    rows: list[dict[str, Any]] = []
    for name, l1 in SETS:
        try:
            rows.extend(compare(name, l1, data, limit))
        except AbsentError as reason:
            rows.append({"data": name, "model": f"absent: {reason}"})
    return Table("sparse", NOTE, rows)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
