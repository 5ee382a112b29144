"""What is a finding? A code that stays, how serious it is, where it was seen, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chemin.frames import as_frame
from chemin.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEVERITIES = ("problem", "warning", "note")
_SHOWN = 4  # pieces of evidence told in words


@dataclass(frozen=True)
class Evidence:
    """Where something was seen: the column ("" for the table), what was seen there, and in which rows."""

    column: str
    seen: str
    rows: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Finding:
    """Something to know before anything is learned.

    Attributes
    ----------
    code : str
        What kind of finding it is; codes stay the same from one version to the next.
    severity : str
        "problem": a model would mislead, or cannot be fitted; "warning": look before going on; "note": good to know.
    what : str
        The finding in words.
    evidence : tuple of Evidence
        Where it was seen.
    remedy : str
        What to do.
    """

    code: str
    severity: str
    what: str
    evidence: tuple[Evidence, ...]
    remedy: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns concerned."""
        return tuple(seen.column for seen in self.evidence if seen.column)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows concerned, counted from 0 among those given, where they are known."""
        return tuple(sorted({row for seen in self.evidence for row in seen.rows}))

    def __str__(self) -> str:
        told = [
            f"{seen.column!r}: {seen.seen}" if seen.column else seen.seen
            for seen in self.evidence[:_SHOWN]
        ]
        more = len(self.evidence) - len(told)
        told += [f"{more} more"] * (more > 0)
        return f"{self.severity} {self.code}: {self.what}: {'; '.join(told)}. {self.remedy}"


@dataclass(frozen=True)
class Check:
    """A question that was put to the table, and why not, if it could not be."""

    code: str
    question: str
    why_not: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """What was found, and what was looked for in vain.

    Attributes
    ----------
    found : tuple of Finding
        The most serious first.
    passed : tuple of Check
        Questions that found nothing.
    skipped : tuple of Check
        Questions that could not be put, or were muted.
    said : str
        Which rows were looked at.
    """

    found: tuple[Finding, ...]
    passed: tuple[Check, ...]
    skipped: tuple[Check, ...]
    said: str

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __contains__(self, code: object) -> bool:
        return any(finding.code == code for finding in self.found)

    def __getitem__(self, code: str) -> Finding:
        for finding in self.found:
            if finding.code == code:
                return finding
        raise KeyError(code)

    def frame(self) -> Any:
        """Return a row per piece of evidence as a DataFrame."""
        rows = [(finding, seen) for finding in self.found for seen in finding.evidence]
        made = {
            "code": [finding.code for finding, _ in rows],
            "severity": [finding.severity for finding, _ in rows],
            "column": [seen.column for _, seen in rows],
            "evidence": [seen.seen for _, seen in rows],
            "remedy": [finding.remedy for finding, _ in rows],
        }
        return as_frame(made, instead="found")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each finding was met."""
        from chemin.plots.exploration.description import draw_findings

        return draw_findings(
            [finding.code for finding in self.found],
            [len(finding.evidence) for finding in self.found],
            [finding.severity for finding in self.found],
            passed=len(self.passed),
            ax=ax,
        )

    def __str__(self) -> str:
        counts = [
            f"{count} {severity}{'s' * (count != 1)}"
            for severity in SEVERITIES
            if (count := sum(finding.severity == severity for finding in self.found))
        ]
        lines = [f"{', '.join(counts) or 'nothing found'}, {self.said}"]
        lines += [f"  {finding}" for finding in self.found]
        lines.append(f"  passed: {', '.join(check.code for check in self.passed) or 'none'}")
        if self.skipped:
            told = ", ".join(f"{check.code} ({check.why_not})" for check in self.skipped)
            lines.append(f"  not looked for: {told}")
        return "\n".join(lines)
