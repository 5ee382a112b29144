"""``chemin studio``: a local page to compose kernels, learn, read, and change one's mind."""

from __future__ import annotations

from typing import Annotated

import typer

from chemin.cli import options
from chemin.cli.console import Voice
from chemin.exceptions import MissingLibraryError

_NEEDED = ("starlette", "uvicorn", "jinja2", "python_multipart")


@options.shared
def studio(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|STUDY",
            help="A file, a bundled name, or a study that chemin learn has written; chosen in the page by default.",
            show_default=False,
        ),
    ] = None,
    target: options.Target = None,
    folder: Annotated[
        str, typer.Option("--folder", help="Where projects are kept.")
    ] = "chemin-studio",
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Where to listen; 0 for one that is free."),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    language: Annotated[
        str, typer.Option("--language", "--lang", help="Of the page: en or fr.")
    ] = "en",
    *,
    voice: Voice,
) -> None:
    """Open a local page: look, say what is similar, learn, move l1, read why, change your mind, keep it all.

    It listens on this machine alone, and sends nothing anywhere. Every step is kept in a folder, so that the same
    command goes on where it was ended.

    Examples:
      chemin studio patients.csv --target diagnostic
      chemin studio patients-study --lang fr
      chemin studio --no-browser --port 8765
    """
    try:
        from chemin.studio import serve
    except ImportError as error:
        if error.name not in _NEEDED:
            raise
        raise MissingLibraryError(
            f"the studio needs {error.name}: pip install 'chemin[studio]'"
        ) from error
    serve(
        source or "", target=target or "", folder=folder, port=port, language=language, browser=browser,
        tell=voice.tell,
    )  # fmt: skip
