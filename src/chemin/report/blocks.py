"""What is a report made of? Sections of blocks, complete before anybody knows whether they become HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A cell that is a number, as it is shown."""

    shown: str


@dataclass(frozen=True)
class Bar:
    """A cell that is a bar: to the right of an axis for a positive size, to its left for a negative one."""

    size: float
    most: float
    two_sided: bool = False


@dataclass(frozen=True)
class Span:
    """A cell that is an interval around a value, on an axis from ``least`` to ``most``."""

    low: float | None
    value: float
    high: float | None
    least: float
    most: float


Cell = str | Number | Bar | Span


@dataclass(frozen=True)
class Text:
    """A paragraph; ``kind`` is "plain", "lead", "caution", or "foreign" for words that are English on every page."""

    words: str
    kind: str = "plain"


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table; a folded one is opened by whoever wants it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: bool = False


@dataclass(frozen=True)
class Mark:
    """A value of the horizontal axis that is marked, and what it is called."""

    x: float
    name: str


@dataclass(frozen=True)
class Curve:
    """A step curve over a logarithmic axis: y[k] from x[k] up to x[k − 1], and a band of ``spread`` on both sides.

    Attributes
    ----------
    caption, sentence : str
        What it is, and what it says to those who do not see it.
    x_name, y_name : str
        Of the axes.
    x, y, spread : tuple of float
        x from the largest to the smallest.
    marks : tuple of Mark
        Values that are pointed at.
    table : Table
        The same in numbers.
    """

    caption: str
    sentence: str
    x_name: str
    y_name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...]
    marks: tuple[Mark, ...]
    table: Table


@dataclass(frozen=True)
class Code:
    """Something to type."""

    words: str
    caption: str = ""


@dataclass(frozen=True)
class Explorer:
    """Where a reader moves on the path of a model; there is none on paper."""

    model: str
    caption: str


Block = Text | Points | Table | Curve | Code | Explorer


@dataclass(frozen=True)
class Section:
    """A title, a name for links, and blocks."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A title and sections, in one language."""

    language: str
    title: str
    sections: tuple[Section, ...]
