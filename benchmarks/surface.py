"""What does the whole plane of both penalties cost, and is every solution in it optimal?

    python benchmarks/surface.py svc                # along l2 at l1 = 0, beside SVC for 50 values of C
    python benchmarks/surface.py cells [--data DIR] [--rows breast-cancer,golub,gaussian,wide]
    python benchmarks/surface.py region [--rows …]     # the region of least cross-validated error, beside 200 paths
    python benchmarks/surface.py ppopt                 # beside PPOPT, on problems that it can do

The rectangle is l1 from a hundredth of the largest useful one to that, and l2 from 0.01 to 100. Breast-cancer is
standardised, with 569 rows and 30 columns. Golub has 72 rows, and the 20 genes of largest t-statistic on all of them:
they are selected beforehand, with the labels, and errors on these data would flatter. One thread.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import pathlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import ttest_ind
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

import chemin
from chemin.dictionaries.base import Floats

L2 = (1e-2, 1e2)
RATIO = 0.01
RANDOM = 1000
MOST = 2_000_000
PATHS = 200


def breast_cancer(_: pathlib.Path) -> tuple[Floats, Any]:
    """569 × 30."""
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def golub(folder: pathlib.Path) -> tuple[Floats, Any]:
    """72 × 20, the genes selected beforehand."""
    with np.load(folder / "golub_leukemia" / "golub_leukemia.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(float), file["y"]
    t = np.nan_to_num(np.abs(ttest_ind(X[y > 0], X[y < 0], axis=0).statistic))
    return scale(X[:, np.argsort(-t)[:20]]), y


def gaussian(_: pathlib.Path) -> tuple[Floats, Any]:
    """100 × 10: two classes one unit apart on five variables."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    return rng.normal(size=(100, 10)) + np.outer(y, np.arange(10) < 5), y


def wide(_: pathlib.Path) -> tuple[Floats, Any]:
    """30 × 300: two classes one unit apart on ten variables."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    return rng.normal(size=(30, 300)) + np.outer(y, np.arange(300) < 10), y


ROWS: dict[str, Callable[[pathlib.Path], tuple[Floats, Any]]] = {
    "golub": golub,
    "gaussian": gaussian,
    "wide": wide,
    "breast-cancer": breast_cancer,
}
BITS = 64.0  # standardised columns rounded to so many parts of one: their products are exact in 32 bits


def along_l2() -> None:
    """Follow l2 at l1 = 0, and compare with separate fits: of the data as they are, and rounded.

    LIBSVM keeps products of rows in 32 bits. Columns that are rounded have products that need no more.
    """
    X, y = breast_cancer(pathlib.Path())
    chemin.ray_path(X, y, l1=0.0, l2=(L2[1], L2[0]))  # so that everything is loaded
    beside_svc("as they are", X, y)
    beside_svc(f"in parts of 1/{BITS:.0f}", np.round(BITS * X) / BITS, y)


def beside_svc(name: str, X: Floats, y: Any) -> None:
    """Follow l2 at l1 = 0, and compare with 50 fits."""
    products = X @ X.T
    lost = np.abs(products.astype(np.float32) - products).max()
    start = time.perf_counter()
    path = chemin.ray_path(X, y, l1=0.0, l2=(L2[1], L2[0]))
    ours = time.perf_counter() - start
    apart = []
    gaps = []
    theirs = 0.0
    for C in np.geomspace(1.0 / L2[1], 1.0 / L2[0], 50):
        start = time.perf_counter()
        other = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
        theirs += time.perf_counter() - start
        decisions = path.decision_at(X, l2=1.0 / C)
        apart.append(np.abs(decisions - other.decision_function(X)).max())
        proof = chemin.certify(X, y, other.coef_[0], other.intercept_[0], 0.0, 1.0 / C)
        gaps.append(proof.worst_gap)
    close = np.array(apart) <= 1e-5
    print(
        f"Columns {name}; 32 bits change products by {lost:.0e} at most.\n"
        f"{path} Worst gap {path.certificate().worst_gap:.1e}; {ours:.3f} s.\n"
        f"50 fits of SVC: {theirs:.2f} s, {theirs / ours:.1f} times; 100: {2.0 * theirs / ours:.1f} times.\n"
        f"Decisions differ by at most 1e-5 at {close.sum()} of 50, and by {max(apart):.1e} at most; SVC's gap is "
        f"{max(gaps):.1e} at most",
        flush=True,
    )


def cells(names: list[str], folder: pathlib.Path) -> None:
    """Find all cells of each data set, and certify random points."""
    for name in names:
        X, y = ROWS[name](folder)
        start = time.perf_counter()
        cpu = time.process_time()
        surface = chemin.svm_surface(X, y, l2=L2, max_cells=MOST)
        seconds = time.perf_counter() - start
        cpu = time.process_time() - cpu
        rng = np.random.default_rng(1)
        l1 = np.exp(rng.uniform(*np.log(surface.l1), RANDOM))
        l2 = np.exp(rng.uniform(*np.log(surface.l2), RANDOM))
        start = time.perf_counter()
        worst = surface.certificate(l1, l2).worst_gap
        asked = time.perf_counter() - start
        frame = surface.frame()
        sides = np.ptp(surface.l1) * np.ptp(surface.l2)
        print(
            f"{name}, {X.shape[0]} × {X.shape[1]}: {len(surface)} cells in {seconds:.1f} s ({cpu:.1f} s of CPU), areas "
            f"add up to 1 but for {abs(1.0 - frame['area'].sum() / sides):.0e}; worst gap at {RANDOM} random points "
            f"{worst:.1e}, {1e3 * asked / RANDOM:.2f} ms each; "
            f"{surface.n_active.min()} to {surface.n_active.max()} active variables",
            flush=True,
        )


def region(names: list[str], folder: pathlib.Path) -> None:
    """Find the exact region of least cross-validated error, and the least of separate paths, exact along l1."""
    for name in names:
        X, y = ROWS[name](folder)
        start = time.process_time()
        model = chemin.SparseSVCCV(l2="surface", min_ratio=RATIO).fit(X, y)
        ours = time.process_time() - start
        lowest = RATIO * float(model.path_.l1[0])
        start = time.process_time()
        paths = chemin.SparseSVCCV(l2=np.geomspace(*L2, PATHS), min_l1=lowest, min_ratio=0.0)
        errors = np.array(paths.fit(X, y).cv_results_["error"])
        theirs = time.process_time() - start
        least = model.region_.error
        print(
            f"{name}: {model.region_} {ours:.1f} s of CPU. Best of "
            f"{PATHS} paths errs {errors.min():.6f}; better: {(errors < least - 1e-12).sum()}, as good: "
            f"{(errors <= least + 1e-12).sum()}; {theirs:.1f} s of CPU",
            flush=True,
        )


def beside_ppopt() -> None:
    """Find the cells of small problems, and the critical regions that PPOPT finds of the same quadratic program.

    With B = l2 b it is to minimise ½‖B‖² + l1 Σt + Σξ over |B| ≤ t, ξ ≥ 0 and ξ ≥ l2 − y (B0 + X·B). PPOPT wants a
    positive definite matrix: t, ξ and B0 have a ridge of 1e-6 there.
    """
    from ppopt.mp_solvers.solve_mpqp import mpqp_algorithm, solve_mpqp
    from ppopt.mpqp_program import MPQP_Program

    for n, p in ((6, 2), (8, 2)):
        rng = np.random.default_rng(n)
        y = np.arange(n) % 2
        X = rng.normal(size=(n, p)) + y[:, None]
        start = time.perf_counter()
        surface = chemin.svm_surface(X, y, l2=(0.1, 10.0))
        ours = time.perf_counter() - start
        sign = 2.0 * y[:, None] - 1.0
        eye = np.eye(p)
        none = np.zeros((p, n + 1))
        rows = -sign * X
        A = np.block([
            [eye, -eye, none],
            [-eye, -eye, none],
            [rows, np.zeros((n, p)), -sign, -np.eye(n)],
            [np.zeros((n, 2 * p + 1)), -np.eye(n)],
        ])  # fmt: skip
        F = np.zeros((len(A), 2))
        F[2 * p : 2 * p + n, 1] = -1.0
        size = A.shape[1]
        cost = np.zeros((size, 1))
        cost[2 * p + 1 :] = 1.0
        H = np.zeros((size, 2))
        H[p : 2 * p, 0] = 1.0
        Q = np.diag(np.where(np.arange(size) < p, 1.0, 1e-6))
        box = np.vstack([np.eye(2), -np.eye(2)])
        ends = np.array([surface.l1[1], surface.l2[1], -surface.l1[0], -surface.l2[0]])[:, None]
        program = MPQP_Program(A, np.zeros((len(A), 1)), cost, H, Q, box, ends, F)
        start = time.perf_counter()
        found = solve_mpqp(program, mpqp_algorithm.graph)
        theirs = time.perf_counter() - start
        low, high = np.array([surface.l1, surface.l2]).T
        apart = []
        missed = 0
        for l1, l2 in rng.uniform(low, high, size=(200, 2)):
            solution = found.evaluate(np.array([[l1], [l2]]))
            missed += solution is None
            if solution is not None:
                apart.append(np.abs(solution[:p, 0] / l2 - surface.coef_at(l1, l2)).max())
        print(
            f"{n} × {p}: {len(surface)} cells in {ours:.3f} s; PPOPT {len(found.critical_regions)} critical regions "
            f"in {theirs:.1f} s, {theirs / ours:.0f} times; coefficients at 200 points differ by {max(apart):.0e}, "
            f"and at {missed} it has none",
            flush=True,
        )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("svc", "cells", "region", "ppopt"))
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
    given = parser.parse_args()
    print(one_thread.THREADS)
    warnings.simplefilter("ignore")
    if given.what == "svc":
        along_l2()
    if given.what == "cells":
        cells(given.rows.split(","), given.data)
    if given.what == "region":
        region(given.rows.split(","), given.data)
    if given.what == "ppopt":
        beside_ppopt()


if __name__ == "__main__":
    main()
