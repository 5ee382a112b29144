"""``chemin compare``: models on the same splits, with intervals, and the simplest of the best."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from chemin.cli import options
from chemin.cli.console import STOPPED, Voice
from chemin.models import frame as registry
from chemin.models.comparison import Comparison
from chemin.models.comparison import compare as compare_models


@options.shared
def compare(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="As for chemin learn; with --list it is not read.",
            show_default=False,
        ),
    ] = "",
    target: options.Target = None,
    models: Annotated[str, typer.Option(help="Which, between commas; all by default.")] = "all",
    listed: Annotated[bool, typer.Option("--list", help="Name all models, and stop.")] = False,
    folds: Annotated[int, typer.Option(help="Of each repetition.")] = 5,
    repeats: Annotated[int, typer.Option(help="How often folds are drawn.")] = 1,
    budget: Annotated[float, typer.Option(help="Seconds for everything.")] = 600.0,
    seed: options.Seed = 0,
    *,
    reading: options.Reading,
    voice: Voice,
) -> int | None:
    """Try models on the same splits; those that cannot be told apart form a group.

    A model that fails or takes too long is a row with the reason. Ctrl-C keeps what is finished.

    Examples:
      chemin compare iris
      chemin compare patients.csv -t diagnostic --models drsvm,lda,tree
      chemin compare --list
    """
    if listed:
        _list(voice)
        return None
    if not source:
        raise typer.BadParameter("name a FILE, or pass --list", param_hint="FILE")
    table = reading.table(source, target=target)
    names: Any = models if models == "all" else [name.strip() for name in models.split(",")]
    found = compare_models(
        table, models=names, folds=folds, repeats=repeats, budget=budget, random_state=seed,
        progress=voice.draws_bars,
    )  # fmt: skip
    _tell(found, voice)
    return STOPPED if any(row.status == "cancelled" for row in found.rows) else None


def _tell(found: Comparison, voice: Voice) -> None:
    head = ("model", found.measure, "low", "high", "group", "length", "seconds", "why")
    rows = [
        (
            row.name,
            *(
                (row.error.value, row.error.low, row.error.high)
                if row.error
                else (None, None, None)
            ),
            row.group if row.group >= 0 else None,
            f"{row.length:.4g} {row.unit}" if row.unit else "",
            round(row.seconds, 2),
            row.why and f"{row.status}: {row.why}",
        )
        for row in found.rows
    ]
    if voice.json:
        voice.answer(
            {
                "measure": found.measure,
                "recommended": found.recommended,
                "splits": found.splits,
                "rows": [dict(zip(head, row, strict=True)) for row in rows],
            }
        )
        return
    splits = found.splits.removesuffix(f", digest {found.digest}")
    voice.show(f"{splits}; {found.said}; group 0 is the best", head, rows)
    voice.tell("", f"recommended, the simplest of the best group: {found.recommended or 'none'}")


def _list(voice: Voice) -> None:
    frame = registry()
    head = ("name", "task", "kind", "course", "assumes")
    rows = list(zip(*(frame[name].to_list() for name in head), strict=True))
    if voice.json:
        voice.answer([dict(zip(head, row, strict=True)) for row in rows])
        return
    voice.show("models", head, rows)
