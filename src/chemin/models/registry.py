"""Which models are there, by name, and which of two is the simpler?"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.advice import ADVICE, Situation
from chemin.models.classes import CLASSES
from chemin.models.model import TASKS, Model
from chemin.models.numbers import NUMBERS
from chemin.models.own import OWN_CLASSES, OWN_NUMBERS

MODELS: tuple[Model, ...] = (*CLASSES, *OWN_CLASSES, *NUMBERS, *OWN_NUMBERS)

_BY_NAME = {model.name: model for model in MODELS}
_BASELINES = {
    "classes": ("majority", "logistic", "hist-gradient-boosting"),
    "numbers": ("mean", "ridge", "hist-gradient-boosting-regressor"),
}
_SIMPLEST_FIRST = (  # kind, and whether the model keeps few of what it is offered
    ("baseline", False),
    ("linear", True),
    ("linear", False),
    ("tree", False),
    ("generative", False),
    ("neighbours", False),
    ("kernel", True),
    ("kernel", False),
    ("ensemble", False),
    ("network", False),
)
_TOLD = ("name", "task", "kind", "course", "assumes", "costs", "explains", "needs")
_OFFERED = 3  # names nearest to one that there is not


def names(task: str | None = None) -> list[str]:
    """Return the names of all models, or of those for one task, "classes" or "numbers".

    Examples
    --------
    >>> names("numbers")[:4]
    ['mean', 'median', 'sparse-regressor', 'lasso']
    """
    if task is not None:
        _check_task(task)
    return [model.name for model in MODELS if task in (None, model.task)]


def find(name: str) -> Model:
    """Return the model of that name.

    Examples
    --------
    >>> find("lasso").course
    '1.4.2.3'
    """
    if isinstance(name, str) and name in _BY_NAME:
        return _BY_NAME[name]
    near = get_close_matches(str(name).lower(), _BY_NAME, n=_OFFERED, cutoff=0.5)
    remedy = f"did you mean {' or '.join(near)}?" if near else "chemin.models.names() lists them"
    raise InvalidInputError(f"there is no model {name!r}: {remedy}")


def pick(names: Any, task: str) -> list[Model]:
    """Return the models of some names, all for one task.

    Parameters
    ----------
    names : "all", str, Model, or list of these
        Which ones; "all" leaves out those whose library is not installed.
    task : {"classes", "numbers"}
        What is to be predicted.

    Returns
    -------
    list of Model
        Each one once, in the order of the list.

    Examples
    --------
    >>> [model.name for model in pick(["ols", "lasso"], "numbers")]
    ['ols', 'lasso']
    """
    _check_task(task)
    if isinstance(names, str) and names == "all":
        return [model for model in MODELS if model.task == task and model.installed]
    asked: Sequence[Any] = [names] if isinstance(names, str | Model) else list(names)
    if not asked:
        raise InvalidInputError("there are no models in the list: name one, or pass 'all'")
    models = [name if isinstance(name, Model) else find(name) for name in asked]
    for model in models:
        if model.task != task:
            raise InvalidInputError(
                f"{model.name} predicts {model.task}, not {task}: {_instead(model)}"
            )
    return list(dict.fromkeys(models))


def baselines(task: str) -> list[str]:
    """Return the names that every comparison has: a constant, a linear model, and boosted trees.

    A model that is no better than the first has learned nothing, one no better than the second needs no bends, and the
    third says what can be had without care.

    Examples
    --------
    >>> baselines("classes")
    ['majority', 'logistic', 'hist-gradient-boosting']
    """
    _check_task(task)
    return list(_BASELINES[task])


def order_of_simplicity(name: str) -> int:
    """Return how simple a model is to understand; of models that cannot be told apart, the least is recommended.

    From 0: constants; linear models of few columns; linear models; trees; one Gaussian or centre per class; neighbours;
    short lists of columns and couples; other kernel machines; ensembles; networks.

    Examples
    --------
    >>> sorted(["mlp", "tree", "drsvm", "majority", "svm-rbf"], key=order_of_simplicity)
    ['majority', 'drsvm', 'tree', 'svm-rbf', 'mlp']
    """
    model = find(name)
    return _SIMPLEST_FIRST.index((model.kind, model.selects))


def frame(task: str | None = None) -> Any:
    """Return the registry as a DataFrame, one row per model.

    Examples
    --------
    >>> frame("numbers").loc[3, "name"]
    'lasso'
    """
    told = [find(name) for name in names(task)]
    columns = {column: [getattr(model, column) for model in told] for column in _TOLD}
    return as_frame(columns, instead="chemin.models.MODELS")


def guide(
    n: int,
    p: int,
    *,
    numbers: bool = False,
    probabilities: bool = False,
    explain: bool = False,
) -> list[tuple[str, str]]:
    """Return which models to begin with, and why; the first are the first to try.

    What only the data can tell, such as whether a plane separates the classes, is put as a condition in the reason.

    Parameters
    ----------
    n, p : int
        Rows and columns.
    numbers : bool, default False
        Whether a number is to be predicted, not a class.
    probabilities : bool, default False
        Whether probabilities of the classes are needed.
    explain : bool, default False
        Whether answers must be explained in terms of the columns.

    Returns
    -------
    list of (name, reason)

    References
    ----------
    F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, sections 1.4.2, 4.2, 6.5 and 8.4.3.

    Examples
    --------
    >>> for name, reason in guide(5000, 20, explain=True)[:2]:
    ...     print(f"{name}: {reason}")
    drsvm: Few columns are wanted: it keeps a short list of them, and proves that no other weights solve its problem
    better.
    logistic: There are ten rows per column or more: with so many it errs less than naive Bayes, as it does not take
    the columns for independent.
    """
    if numbers and probabilities:
        raise InvalidInputError("numbers have no probabilities: leave probabilities=False")
    situation = Situation(n, p, "numbers" if numbers else "classes", probabilities, explain)
    return [(line.name, line.reason) for line in ADVICE if line.fits(situation)]


def _check_task(task: str) -> None:
    if task not in TASKS:
        raise InvalidInputError(f"task is {task!r}: pass 'classes' or 'numbers'")


def _instead(model: Model) -> str:
    """Return how to find a model for the other task."""
    (other,) = (task for task in TASKS if task != model.task)
    near = [found for found in names(other) if found.removesuffix("-regressor") == model.name]
    return f"pass {near[0]!r}" if near else f"chemin.models.names({other!r}) lists what does"
