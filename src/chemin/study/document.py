"""What is a study? One frozen document of facts, from which reports, words and tables are all made.

    Document ── Recipe            what was asked
             ── DataFacts         what was read, guessed and lost
             ── SplitFacts        which rows were kept for the test
             ── LookFacts         what the training rows look like
             ── ModelFacts …      what was learned, and how good it is on the test rows
             ── ComparisonFacts   other models on the same splits of the training rows
             ── CaseFacts …       some test rows, right and wrong, explained

Facts are texts, numbers and tuples of these, so that JSON holds them; arrays stand beside them in a `Study`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from chemin.exceptions import StudyError
from chemin.interpret.summaries import MachineFacts, Term

FORMAT = 1  # of the document; readers refuse a later one

CLASSES, NUMBERS = "classes", "numbers"

NUMBERS_IN_JSON = {
    "ser_json_inf_nan": "strings"
}  # for pydantic: JSON has neither infinity nor "not a number"


@dataclass(frozen=True)
class Recipe:
    """What a study is asked to do.

    Attributes
    ----------
    source : str
        A file, a folder of images, or the name of bundled data: what `chemin.read` takes.
    target : str
        The column to predict; "" for the one that the source names itself.
    read : dict
        Further arguments of `chemin.read`, such as ``{"decimal": ","}``.
    kernels : tuple of str
        Kernels of the kernel basis, as `chemin.kernels.parse_kernels` reads them; its own choice if there are none.
    models : tuple of str
        Which of Chemin's models to learn: "linear", "basis".
    against : tuple of str
        Models of `chemin.models.names` to compare with; ("none",) for no comparison, and a choice of well-known ones
        if there are none.
    test : float
        Share of the rows kept for the test, 0 for none.
    positive : str
        Of two classes the one that words and pictures speak for, "" for the second one.
    l2 : float or None
        The second penalty of both models; that which each has by default if it is None.
    folds : int
        Of cross-validation, for models and comparison.
    budget : float
        Seconds that the comparison may take.
    cases : int
        How many test rows are explained.
    random_state : int
        Of everything that is drawn.
    """

    source: str
    target: str = ""
    read: dict[str, Any] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    models: tuple[str, ...] = ("linear", "basis")
    against: tuple[str, ...] = ()
    test: float = 0.2
    positive: str = ""
    l2: float | None = None
    folds: int = 5
    budget: float = 300.0
    cases: int = 6
    random_state: int = 0

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  # read by pydantic: no unknown key


@dataclass(frozen=True)
class ColumnFacts:
    """A column: its name, its type, and what it holds."""

    name: str
    type: str
    told: str


@dataclass(frozen=True)
class GuessFacts:
    """Something the reader decided, and the argument that decides otherwise."""

    what: str
    value: str
    evidence: str
    argument: str


@dataclass(frozen=True)
class DataFacts:
    """What was read.

    Attributes
    ----------
    name, digest : str
        What the source is called, and a hash of what was read from it.
    rows : int
        With a target.
    columns : tuple of (name, type)
        All of them, the target included.
    guesses, losses : tuple
        What the source does not say, and what of it is not here.
    call : str
        The call of `chemin.read` with all that was guessed given.
    target, task : str
        What is predicted: "classes" or "numbers".
    classes : tuple of (label, count)
        Labels as texts; none for numbers.
    image_shape : (int, int), or None
        Where rows are images.
    """

    name: str
    digest: str
    rows: int
    columns: tuple[tuple[str, str], ...]
    guesses: tuple[GuessFacts, ...]
    losses: tuple[str, ...]
    call: str
    target: str
    task: str
    classes: tuple[tuple[str, int], ...]
    image_shape: tuple[int, int] | None


@dataclass(frozen=True)
class SplitFacts:
    """How many rows models learn from, how many judge them, and a hash of which."""

    train: int
    test: int
    said: str
    digest: str


@dataclass(frozen=True)
class FindingFacts:
    """Something to know before anything is learned."""

    code: str
    severity: str
    what: str
    evidence: tuple[str, ...]
    remedy: str


@dataclass(frozen=True)
class LookFacts:
    """What the training rows look like.

    Attributes
    ----------
    said : str
        Which rows were looked at.
    findings : tuple of FindingFacts
        The most serious first.
    passed, skipped : tuple of str
        Codes of what was looked for in vain, and what could not be looked for, with the reason.
    columns : tuple of ColumnFacts
        Every column described.
    associations : tuple of (column, value)
        With the target, the strongest first; from 0 to 1.
    groups, spread : str
        Whether the rows fall into groups; how many directions hold the variance. "" where it cannot be said.
    """

    said: str
    findings: tuple[FindingFacts, ...]
    passed: tuple[str, ...]
    skipped: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    associations: tuple[tuple[str, float], ...]
    groups: str
    spread: str


@dataclass(frozen=True)
class ScoreFacts:
    """A measure with its interval; ends are None where rows do not tell."""

    name: str
    value: float
    low: float | None
    high: float | None
    method: str


@dataclass(frozen=True)
class ValueFacts:
    """A variable, what a row has of it, and the mean of the training rows where it is a number."""

    variable: str
    value: float | str
    usual: float | None


@dataclass(frozen=True)
class CoupleFacts:
    """A couple: its training row, the label of that row, "" for numbers, its kernel, and what sets the row apart."""

    row: str
    label: str
    kernel: str
    values: tuple[ValueFacts, ...]


@dataclass(frozen=True)
class ModelFacts:
    """A model that was learned, and how good it is on the test rows.

    Attributes
    ----------
    name, title, file : str
        "linear" or "basis", the class of the estimator, and where in the study it is kept.
    facts : tuple of (str, str)
        What `chemin.interpret.summary` tells of it.
    positive : str
        The side that positive coefficients speak for, "" where there are several machines.
    machines : tuple of MachineFacts
        One for two classes or a number, as many as the scheme has for more classes.
    terms : tuple of Term
        All that it uses, the largest share first.
    length : int
        How many terms.
    couples : tuple of CoupleFacts
        The couples that weigh most, the training rows shown by what sets them apart.
    scores : tuple of ScoreFacts
        On the test rows; none if there are none.
    confusion : tuple of tuple of int
        True classes in rows, predicted ones in columns, in the order of ``DataFacts.classes``.
    call : str
        Python that makes the same estimator.
    """

    name: str
    title: str
    file: str
    facts: tuple[tuple[str, str], ...]
    positive: str
    machines: tuple[MachineFacts, ...]
    terms: tuple[Term, ...]
    length: int
    couples: tuple[CoupleFacts, ...]
    scores: tuple[ScoreFacts, ...]
    confusion: tuple[tuple[int, ...], ...]
    call: str


@dataclass(frozen=True)
class RowFacts:
    """One model of a comparison; numbers are None where it did not finish."""

    name: str
    status: str
    why: str
    error: float | None
    low: float | None
    high: float | None
    group: int
    length: float | None
    unit: str
    seconds: float
    certificate: str


@dataclass(frozen=True)
class ComparisonFacts:
    """Models on the same splits of the training rows, those of one group indistinguishable."""

    measure: str
    rows: tuple[RowFacts, ...]
    recommended: str
    splits: str
    digest: str
    said: str


@dataclass(frozen=True)
class CaseFacts:
    """One row, and why it is decided as it is.

    Attributes
    ----------
    model, row, why : str
        By which model, what the row is called, and why it was chosen.
    place : int
        Its number in the table, from 0.
    truth, predicted : str
        Of the target.
    right : bool or None
        Whether both are the same; None for numbers.
    sentence : str
        The decision in words.
    negative, positive : str
        The two sides, or directions.
    base : float
        The decision at the reference.
    terms : tuple of (str, float)
        What each term adds, the largest first.
    """

    model: str
    row: str
    why: str
    place: int
    truth: str
    predicted: str
    right: bool | None
    sentence: str
    negative: str
    positive: str
    base: float
    terms: tuple[tuple[str, float], ...]

    @property
    def decision(self) -> float:
        """The base and all terms."""
        return self.base + sum(size for _, size in self.terms)


@dataclass(frozen=True)
class Document:
    """All facts of a study.

    Attributes
    ----------
    format : int
        Version of this form.
    made_with : dict of str to str
        Versions of Chemin, Python and the libraries that count.
    recipe, data, split, look, models, comparison, cases
        See the classes; ``comparison`` is None where none was asked for.
    seconds : dict of str to float
        What each step took.
    """

    format: int
    made_with: dict[str, str]
    recipe: Recipe
    data: DataFacts
    split: SplitFacts
    look: LookFacts
    models: tuple[ModelFacts, ...]
    comparison: ComparisonFacts | None
    cases: tuple[CaseFacts, ...]
    seconds: dict[str, float]

    __pydantic_config__ = NUMBERS_IN_JSON

    def model(self, name: str) -> ModelFacts:
        """Return the model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        raise StudyError(
            f"there is no model {name!r}: the study has {' and '.join(one.name for one in self.models) or 'none'}"
        )
