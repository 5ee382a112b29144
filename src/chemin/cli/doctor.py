"""``chemin doctor``: what is installed, what is missing, and what to type."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import chemin
from chemin.cli import options
from chemin.cli.console import FAILED, Voice
from chemin.memory import GIB, free

_EXTRAS = {  # extra → what it is for, and the modules that it brings
    "tables": (
        "reading files",
        ("charset_normalizer", "clevercsv", "python_calamine", "pandas", "pyarrow", "PIL"),
    ),
    "plots": ("pictures", ("matplotlib", "pandas")),
    "explore": ("looking at data", ("kneed",)),
    "save": ("keeping models", ("skops",)),
    "cli": ("this command", ("typer", "rich", "pydantic")),
    "report": ("reports", ("jinja2",)),
    "studio": ("the local page", ("starlette", "uvicorn", "python_multipart")),
    "deep": ("networks", ("torch",)),
    "cluster": ("several machines", ("distributed",)),
    "text": ("kernels on texts", ("strkernels",)),
    "graphs": ("kernels on graphs", ("grakel",)),
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "narwhals")
_CERTIFIED = 1e-9


@options.shared
def doctor(*, voice: Voice) -> int | None:
    """Say what is installed and what is missing, and follow a small path to see that the engine works."""
    gap = _small_path()
    facts: dict[str, Any] = {
        "chemin": chemin.__version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "memory": _memory(),
        "inner loop": _loop(),
        "graphics card": _graphics(),
        "small path": f"certified, gap {gap:.0e}"
        if gap < _CERTIFIED
        else f"NOT certified, gap {gap:.0e}",
    } | {name: version(name) for name in _LIBRARIES}
    extras = {name: _missing(modules) for name, (_, modules) in _EXTRAS.items()}
    if voice.json:
        voice.answer({"facts": facts, "missing": extras})
    else:
        for name, value in facts.items():
            voice.tell(f"{name:<14} {value}")
        voice.tell("")
        for name, (what, _) in _EXTRAS.items():
            state = (
                "installed"
                if not extras[name]
                else f"missing {', '.join(extras[name])}: pip install 'chemin[{name}]'"
            )
            voice.tell(f"{name:<9} {what:<18} {state}")
    return None if gap < _CERTIFIED else FAILED


def _small_path() -> float:
    """Return the worst gap of a path that every installation can follow."""
    path = chemin.svm_path([[-2.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, -1.0]], [0, 0, 1, 1])
    return float(path.certificate(midpoints=True).worst_gap)


def _loop() -> str:
    from chemin.engine.exact.inner.loop import COMPILED

    if COMPILED:
        return "compiled"
    return "Python, ten to seventy times slower: install a C compiler, then chemin again"


def _memory() -> str:
    found = free()
    return "not known here" if found is None else f"{found / GIB:.1f} GiB free"


def _graphics() -> str:
    if find_spec("torch") is None:
        return "not asked: PyTorch is not installed"
    import torch

    return (
        str(torch.cuda.get_device_name())
        if torch.cuda.is_available()
        else "none that PyTorch can use"
    )


def _missing(modules: tuple[str, ...]) -> list[str]:
    return [name for name in modules if find_spec(name) is None]
