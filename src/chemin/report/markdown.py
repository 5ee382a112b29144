"""How does a report become Markdown? Block by block; what comes from the data stays text, whatever it looks like."""

from __future__ import annotations

import re

from chemin.report.blocks import Bar, Cell, Code, Curve, Explorer, Number, Points, Span, Table, Text
from chemin.report.material import material_of
from chemin.report.sections import report_of
from chemin.report.words import ENGLISH, Words
from chemin.results import plain
from chemin.study import Study

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~!$&])")


def markdown(study: Study, language: str = ENGLISH, *, redact: bool = False) -> str:
    """Return a study as Markdown.

    Parameters
    ----------
    study : Study
        A finished one.
    language : {"en", "fr"}
        Of the text.
    redact : bool, default False
        Leave out values and names of rows.

    Returns
    -------
    str
        The same for the same study, whenever and wherever it is made.
    """
    report = report_of(material_of(study, redact), Words(language))
    parts = [f"# {_text(report.title)}"]
    for section in report.sections:
        parts.append(f"## {_text(section.title)}")
        parts += [_block(block) for block in section.blocks if not isinstance(block, Explorer)]
    return "\n\n".join(parts) + "\n"


def _block(block: Text | Points | Table | Curve | Code) -> str:
    if isinstance(block, Text):
        return _text(block.words)
    if isinstance(block, Points):
        return "\n".join(f"- {_text(point)}" for point in block.words)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Curve):
        return f"**{_text(block.caption)}**\n\n{_text(block.sentence)}\n\n{_table(block.table)}"
    return _code(block)


def _table(table: Table) -> str:
    """Return a table without its pictures, whose numbers stand beside them."""
    told = [
        place
        for place in range(len(table.head))
        if not all(isinstance(row[place], Bar | Span) or row[place] == "" for row in table.rows)
        or not table.rows
    ]
    ruler = ["---:" if _is_number(table, place) else "---" for place in told]
    lines = [
        [_text(table.head[place]) for place in told],
        ruler,
        *([_cell(row[place]) for place in told] for row in table.rows),
    ]
    return f"**{_text(table.caption)}**\n\n" + "\n".join(
        f"| {' | '.join(line)} |" for line in lines
    )


def _is_number(table: Table, place: int) -> bool:
    return bool(table.rows) and all(isinstance(row[place], Number) for row in table.rows)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Bar | Span):
        return ""
    return _text(cell.shown if isinstance(cell, Number) else cell)


def _code(block: Code) -> str:
    """Return a block of code between more backticks than it holds."""
    longest = max((len(run) for run in re.findall(r"`+", block.words)), default=0)
    fence = "`" * max(3, longest + 1)
    caption = f"**{_text(block.caption)}**\n\n" if block.caption else ""
    return f"{caption}{fence}\n{plain(block.words)}\n{fence}"


def _text(words: str) -> str:
    r"""Return text on one line in which no sign means anything to Markdown.

    Examples
    --------
    >>> _text("<b> *a*|b")
    '\\<b\\> \\*a\\*\\|b'
    """
    return _SIGNS.sub(r"\\\1", " ".join(plain(words).split()))
