"""Which scripts does a page run? The modules of this folder, one after the other, as one text.

Each module stands for itself: its imports name those before it. In a page they are one script, whose hash is the only
one that the page's security policy allows.
"""

from __future__ import annotations

import re
from importlib.resources import files

MODULES = (
    "numbers",
    "series",
    "kernels",
    "columns",
    "losses",
    "proof",
    "machine",
    "drawing",
    "boundary",
    "pixels",
    "words",
    "charts",
    "pictures",
    "terms",
    "telling",
    "explorer",
)
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def script() -> str:
    """Return all modules as one script, and the call that begins."""
    folder = files("chemin.report.explorer")
    parts = [_bare((folder / f"{name}.js").read_text("utf-8")) for name in MODULES]
    return "".join(parts) + "begin(document);\n"


def _bare(module: str) -> str:
    """Return a module without what it imports, exports, remarks and indents."""
    for what in (_IMPORT, _COMMENT, _INDENT, _EXPORT):
        module = what.sub("", module)
    return module
