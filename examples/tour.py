"""Why is this patient called ill, which measures tell tumours apart, and which couples two shapes?

Run it with ``python examples/tour.py --out demo``: it prints what a file, a path, a classifier and a basis of couples
say, and draws ``demo/patient.png``, ``demo/path.png`` and ``demo/couples.png``.
"""

from __future__ import annotations

import argparse
import pathlib
import time

import numpy as np
from sklearn.pipeline import make_pipeline

import chemin
from chemin.datasets import TOYDATA1, Sample, breast_cancer, toydata1
from chemin.kernels import Gaussian
from chemin.plots import plot_boundary, plot_explanation, plot_path

N_FIRST, N_LEGIBLE = 8, 6
PATIENT = 10  # the row that is explained


def tell_patient(out: pathlib.Path) -> None:
    """Read a file, prepare it, fit, and ask why one patient is decided as it is."""
    table = chemin.read("patients", target="diagnostic")
    print(f"{table}\n")
    estimator = chemin.KernelBasisClassifierCV(positive="malade", random_state=0)
    model = make_pipeline(chemin.Prepare(), estimator).fit(table.X, table.y)
    error = estimator.cv_results_["error"][0]
    print(
        f"{estimator.n_terms_} terms, {error:.1%} of held-out patients wrong. Why one is called ill:"
    )
    explanation = chemin.interpret.explain(model, table.X[PATIENT : PATIENT + 1])[0]
    print(explanation)
    picture = out / "patient.png"
    plot_explanation(explanation).figure.savefig(picture, dpi=160)
    print(f"\nThe decision is drawn in {picture}\n")


def entries(path: chemin.Path) -> list[tuple[int, float, float]]:
    """Return the variables in the order in which they enter: index, l1, sign of the coefficient then."""
    columns = path.coef.tocsc()
    entered = []
    for j in np.flatnonzero(np.diff(columns.indptr)):
        first = columns.indptr[
            j
        ]  # the first breakpoint with a coefficient, one after that of the entry
        entered.append(
            (
                int(j),
                float(path.l1[max(columns.indices[first] - 1, 0)]),
                float(np.sign(columns.data[first])),
            )
        )
    return sorted(entered, key=lambda entry: -entry[1])


def legible_l1(path: chemin.Path, size: int) -> float:
    """Return the smallest l1 before the model first has more than `size` variables."""
    return float(path.events.l1[np.argmax(path.events.active > size)])


def tell_path(sample: Sample, out: pathlib.Path) -> None:
    """Follow the path, certify it, tell it, draw it."""
    n, p = sample.X.shape
    begin = time.perf_counter()
    path = chemin.svm_path(sample.columns, sample.y, l2=1.0)
    seconds = time.perf_counter() - begin
    certificate = path.certificate()
    print(f"{n} tumours, {p} measures. Positive coefficients speak for {path.classes[1]}.")
    print(f"{path.status} It took {seconds:.2f} s.")
    print(
        f"Every breakpoint is certified: the worst relative duality gap is {certificate.worst_gap:.1e}.\n"
    )

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

    picture = out / "path.png"
    plot_path(path, certificate=certificate, highlight=[j for j, _, _ in first]).savefig(
        picture, dpi=160
    )
    print(f"\nThe whole path is drawn in {picture}")


def tell_decision(sample: Sample) -> None:
    """Let the folds choose l1, and ask why one tumour is decided as it is."""
    model = chemin.SparseSVCCV(rule="1se", random_state=0).fit(sample.X, sample.y)
    (low, high), error = model.cv_results_["interval"][0], model.cv_results_["error"][0]
    print(
        f"\nCross-validation over all l1 chooses [{low:.2f}, {high:.2f}): {error:.1%} of held-out tumours wrong."
    )
    print("Why the first tumour is decided as it is, beside the mean one:")
    print(model.explain(sample.X[:1])[0].summary(top=N_LEGIBLE))


def tell_couples(out: pathlib.Path) -> None:
    """Tell a round class from two bands by couples of a point and a kernel."""
    X, y = toydata1()
    kernels = [Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()]
    model = chemin.KernelBasisClassifierCV(kernels, rule="best", relax=None, random_state=0).fit(
        X, y
    )
    print(
        f"\nA round class against two bands: {model.B_.nnz} couples (point, kernel), {model.score(X, y):.1%} right."
    )
    for point, kernel in zip(*model.B_.nonzero(), strict=True):
        name = model.kernels_[kernel].name
        print(
            f"  {model.B_[point, kernel]:+7.3f}   point {point}, of class {y[point]:+d}, {name} kernel"
        )
    plot_boundary(model, X, y).figure.savefig(out / "couples.png", dpi=160, bbox_inches="tight")
    print(f"\nThey are drawn in {out / 'couples.png'}")


def main(out: pathlib.Path) -> None:
    """Tell and draw all four."""
    out.mkdir(parents=True, exist_ok=True)
    tell_patient(out)
    sample = breast_cancer()
    tell_path(sample, out)
    tell_decision(sample)
    tell_couples(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("demo"), help="folder of the picture"
    )
    main(parser.parse_args().out)
