"""Which implementation of the inner loop is there: compiled, or NumPy and SciPy only?

Both follow the same path (the tests run them against each other); the compiled one is several times faster per event on
small problems. It is built at installation where a C compiler is found. ``CHEMIN_PURE=1`` makes it be ignored.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

_CONTRACT = 7  # raised with every change of what `_compiled.pyx` offers


def _compiled_module() -> ModuleType | None:
    if os.environ.get("CHEMIN_PURE"):
        return None
    try:
        module = import_module("chemin.engine.exact._compiled")
    except ImportError:
        return None
    return (
        module if getattr(module, "CONTRACT", None) == _CONTRACT else None
    )  # an older build is left alone


compiled = _compiled_module()
