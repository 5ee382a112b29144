"""``chemin predict``: what a model says of the rows of a file."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from chemin.cli import options
from chemin.cli.console import Voice
from chemin.cli.models import Asked, asked_for
from chemin.study import Study
from chemin.study.workspace import check_place, whole_file
from chemin.tables import Table

_FORMULA = re.compile(
    r"[=+\-@\t\r\n＝＋－＠]"
)  # what a spreadsheet takes for the beginning of a formula,
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")  # but for this


@options.shared
def predict(
    model: options.Model,
    source: options.Source,
    which: options.Which = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="A CSV file to write; standard output by default."),
    ] = None,
    force: options.Force = False,
    *,
    reading: options.Reading,
    voice: Voice,
) -> None:
    """Predict the rows of a file; where it knows the truth, say how many are right.

    Examples:
      chemin predict patients-study new.csv --out predicted.csv
      chemin predict patients-study/models/linear.skops new.csv
    """
    place = None if out is None else Path(out)
    if place is not None:
        check_place(place, force)
    asked = asked_for(model, which)
    table = asked.read(source, reading)
    found = _predicted(asked, table)
    voice.note(asked.said)
    if voice.json:
        voice.answer(
            [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
        )
    elif place is None:
        voice.tell(as_csv(found).replace("\r\n", "\n").rstrip("\n"))
    else:
        with whole_file(place) as beside:
            beside.write_text(as_csv(found), encoding="utf-8")
        voice.note(f"{len(found['predicted'])} rows written to {place}")
    _judge(asked, source, table, found["predicted"], voice)


def _predicted(asked: Asked, table: Table) -> dict[str, list[Any]]:
    """Return names of rows, predictions and decisions."""
    X = table.frame()
    names = _names(table)
    predicted = np.asarray(asked.model.predict(X))
    found: dict[str, list[Any]] = {"row": names, "predicted": predicted.tolist()}
    last = asked.model[-1] if hasattr(asked.model, "steps") else asked.model
    if hasattr(last, "classes_"):
        decisions = np.asarray(asked.model.decision_function(X))
        classes = asked.model.classes_
        if decisions.ndim == 1:
            spoken_for = int(getattr(last, "positive", None) != classes[0])
            found[f"decision for {classes[spoken_for]}"] = (
                decisions if spoken_for else -decisions
            ).tolist()
        else:
            found |= {
                f"decision for {label}": column.tolist()
                for label, column in zip(classes, decisions.T, strict=True)
            }
    return found


def _names(table: Table) -> list[Any]:
    for column in table.columns:
        if column.field.type == "identifier":
            return [str(value) for value in column.values.tolist()]
    return list(range(table.shape[0]))


def as_csv(columns: dict[str, list[Any]]) -> str:
    r"""Return columns as CSV in which no cell is a formula to a spreadsheet.

    Examples
    --------
    >>> as_csv({"row": ["=1+1"], "predicted": ["-1"], "decision": [-0.5]})
    "row,predicted,decision\r\n'=1+1,-1,-0.5\r\n"
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([_harmless(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_harmless(value) for value in row])
    return stream.getvalue()


def _harmless(value: Any) -> Any:
    if not isinstance(value, str) or _NUMBER.fullmatch(value) or not _FORMULA.match(value):
        return value
    return f"'{value}"


def _judge(asked: Asked, source: str, table: Table, predicted: list[Any], voice: Voice) -> None:
    """Say how good the predictions are, where the file holds the truth."""
    if asked.target is None or asked.target not in table.names:
        return
    column = table[asked.target]
    known = ~column.absent
    if not known.any():
        return
    assert asked.study is not None  # which names the target
    called = np.asarray(predicted)[known]
    where = (
        f"{known.sum()} rows whose {asked.target!r} is known{_learned_from(asked.study, source)}"
    )
    if asked.study.document.data.task == "numbers":
        away = np.sqrt(np.mean((column.values[known].astype(float) - called) ** 2))
        voice.note(f"RMSE {away:.4g} on {where}")
        return
    truth = _as_labels(column.values[known])
    wrong = 100.0 * np.mean(truth != called.astype(str))
    voice.note(f"{wrong:.1f} % wrong of {where}")


def _learned_from(study: Study, source: str) -> str:
    """Return that the model knows rows of its own data, which are no judges of it."""
    document = study.document
    if Path(source).resolve() != Path(document.recipe.source).resolve():
        return ""
    return f"; it has learned from {document.split.train} of the rows of this file"


def _as_labels(values: Any) -> Any:
    """Return labels as a study has them: whole numbers without a point."""
    if values.dtype.kind == "f" and np.all(values == np.round(values)):
        return values.astype(np.int64).astype(str)
    return values.astype(str)
