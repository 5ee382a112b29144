"""How good? A measure with its interval, in words and as a row of a table."""

from __future__ import annotations

from chemin.report.blocks import Cell, Number, Span, Table
from chemin.report.words import Words
from chemin.study.document import ScoreFacts

_RATES = ("error", "balanced error", "precision", "recall", "F1", "AUC")  # from 0 to 1
_PER_CENT = ("error", "balanced error")


def told_score(score: ScoreFacts, words: Words) -> str:
    """Return a measure in words."""
    value = _shown(score.value, score.name, words)
    told = (
        words("{value} wrong", value=value)
        if score.name == "error"
        else f"{words.term(score.name)} {value}"
    )
    if score.low is None or score.high is None:
        return told
    low = _shown(score.low, score.name, words)
    high = _shown(score.high, score.name, words)
    return words("{told} (95 % interval {low} to {high})", told=told, low=low, high=high)


def shown_score(score: ScoreFacts, words: Words) -> str:
    """Return a measure with its interval, as short as it can be."""
    value, low, high = (
        _shown(one, score.name, words) for one in (score.value, score.low, score.high)
    )
    return f"{value} ({low} – {high})" if low and high else value


def score_table(scores: tuple[ScoreFacts, ...], rows: int, words: Words) -> Table:
    """Return all measures on rows that a model has not seen."""
    rates = all(score.name in _RATES for score in scores)
    caption = words(
        "How good, on {rows} that the model has not seen", rows=words.count(rows, "row")
    )
    head: tuple[str, ...] = (
        words("measure"), words("value"), words("from"), words("to"), words("interval by"),
    )  # fmt: skip
    table: list[tuple[Cell, ...]] = []
    for score in scores:
        row: tuple[Cell, ...] = (
            words.term(score.name),
            Number(_shown(score.value, score.name, words)),
            Number(_shown(score.low, score.name, words)),
            Number(_shown(score.high, score.name, words)),
            words.term(score.method),
        )
        table.append((*row, Span(score.low, score.value, score.high, 0.0, 1.0)) if rates else row)
    return Table(caption, (*head, "") if rates else head, tuple(table))


def _shown(value: float | None, name: str, words: Words) -> str:
    if name in _PER_CENT:
        return words.percent(value)
    return words.number(value, ".3f" if name in _RATES else ".4g")
