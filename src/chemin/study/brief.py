"""What does a study say in a few lines? The words of the terminal, and of ``print(study)``."""

from __future__ import annotations

from chemin.results import plural
from chemin.study.document import CLASSES, Document, ModelFacts, ScoreFacts
from chemin.study.steps.learning import MODELS

_TERMS = 5  # of each model that are named
_MODELS = 8  # of a comparison that are listed


def in_brief(document: Document) -> list[str]:
    """Return the lines: data, findings, models, comparison."""
    data, split = document.data, document.split
    what = f"classes {', '.join(f'{label} ({count})' for label, count in data.classes)}"
    told = what if data.task == CLASSES else "a number"
    lines = [
        f"{data.name}: {data.rows} rows, {len(data.columns)} columns; target {data.target!r}, {told}",
        f"  {split.said}",
        *_findings(document),
    ]
    for model in document.models:
        lines += ["", *_model(model, document)]
    if document.comparison is not None:
        lines += ["", *_comparison(document)]
    return lines


def said_score(score: ScoreFacts) -> str:
    """Return a measure in words, with its interval.

    Examples
    --------
    >>> said_score(ScoreFacts("error", 0.035, 0.0096, 0.087, "exact"))
    '3.5 % wrong (1.0 to 8.7 %)'
    >>> said_score(ScoreFacts("RMSE", 58.7, None, None, "BCa bootstrap"))
    'RMSE 58.7'
    """
    if score.name == "error":
        ends = "" if score.low is None or score.high is None else _ends(score, 100.0, " %", ".1f")
        return f"{100 * score.value:.1f} % wrong{ends}"
    ends = "" if score.low is None or score.high is None else _ends(score, 1.0, "", ".4g")
    return f"{score.name} {score.value:.4g}{ends}"


def _ends(score: ScoreFacts, factor: float, unit: str, form: str) -> str:
    low, high = score.low or 0.0, score.high or 0.0
    return f" ({factor * low:{form}} to {factor * high:{form}}{unit})"


def _findings(document: Document) -> list[str]:
    found = document.look.findings
    if not found:
        return ["  nothing to report about the data"]
    lines = []
    for finding in found:
        evidence = f": {finding.evidence[0]}" if finding.evidence else ""
        lines.append(f"  {finding.severity} {finding.code}: {finding.what}{evidence}")
    return lines


def called(name: str) -> str:
    """Return the name of a model of a comparison, with that which it has in a study.

    Examples
    --------
    >>> called("drsvm"), called("lda")
    ('linear (drsvm)', 'lda')
    """
    return next(
        (f"{ours} ({name})" for ours, names in MODELS.items() if name in names.values()), name
    )


def _model(model: ModelFacts, document: Document) -> list[str]:
    score = f", {said_score(model.scores[0])} on the test rows" if model.scores else ""
    gap = max((machine.gap for machine in model.machines), default=0.0)
    lines = [
        f"{model.name}: {plural(model.length, 'term')}{score}; certified, relative duality gap {gap:.0e}"
    ]
    for term in model.terms[:_TERMS]:
        sign = " " if term.coefficient is None else "+" if term.coefficient > 0 else "-"
        lines.append(f"  {100 * term.share:5.1f} %  {sign}  {term.name}")
    more = len(model.terms) - _TERMS
    if more > 0:
        lines.append(f"           {plural(more, 'more term')}")
    if model.terms:
        lines.append(f"  %: share of what the terms tell apart{_signs(model, document)}")
    return lines


def _signs(model: ModelFacts, document: Document) -> str:
    """Return what the signs of terms mean, where they are of one machine."""
    if not model.positive:
        return ""
    if document.data.task != CLASSES:
        return "; + raises the prediction, - lowers it"
    (other,) = (label for label, _ in document.data.classes if label != model.positive)
    return f"; + speaks for {model.positive}, - for {other}"


def _comparison(document: Document) -> list[str]:
    found = document.comparison
    assert found is not None  # by the only caller
    rate = found.measure == "error"
    lines = [f"beside other models, on {found.splits}:"]
    for row in found.rows[:_MODELS]:
        if row.error is None:
            lines.append(f"  {called(row.name):<37} {row.status}: {row.why}")
            continue
        value = f"{100 * row.error:.1f} %" if rate else f"{row.error:.4g}"
        alike = " (indistinguishable from the best)" if row.group == 0 else ""
        lines.append(f"  {called(row.name):<37} {value:>8}{alike}")
    if found.recommended:
        done = sum(row.error is not None for row in found.rows)
        which = "" if done == len(found.rows) else f" of the {done} that finished"
        lines.append(f"  recommended, the simplest of the best{which}: {called(found.recommended)}")
    return lines
