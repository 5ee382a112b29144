"""In what do two branches differ? What was asked, how good they are on rows that judge, their terms and decisions."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from chemin.evaluate import mcnemar
from chemin.report.blocks import Block, Cell, Number, Section, Table, Text
from chemin.report.sections.scores import shown_score
from chemin.report.sections.short import title_of
from chemin.report.words import Words
from chemin.study import Study
from chemin.study.document import CLASSES, ModelFacts, Recipe
from chemin.study.steps.reading import Source

_ROWS = 30  # that are decided otherwise, and told
_TERMS = 12  # of each model


def compared(
    studies: list[Study], numbers: list[int], source: Source | None, words: Words
) -> Section:
    """Return in what two studies differ; ``source`` has the truth, None where it is not the same for both."""
    one, other = studies
    heads = tuple(words("entry {number}", number=number) for number in numbers)
    blocks: list[Block] = [_asked(one.document.recipe, other.document.recipe, heads, words)]
    for model in one.document.models:
        if model.name in same_models(studies):
            blocks.append(
                Text(words("{model} is the same for both.", model=title_of(model, words)))
            )
    names = [
        model.name
        for model in one.document.models
        if _has(other, model.name) and model.name not in same_models(studies)
    ]
    if names:
        blocks.append(_measures([one, other], names, heads, words))
    for name in names:
        if source is not None:
            blocks += _decisions([one, other], name, source, heads, words)
        pair = (one.document.model(name), other.document.model(name))
        if pair[0].terms != pair[1].terms:
            blocks.append(_terms(pair, heads, words))
    title = words("Entries {a} and {b}, side by side", a=numbers[0], b=numbers[1])
    return Section("compared", title, tuple(blocks))


def same_models(studies: list[Study]) -> list[str]:
    """Return the models that two studies have in common, to the last number."""
    one, other = studies
    return [
        model.name
        for model in one.document.models
        if _has(other, model.name) and model == other.document.model(model.name)
    ]


def judged_alike(studies: list[Study]) -> bool:
    """Whether two studies were judged by the same rows of the same data."""
    one, other = (study.document for study in studies)
    return (one.data.digest, one.split.digest) == (other.data.digest, other.split.digest)


def _has(study: Study, name: str) -> bool:
    return any(model.name == name for model in study.document.models)


def _asked(one: Recipe, other: Recipe, heads: tuple[str, ...], words: Words) -> Block:
    names = {
        "kernels": words("kernels"),
        "read": words("how it is read"),
        "target": words("to be predicted"),
        "positive": words("the class that reasons speak for"),
        "against": words("models beside them"),
        "l2": "λ₂",
    }
    rows = tuple(
        (
            names.get(field.name, field.name),
            _told(getattr(one, field.name)),
            _told(getattr(other, field.name)),
        )
        for field in fields(Recipe)
        if getattr(one, field.name) != getattr(other, field.name)
    )
    if not rows:
        return Text(words("Both were asked for the same."))
    return Table(words("What was asked otherwise"), (words("what"), *heads), rows)


def _told(value: object) -> str:
    if isinstance(value, tuple | list):
        return "; ".join(map(str, value)) or "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}={one!r}" for name, one in value.items()) or "–"
    return "–" if value in ("", None) else str(value)


def _measures(
    studies: list[Study], names: list[str], heads: tuple[str, ...], words: Words
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        models = [study.document.model(name) for study in studies]
        title = title_of(models[0], words)
        rows.append(
            (
                words("{what}: {more}", what=title, more=words("length")),
                *(words.count(model.length, "term") for model in models),
            )
        )
        for k, score in enumerate(models[0].scores):
            if k < len(models[1].scores) and models[1].scores[k].name == score.name:
                told = (shown_score(model.scores[k], words) for model in models)
                measure = words("{what}: {more}", what=title, more=words.term(score.name))
                rows.append((measure, *told))
    caption = words("How good, on rows that the models have not seen, with 95 % intervals")
    return Table(caption, (words("what"), *heads), tuple(rows))


def _decisions(
    studies: list[Study], name: str, source: Source, heads: tuple[str, ...], words: Words
) -> list[Block]:
    """Return whether one is right more often, and the rows that they decide otherwise."""
    test = np.asarray(studies[0].arrays["test"])
    title = title_of(studies[0].document.model(name), words)
    if not len(test) or studies[0].document.data.task != CLASSES:
        return []
    truth = source.y[test]
    said = [np.asarray(study.arrays[f"{name}/predicted"]).astype(str) for study in studies]
    right = [one == truth for one in said]
    found = mcnemar(*right)
    told = words(
        "{title}: of {rows} that judge, {one} alone has {n} right, {other} alone {m}; p = {p} if both are equally good "
        "(McNemar, exact).",
        title=title, rows=words.count(len(test), "row"), one=heads[0], n=int(found.counts[1, 0]), other=heads[1],
        m=int(found.counts[0, 1]), p=words.number(found.pvalue, ".2g"),
    )  # fmt: skip
    differ = np.flatnonzero(said[0] != said[1])[:_ROWS]
    if not len(differ):
        return [Text(f"{told} {words('They decide alike about every one of them.')}")]
    names = source.row_names
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (names[test[k]], str(truth[k]), *(str(one[k]) for one in said)) for k in differ
    )
    head = (words("row"), words("truly"), *heads)
    return [
        Text(told),
        Table(words("Rows that are decided otherwise: {title}", title=title), head, rows),
    ]


def _terms(models: tuple[ModelFacts, ModelFacts], heads: tuple[str, ...], words: Words) -> Table:
    shares = [{term.name: term.share for term in model.terms} for model in models]
    names = list(dict.fromkeys(term.name for model in models for term in model.terms[:_TERMS]))
    names.sort(key=lambda name: -max(one.get(name, 0.0) for one in shares))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(Number(words.percent(one[name]) if name in one else "–") for one in shares))
        for name in names
    )
    caption = words("Shares of the largest terms: {title}", title=title_of(models[0], words))
    return Table(caption, (words("term"), *heads), rows, folded=len(rows) > _TERMS)
