"""What does a study say in a few lines? The words of the terminal, and of ``print(study)``."""

from __future__ import annotations

from chemin.engine.thresholds import TRUSTED_GAP
from chemin.results import aligned, figures, plural
from chemin.study.choice import called, own_name, recommended_of
from chemin.study.document import CLASSES, Document, ModelFacts, ScoreFacts

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
        lines += ["", *_model(model)]
    lines += _key(document)
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
    rate = score.name == "error"
    said = _per_cent if rate else figures
    ends = ""
    if score.low is not None and score.high is not None:
        ends = f" ({said(score.low)} to {said(score.high)}{' %' * rate})"
    return (
        f"{said(score.value)} % wrong{ends}" if rate else f"{score.name} {said(score.value)}{ends}"
    )


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f}"


def _findings(document: Document) -> list[str]:
    found = document.look.findings
    if not found:
        return ["  nothing to report about the data"]
    lines = []
    for finding in found:
        more = f", and {len(finding.evidence) - 1} more" if len(finding.evidence) > 1 else ""
        evidence = f": {finding.evidence[0]}{more}" if finding.evidence else ""
        lines.append(f"  {finding.severity} {finding.code}: {finding.what}{evidence}")
    return lines


def _model(model: ModelFacts) -> list[str]:
    score = f", {said_score(model.scores[0])} on the test rows" if model.scores else ""
    gap = max((machine.gap for machine in model.machines), default=0.0)
    proof = "certified optimal" if gap <= TRUSTED_GAP else "certified near the optimum"
    lines = [
        f"{model.name}: {plural(model.length, 'term')}{score}; {proof}, relative duality gap {gap:.0e}"
    ]
    for term in model.terms[:_TERMS]:
        sign = " " if term.coefficient is None else "+" if term.coefficient > 0 else "-"
        lines.append(f"  {100 * term.share:5.1f} %  {sign}  {term.name}")
    more = len(model.terms) - _TERMS
    if more > 0:
        lines.append(f"           {plural(more, 'more term')}")
    return lines


def _key(document: Document) -> list[str]:
    """Return how the terms of the models are read."""
    if not any(model.terms for model in document.models):
        return []
    told = f"  %: share of what the terms tell apart{_signs(document)}"
    kernels = tuple(f", {couple.kernel}" for model in document.models for couple in model.couples)
    shown = (term.name for model in document.models for term in model.terms[:_TERMS])
    if any(name.endswith(kernels) for name in shown):
        told += "; a term with a kernel speaks where a row is like that one"
    return ["", told]


def _signs(document: Document) -> str:
    """Return what the signs of terms mean, where they are of one machine."""
    positive = next((model.positive for model in document.models), "")
    if not positive:
        return ""
    if document.data.task != CLASSES:
        return "; + raises the prediction, - lowers it"
    (other,) = (label for label, _ in document.data.classes if label != positive)
    return f"; + speaks for {positive}, - for {other}"


def _comparison(document: Document) -> list[str]:
    found = document.comparison
    assert found is not None  # by the only caller
    shown = found.rows[:_MODELS]
    names = [called(row.name, document.recipe) for row in shown]
    width = max(map(len, names), default=0)
    errors = [row.error for row in shown if row.error is not None]
    rate = found.measure == "error"
    told = [f"{_per_cent(error)} %" for error in errors] if rate else aligned(errors)
    said = iter(told)
    room = max(map(len, told), default=0)
    lines = [f"beside other models, on {found.splits}:"]
    for name, row in zip(names, shown, strict=True):
        if row.error is None:
            lines.append(f"  {name:<{width}}  {row.status}: {row.why}")
            continue
        alike = "  indistinguishable from the best" if row.group == 0 else ""
        lines.append(f"  {name:<{width}}  {next(said):>{room}}{alike}")
    if found.recommended:
        done = sum(row.error is not None for row in found.rows)
        which = "" if done == len(found.rows) else f" of the {done} that finished"
        best = called(found.recommended, document.recipe)
        lines.append(f"  recommended, the simplest of the best{which}: {best}")
        used = recommended_of(document)
        if used != own_name(found.recommended, document.recipe):
            lines.append(f"  of those that this study keeps: {used}")
    return lines
