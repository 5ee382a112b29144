"""How is a fitted model kept and handed on? A skops file: plain data, which nothing in it can make run as code.

Loading a pickle runs whatever its author put into it. A skops file only names types; they are compared with the
constant list below, never with one from the file, and anything else is refused.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from typing import Any

from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.memory import GIB, allowance

__all__ = ["load", "save"]

_ELEMENTARY = ("Constant", "Epanechnikov", "Gaussian", "Laplacian", "Linear", "Polynomial")
_SPLITTERS = (
    "GroupKFold", "GroupShuffleSplit", "KFold", "LeaveOneOut", "PredefinedSplit", "RepeatedKFold",
    "RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedGroupKFold", "StratifiedKFold", "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)  # fmt: skip
_LOSSES = (
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "HuberizedHinge",
    "PiecewiseQuadratic",
    "Quantile",
    "Squared",
    "SquaredHinge",
)
_PENALTIES = ("L1", "MCP", "NonNegative", "PiecewisePenalty", "SCAD")
_SCORES = (  # by which scikit-learn's selectors rank columns; none does more than compute
    "_mutual_info.mutual_info_classif",
    "_mutual_info.mutual_info_regression",
    "_univariate_selection.chi2",
    "_univariate_selection.f_classif",
    "_univariate_selection.f_regression",
)
_SCHEMA = "schema.json"  # of a skops file, which names its types
_LARGEST_SCHEMA = 2**28  # bytes
_OF_VERSION_0_1 = ("chemin.path.", "chemin.problems.drsvm.")  # modules that are no more
TRUSTED = (
    "chemin.dictionaries.dense.DenseDictionary",
    "chemin.dictionaries.joined.JoinedDictionary",
    "chemin.dictionaries.kernel.KernelDictionary",
    "chemin.dictionaries.sparse.SparseDictionary",
    "chemin.estimators.basis.JoinedColumns",
    "chemin.estimators.basis.ScaledVariables",
    "chemin.estimators.basis.Variables",
    "chemin.estimators.basis.VariablesAndCouples",
    "chemin.estimators.centers.Centers",
    "chemin.estimators.choice.Choice",
    "chemin.estimators.kernel_basis.Couples",
    "chemin.estimators.kernel_basis.KernelBasis",
    "chemin.estimators.kernel_basis_classifier.KernelBasisClassifier",
    "chemin.estimators.kernel_basis_classifier.KernelBasisClassifierCV",
    "chemin.estimators.regression.interval_regressor.IntervalRegressor",
    "chemin.estimators.regression.kernel_basis_regressor.KernelBasisRegressor",
    "chemin.estimators.regression.kernel_basis_regressor.KernelBasisRegressorCV",
    "chemin.estimators.machine.BinaryMachine",
    "chemin.estimators.plan.Plan",
    "chemin.estimators.platt.Sigmoid",
    "chemin.estimators.regression.regressor.NumberMachine",
    "chemin.estimators.regression.sparse_regressor.SparseRegressor",
    "chemin.estimators.regression.sparse_regressor.SparseRegressorCV",
    "chemin.estimators.sparse_svc.SparseSVC",
    "chemin.estimators.sparse_svc_cv.SparseSVCCV",
    *(
        f"chemin.kernels.base.{kind}"
        for kind in ("Named", "On", "Power", "Product", "Scaled", "Sum")
    ),
    *(f"chemin.kernels.blocks.{kind}" for kind in ("Columns", "Window")),
    *(f"chemin.kernels.elementary.{kind}" for kind in _ELEMENTARY),
    *(f"chemin.kernels.external.{kind}" for kind in ("Graphs", "Pairwise", "Strings")),
    "chemin.kernels.precomputed.Precomputed",
    "chemin.multiclass.ecoc.ECOC",
    "chemin.multiclass.one_vs_one.OneVsOne",
    "chemin.multiclass.one_vs_rest.OneVsRest",
    "chemin.multiclass.tree.ClassTree",
    "chemin.engine.breakpoints.Breakpoints",
    "chemin.engine.result.Path",
    "chemin.engine.result.Status",
    *(f"chemin.problems.losses.{kind}" for kind in _LOSSES),
    *(f"chemin.problems.penalties.{kind}" for kind in _PENALTIES),
    "chemin.problems.problem.Problem",
    "chemin.tables.cells.dates.DateFormat",
    "chemin.tables.cells.field.Field",
    "chemin.tables.cells.numbers.NumberFormat",
    *(
        f"chemin.tables.prepare.blocks.{kind}"
        for kind in ("Absences", "Categories", "Measures", "Words")
    ),
    "chemin.tables.prepare.origins.Origin",
    "chemin.tables.prepare.transformer.Prepare",
    "numpy.dtype",
    "sklearn.compose._column_transformer.make_column_selector",
    *(f"sklearn.feature_selection.{kind}" for kind in _SCORES),
    "sklearn.metrics._scorer._PassthroughScorer",
    *(f"sklearn.model_selection._split.{kind}" for kind in _SPLITTERS),
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
)


def save(model: Any, file: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file that `load` reads.

    The file holds the path, and with it the training data: keep it as you keep the data.

    Parameters
    ----------
    model : estimator
        Any estimator of this library, alone or inside scikit-learn's.
    file : path
        Where to write; by custom it ends in ``.skops``.
    """
    _skops().dump(model, file)


def load(file: str | os.PathLike[str], trusted: Sequence[str] = ()) -> Any:
    """Read an estimator back, without running code from the file.

    Parameters
    ----------
    file : path
        What `save` wrote.
    trusted : sequence of str, optional
        Full names of further types that you know and trust, such as a class of your own inside a pipeline.

    Returns
    -------
    estimator

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from chemin.estimators import SparseSVC
    >>> from chemin.persistence import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseSVC().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, pathlib.Path(folder) / "iris.skops")
    ...     again = load(pathlib.Path(folder) / "iris.skops")
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    skops = _skops()
    known = {*TRUSTED, *trusted}
    try:
        _check_size(file)
        held = set(skops.get_untrusted_types(file=file))
    except (
        OSError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
        zipfile.BadZipFile,
    ) as error:
        raise InvalidInputError(
            f"{os.fspath(file)!r} cannot be read ({getattr(error, 'strerror', None) or error}): pass a file written by "
            "save"
        ) from error
    if any(name.startswith(_OF_VERSION_0_1) for name in held):
        raise InvalidInputError(
            f"{os.fspath(file)!r} was written by chemin 0.1, whose paths this version cannot read: "
            "fit the model again, or load the file with chemin 0.1"
        )
    unknown = sorted(held - known)
    if unknown:
        names = ", ".join(unknown)
        raise InvalidInputError(
            f"the file holds types that are not trusted ({names}): if you know them, load it in Python with trusted="
        )
    return skops.load(file, trusted=sorted(known))


def _check_size(file: str | os.PathLike[str]) -> None:
    """Raise if a file unpacks to more than there is room for."""
    with zipfile.ZipFile(file) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    if sizes.get(_SCHEMA, 0) > _LARGEST_SCHEMA or sum(sizes.values()) > allowance():
        raise ValueError(f"it unpacks to {sum(sizes.values()) / GIB:.3g} GiB")


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise MissingLibraryError(
            "saving and loading need skops: pip install 'chemin[save]'"
        ) from error
    return skops.io
