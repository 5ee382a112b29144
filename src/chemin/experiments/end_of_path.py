"""What is left at l1 = 0, where the squared norm alone regularizes? Three values of l2, three boundaries.

At l1 = 0 the path ends at the plain SVM on the same columns, which scikit-learn solves with C = 1/l2.

Reference: section 3.5.1.3.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import numpy as np
from sklearn.svm import SVC

from chemin.datasets import TOYDATA1, toydata1
from chemin.datasets.generators import Labels
from chemin.dictionaries import KernelDictionary
from chemin.dictionaries.base import Floats
from chemin.estimators import KernelBasisClassifier
from chemin.experiments.dynamics import largest_l2
from chemin.experiments.pictures import entitle, panels, write
from chemin.experiments.plane import Boundary, boundary_of, draw_plane, kernels_of
from chemin.experiments.record import FRESH, Row, Say, verdict_of

_FIGURE = "end_of_path.png"
_TINY = (1e-20, 1e-15, 1e-12, 1e-10, 1e-8)  # the first of them and two more are drawn
_NAMES = ("1e-20", "1", "λ₂max")
_N_TEST = 1000
_SAME = 1e-4  # of decision values; scikit-learn stops at less


def end_of_path(folder: FilePath, seeds: int, say: Say) -> list[Row]:
    """Follow each path to its end, and compare the boundaries there."""
    say(f"End of path: {(len(_TINY) + 2) * seeds} models")
    ends = [_ends(seed) for seed in range(FRESH, FRESH + seeds)]
    figure, axes = panels(1, 3, (4.2, 4.2))
    X, y = toydata1(random_state=FRESH)
    for ax, name, end in zip(axes[0], _NAMES, ends[0][: len(_NAMES)], strict=True):
        draw_plane(ax, end["boundary"], X, y)
        entitle(ax, f"λ₁ = 0, λ₂ = {name}: {end['couples']} couples")
    axes[0, 0].legend(loc="upper right", fontsize="small", framealpha=0.9)
    write(
        figure,
        f"Toydata 1, seed {FRESH}: the path ends at the plain SVM; boundary (thick) and margins (dashed)",
        folder / _FIGURE,
    )
    return [_row(ends)]


def _ends(seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    X, y = toydata1(random_state=rng)
    X_test, y_test = toydata1(_N_TEST, random_state=rng)
    dictionary = KernelDictionary(X, X, kernels_of(TOYDATA1))
    columns = dictionary.columns(np.arange(dictionary.shape[1]))
    most = largest_l2(columns, y)[0]
    ends = []
    for l2 in (_TINY[0], 1.0, most, *_TINY[1:]):
        model = KernelBasisClassifier(kernels_of(TOYDATA1), l1=0.0, l2=l2).fit(X, y)
        B: Any = model.B_
        boundary: Boundary = boundary_of(model.decision_function, X)
        apart = np.abs(model.decision_function(X) - _plain_svm(columns, y, l2))
        ends.append(
            {
                "l2": l2,
                "boundary": boundary,
                "length": boundary.length,
                "train": float(np.mean(model.predict(X) != y)),
                "test": float(np.mean(model.predict(X_test) != y_test)),
                "couples": int(B.nnz),
                "largest": float(abs(B).max()),
                "apart": float(apart.max()),
            }
        )
    return ends


def _plain_svm(columns: Floats, y: Labels, l2: float) -> Floats:
    """Return the decision values of scikit-learn's SVM without an L1 norm, at the same points."""
    gram = columns @ columns.T
    solver = SVC(kernel="precomputed", C=1.0 / l2, tol=1e-10).fit(gram, y)
    return np.asarray(solver.decision_function(gram))


def _row(ends: list[list[dict[str, Any]]]) -> Row:
    def mean(name: str) -> Any:
        return np.array([[end[name] for end in draw] for draw in ends], dtype=float).mean(axis=0)

    train, test, length, couples, largest = (
        mean(name) for name in ("train", "test", "length", "couples", "largest")
    )
    told = [
        f"λ₂ = {name}: training error {train[k]:.2%}, test error {test[k]:.2%}, boundary {length[k]:.1f} units long, "
        f"{couples[k]:.0f} couples up to {largest[k]:.2g}"
        for k, name in enumerate(_NAMES)
    ]
    apart = max(end["apart"] for draw in ends for end in draw)
    told.append(
        f"for λ₂ = {', '.join(f'{l2:g}' for l2 in _TINY)}, 1 and λ₂max this is the plain SVM of scikit-learn on the "
        f"same columns, C = 1/λ₂: decision values differ by at most {apart:.0e}"
    )
    overfit, good, stiff = train[0] == 0.0 and test[0] > test[1], test[1] < 0.05, test[2] < 0.1
    values = [[{k: v for k, v in end.items() if k != "boundary"} for end in draw] for draw in ends]
    return Row(
        name="End of path",
        section="3.5.1.3",
        setup=f"Toydata 1, {len(ends)} draws of 100 + 100 points, λ₁ = 0, test error on 2000 new points.",
        said="λ₂ = 1e-20: overfitting. λ₂ = 1: a regular boundary that separates well. λ₂max: stiff, yet "
        "separating. All columns are active.",
        seen="; ".join(told) + ".",
        verdict=verdict_of(bool(overfit and good and stiff and apart < _SAME)),
        why="At λ₁ = 0 the solution is the plain SVM on the same columns, and for a small λ₂, where the classes "
        "separate, the one of maximal margin: all columns are active whatever λ₂ is. Here λ₂ = 1 is already small "
        "enough, so that λ₂ = 1e-20 has the same boundary and overfits no more than λ₂ = 1 does.",
        figures=(_FIGURE,),
        values={"draws": values},
    )
