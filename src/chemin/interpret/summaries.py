"""What is this model, in one look? A document of facts first; its text and its HTML are made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from chemin.engine.proof.certificate import certificate_of
from chemin.interpret.machines import Model
from chemin.interpret.reading import Reading, read_number
from chemin.interpret.reports import count_terms
from chemin.interpret.typography import bar_cell, page_of, share_bar
from chemin.problems.losses import as_loss
from chemin.results import figures
from chemin.tables import Piped, opened

_TOP = 20  # terms named
_MOST_MACHINES = 12  # told one by one
_REMEDY = "estimate it on data held out"


@dataclass(frozen=True)
class Term:
    """An active variable or couple, the mean of its shares over all machines, and how many machines use it.

    ``coefficient`` is None where there are several machines.
    """

    name: str
    coefficient: float | None
    share: float
    machines: int


@dataclass(frozen=True)
class MachineFacts:
    """What is known of one machine; what cross-validation tells is None where l1 was given.

    Attributes
    ----------
    rows : int
        Training points with a positive weight.
    interval : pair of float, or None
        The l1 that are as good as the chosen one, from the lower, which is included, to the upper.
    relax : float
        φ: the terms were chosen at l1, and their coefficients are those at φ l1 of the path on these terms. 1 where
        the model is on the path itself.
    model_l2 : float
        The ridge of the model: l2, or that of the relaxed solution.
    error, standard_error : float or None
        Mean over the folds of what was minimised, at the chosen l1.
    gap : float
        Relative duality gap of the path's solution at l1.
    status, complete : str, bool
        How the path ended, and whether that is where it was asked to end.
    """

    name: str
    rows: int
    variables_offered: int
    variables_kept: int
    couples_offered: int
    couples_kept: int
    l1: float
    l2: float
    relax: float
    model_l2: float
    interval: tuple[float, float] | None
    error: float | None
    standard_error: float | None
    gap: float
    status: str
    complete: bool


@dataclass(frozen=True)
class Target:
    """The number that a model predicts: in how many rows, its mean and standard deviation there, and the loss."""

    rows: int
    mean: float
    spread: float
    loss: str


@dataclass(frozen=True, repr=False)
class Summary:
    """What a fitted classifier is; printing it, or showing it in a notebook, tells it.

    Attributes
    ----------
    estimator : str
        The class of the model.
    classes : tuple of (label, count)
        The classes, and how many training points of positive weight each one has.
    positive : str or None
        The side that positive coefficients speak for, where there is one machine.
    machines : tuple of MachineFacts
        One for two classes, as many as the scheme has for more.
    terms : tuple of Term
        All variables and couples in use, the largest share first.
    n_terms : int
        Their number, the length of the model.
    scoring : str or None
        What l1 was chosen by; None is the error rate.
    rule : str
        "best", "1se" or "fewest".
    nested : (error rate, standard error), or None
        That of the whole fit, choice included, on folds it had not seen.
    target : Target or None
        The number to predict, where there are no classes.
    preparation : tuple of (str, str)
        What a pipeline makes of the user's table before the model is given it, as names and sentences.
    """

    estimator: str
    classes: tuple[tuple[Any, int], ...]
    positive: str | None
    machines: tuple[MachineFacts, ...]
    terms: tuple[Term, ...]
    n_terms: int
    scoring: str | None
    rule: str
    nested: tuple[float, float] | None = None
    target: Target | None = None
    preparation: tuple[tuple[str, str], ...] = ()

    def facts(self) -> list[tuple[str, str]]:
        """Return what is told before the terms, as names and sentences."""
        if len(self.machines) == 1:
            (machine,) = self.machines
            told = [*self._data(), *self.preparation, *_columns(machine)]
            return [*told, *_penalties(machine), *self._proof(machine)]
        lines = [*self._data(), *self.preparation, ("machines", str(len(self.machines)))]
        for machine in self.machines[:_MOST_MACHINES]:
            lines.append((machine.name, self._in_short(machine)))
        left = len(self.machines) - _MOST_MACHINES
        if left > 0:
            lines.append(("…", f"{left} more in .machines"))
        worst = max(machine.gap for machine in self.machines)
        lines.append(("certificate", f"worst relative duality gap {worst:.0e}"))
        complete = sum(machine.complete for machine in self.machines)
        lines.append(("paths", f"{complete} of {len(self.machines)} are complete"))
        if self.machines[0].error is not None:
            lines.append(("caution", f"{self._caution()}: {_REMEDY}"))
        return lines

    def __str__(self) -> str:
        facts = self.facts()
        wide = max(len(name) for name, _ in facts)
        lines = [self.estimator, *(f"  {name:<{wide}}  {told}" for name, told in facts)]
        if not self.terms:
            return "\n".join(
                [*lines, "  The model has no term: it decides alike about every point."]
            )
        most = max(term.share for term in self.terms)
        lines += ["", f"  {self._terms_header()}"]
        for term in self.terms[:_TOP]:
            bar = share_bar(self._signed(term), most)
            lines.append(f"  {100 * term.share:5.1f} %  {bar}  {self._number(term)}  {term.name}")
        return "\n".join([*lines, *(f"  {line}" for line in self._rest())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the same as two tables, for a notebook."""
        facts = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(told)}</td></tr>"
            for name, told in self.facts()
        )
        most = max((term.share for term in self.terms), default=0.0)
        rows = "".join(
            f"<tr><td>{100 * term.share:.1f} %</td>{bar_cell(self._signed(term), most)}"
            f"<td>{escape(self._number(term))}</td><td>{escape(term.name)}</td></tr>"
            for term in self.terms[:_TOP]
        )
        return page_of(
            f"<p><b>{escape(self.estimator)}</b></p>",
            f"<table>{facts}</table>",
            f"<p>{escape(self._terms_header())}</p><table>{rows}</table>",
            *(f"<p>{escape(line)}</p>" for line in self._rest()),
        )

    def _data(self) -> list[tuple[str, str]]:
        if self.target is not None:
            told = f"mean {figures(self.target.mean)}, standard deviation {figures(self.target.spread)}"
            terms = _count(self.n_terms, "term")
            return [("target", told), ("rows", str(self.target.rows)), ("length", terms)]
        counts = ", ".join(f"{label} ({count})" for label, count in self.classes)
        rows = sum(count for _, count in self.classes)
        lines = [("classes", counts), ("rows", str(rows)), ("length", _count(self.n_terms, "term"))]
        if self.nested is not None:
            error, spread = self.nested
            told = f"{error:.1%} ± {spread:.1%} wrong, the whole choice made again without the points judged"
            lines.append(("nested folds", told))
        return lines

    def _proof(self, machine: MachineFacts) -> list[tuple[str, str]]:
        lines = []
        if machine.error is not None:
            lines.append((self._measure(), f"{self._value(machine)}; {self._caution()}: {_REMEDY}"))
        lines.append(("certificate", f"relative duality gap {machine.gap:.0e} of this model"))
        lines.append(("path", machine.status))
        return lines

    def _in_short(self, machine: MachineFacts) -> str:
        kept = [_count(machine.variables_kept, "variable")] * (machine.variables_offered > 0)
        kept += [_count(machine.couples_kept, "couple")] * (machine.couples_offered > 0)
        parts = [*kept, f"l1 = {machine.l1:.4g}", f"l2 = {machine.l2:.4g}"]
        parts += [f"relax = {machine.relax:.3g}"] * (machine.relax != 1.0)
        if machine.error is not None:
            parts.append(f"{self._measure()} {self._value(machine)}")
        parts.append(f"gap {machine.gap:.0e}")
        parts += [machine.status] * (not machine.complete)
        return ", ".join(parts)

    def _measure(self) -> str:
        if self.target is not None:
            return f"CV {self.target.loss} loss"
        return "CV error" if self.scoring is None else f"CV {self.scoring}"

    def _value(self, machine: MachineFacts) -> str:
        error, spread = machine.error or 0.0, machine.standard_error or 0.0
        if self.target is not None:
            return f"{figures(error)} ± {figures(spread, '.2g')}"
        if self.scoring is None:
            return f"{100 * error:.1f} % ± {100 * spread:.1f} %"
        return f"{-error:.4g} ± {spread:.2g}"

    def _caution(self) -> str:
        if self.rule != "best":
            return "within one standard error of the best of those compared"
        best = "smallest" if self.scoring is None else "best"
        return f"the {best} of those compared, so a little optimistic"

    def _terms_header(self) -> str:
        if self.positive is None:
            return "share (mean over the machines), machines that use it, term"
        if self.target is not None:
            return "share, coefficient (> 0 raises the prediction), term"
        return f"share, coefficient (> 0 speaks for {self.positive}), term"

    def _number(self, term: Term) -> str:
        return (
            f"{term.machines:4d}"
            if term.coefficient is None
            else figures(term.coefficient, "+10.4g")
        )

    def _signed(self, term: Term) -> float:
        return (
            term.share
            if term.coefficient is None
            else float(np.sign(term.coefficient)) * term.share
        )

    def _rest(self) -> list[str]:
        left = self.terms[_TOP:]
        if not left:
            return []
        return [
            f"{_count(len(left), 'more term')}, {100 * sum(t.share for t in left):.1f} % together"
        ]


def summary(model: Model, nested: tuple[float, float] | None = None) -> Summary:
    """Return what a fitted classifier is: its data, its terms, how it was chosen, and what proves it.

    Parameters
    ----------
    model : fitted classifier, or a pipeline that ends in one
        The classifier.
    nested : (error rate, standard error), optional
        What nested cross-validation says of it.

    Returns
    -------
    Summary
        A document of facts; ``print`` tells it, and a notebook shows it as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from chemin.estimators import SparseSVC
    >>> data = load_breast_cancer(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> print(summary(SparseSVC(l1=100.0, standardize=True).fit(data.data, y)))
    SparseSVC
      classes      benign (357), malignant (212)
      rows         569
      length       4 terms
      variables    4 of 30 offered
      l1           100
      l2           1
      certificate  relative duality gap ...
      path         The path is complete, down to l1 = 100, in ... breakpoints.
    <BLANKLINE>
      share, coefficient (> 0 speaks for malignant), term
       38.8 %  ++++++++++++      +7.434  worst concave points
       36.4 %  +++++++++++     +0.09485  worst radius
       17.9 %  ++++++            +5.793  mean concave points
        6.9 %  ++              +0.01419  worst texture
    """
    seen = opened(model)
    seen._check_ready()
    piped = isinstance(seen, Piped)
    readings = [read_number(seen, number) for number in range(len(seen.estimators_))]
    trained = np.unique(np.concatenate([reading.machine.rows_ for reading in readings]))
    labels = seen._labels[trained]
    known = seen.classes_.tolist() if hasattr(seen, "classes_") else []
    classes = tuple((label, int(np.sum(labels == label))) for label in known)
    target = None
    if not known:
        mean, spread = float(np.mean(labels)), float(np.std(labels))
        loss = as_loss(getattr(seen, "loss", None)).name.replace("_", "-")
        target = Target(len(labels), mean, spread, loss)
    scoring = getattr(seen, "scoring", None)
    return Summary(
        estimator=seen.title if piped else type(seen).__name__,
        classes=classes,
        positive=readings[0].sides.toward(1.0) if len(readings) == 1 else None,
        machines=tuple(_machine_facts(seen, reading) for reading in readings),
        terms=_terms(readings),
        n_terms=count_terms(seen),
        scoring=None if scoring in (None, "accuracy") else str(scoring),
        rule=getattr(seen, "rule", "best"),
        nested=nested,
        target=target,
        preparation=tuple(seen.preparation()) if piped else (),
    )


def _machine_facts(model: Model, reading: Reading) -> MachineFacts:
    machine = reading.machine
    couples = machine.columns_.couples
    chosen = _chosen(model, reading)
    return MachineFacts(
        name=str(reading.sides),
        rows=len(machine.rows_),
        variables_offered=int(machine.columns_.n_variables),
        variables_kept=len(reading.variable_places),
        couples_offered=0 if couples is None else int(couples.n_columns),
        couples_kept=len(reading.couple_places),
        l1=reading.l1,
        l2=float(machine.l2_),
        relax=reading.relax,
        model_l2=float(machine.model_path_.problem.l2),
        interval=chosen.get("interval"),
        error=chosen.get("error"),
        standard_error=chosen.get("standard_error"),
        gap=gap_at(reading),
        status=str(reading.path.status),
        complete=reading.path.status.code == "complete",
    )


def gap_at(reading: Reading) -> float:
    """Return the relative duality gap of the model, on the columns on which it was solved."""
    path, l1 = reading.machine.model_path_, np.array([reading.machine.model_l1_])
    solution = (path.coef_at(l1), np.atleast_1d(path.intercept_at(l1)), l1, path.dual_at(l1))
    return certificate_of(path.problem, *solution).worst_gap


def _chosen(model: Model, reading: Reading) -> dict[str, Any]:
    """Return the entries of the cross-validation at the chosen l2; none where l1 was given."""
    results = getattr(model, "cv_results_", None)
    if results is None:
        return {}
    mine = results if isinstance(results, dict) else results[reading.number]
    which = mine["chosen"] if "chosen" in mine else list(mine["l2"]).index(reading.machine.l2_)
    return {name: mine[name][which] for name in ("interval", "error", "standard_error")}


def _terms(readings: Sequence[Reading]) -> tuple[Term, ...]:
    """Return every term in use, the largest mean share first."""
    shares: dict[str, list[float]] = {}
    coefficient: dict[str, float] = {}
    for reading in readings:
        for item, share in zip(reading.items, reading.shares.tolist(), strict=True):
            shares.setdefault(str(item), []).append(share)
            coefficient[str(item)] = item.coefficient
    alone = len(readings) == 1
    terms = [
        Term(name, coefficient[name] if alone else None, sum(some) / len(readings), len(some))
        for name, some in shares.items()
    ]
    return tuple(sorted(terms, key=lambda term: -term.share))


def _columns(machine: MachineFacts) -> list[tuple[str, str]]:
    kinds = (
        ("variables", machine.variables_kept, machine.variables_offered),
        ("couples", machine.couples_kept, machine.couples_offered),
    )
    return [(name, f"{kept} of {offered} offered") for name, kept, offered in kinds if offered]


def _penalties(machine: MachineFacts) -> list[tuple[str, str]]:
    l1 = f"{machine.l1:.6g}"
    if machine.interval is not None and machine.interval[0] < machine.interval[1]:
        low, high = machine.interval
        same = f"any above {low:.6g}" if high == np.inf else f"any from {low:.6g} to {high:.6g}"
        l1 += f"; {same} is as good"
    lines = [("l1", l1), ("l2", f"{machine.l2:.6g}")]
    if machine.relax != 1.0:
        less = machine.relax * machine.l1
        shrunk = f"l1 = {less:.4g} and l2 = {machine.model_l2:.4g}"
        told = f"{machine.relax:.3g}; the terms chosen at l1 are solved for again with {shrunk}"
        lines.append(("relax", told))
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)
