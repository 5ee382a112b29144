"""``chemin reproduce``: the experiments of the thesis, done again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chemin.cli import options
from chemin.cli.console import Voice


@options.shared
def reproduce(
    out: Annotated[
        str, typer.Option("--out", "-o", help="Folder of the table and its pictures.")
    ] = "thesis",
    seeds: Annotated[int, typer.Option(help="Draws of the data for each claim on draws.")] = 10,
    *,
    voice: Voice,
) -> None:
    """Run all experiments but MNIST, and set what was seen beside what was said (two minutes).

    python -m chemin.experiments.mnist does MNIST.
    """
    from chemin.experiments.reproduce import reproduce as run  # which brings matplotlib along

    rows = run(out, seeds=seeds, progress=voice.note)
    if voice.json:
        voice.answer([vars(row) for row in rows])
        return
    agree = sum(row.verdict == "agrees" for row in rows)
    voice.tell(f"{agree} of {len(rows)} rows agree; the table is {Path(out) / 'experiments.md'}")
