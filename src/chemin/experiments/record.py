"""What is said of an experiment? One frozen row each: what the thesis says, what is seen, and why they differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path as FilePath
from typing import Any

__all__ = ["AGREES", "DIFFERS", "FRESH", "Row", "Say", "markdown", "write_table"]

AGREES, DIFFERS = "agrees", "differs"
FRESH = 2000  # seeds from here on were never looked at while positions, widths and protocols were chosen

Say = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One experiment.

    Attributes
    ----------
    name, section : str
        What it is called, and where the thesis tells it.
    setup : str
        Data, kernels, penalties, and which of them are chosen here.
    said, seen : str
        What the thesis reports, and what is found again, in figures.
    verdict : {"agrees", "differs"}
        Whether the second bears out the first; computed, never written by hand.
    why : str
        Where the two differ and the reason, or what makes the claim hold.
    figures : tuple of str
        Names of the pictures, beside the table.
    values : mapping
        The numbers behind ``seen``, for programs.
    """

    name: str
    section: str
    setup: str
    said: str
    seen: str
    verdict: str
    why: str
    figures: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


def verdict_of(claim: bool) -> str:
    """Return the verdict on a claim that was checked."""
    return AGREES if claim else DIFFERS


def markdown(rows: Sequence[Row], seeds: int) -> str:
    """Return the table of all rows, then each row at length with its pictures."""
    lines = [
        "# The experiments of the thesis, run again",
        "",
        "A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015. λ₁ weighs the L1 norm, λ₂ "
        "the squared",
        "L2 norm. A *couple* is a training point with a kernel; it is *right* if the kernel has the shape of the "
        "point's",
        f"region. Claims on {seeds} draws of a toy use the seeds {FRESH} to {FRESH + seeds - 1}, on which nothing was",
        "tuned. The thesis gives neither sizes, nor positions, nor widths of its toys: those are chosen here.",
        "",
        *markdown_of(rows),
    ]
    return "\n".join(lines) + "\n"


def markdown_of(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table of rows, then of each row at length with its pictures."""
    lines = [
        "| experiment | § | the thesis says | seen here | verdict |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row.name, row.section, row.said, row.seen, f"**{row.verdict}**")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    for row in rows:
        lines += [
            "",
            f"## {row.name} ({row.section})",
            "",
            f"**Set-up.** {row.setup}",
            "",
            f"**Said.** {row.said}",
        ]
        lines += ["", f"**Seen: {row.verdict}.** {row.seen}", "", f"**Why.** {row.why}"]
        lines += [line for figure in row.figures for line in ("", f"![{row.name}]({figure})")]
    return lines


def write_table(rows: Iterable[Row], folder: FilePath, seeds: int) -> None:
    """Write ``experiments.md`` for people and ``experiments.json`` for programs."""
    rows = list(rows)
    (folder / "experiments.md").write_text(markdown(rows, seeds), encoding="utf-8")
    plain = json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)
    (folder / "experiments.json").write_text(plain + "\n", encoding="utf-8")
