"""Claims about the house itself: its public names, the size of its rooms, and what its README says."""

from __future__ import annotations

import ast
import pathlib

import pytest

import chemin
import chemin.datasets
import chemin.interpret
import chemin.plots

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_the_public_names_are_these():
    assert sorted(chemin.__all__) == [
        "Centers", "Certificate", "Estimate", "KernelBasisClassifier", "KernelBasisClassifierCV", "Path", "SparseSVC",
        "SparseSVCCV", "Stability", "certify", "estimate_path", "load", "save", "stability", "svm_path",
    ]  # fmt: skip
    assert all(hasattr(chemin, name) for name in chemin.__all__)
    assert not hasattr(chemin, "no_such_name")
    assert sorted(chemin.plots.__all__) == [
        "plot_boundary", "plot_coefficient_matrix", "plot_coefficients", "plot_couple_images", "plot_dual",
        "plot_explanation", "plot_history", "plot_norm1", "plot_path", "plot_sets", "plot_stability",
    ]  # fmt: skip
    assert sorted(chemin.interpret.__all__) == [
        "Couple", "Explanation", "Reading", "Variable", "couples", "explain", "history", "kernel_shares", "prototypes",
        "read", "variables",
    ]  # fmt: skip
    assert sorted(chemin.datasets.__all__) == [
        "CHECKER_WIDTH", "Images", "Pair", "Part", "Sample", "TOYDATA1", "TOYDATA2", "Toy", "benchmark_gaussian",
        "breast_cancer", "checker", "checker_squares", "fashion_mnist", "gaussian_pair", "mnist", "pair",
        "separated_line", "toydata1", "toydata2",
    ]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_files_and_bodies_stay_small(source):
    text = source.read_text(encoding="utf-8")
    assert text.count("\n") <= 320
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert length <= 45, f"{node.name} has {length} lines"


def test_ci_runs_what_the_readme_runs():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
