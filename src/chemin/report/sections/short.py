"""What is this, in a few lines?"""

from __future__ import annotations

from pathlib import PurePath

from chemin.engine.thresholds import TRUSTED_GAP
from chemin.report.blocks import Points, Section, Text
from chemin.report.material import Material
from chemin.report.sections.scores import told_score
from chemin.report.words import Words
from chemin.study.choice import own_name
from chemin.study.document import CLASSES, ModelFacts


def in_short(material: Material, words: Words) -> Section:
    """Return what was asked, what was found, and what to mind."""
    document = material.document
    data = document.data
    lead = words(
        "{rows} and {columns} of {name}; to be predicted: {target}, {what}.",
        rows=words.count(data.rows, "row"),
        columns=words.count(len(data.columns), "column"),
        name=PurePath(data.name).name,
        target=data.target,
        what=_what(material, words),
    )
    points = [_of_model(model, material, words) for model in document.models]
    points += _of_comparison(material, words)
    points += _of_findings(material, words)
    if material.redacted:
        rows = words("Values and names of rows were left out of this page.")
    else:
        rows = words("This page carries rows of the data: send it to those alone who may see them.")
    return Section(
        "short",
        words("In short"),
        (Text(lead, "lead"), Points(tuple(points)), Text(rows, "caution")),
    )


def _what(material: Material, words: Words) -> str:
    data = material.document.data
    if data.task != CLASSES:
        return words("a number")
    return ", ".join(f"{label} ({count})" for label, count in data.classes)


def _of_model(model: ModelFacts, material: Material, words: Words) -> str:
    told = words(
        "{model}: {terms}", model=title_of(model, words), terms=words.count(model.length, "term")
    )
    if model.scores:
        told = words(
            "{model}, {score} on {rows} that it has not seen",
            model=told,
            score=told_score(model.scores[0], words),
            rows=words.count(material.document.split.test, "row"),
        )
    gap = max((machine.gap for machine in model.machines), default=0.0)
    shown = words.tiny(gap)
    if gap <= TRUSTED_GAP:
        return words(
            "{model}. Its optimality is certified: relative duality gap {gap}.",
            model=told, gap=shown,
        )  # fmt: skip
    return words(
        "{model}. It is certified to be near the optimum: relative duality gap {gap}.",
        model=told, gap=shown,
    )  # fmt: skip


def title_of(model: ModelFacts, words: Words) -> str:
    """Return what a model is called."""
    if model.name == "linear":
        return words("The linear model")
    return words("The kernel basis")


def called(name: str, material: Material, words: Words) -> str:
    """Return what a model of a comparison is called: as in the registry, behind its name in the study if it is ours."""
    own = own_name(name, material.document.recipe)
    if not own:
        return name
    title = title_of(material.document.model(own), words)
    return f"{title[0].lower()}{title[1:]} ({name})"


def _of_comparison(material: Material, words: Words) -> list[str]:
    found = material.document.comparison
    if found is None or not found.recommended:
        return []
    alike = [row.name for row in found.rows if row.group == 0]
    told = words(
        "Beside {n} other models the simplest of the best is {name}",
        n=len(found.rows) - 1,
        name=called(found.recommended, material, words),
    )
    if len(alike) > 1:
        told = words(
            "{told}; {n} cannot be told apart from the best",
            told=told,
            n=words.count(len(alike), "model"),
        )
    return [f"{told}."]


def _of_findings(material: Material, words: Words) -> list[str]:
    found = material.document.look.findings
    if not found:
        return [words("Nothing to report about the data.")]
    told = ", ".join(words.finding(one)[0] for one in found)
    return [words("To know about the data: {told}.", told=told)]
