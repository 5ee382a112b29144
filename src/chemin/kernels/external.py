"""How do kernels of other libraries, and one's own, come in? Each answer is checked: its shape, and that it is finite.

* `Pairwise`: scikit-learn's pairwise kernels, by name.
* `Function`: any function (X, Z) → matrix.
* `Strings`: texts, through strkernels.
* `Graphs`: graphs, through GraKeL.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels.base import Kernel
from chemin.kernels.parameters import called
from chemin.kernels.points import as_pair, as_values, count

__all__ = ["Function", "Graphs", "Pairwise", "Strings", "as_kernel"]

_BLOCK = 16  # points whose small matrix is computed for its diagonal
# Whether scikit-learn's kernels are positive for gamma > 0. additive_chi2 is 0 on the diagonal and negative elsewhere;
# tanh(γ x·z + c) has a negative coefficient of x·z to the power 0, 2 or 3.
_POSITIVE = {
    "additive_chi2": False, "chi2": True, "cosine": True, "laplacian": True, "linear": True, "rbf": True,
    "sigmoid": False,
}  # fmt: skip


class _Foreign(Kernel):
    """A kernel whose values come from elsewhere: they are checked, and the diagonal is read off small blocks."""

    def __call__(self, X: Any, Z: Any) -> Floats:
        shape = count(X), count(Z)
        return self._checked(self._values(X, Z), shape) if all(shape) else np.empty(shape)

    def diagonal(self, X: Any) -> Floats:
        points = as_values(X)
        blocks = [points[start : start + _BLOCK] for start in range(0, count(points), _BLOCK)]
        return np.concatenate(
            [np.diagonal(self(block, block)) for block in blocks] or [np.empty(0)]
        )

    @abstractmethod
    def _values(self, X: Any, Z: Any) -> Any:
        """Return the matrix, not checked yet."""

    def _checked(self, values: Any, shape: tuple[int, int]) -> Floats:
        try:
            matrix = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            remedy = "return a dense NumPy array of numbers"
            raise InvalidInputError(
                f"{self.name} does not return a matrix ({error}): {remedy}"
            ) from error
        if matrix.shape != shape:
            remedy = "return one row per point of X and one column per point of Z"
            raise InvalidInputError(
                f"{self.name} returns shape {matrix.shape} instead of {shape}: {remedy}"
            )
        if not np.isfinite(matrix).all():
            remedy = "scale the columns of X, or change the parameters or the function"
            raise InvalidInputError(f"{self.name} returns NaN or infinite values: {remedy}")
        return matrix


@dataclass(frozen=True, init=False, repr=False)
class _FromLibrary(_Foreign):
    """A kernel that a library knows by name, with the parameters it takes there."""

    kernel: str
    params: tuple[tuple[str, Any], ...]

    def __init__(self, kernel: str, **params: Any) -> None:
        object.__setattr__(self, "kernel", kernel)
        object.__setattr__(self, "params", tuple(sorted(params.items())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(self.kernel), *(f'{key}={v!r}' for key, v in self.params)])})"

    @property
    def name(self) -> str:
        return called(self.kernel, dict(self.params))

    @property
    def positive(self) -> bool | None:
        return None


class Pairwise(_FromLibrary):
    """A kernel of `sklearn.metrics.pairwise`, by the name it has there.

    Parameters
    ----------
    kernel : {"additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid"}
        Its name.
    **params
        Its parameters, such as ``gamma``.

    Examples
    --------
    >>> k = Pairwise("chi2", gamma=0.5)
    >>> print(k)
    chi2(gamma=0.5)
    >>> k([[1, 0]], [[1, 0], [0, 1]]).round(4).tolist()
    [[1.0, 0.3679]]
    """

    def __init__(self, kernel: str, **params: Any) -> None:
        if kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            known = ", ".join(sorted(PAIRWISE_KERNEL_FUNCTIONS))
            raise InvalidInputError(
                f"scikit-learn has no pairwise kernel {kernel!r}: pass one of {known}"
            )
        taken = [
            name
            for name in inspect.signature(PAIRWISE_KERNEL_FUNCTIONS[kernel]).parameters
            if name not in "XY"
        ]
        for name in params:
            if name not in taken:
                known = ", ".join(taken) or "no parameter"
                raise InvalidInputError(
                    f"scikit-learn's kernel {kernel!r} has no parameter {name!r}: it takes {known}"
                )
        super().__init__(kernel, **params)

    @property
    def positive(self) -> bool | None:
        gamma = dict(self.params).get("gamma")
        return _POSITIVE.get(self.kernel) if gamma is None or gamma > 0 else None

    def _values(self, X: Any, Z: Any) -> Any:
        X, Z = as_pair(X, Z)
        try:
            return PAIRWISE_KERNEL_FUNCTIONS[self.kernel](X, Z, **dict(self.params))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"scikit-learn cannot compute {self.name}: {error}") from error


@dataclass(frozen=True)
class Function(_Foreign):
    """Any function of X and Z that returns the matrix of their similarities.

    It is given X and Z as they come, a DataFrame as an array, and one column of texts or other objects as a list of
    them: ``Function(common).on("note")`` compares the texts of a column. To be pickled, it must be defined in a module;
    to be saved, a `Kernel` of one's own is needed.

    Parameters
    ----------
    function : callable
        (X, Z) → matrix, one row per point of X and one column per point of Z.
    title : str
        A readable name; that of the function by default.
    positive : bool or None
        Whether the function is known to be positive semi-definite, or not to be; None if it is not known.

    Examples
    --------
    >>> def common(X, Z):
    ...     return [[len(set(x) & set(z)) for z in Z] for x in X]
    >>> k = Function(common, positive=True)
    >>> k(["path", "map"], ["maths"]).tolist(), str(k)
    ([[3.0], [2.0]], 'common')
    """

    function: Callable[[Any, Any], Any]
    title: str = ""
    positive: bool | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInputError(
                f"{self.function!r} cannot be called: pass a function (X, Z) → matrix"
            )

    @property
    def name(self) -> str:
        return self.title or getattr(self.function, "__name__", None) or str(self.function)

    @property
    def numeric(self) -> bool | None:
        return None

    def _values(self, X: Any, Z: Any) -> Any:
        return self.function(_as_list(as_values(X)), _as_list(as_values(Z)))


def _as_list(points: Any) -> Any:
    """Return one column of objects as a list of them, anything else as it is."""
    single = isinstance(points, np.ndarray) and points.dtype == object and points.shape[1:] == (1,)
    return points[:, 0].tolist() if single else points


class Strings(_FromLibrary):
    """A kernel between texts, through strkernels (``pip install strkernels``).

    Parameters
    ----------
    kernel : {"Subsequence", "Spectrum", "WeightedDegree", "FixedDegree", "LocalityImproved"}
        The name of the class of strkernels, without its ending ``StringKernel``.
    **params
        What that class takes, such as ``maxlen=3, ssk_lambda=0.5``.
    """

    def __init__(self, kernel: str = "Subsequence", **params: Any) -> None:
        super().__init__(kernel, **params)

    @property
    def numeric(self) -> bool:
        return False

    def _values(self, X: Any, Z: Any) -> Any:
        compute = _from_library("strkernels", f"{self.kernel}StringKernel")(**dict(self.params))
        return compute(self._texts(X), self._texts(Z))

    def _texts(self, X: Any) -> Any:
        points = np.asarray(as_values(X), dtype=object)
        if points.size != len(points) or not all(
            isinstance(point, str) for point in points.ravel()
        ):
            remedy = "pass a list of texts, or restrict the kernel to one column of texts with .on(column)"
            raise InvalidInputError(f"{self.name} compares texts: {remedy}")
        return points.ravel().astype(np.str_)


class Graphs(_FromLibrary):
    """A kernel between graphs, through GraKeL (``pip install grakel``).

    Points are a list of graphs in any form GraKeL reads. A kernel that draws at random needs a ``random_state``; even
    then its values may depend on which graphs are compared together.

    Parameters
    ----------
    kernel : str
        The name of the class of GraKeL: "WeisfeilerLehman", "ShortestPath", "VertexHistogram", …
    **params
        What that class takes, such as ``n_iter=3, normalize=True``.
    """

    def __init__(self, kernel: str = "WeisfeilerLehman", **params: Any) -> None:
        super().__init__(kernel, **params)

    @property
    def numeric(self) -> bool:
        return False

    def _values(self, X: Any, Z: Any) -> Any:
        # A new one each time: GraKeL's kernels remember what they were fitted on.
        compute = _from_library("grakel", self.kernel)(**dict(self.params))
        if X is Z:
            return compute.fit_transform(self._graphs(X))
        return compute.fit(self._graphs(Z)).transform(self._graphs(X))

    def _graphs(self, X: Any) -> list[Any]:
        return X[:, 0].tolist() if isinstance(X, np.ndarray) and X.ndim == 2 else list(X)


def as_kernel(kernel: Kernel | str | Callable[[Any, Any], Any]) -> Kernel:
    """Return a kernel: itself, scikit-learn's of that name, or a function as one.

    Examples
    --------
    >>> as_kernel("rbf")
    Pairwise('rbf')
    """
    if isinstance(kernel, Kernel):
        return kernel
    return Pairwise(kernel) if isinstance(kernel, str) else Function(kernel)


def _from_library(library: str, name: str) -> Any:
    try:
        module = import_module(library)
    except ImportError as error:
        raise MissingLibraryError(
            f"{name} is a kernel of {library}: pip install {library}"
        ) from error
    if not hasattr(module, name):
        raise InvalidInputError(
            f"{library} has no kernel {name!r}: pass the name of one of its classes"
        )
    return getattr(module, name)
