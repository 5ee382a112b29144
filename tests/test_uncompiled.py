"""Claims about the loop where it is not compiled: one source, so the same path, as robust."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import uncompiled
from chemin.engine.exact.inner import loop

SCRIPT = pathlib.Path(uncompiled.__file__)
GAP = 1e-9


def ran(what: str) -> dict[str, Any]:
    """Run the script where nothing compiled is used, warnings being errors; return what it printed."""
    environment = os.environ | {"CHEMIN_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", str(SCRIPT), what]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert not found["compiled"]
    return found


def assert_same(path: dict[str, Any], other: dict[str, Any]) -> None:
    assert path["kind"] == other["kind"]
    assert path["index"] == other["index"]
    l1 = np.array(other["l1"])
    np.testing.assert_allclose(path["l1"], l1, rtol=GAP, atol=1e-12 * l1[0])


@pytest.fixture(scope="module")
def robust() -> list[dict[str, Any]]:
    return ran("robust")["judged"]


@pytest.fixture(scope="module")
def same() -> list[dict[str, Any]]:
    return ran("same")["paths"]


@pytest.fixture(scope="module")
def few() -> list[dict[str, Any]]:
    return ran("few")["paths"]


def each(cases: list[Any]) -> pytest.MarkDecorator:
    """Return the mark of a test that looks at one case after the other, by its place."""
    return pytest.mark.parametrize("place", range(len(cases)), ids=[str(case) for case in cases])


@each(uncompiled.A_SIXTH)
def test_the_uncompiled_loop_is_as_robust(place, robust):
    """Every trap once, a sixth of the battery."""
    assert robust[place]["code"] == "complete"
    assert robust[place]["gap"] <= GAP


@pytest.mark.skipif(not loop.COMPILED, reason="the loop is not compiled here")
@each(uncompiled.WITHOUT_TIES)
def test_the_compiled_loop_and_the_uncompiled_one_follow_the_same_path(place, same):
    name, l2 = uncompiled.WITHOUT_TIES[place]
    assert_same(same[place], uncompiled.numbers(uncompiled.adversarial(name, l2)))


@each(uncompiled.FEW)
def test_what_is_not_watched_is_not_missed(place, few):
    """A loop that watches eight columns at a time follows the path that watches everything."""
    n, p = uncompiled.FEW[place]
    everything = uncompiled.numbers(uncompiled.gaussian(n, p, screening=False))
    assert_same(few[place], everything)
    if p > 100:
        assert few[place]["columns_per_event"] < 0.7 * everything["columns_per_event"]
