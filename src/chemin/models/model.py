"""What is known of a model before it sees data, and what can be asked of it afterwards?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from chemin.exceptions import MissingLibraryError
from chemin.interpret import summary
from chemin.models.lengths import Length, innermost

TASKS = ("classes", "numbers")
KINDS = (
    "baseline", "linear", "generative", "neighbours", "tree", "ensemble", "kernel", "network",
)  # fmt: skip

Make = Callable[[int, int, Any], Any]
Limit = Callable[[int, int, Sequence[int]], str]


def no_limit(n: int, p: int, counts: Sequence[int]) -> str:
    """Return "", which says that a model takes tables of any size."""
    return ""


@dataclass(frozen=True, eq=False)
class Model:
    """A kind of model: how to make one, when it fits the data, what it costs and how it explains itself.

    Attributes
    ----------
    name : str
        What it is called, such as "random-forest".
    task : {"classes", "numbers"}
        What it predicts.
    kind : str
        "baseline", "linear", "generative", "neighbours", "tree", "ensemble", "kernel" or "network".
    course : str
        The section of the course that teaches it; "" if none does.
    make : callable
        (n, p, random_state) → estimator; `build` calls it.
    assumes, costs, explains : str
        One sentence each: what it takes for granted about the data, how its time grows with n rows and p columns,
        and how it explains its answers.
    length : callable
        fitted → (number, unit); `measure_length` calls it.
    space : mapping of str to tuple
        The parameters that are usually chosen, as ``set_params`` takes them, each with a few values; empty where the
        model chooses them itself, or has none.
    selects : bool
        Whether it keeps few of the columns or couples it is offered.
    certified : bool
        Whether a certificate comes with every fit.
    limit : callable
        (n, p, counts) → why it cannot take such data; `why_not` calls it.
    needs : str
        The optional library it comes from, or "".

    Examples
    --------
    >>> from chemin.models import find
    >>> model = find("lda")
    >>> print(model)
    lda (classes, generative, 6.2): Every class is a Gaussian, and all have the same covariance.
    >>> model.build(100, 5, random_state=0)
    LinearDiscriminantAnalysis(shrinkage='auto', solver='lsqr')
    """

    name: str
    task: str
    kind: str
    course: str
    make: Make = field(repr=False)
    assumes: str = field(repr=False)
    costs: str = field(repr=False)
    explains: str = field(repr=False)
    length: Callable[[Any], Length | None] = field(repr=False)
    space: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    selects: bool = field(default=False, repr=False)
    certified: bool = field(default=False, repr=False)
    limit: Limit = field(default=no_limit, repr=False)
    needs: str = field(default="", repr=False)

    def __str__(self) -> str:
        place = f", {self.course}" if self.course else ""
        return f"{self.name} ({self.task}, {self.kind}{place}): {self.assumes}"

    @property
    def installed(self) -> bool:
        """Whether the library it needs, if any, is there."""
        return not self.needs or find_spec(self.needs) is not None

    def build(self, n: int, p: int, random_state: Any = None) -> Any:
        """Return an estimator that has not been fitted.

        Parameters
        ----------
        n, p : int
            Rows and columns of the X it will be given: numbers, standardised.
        random_state : int, optional
            What its draws start from; estimators that draw nothing ignore it.

        Returns
        -------
        scikit-learn estimator
        """
        if not self.installed:
            raise MissingLibraryError(self._missing())
        return self.make(n, p, random_state)

    def why_not(self, n: int, p: int, counts: Sequence[int] = ()) -> str:
        """Return why it cannot learn from n rows of p columns, "" if it can.

        Parameters
        ----------
        n, p : int
            Rows and columns that it would be trained on.
        counts : sequence of int, optional
            How many of these rows each class has; leave it out for numbers.

        Examples
        --------
        >>> from chemin.models import find
        >>> find("qda").why_not(60, 40, counts=(35, 25))
        'qda needs more rows of each class than columns: the smallest class has 25 rows for 40 columns'
        """
        if not self.installed:
            return self._missing()
        if self.task == "classes" and len(counts) == 1:
            return f"{self.name} needs two classes or more: all rows are of one class"
        reason = self.limit(n, p, counts)
        return f"{self.name} {reason}" if reason else ""

    def measure_length(self, fitted: Any) -> Length | None:
        """Return how long a fitted model is, such as (7, "variables"); None where the question makes no sense.

        ``fitted`` may also be a pipeline or a search around the model.
        """
        return self.length(innermost(fitted))

    def certificate(self, fitted: Any) -> str | None:
        """Return one line that says how exactly the problem was solved, None for models that do not prove it.

        ``fitted`` may also be a pipeline or a search around the model.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from chemin.models import find
        >>> X, y = load_iris(return_X_y=True)
        >>> model = find("drsvm")
        >>> model.certificate(model.build(*X.shape, random_state=0).fit(X, y))
        'worst relative duality gap ... of 3 machines'
        """
        if not self.certified:
            return None
        gaps = [machine.gap for machine in summary(innermost(fitted)).machines]
        if len(gaps) == 1:
            return f"relative duality gap {gaps[0]:.0e}"
        return f"worst relative duality gap {max(gaps):.0e} of {len(gaps)} machines"

    def _missing(self) -> str:
        return f"{self.name} needs {self.needs}: pip install {self.needs}"
