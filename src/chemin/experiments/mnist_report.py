"""How well do the machines of all pairs tell the digits apart? The vote, its confusion matrix, and what is written.

Machine (i, j) gives r_ij ≈ P(i | x, i or j). The vote is the class of largest Σ_j r_ij; pairwise coupling, the class of
largest p of `chemin.multiclass.coupling`, is given beside it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from types import SimpleNamespace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from chemin.datasets import Images
from chemin.experiments.mnist_machine import PairResult, Settings
from chemin.multiclass.coupling import couple, pair_table
from chemin.plots import canvas, plot_couple_images

__all__ = ["ProtocolResult", "assemble", "write_report"]

THESIS_ERROR = 0.0525  # on the test images of MNIST
_SHOWN = (
    4,
    7,
)  # the pair whose couples are drawn, as in the thesis; the first one where it was not trained
_TOP = 18
_LEAST = {"hinge": "least hinge loss", "errors": "fewest errors"}
_COLUMNS = "| pair | events | breakpoints | seconds | λ₁ / λ₁max | couples | validation error | test error | path |"


@dataclass(frozen=True, eq=False)
class ProtocolResult:
    """All machines, and what they decide together.

    Attributes
    ----------
    machines : tuple of PairResult
        In the order of the pairs.
    classes : tuple of int
        The digits that have a machine.
    errors : dict of str to float
        Share of the test images of these digits that are given another digit, by ``"vote"`` and by ``"coupling"``;
        empty if some pair of them has no machine.
    confusion : ndarray of shape (K, K), or None
        Test images by true digit (rows) and voted digit (columns).
    """

    machines: tuple[PairResult, ...]
    classes: tuple[int, ...]
    errors: dict[str, float]
    confusion: NDArray[np.intp] | None

    @property
    def peak_memory(self) -> int:
        """Most bytes that a process had held when one of the machines was done."""
        return max(machine.peak_memory for machine in self.machines)


def assemble(images: Images, machines: Sequence[PairResult], n_jobs: int = 1) -> ProtocolResult:
    """Let the machines decide about the test images of their digits, several machines at once."""
    classes = tuple(sorted({digit for machine in machines for digit in machine.digits}))
    by_pair = {machine.digits: machine for machine in machines}
    pairs = list(itertools.combinations(classes, 2))
    if set(pairs) != set(by_pair):
        return ProtocolResult(tuple(machines), classes, {}, None)
    tested = np.isin(images.y_test, classes)
    X, truth = images.X_test[tested], np.searchsorted(classes, images.y_test[tested])
    columns = Parallel(n_jobs=n_jobs)(delayed(by_pair[pair].probability)(X) for pair in pairs)
    table = pair_table(np.column_stack(columns), len(classes))
    vote = table.sum(axis=2).argmax(axis=1)
    confusion = np.zeros((len(classes), len(classes)), dtype=np.intp)
    np.add.at(confusion, (truth, vote), 1)
    wrong = {"vote": vote != truth, "coupling": couple(table).argmax(axis=1) != truth}
    return ProtocolResult(
        tuple(machines),
        classes,
        {name: float(np.mean(errors)) for name, errors in wrong.items()},
        confusion,
    )


def write_report(result: ProtocolResult, folder: FilePath) -> None:
    """Write mnist.md, mnist.json, mnist.npz, confusion.png and the couples of one machine."""
    (folder / "mnist.md").write_text(markdown(result), encoding="utf-8")
    summary = {
        "settings": asdict(result.machines[0].settings), "errors": result.errors, "classes": result.classes,
        "peak_memory": result.peak_memory, "machines": [_facts(machine) for machine in result.machines],
        "confusion": None if result.confusion is None else result.confusion.tolist(),
    }  # fmt: skip
    (folder / "mnist.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    facts = [_facts(machine) for machine in result.machines]
    columns: dict[str, Any] = {name: np.array([fact[name] for fact in facts]) for name in facts[0]}
    confusion = np.empty((0, 0), dtype=np.intp) if result.confusion is None else result.confusion
    np.savez(folder / "mnist.npz", confusion=confusion, classes=np.array(result.classes), **columns)
    plt = canvas.pyplot()
    if result.confusion is not None:
        figure = draw_confusion(result)
        figure.savefig(folder / "confusion.png", dpi=150)
        plt.close(figure)
    shown = next((m for m in result.machines if m.digits == _SHOWN), result.machines[0])
    figure = draw_couples(shown)
    figure.savefig(folder / f"couples-{shown.digits[0]}-{shown.digits[1]}.png", dpi=150)
    plt.close(figure)


def markdown(result: ProtocolResult) -> str:
    """Return the report as a text."""
    settings = result.machines[0].settings
    lines = [
        "# Digits told apart by windows of images",
        "",
        f"{len(result.machines)} machines, each on {settings.n_train} training and {settings.n_validation} validation "
        f"images; kernel {_kernel(settings)} on windows of {settings.size} × {settings.size} pixels every "
        f"{settings.stride}, pixels from 0 to 1, columns over their root mean square to the power "
        f"{settings.power:g}, λ₂ = {settings.l2:g}, paths to {settings.min_ratio:g} λ₁max, λ₁ of "
        f"{_LEAST[settings.choice]} on the validation images, Platt's probabilities, random state "
        f"{settings.random_state}.",
        f"{sum(m.seconds for m in result.machines):.0f} s in all, {result.peak_memory / 1e9:.2f} GB at the peak.",
        "",
    ]
    if result.confusion is not None:
        both = ", ".join(f"{100 * error:.2f} % by {name}" for name, error in result.errors.items())
        lines += [
            f"Test error: {both}. The thesis has {100 * THESIS_ERROR:.2f} % on MNIST by vote.",
            "",
        ]
        lines += ["| true \\ voted | " + " | ".join(map(str, result.classes)) + " |"]
        lines += ["|" + "---|" * (len(result.classes) + 1)]
        for digit, counts in zip(result.classes, result.confusion.tolist(), strict=True):
            lines += [f"| {digit} ({sum(counts)}) | " + " | ".join(map(str, counts)) + " |"]
        lines += [""]
    lines += [_COLUMNS, "|" + "---|" * (_COLUMNS.count("|") - 1)]
    lines += [_row(machine) for machine in result.machines]
    return "\n".join(lines) + "\n"


def _kernel(settings: Settings) -> str:
    if settings.width is not None:
        return f"exp(−½ ‖x − z‖²/{settings.width:g}²)"
    return f"(x·z + {settings.offset:g})^{settings.degree}"


def draw_confusion(result: ProtocolResult) -> Any:
    """Draw the confusion matrix; the colour tells the errors, as a share of the digit."""
    assert result.confusion is not None
    counts, k = result.confusion, len(result.classes)
    shade = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shade[np.diag_indices(k)] = 0.0
    side = 0.55 * k + 1.6
    figure, ax = canvas.pyplot().subplots(figsize=(side, side), layout="constrained")
    ax.imshow(shade, cmap="Oranges", vmin=0.0, vmax=max(1.3 * float(shade.max()), 1e-9))
    for i, j in itertools.product(range(k), range(k)):
        if counts[i, j]:
            ax.text(
                j,
                i,
                str(counts[i, j]),
                ha="center",
                va="center",
                size="small",
                weight="bold" if i == j else None,
            )
    ax.set_xticks(range(k), [str(digit) for digit in result.classes])
    ax.set_yticks(range(k), [str(digit) for digit in result.classes])
    ax.set(xlabel="voted", ylabel="true")
    ax.set_title(f"{100 * result.errors['vote']:.2f} % of {counts.sum()} test images are given another digit",
                 size="medium", loc="left")  # fmt: skip
    return figure


def draw_couples(machine: PairResult) -> Any:
    """Draw the couples that carry most of the decisions: the digit in red, the window in blue."""
    B, half = machine.coef.tocoo(), machine.settings.n_train // 2
    first, second = machine.digits
    reading = SimpleNamespace(
        sides=SimpleNamespace(toward=lambda decision: str(second if decision > 0 else first)),
        labels=np.repeat(machine.digits, half), n_features=machine.images.shape[1], active=np.arange(B.nnz),
        kernels=machine.settings.kernels(machine.shape), kernel_numbers=B.col, coefficients=B.data,
        rows=machine.rows[B.row], points=machine.rows[B.row].tolist(), couple_places=np.arange(B.nnz),
        centers=machine.images[B.row] / 255.0, shares=machine.shares,
    )  # fmt: skip
    model: Any = SimpleNamespace(reading=lambda which=None: reading)
    return plot_couple_images(model, machine.shape, top=_TOP)


def _facts(machine: PairResult) -> dict[str, Any]:
    names = ("digits", "l1", "first_l1", "intercept", "events", "breakpoints", "seconds", "couples",
             "validation_error", "test_error", "status", "peak_memory")  # fmt: skip
    slope, offset = machine.sigmoid.slope, machine.sigmoid.offset
    return {name: getattr(machine, name) for name in names} | {"sigmoid": (slope, offset)}


def _row(machine: PairResult) -> str:
    ratio = machine.l1 / machine.first_l1 if machine.first_l1 else 0.0
    cells = (
        f"{machine.digits[0]}, {machine.digits[1]}", machine.events, machine.breakpoints, f"{machine.seconds:.1f}",
        f"{ratio:.2g}", machine.couples, f"{100 * machine.validation_error:.1f} %", f"{100 * machine.test_error:.2f} %",
        machine.status,
    )  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"
