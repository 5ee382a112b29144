"""Claims about the house itself: its public names, what its proofs import, and what its README says."""

from __future__ import annotations

import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import chemin
import chemin.datasets
import chemin.evaluate
import chemin.exploration
import chemin.interpret
import chemin.models
import chemin.plots
import chemin.tables
import chemin.theory

ROOT = pathlib.Path(__file__).parent.parent
PROOFS = sorted((ROOT / "src" / "chemin" / "engine" / "proof").glob("*.py"))
MAY_PROVE = {
    "numpy", "scipy", "chemin.problems", "chemin.dictionaries", "chemin.exceptions", "chemin.validation",
    "chemin.engine.proof",
}  # fmt: skip


def test_the_public_names_are_these():
    assert sorted(chemin.__all__) == [
        "Centers", "Certificate", "Estimate", "GroupedPath", "GroupedSolutions", "IntervalRegressor",
        "KernelBasisClassifier", "KernelBasisClassifierCV", "KernelBasisRegressor",
        "KernelBasisRegressorCV", "L2Limits", "LossPath", "NormView", "Path", "Prepare", "RayPath",
        "RelaxedPath", "SameEvents", "Solution", "SparseRegressor", "SparseRegressorCV", "SparseSVC",
        "SparseSVCCV", "Stability", "StationaryPath", "Surface", "Table", "by_norm", "certify", "compare",
        "estimate_path", "explore", "grouped_path", "l2_limits", "load", "loss_path", "path", "ray_path",
        "read", "relaxed_path", "same_events", "save", "solve", "solve_groups", "stability",
        "stationary_path", "svm_path", "svm_surface",
    ]  # fmt: skip
    assert all(hasattr(chemin, name) for name in chemin.__all__)
    assert not hasattr(chemin, "no_such_name")
    assert sorted(chemin.plots.__all__) == [
        "plot_boundary", "plot_choice", "plot_coefficient_matrix", "plot_coefficients", "plot_couple_images",
        "plot_dual", "plot_explanation", "plot_front", "plot_history", "plot_norm1", "plot_path", "plot_roc",
        "plot_sets", "plot_stability", "plot_surface", "plot_trade",
    ]  # fmt: skip
    assert sorted(chemin.interpret.__all__) == [
        "Attribute", "Couple", "Explanation", "Reading", "Summary", "Variable", "check_positive", "count_terms",
        "couples", "explain", "history", "kernel_shares", "prototypes", "read", "summary", "variables",
    ]  # fmt: skip
    assert sorted(chemin.exploration.__all__) == [
        "CODES", "Cost", "Description", "Exploration", "Finding", "Findings", "bin_sensitivity", "check",
        "column_densities", "covariance_rate", "dbscan", "dependence", "describe", "estimate_cost", "explore",
        "fit_gaussian", "fit_laws", "granger", "group_stability", "hierarchy", "histogram", "inertia_curve",
        "kernel_kmeans", "kmeans", "kmedoids", "lloyd", "map_points", "mean_shift", "mixture", "neighbour_density",
        "parzen", "pca", "soft_kmeans", "structure",
    ]  # fmt: skip
    assert sorted(chemin.evaluate.__all__) == [
        "Calibration", "ConfusionMatrix", "CrossValidation", "Difference", "FoldScores", "Interval",
        "LearningCurve", "McNemar", "Nested", "Posterior", "Ranks", "Scores", "Splits", "Threshold",
        "as_splits", "bayesian_t", "bootstrap_interval", "calibration", "choose_threshold", "confusion",
        "corrected_t", "cross_validate", "friedman", "learning_curve", "make_splits", "mcnemar",
        "mean_interval", "nemenyi_quantile", "nested", "number_scores", "proportion_interval", "scores",
    ]  # fmt: skip
    assert sorted(chemin.models.__all__) == [
        "MODELS", "Model", "baselines", "find", "frame", "guide", "names", "order_of_simplicity", "pick",
    ]  # fmt: skip
    assert sorted(chemin.theory.__all__) == [
        "BayesRule", "BiasFluctuation", "BiasVariance", "BoostingBound", "Consensus", "Convexity",
        "CriticalPoint", "Descent", "Deviation", "DistanceConcentration", "EmptySpace",
        "GaussianConditional", "Hughes", "KKT", "KernelFamily", "LeastInertia", "LevelEllipses",
        "MajorityVote", "Mercer", "NoFreeLunch", "OptimalRegressor", "PenaltyMap", "PerceptronBound",
        "Prior", "Promise", "QuadraticProgram", "Quadric", "Rademacher", "RegressionLaw",
        "ResidualLosses", "RiskSurface", "Shattering", "Spectrum", "StructuralRisk", "SumMachine",
        "Theorem", "affine_fit", "ball_volume", "bayes_rule", "bias_fluctuation",
        "bias_fluctuation_resampled", "bias_variance", "bias_variance_resampled",
        "binomial_tail_bound", "boosting_bound", "boosting_rounds", "contraction", "convexity",
        "cover_count", "critical_point", "descend", "distance_concentration", "empty_space",
        "finite_class", "gaussian_bayes_risk", "gaussian_boundary", "gaussian_conditional", "growth",
        "hoeffding", "hughes", "is_separable", "kernel_family", "least_inertia", "level_ellipses",
        "majority_vote", "max_consensus", "mercer", "no_free_lunch", "optimal_regressor",
        "penalty_map", "penalty_prior", "perceptron_bound", "polynomial_features", "quadratic_program",
        "quadric", "quadric_of", "rademacher_class", "rademacher_kernel", "rademacher_linear",
        "residual_losses", "risk_surface", "shattering", "spectrum", "stochastic_descent",
        "structural_risk", "sum_machine", "trunk_bayes_error", "trunk_error", "vc_bound",
        "vc_dimension",
    ]  # fmt: skip
    assert sorted(chemin.tables.__all__) == [
        "Guess", "Loss", "Origin", "Piped", "Prepare", "Table", "opened", "read",
    ]  # fmt: skip
    assert sorted(chemin.datasets.__all__) == [
        "CHECKER_WIDTH", "Images", "Pair", "Part", "Sample", "TOYDATA1", "TOYDATA2", "Toy", "benchmark_gaussian",
        "breast_cancer", "checker", "checker_squares", "fashion_mnist", "gaussian_pair", "mnist", "pair",
        "separated_line", "toydata1", "toydata2",
    ]  # fmt: skip


def imported(source: pathlib.Path) -> set[str]:
    """Return the modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))
    found = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: relative imports hide what is imported"
            found.add(node.module)
    return found


@pytest.mark.parametrize("source", PROOFS, ids=lambda path: path.name)
def test_what_proves_imports_nothing_that_could_be_wrong_with_the_engine(source):
    for module in imported(source):
        parts = module.split(".")
        known = {".".join(parts[: k + 1]) for k in range(len(parts))}
        assert known & MAY_PROVE or parts[0] in sys.stdlib_module_names, module


def test_the_proofs_are_found():
    assert {path.stem for path in PROOFS} >= {"between", "certificate", "solutions"}


def test_the_version_is_the_same_everywhere():
    with open(ROOT / "pyproject.toml", "rb") as stream:
        version = tomllib.load(stream)["project"]["version"]
    assert chemin.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}, " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_python_that_is_promised_is_tested_and_built():
    with open(ROOT / "pyproject.toml", "rb") as stream:
        settings = tomllib.load(stream)
    promised = [
        line.rpartition(" ")[2]
        for line in settings["project"]["classifiers"]
        if re.search(r"Python :: 3\.\d+$", line)
    ]
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.search(r"python: \[(.*)\]", tests)[1] == ", ".join(f'"{one}"' for one in promised)
    built = settings["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{one.replace('.', '')}-*" for one in promised]
    assert settings["project"]["requires-python"] == f">={promised[0]}"


def test_nothing_is_kept_that_is_to_be_ignored():
    """A link to an environment that was added by mistake replaces the environment of whoever merges it."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a clone")
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(listed, check=True, capture_output=True, text=True).stdout == ""


def test_ci_runs_what_the_readme_runs():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
