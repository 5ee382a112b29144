"""What do the training rows look like? Findings, columns, what goes with the target, groups: the look, as facts."""

from __future__ import annotations

import numpy as np

from chemin.dictionaries.base import Indices
from chemin.exceptions import CheminError
from chemin.exploration import Exploration, explore
from chemin.study.document import ColumnFacts, FindingFacts, LookFacts
from chemin.study.steps.reading import Source

_BUDGET = 20.0  # seconds of estimated work for each part
_ASSOCIATIONS = 30  # columns told


def look_at(source: Source, train: Indices, random_state: int, progress: bool) -> LookFacts:
    """Look at the training rows."""
    look = explore(
        source.table, rows=train, budget=_BUDGET, random_state=random_state, progress=progress
    )
    findings = look.findings
    return LookFacts(
        said=look.said,
        findings=tuple(
            FindingFacts(
                one.code,
                one.severity,
                one.what,
                tuple(
                    f"{seen.column}: {seen.seen}" if seen.column else seen.seen
                    for seen in one.evidence
                ),
                one.remedy,
            )
            for one in findings
        ),
        passed=tuple(check.code for check in findings.passed),
        skipped=tuple(f"{check.code} ({check.why_not})" for check in findings.skipped),
        columns=_described(look),
        associations=_associations(look),
        groups=_said(look, "groups"),
        spread=_said(look, "projection"),
    )


def _described(look: Exploration) -> tuple[ColumnFacts, ...]:
    return tuple(
        ColumnFacts(column.name, column.type, str(column)) for column in look.description.columns
    )


def _associations(look: Exploration) -> tuple[tuple[str, float], ...]:
    """Return how much each input has to do with the target, the strongest first."""
    try:
        found = look.dependence
    except CheminError:  # such as no two columns that can be compared
        return ()
    if found.target not in found.names:
        return ()
    place = found.names.index(found.target)
    strength = found.measures["association"][:, place]
    order = np.argsort(-np.nan_to_num(strength, nan=-1.0), kind="stable")
    told = [(found.names[j], float(strength[j])) for j in order if j != place]
    return tuple((name, value) for name, value in told[:_ASSOCIATIONS] if np.isfinite(value))


def _said(look: Exploration, part: str) -> str:
    try:
        return str(getattr(look, part)).splitlines()[0]
    except CheminError:  # such as no column of numbers
        return ""
