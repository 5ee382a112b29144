"""How does a page show a computation? A script runs once, cell by cell, and the pages of both languages show its cells.

A script stands beside the English page, `course/svm.py` beside `course/svm.md`; `# %% name` begins a cell. The
directive `cell` shows the lines of a cell, what they print, and the figure they draw, with the words of the page's
language. What stands inside the directive is the caption::

    ```{cell} margin
    The margin, and the points that hold it.
    ```

A cell may be run and not shown (`:hidden:`), so that figures need not be explained by the lines that decorate them.
`:redraws: 3.2` says in the caption which figure of the course it is; the build fails if there is none to show.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import warnings
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
import pydata_sphinx_theme
import sphinx
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from words import in_french, unknown

matplotlib.use("Agg")
import matplotlib.pyplot as plt

STYLE = {"figure.figsize": (7.0, 4.0), "figure.constrained_layout.use": True, "savefig.dpi": 130}
HEAD = re.compile(r"^# %% (\w+)$", re.MULTILINE)
LANGUAGES = ("en", "fr")
FOLDER = "_cells"  # in docs/, left alone by git
OF_THE_COURSE = {"en": "(The course’s figure {}.)", "fr": "(Figure {} du cours.)"}

logger = logging.getLogger(__name__)


def split(source: str) -> dict[str, str]:
    """Return the cells of a script by name; what stands before the first is its docstring."""
    _, *parts = HEAD.split(source)
    return {name: code.strip("\n") for name, code in zip(parts[::2], parts[1::2], strict=True)}


def run(script: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Run a script; return what each cell prints and draws. Figures are left in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    space: dict[str, Any] = {"__name__": "course"}
    cells = {}
    for name, code in split(script.read_text(encoding="utf-8")).items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), plt.rc_context(STYLE), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(code, f"{script}: {name}", "exec"), space)
            pictures, missing = draw(f"{script.stem}-{name}", folder)
        cells[name] = {
            "code": code, "printed": printed.getvalue(), "pictures": pictures, "missing": missing,
        }  # fmt: skip
    return cells


def draw(stem: str, folder: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Save every open figure in both languages; return the files, and the words that have no French."""
    pictures: dict[str, list[str]] = {language: [] for language in LANGUAGES}
    missing: list[str] = []
    for k, number in enumerate(plt.get_fignums()):
        figure = plt.figure(number)
        for language in LANGUAGES:
            if language == "fr":
                missing += unknown(figure)
                in_french(figure)
            name = f"{stem}-{k}-{language}.png"
            figure.savefig(folder / name)
            pictures[language].append(name)
        plt.close(figure)
    return pictures, missing


def results(app: Sphinx, script: Path) -> dict[str, dict[str, Any]]:
    """Return the cells of a script, run again only when it, or how it is run, has changed."""
    folder = Path(app.srcdir) / FOLDER
    read = b"".join(
        path.read_bytes() for path in (script, *sorted(Path(__file__).parent.glob("*.py")))
    )
    digest = hashlib.sha256(read).hexdigest()
    kept = folder / f"{script.stem}.json"
    if kept.exists():
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["digest"] == digest:
            return dict(found["cells"])
    try:
        cells = run(script, folder)
    except Exception as error:
        raise ExtensionError(f"{script} does not run: {error!r}", error) from error
    for name, cell in cells.items():
        for word in cell["missing"]:
            logger.warning("%s, cell %s: %r has no French in words.py", script.name, name, word)
    if not any(cell["missing"] for cell in cells.values()):
        kept.write_text(json.dumps({"digest": digest, "cells": cells}), encoding="utf-8")
    return cells


class Cell(SphinxDirective):
    """Show a cell of the script of this page."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"hidden": directives.flag, "redraws": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the lines, what they printed, and the figures with their caption."""
        language, _, stem = self.env.docname.rpartition("course/")
        language = language.strip("/") or "en"
        script = Path(self.env.srcdir) / "course" / f"{stem}.py"
        self.env.note_dependency(str(script))
        cell = results(self.env.app, script)[self.arguments[0]]
        shown: list[nodes.Node] = []
        if "hidden" not in self.options:
            shown.append(nodes.literal_block(cell["code"], cell["code"], language="python"))
        if cell["printed"]:
            shown.append(nodes.literal_block(cell["printed"], cell["printed"], language="none"))
            shown[-1]["classes"].append("printed")
        words = list(self.content)
        if redrawn := self.options.get("redraws"):
            words.append(OF_THE_COURSE[language].format(redrawn))
            if not cell["pictures"][language]:
                raise self.error(f"the cell draws nothing, so it does not redraw figure {redrawn}")
        shown += [self.figure(name, " ".join(words)) for name in cell["pictures"][language]]
        return shown

    def figure(self, name: str, words: str) -> nodes.figure:
        """Return a picture with its caption."""
        caption = nodes.caption()
        inside, messages = self.parse_inline(words, lineno=self.lineno)
        caption += [*inside, *messages]
        image = nodes.image(uri=f"/{FOLDER}/{name}", alt=caption.astext())
        return nodes.figure("", image, caption)


@cache
def french_interface() -> NullTranslations:
    """Return the French of Sphinx and of its theme."""
    spoken = translation("sphinx", Path(pydata_sphinx_theme.__file__).parent / "locale", ["fr"])
    spoken.add_fallback(translation("sphinx", Path(sphinx.__file__).parent / "locale", ["fr"]))
    return spoken


def other_language(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Say in which language a page is written, and name its twin in the other."""
    french = pagename.startswith("fr/")
    twin = pagename.removeprefix("fr/") if french else f"fr/{pagename}"
    context["language"] = "fr" if french else "en"
    if french:
        context["_"] = context["gettext"] = french_interface().gettext
    context["twin"] = twin if twin in app.env.found_docs else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive `cell`, and the pages' other language to templates."""
    app.add_directive("cell", Cell)
    app.connect("html-page-context", other_language)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
