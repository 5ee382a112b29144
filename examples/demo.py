"""Which measures tell a benign tumour from a malignant one? The whole exact path, in one run.

Run it with ``python examples/demo.py --out demo``: it prints what the path says and draws it in ``demo/path.png``.
"""

from __future__ import annotations

import argparse
import pathlib
import time

import numpy as np

import chemin
from chemin.datasets import breast_cancer
from chemin.plots import plot_path

N_FIRST, N_LEGIBLE = 8, 6


def entries(path: chemin.Path) -> list[tuple[int, float, float]]:
    """Return the variables in the order in which they enter: index, l1, sign of the coefficient then."""
    columns = path.coef.tocsc()
    entered = []
    for j in np.flatnonzero(np.diff(columns.indptr)):
        first = columns.indptr[j]  # the first breakpoint with a coefficient, one after that of the entry
        entered.append(
            (int(j), float(path.l1[max(columns.indices[first] - 1, 0)]), float(np.sign(columns.data[first])))
        )
    return sorted(entered, key=lambda entry: -entry[1])


def legible_l1(path: chemin.Path, size: int) -> float:
    """Return the smallest l1 before the model first has more than `size` variables."""
    return float(path.events.l1[np.argmax(path.events.active > size)])


def main(out: pathlib.Path) -> None:
    """Follow the path, certify it, tell it, draw it."""
    sample = breast_cancer()
    n, p = sample.X.shape
    begin = time.perf_counter()
    path = chemin.svm_path(sample.columns, sample.y, l2=1.0)
    seconds = time.perf_counter() - begin
    certificate = path.certificate()
    print(f"{n} tumours, {p} measures. Positive coefficients speak for {path.classes[1]}.")
    print(f"{path.status} It took {seconds:.2f} s.")
    print(f"Every breakpoint is certified: the worst relative duality gap is {certificate.worst_gap:.1e}.\n")

    first = entries(path)[:N_FIRST]
    print("The first measures to enter:\n      l1  sign  measure")
    for j, l1, sign in first:
        print(f"  {l1:6.1f}   {'+' if sign > 0 else '−'}    {sample.names[j]}")

    l1 = legible_l1(path, N_LEGIBLE)
    coef, decision = path.coef_at(l1), path.decision_at(sample.X, l1)
    accuracy = np.mean(path.classes[(decision > 0).astype(int)] == sample.y)
    print(
        f"\nA model to read, at l1 = {l1:.1f}: {np.count_nonzero(coef)} measures, {accuracy:.1%} of these tumours right"
    )
    for j in np.argsort(-np.abs(coef))[: np.count_nonzero(coef)]:
        print(f"  {coef[j]:+7.3f}   {sample.names[j]}")

    out.mkdir(parents=True, exist_ok=True)
    picture = out / "path.png"
    plot_path(path, certificate=certificate, highlight=[j for j, _, _ in first]).savefig(picture, dpi=160)
    print(f"\nThe whole path is drawn in {picture}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"), help="folder of the picture")
    main(parser.parse_args().out)
