"""Which verbs are there? Each is a file of its own; what goes wrong in any is told here, with its exit code."""

from __future__ import annotations

import signal
import sys
import traceback
from typing import Annotated, Any

import click
import typer

import chemin
from chemin.cli import (
    compare,
    console,
    datasets,
    doctor,
    explain,
    explore,
    learn,
    path,
    predict,
    report,
    reproduce,
)
from chemin.results import plain

app = typer.Typer(
    name="chemin",
    help="From a file to a model that explains itself.\n\n"
    "Begin with [bold]chemin learn FILE --target COLUMN[/bold]: it reads, looks, learns, compares and explains, and "
    "writes a report. [bold]chemin learn breast-cancer[/bold] shows it on bundled data.",
    epilog="Exit codes: 0 done, 1 something went wrong on the way, 2 the command or its input is wrong, 3 a library is "
    "missing, 130 stopped by Ctrl-C.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (explore, learn, predict, explain, compare, path, report, reproduce, datasets, doctor):
    name = verb.__name__.rpartition(".")[2]
    app.command(name)(getattr(verb, name))


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"chemin {chemin.__version__}\n")
        raise typer.Exit


@app.callback()
def chemin_(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take options that belong to no verb."""


def run(arguments: list[str]) -> int:
    """Run one command, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _stop)  # as Ctrl-C: what is done is kept
    loud = "-v" in arguments or "--verbose" in arguments
    try:
        with console.spoken_warnings(console.Voice(loud=loud, quiet=_is_quiet(arguments))):
            code = app(arguments, standalone_mode=False)
        return code if isinstance(code, int) else console.DONE
    except click.ClickException as error:
        error.show()
        return console.WRONG
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("stopped\n")
        return console.STOPPED
    except BrokenPipeError:  # whoever read the output has enough of it
        sys.stderr.close()
        return console.DONE
    except Exception as error:
        if loud:
            traceback.print_exc()
        sys.stderr.write(f"error: {plain(console.said(error))}\n")
        if console.code_of(error) == console.FAILED and not loud:
            sys.stderr.write("(-v shows where it arose)\n")
        return console.code_of(error)


def _is_quiet(arguments: list[str]) -> bool:
    return "-q" in arguments or "--quiet" in arguments


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt
