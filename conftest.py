"""Which examples cannot run, because a library that not everyone has is not there?"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
# `make docs` runs these
collect_ignore_glob = [
    "docs/conf.py",
    "docs/visit.py",
    "docs/extensions/*",
    "docs/course/*.py",
    "docs/gallery/*",
]
NEED_TORCH = (ROOT / "src/chemin/models/networks", ROOT / "docs/networks.md")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the examples of the networks where PyTorch is not installed."""
    if find_spec("torch"):
        return
    skipped = pytest.mark.skip(reason='PyTorch is not installed: pip install "chemin[deep]"')
    for item in items:
        if any(item.path.is_relative_to(place) for place in NEED_TORCH):
            item.add_marker(skipped)
