"""How do docstrings become pages? They are plain text, and only what is written here is shown."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

import chemin

# |x| is an absolute value and `coef_` an attribute; reStructuredText takes them for substitutions and links.
MARKS = re.compile(r"``.+?``|`[^`]+`|\||(?<=\w)_(?![\w`])")
HOMES = {id(getattr(chemin, name)): name for name in chemin.__all__}


def home(module: str, name: str) -> str:
    """Return under which name in `chemin` an object is described: that of its window, or that of its module."""
    item = getattr(import_module(module), name)
    return HOMES.get(id(item), f"{module}.{name}".removeprefix("chemin."))


def escape(line: str) -> str:
    """Return a line whose formulas mean themselves."""
    return MARKS.sub(lambda mark: mark[0] if mark[0][0] == "`" else "\\" + mark[0], line)


def as_plain_text(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Escape the formulas of a docstring, but not its examples."""
    example = False
    for k, line in enumerate(lines):
        example = (example or line.lstrip().startswith(">>>")) and bool(line.strip())
        if not example:
            lines[k] = escape(line)


def leave_out(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out what classes inherit from other libraries, which describe it themselves."""
    module = getattr(obj, "__module__", None)
    ours = not isinstance(module, str) or module.startswith("chemin")
    return None if ours else True


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect, after numpydoc has made its sections."""
    app.connect("autodoc-process-docstring", as_plain_text, priority=900)
    app.connect("autodoc-skip-member", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
