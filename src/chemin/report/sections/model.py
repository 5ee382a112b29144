"""What was learned, term by term, where on its path does it stand, and how good is it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from chemin.dictionaries.base import Floats
from chemin.interpret.summaries import MachineFacts
from chemin.report.blocks import (
    Bar,
    Block,
    Cell,
    Code,
    Curve,
    Explorer,
    Mark,
    Number,
    Section,
    Table,
    Text,
)
from chemin.report.material import Material
from chemin.report.sections.scores import score_table
from chemin.report.sections.short import title_of
from chemin.report.words import Words
from chemin.study.document import CLASSES, ModelFacts, ValueFacts

_MOST_MACHINES = 6  # whose choice is drawn
_UNFOLDED = 12  # terms that stand open
_CHOICES = 12  # rows of the table of a curve


def a_model(model: ModelFacts, material: Material, words: Words) -> Section:
    """Return a model, its terms, its choice on the path, and its measures."""
    blocks: list[Block] = [Text(_what(model, words))]
    if any(machine.couples_kept for machine in model.machines):
        blocks.append(
            Text(
                words(
                    "A couple is a training row together with a kernel, a way to be alike: it speaks where a row is "
                    "like that one in that way."
                )
            )
        )
    blocks += _terms(model, words)
    if model.couples:
        blocks.append(_couples(model, material, words))
    if model.scores:
        blocks.append(score_table(model.scores, material.document.split.test, words))
    if model.confusion:
        blocks.append(_confusion(model, material, words))
    drawn = model.machines if len(model.machines) <= _MOST_MACHINES else ()
    blocks += [_choice(model, place, material, words) for place in range(len(drawn))]
    blocks.append(Explorer(model.name, words("Move on the path")))
    rows = tuple(model.facts)
    blocks.append(
        Table(words("The model's own summary"), (words("what"), words("value")), rows, folded=True)
    )
    blocks.append(Code(model.call, words("The estimator in Python")))
    return Section(model.name, title_of(model, words), tuple(blocks))


def _what(model: ModelFacts, words: Words) -> str:
    if not model.terms:
        return words(
            "The model has no term: nothing that was offered tells more than the most frequent answer."
        )
    told = words(
        "{title} uses {terms}",
        title=title_of(model, words),
        terms=words.count(model.length, "term"),
    )
    if not model.positive:
        return words(
            "{told}, in {machines} that each decide between two sides; the share of a term is its mean over them.",
            told=told, machines=words.count(len(model.machines), "machine"),
        )  # fmt: skip
    if model.positive == "higher":
        return words(
            "{told}: a positive one raises the prediction, a negative one lowers it.", told=told
        )
    return words(
        "{told}: a positive one speaks for {side}, a negative one against.",
        told=told,
        side=model.positive,
    )


def _terms(model: ModelFacts, words: Words) -> list[Table]:
    """Return the largest terms, and the others folded."""
    most = max((term.share for term in model.terms), default=0.0)
    signed = all(term.coefficient is not None for term in model.terms)
    rows = tuple(
        (
            term.name,
            Number(words.number(term.coefficient))
            if signed
            else Number(f"{term.machines} / {len(model.machines)}"),
            Number(words.percent(term.share)),
            Bar(-term.share if (term.coefficient or 0.0) < 0.0 else term.share, most, signed),
        )
        for term in model.terms
    )
    second = words("coefficient") if signed else words("machines")
    head = (words("term"), second, words("share of the decision"), "")
    tables = [Table(words("Its terms, the largest share first"), head, rows[:_UNFOLDED])]
    others = rows[_UNFOLDED:]
    if others:
        caption = words("{n} of smaller shares", n=words.count(len(others), "other term"))
        tables.append(Table(caption, head, others, folded=True))
    return tables if rows else []


def _couples(model: ModelFacts, material: Material, words: Words) -> Table:
    """Return the training rows of the couples, each by the values that set it apart."""
    classes = material.document.data.task == CLASSES
    rows = tuple(
        (
            couple.row,
            *((couple.label,) if classes else ()),
            couple.kernel,
            ", ".join(_told(value, words) for value in couple.values),
        )
        for couple in model.couples
    )
    head = (
        words("training row"),
        *((words("class"),) if classes else ()),
        words("kernel"),
        words("what sets it apart"),
    )
    return Table(words("The training rows of its couples"), head, rows)


def _told(value: ValueFacts, words: Words) -> str:
    if isinstance(value.value, str):
        return f"{value.variable} = {value.value}"
    if value.usual is None:
        return f"{value.variable} = {words.number(value.value)}"
    return words(
        "{variable} = {value} (mean {usual})",
        variable=value.variable,
        value=words.number(value.value),
        usual=words.number(value.usual),
    )


def _confusion(model: ModelFacts, material: Material, words: Words) -> Table:
    labels = [label for label, _ in material.document.data.classes]
    head = (words("truly"), *(words("called {label}", label=label) for label in labels))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (label, *(Number(str(count)) for count in counts))
        for label, counts in zip(labels, model.confusion, strict=True)
    )
    return Table(words("Which class is taken for which"), head, rows)


class _Errors(NamedTuple):
    """The cross-validated error of a path, from the largest λ₁ down."""

    l1: Floats
    error: Floats
    spread: Floats
    size: Floats


def _errors(arrays: Mapping[str, Any], key: str) -> _Errors:
    curve = _Errors(*(np.asarray(arrays[f"{key}/{name}"]) for name in _Errors._fields))
    known = np.flatnonzero(np.isfinite(curve.error) & (curve.l1 > 0.0))
    order = known[np.argsort(-curve.l1[known], kind="stable")]
    return _Errors(*(values[order] for values in curve))


def _choice(model: ModelFacts, place: int, material: Material, words: Words) -> Curve:
    machine = model.machines[place]
    curve = _errors(material.arrays, f"{model.name}/{place}/choice")
    rate = material.document.data.task == CLASSES
    measure = words("cross-validated error") if rate else words("cross-validated loss")
    caption = words("{measure} at every λ₁ of the path", measure=measure.capitalize())
    if len(model.machines) > 1:
        caption = f"{caption}: {machine.name}"
    return Curve(
        caption=caption,
        sentence=_sentence(machine, words, rate),
        x_name=words("λ₁: to the right a shorter model"),
        y_name=measure,
        x=tuple(curve.l1.tolist()),
        y=tuple(curve.error.tolist()),
        spread=tuple(np.nan_to_num(curve.spread).tolist()),
        marks=(Mark(machine.l1, words("chosen")),),
        table=_in_numbers(curve, caption, words, rate),
    )


def _sentence(machine: MachineFacts, words: Words, rate: bool) -> str:
    if machine.error is None or machine.standard_error is None:
        return words("The chosen λ₁ is {l1}.", l1=words.number(machine.l1))
    shown = words.percent if rate else words.number
    values = {
        "l1": words.number(machine.l1),
        "error": shown(machine.error),
        "spread": shown(machine.standard_error),
    }
    if machine.relax < 1.0:
        return words(
            "The chosen λ₁ is {l1}. Its terms are solved for again with less penalty: the model so made, which is the "
            "one in use, has an error of {error} ± {spread} over the folds. The curve is that of the path itself.",
            **values,
        )
    told = words(
        "The chosen λ₁ is {l1}, with an error of {error} ± {spread} over the folds.", **values
    )
    if machine.interval is None or not machine.interval[0] < machine.interval[1]:
        return told
    low, high = map(words.number, machine.interval)
    if machine.interval[1] == np.inf:
        return words("{told} Every λ₁ from {low} on has the same error.", told=told, low=low)
    return words(
        "{told} Every λ₁ from {low} to {high} has the same error.", told=told, low=low, high=high
    )


def _in_numbers(curve: _Errors, caption: str, words: Words, rate: bool) -> Table:
    count = len(curve.l1)
    places = np.unique(np.linspace(0, count - 1, min(_CHOICES, count)).round().astype(int))
    shown = words.percent if rate else words.number
    rows = tuple(
        (
            Number(words.number(float(curve.l1[k]))),
            Number(shown(float(curve.error[k]))),
            Number(shown(float(curve.spread[k]))),
            Number(words.number(float(curve.size[k]), ".3g")),
        )
        for k in places
    )
    head = ("λ₁", words("error"), words("standard error"), words("columns used"))
    return Table(words("{caption}, in numbers", caption=caption), head, rows, folded=True)
