"""Which questions are put to a table? One line each: code, severity, what is needed, question, finding, remedy."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError
from chemin.exploration.cost import BUDGET
from chemin.exploration.findings import columns, order, tables, target
from chemin.exploration.findings.context import Context, Seen
from chemin.exploration.findings.finding import SEVERITIES, Check, Finding, Findings
from chemin.exploration.subject import as_subject
from chemin.progress import Bar


@dataclass(frozen=True)
class _Question:
    """A check: ``needs`` is "" or what it cannot do without: "target" or "classes"."""

    code: str
    severity: str
    needs: str
    question: str
    what: str
    remedy: str
    look: Callable[[Context], Seen]


QUESTIONS = (
    _Question(
        "target-copy", "problem", "target", "is the target among the inputs, under another name?",
        "columns from which the target can be read off",
        "Leave them out: they will not be known when the model is used.", target.target_copies,
    ),
    _Question(
        "leak", "problem", "target", "does one column alone predict the target almost without error?",
        "columns that alone predict the target, far ahead of all others",
        "Ask when each was written down: after the target was known, leave it out.", target.leaks,
    ),
    _Question(
        "one-class", "problem", "target", "does the target vary?", "a target of one value",
        "Take rows with other values, or name another target.", target.one_class,
    ),
    _Question(
        "tiny-class", "problem", "classes", "has every class enough rows to be learned and tested?",
        "classes of fewer than five rows, which some folds lack",
        "Find more rows of them, join them to others, or leave them out.", target.tiny_class,
    ),
    _Question(
        "infinite", "problem", "", "are all numbers finite?", "infinite values",
        "Replace them by numbers or gaps: no model takes them.", columns.infinite,
    ),
    _Question(
        "imbalance", "warning", "classes", "are the classes of similar size?", "rare classes",
        "Judge by recall, precision or AUC rather than by the error; weigh classes; keep folds stratified.",
        target.imbalance,
    ),
    _Question(
        "duplicate-rows", "warning", "", "is every row there once?", "rows that are there more than once",
        "Keep one of each, or keep copies in one fold: on both sides of a split they are remembered, not predicted.",
        tables.duplicate_rows,
    ),
    _Question(
        "contradiction", "warning", "classes", "do equal inputs have equal classes?",
        "equal inputs with different classes",
        "No model can be right on all of these rows: look for a column that is missing, or for wrong labels.",
        tables.contradictions,
    ),
    _Question(
        "duplicate-columns", "warning", "", "does every column say something of its own?",
        "columns that say the same as another", "Keep one of each: terms of a model are split between them.",
        tables.duplicate_columns,
    ),
    _Question(
        "missing-code", "warning", "", "do some numbers stand for gaps?", "numbers that look like codes of gaps",
        "If they are, read again with missing=, such as missing={'column': ['-1']}.", columns.missing_codes,
    ),
    _Question(
        "number-code", "note", "", "are all numbers quantities?", "numbers that may be names",
        "If they are, read again with types={'column': 'category'}.", columns.numbers_as_codes,
    ),
    _Question(
        "missing-with-target", "warning", "target", "are gaps independent of the target?",
        "gaps that go with the target",
        "Keep a column for the gap (`Prepare` does), and ask whether it was there before the target was known.",
        target.missing_tells,
    ),
    _Question(
        "outlier", "warning", "", "are there values far beyond all others?", "values far beyond all others",
        "Look at these rows and mend what is wrong; if they are right, take logarithms, or a loss that bears them.",
        columns.outliers,
    ),
    _Question(
        "few-rows", "warning", "", "are there enough rows for so many columns?", "few rows for many columns",
        "Choose models of few columns (`SparseSVCCV`), and judge them on rows they have not seen.", tables.few_rows,
    ),
    _Question(
        "sorted-by-target", "warning", "target", "are the rows in random order?", "rows in the order of the target",
        "Shuffle before splitting: the first rows are not like the last ones.", target.sorted_by_target,
    ),
    _Question(
        "time-order", "warning", "", "are the rows in the order of a date?", "rows in the order of time",
        "If the future is to be predicted, test on the last rows, not on random ones.", order.in_time,
    ),
    _Question(
        "drift", "warning", "", "are first and last rows alike?", "numbers that rise or fall from row to row",
        "If rows were gathered in this order, test on the last ones, and look for what has changed.", order.drift,
    ),
    _Question(
        "similar-words", "warning", "", "is every word written in one way?",
        "words that differ by capitals, accents or spaces only",
        "Write them in one way, for example with .str.strip().str.lower().", columns.similar_words,
    ),
    _Question(
        "many-words", "warning", "", "has every word of a category enough rows?", "categories of many words",
        "Join rare words, or leave the column out: a word seen once tells nothing.", columns.many_words,
    ),
    _Question(
        "blank-row", "warning", "", "has every row some value?", "rows without any value", "Leave them out.",
        tables.rows_without_anything,
    ),
    _Question(
        "missing", "note", "", "is everything known?", "columns with gaps",
        "`Prepare` fills them; ask why they are there.", tables.missing,
    ),
    _Question(
        "missing-together", "note", "", "are gaps in different rows?", "columns with gaps in the same rows",
        "One gap tells of all of them: ask what these rows have in common.", tables.missing_together,
    ),
    _Question(
        "empty", "note", "", "has every column some value?", "columns without any value", "Leave them out.",
        columns.empty,
    ),
    _Question(
        "constant", "note", "", "does every column vary?", "columns of one value",
        "Leave them out: they tell nothing of these rows.", columns.constant,
    ),
    _Question(
        "nearly-constant", "note", "", "does every column vary over many rows?",
        "columns of one value in all but a few rows",
        "What they tell rests on these few rows.", columns.nearly_constant,
    ),
    _Question(
        "identifier", "note", "", "do all columns say what rows are like, not what they are called?",
        "columns that name the rows", "Keep them as names, not as inputs.", columns.identifier,
    ),
    _Question(
        "scales", "note", "", "have all numbers similar spreads?", "spreads a thousand times apart",
        "Bring columns to a common scale (`Prepare`, `standardize=True`): penalties and distances see the widest only.",
        tables.scales,
    ),
    _Question(
        "sentences", "note", "", "can all columns be compared as they are?", "columns of sentences",
        "`Prepare` counts their most frequent words; kernels for texts compare them whole.", columns.sentences,
    ),
)  # fmt: skip
CODES = tuple(question.code for question in QUESTIONS)


def check(
    data: Any,
    target: Any = None,
    *,
    rows: Any = None,
    mute: Collection[str] = (),
    budget: float | None = BUDGET,
    random_state: int = 0,
    progress: bool = False,
) -> Findings:
    """Look for what should be known before anything is learned.

    Parameters
    ----------
    data : Table, DataFrame, array, path or name
        The table.
    target : str or array of shape (n,), optional
        What is to be predicted; without it, questions about it are not put.
    rows : int, slice or array, optional
        Which rows to look at; rows kept for a test should not be among them.
    mute : list of str, optional
        Codes that are not to be looked for.
    budget : float, optional
        Seconds of estimated work beyond which a random part of the rows is looked at.
    random_state : int, default 0
        Which part.
    progress : bool, default False
        Draw a bar.

    Returns
    -------
    Findings

    Examples
    --------
    >>> import numpy as np
    >>> drawing = np.random.default_rng(0)
    >>> age = drawing.normal(50.0, 10.0, size=200)
    >>> ill = drawing.integers(2, size=200)
    >>> found = check({"age": age, "treated": ill + 0.1 * age, "ill": np.where(ill, "yes", "no")}, "ill")
    >>> [finding.code for finding in found]
    []
    >>> found = check({"age": age, "treated": ill + 0.01 * age, "ill": np.where(ill, "yes", "no")}, "ill")
    >>> [(finding.code, finding.columns) for finding in found]
    [('leak', ('treated',))]
    """
    mute = [mute] if isinstance(mute, str) else list(mute)
    for code in mute:
        if code not in CODES:
            raise InvalidInputError(f"mute has {code!r}: pass some of {', '.join(CODES)}")
    subject = as_subject(
        data, target, rows, part="findings", budget=budget, random_state=random_state
    )
    context = Context(subject)
    found: list[Finding] = []
    passed: list[Check] = []
    skipped: list[Check] = []
    bar = Bar("checks", len(QUESTIONS), progress)
    for asked in bar.over(QUESTIONS):
        why_not = "muted" if asked.code in mute else _why_not(asked, context)
        if why_not:
            skipped.append(Check(asked.code, asked.question, why_not))
            continue
        with np.errstate(
            all="ignore"
        ):  # numbers near the largest ones overflow when they are squared
            evidence = tuple(asked.look(context))
        if evidence:
            found.append(Finding(asked.code, asked.severity, asked.what, evidence, asked.remedy))
        else:
            passed.append(Check(asked.code, asked.question))
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings(tuple(found), tuple(passed), tuple(skipped), subject.said)


def _why_not(asked: _Question, context: Context) -> str:
    """Return why a question cannot be put, "" if it can."""
    if asked.needs and context.subject.target is None:
        return "no target was named"
    if asked.needs == "classes" and not context.subject.has_classes:
        return "the target is a number"
    return ""
