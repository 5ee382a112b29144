"""Which verbs are there? Each is a file of its own; what goes wrong in any is told here, with its exit code."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from typing import Annotated

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
    studio,
)
from chemin.results import plain

_EXAMPLE = re.compile(
    r"^  .*$", re.MULTILINE
)  # marked, for typer takes spaces away before what is not

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


def _flowing(text: str) -> str:
    r"""Return a docstring whose paragraphs are lines, however they are wrapped; examples stay lines, and indented.

    Examples
    --------
    >>> _flowing("Do this.\n\n    It is told on\n    two lines.\n\n    Examples:\n      chemin do\n      chemin this")
    'Do this.\n\nIt is told on two lines.\n\nExamples:\n[cyan]  chemin do[/cyan]\n[cyan]  chemin this[/cyan]'
    """
    parts = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        _EXAMPLE.sub(r"[cyan]\g<0>[/cyan]", part)
        if _EXAMPLE.search(part)
        else part.replace("\n", " ")
        for part in parts
    )


for verb in (
    explore,
    learn,
    studio,
    predict,
    explain,
    compare,
    path,
    report,
    reproduce,
    datasets,
    doctor,
):
    name = verb.__name__.rpartition(".")[2]
    function = getattr(verb, name)
    app.command(name, help=_flowing(function.__doc__))(function)


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
    loud = "-v" in arguments or "--verbose" in arguments
    quiet = "-q" in arguments or "--quiet" in arguments
    try:
        with console.spoken_warnings(console.Voice(loud=loud, quiet=quiet)):
            ended = app(arguments, prog_name="chemin", standalone_mode=False)
        code = ended if isinstance(ended, int) else console.DONE
    except typer.TyperException as error:
        return _misused(error)
    except (typer.Abort, KeyboardInterrupt):
        code = console.STOPPED
    except BrokenPipeError:  # whoever read the output has enough of it
        sys.stderr.close()
        return console.DONE
    except Exception as error:
        if loud:
            traceback.print_exc()
        sys.stderr.write(f"error: {plain(console.said(error))}\n")
        if not loud and not console.is_foreseen(error):
            sys.stderr.write("(this should not happen; -v shows where it arose)\n")
        return console.code_of(error)
    if code == console.STOPPED:
        sys.stderr.write("stopped\n")
    return code


def _misused(error: typer.TyperException) -> int:
    """Say what of a command is wrong, and where its help is."""
    message = error.format_message()  # empty where the help was shown, as nothing was asked
    if message:
        context = getattr(error, "ctx", None)
        verb = "chemin" if context is None else context.command_path
        sys.stderr.write(f"error: {plain(message)}\n({verb} --help shows what it takes)\n")
    return console.WRONG
