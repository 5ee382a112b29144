"""Why is this row decided so? A few rows that judge, right and wrong."""

from __future__ import annotations

from chemin.report.blocks import Bar, Block, Number, Section, Table, Text
from chemin.report.material import Material
from chemin.report.sections.short import title_of
from chemin.report.words import Words
from chemin.study.document import CaseFacts

_OPEN = 2  # cases of each model that stand open
_TERMS = 10  # of a case that are told one by one


def the_cases(material: Material, words: Words) -> Section | None:
    """Return the explained rows; nothing if there are none."""
    cases = material.document.cases
    if not cases:
        return None
    lead = words(
        "Each decision is the sum of its terms and of the decision at a reference, the mean row. "
        "The terms are all there is: nothing else enters the decision."
    )
    blocks: list[Block] = [Text(lead)]
    for model in material.document.models:
        some = [case for case in cases if case.model == model.name]
        blocks += [_table(case, k >= _OPEN, material, words) for k, case in enumerate(some)]
    return Section("cases", words("Some decisions, explained"), tuple(blocks))


def _table(case: CaseFacts, folded: bool, material: Material, words: Words) -> Table:
    most = max((abs(size) for _, size in (("", case.base), *case.terms)), default=0.0)
    told = [(words("at the reference"), case.base), *case.terms[:_TERMS]]
    others = case.terms[_TERMS:]
    if others:
        name = words("{n} together", n=words.count(len(others), "other term"))
        told.append((name, sum(size for _, size in others)))
    rows = tuple(
        (name, Number(words.number(size, "+.4g")), Bar(size, most, True)) for name, size in told
    )
    total = (words("together"), Number(words.number(case.decision, "+.4g")), "")
    model = title_of(material.document.model(case.model), words)
    head = (words("term"), _sides(case, words), "")
    return Table(_caption(case, model, words), head, (*rows, total), folded)


def _caption(case: CaseFacts, model: str, words: Words) -> str:
    told = words(
        "Row {row}, {why}. {model}: ", row=case.row, why=words.reason(case.why), model=model
    )
    if case.right is None:
        return told + words(
            "predicted {predicted}, truly {truth}.", predicted=case.predicted, truth=case.truth
        )
    if case.right:
        return told + words("called {predicted}, rightly.", predicted=case.predicted)
    return told + words(
        "called {predicted}, truly {truth}.", predicted=case.predicted, truth=case.truth
    )


def _sides(case: CaseFacts, words: Words) -> str:
    if case.right is None:
        return words("adds")
    return words(
        "for {positive} (+) or {negative} (−)", positive=case.positive, negative=case.negative
    )
