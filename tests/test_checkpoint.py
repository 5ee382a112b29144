"""Claims about checkpoints: a path killed and resumed is the path never killed, and nothing a user has is lost."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from scipy import sparse

import chemin
from chemin.dictionaries import KernelDictionary
from chemin.engine.recovery import checkpoint as module
from chemin.exceptions import CheckpointError, InvalidInputError
from chemin.kernels import Gaussian


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(module, "_FEWEST_EVENTS", 60)


def problem(n=120, p=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.where(X[:, :5].sum(axis=1) + rng.standard_normal(n) > 0, 1, -1)


class StoppedError(Exception):
    pass


def stop_at(event):
    def report(events, l1):
        if events >= event:
            raise StoppedError

    return report


def assert_same(first, second):
    np.testing.assert_array_equal(first.events, second.events)
    for name in ("l1", "intercept", "coef_values", "dual_values"):
        np.testing.assert_array_equal(
            getattr(first.breakpoints, name), getattr(second.breakpoints, name)
        )
    assert first.status == second.status
    assert first.stats == second.stats


@pytest.mark.parametrize("event", [61, 150, 333])
@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
def test_resumed_is_never_interrupted(event, l2, tmp_path):
    X, y = problem()
    options = {"l2": l2, "sample_weight": np.random.default_rng(1).integers(1, 4, len(y))}
    whole = chemin.svm_path(X, y, checkpoint=tmp_path / "whole.npz", **options)
    with pytest.raises(StoppedError):
        chemin.svm_path(X, y, checkpoint=tmp_path / "part.npz", progress=stop_at(event), **options)
    assert_same(
        chemin.svm_path(X, y, checkpoint=tmp_path / "part.npz", resume=True, **options), whole
    )
    np.testing.assert_allclose(
        whole.l1, chemin.svm_path(X, y, **options).l1, rtol=0, atol=1e-10 * whole.l1[0]
    )


def test_columns_never_penalised_are_resumed_too(tmp_path):
    X, y = problem()
    options = {"l1_weight": np.r_[np.zeros(3), np.ones(37)]}
    whole = chemin.svm_path(X, y, checkpoint=tmp_path / "whole.npz", **options)
    with pytest.raises(StoppedError):
        chemin.svm_path(X, y, checkpoint=tmp_path / "part.npz", progress=stop_at(200), **options)
    assert_same(
        chemin.svm_path(X, y, checkpoint=tmp_path / "part.npz", resume=True, **options), whole
    )


@pytest.mark.skipif(
    not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process that way"
)
def test_a_killed_process_loses_nothing_before_its_checkpoint(tmp_path):
    X, y = problem()
    np.savez(tmp_path / "data.npz", X=X, y=y)
    code = """
import os, signal, sys
import numpy as np, chemin
from chemin.engine.recovery import checkpoint
checkpoint._FEWEST_EVENTS = 60
data = np.load(sys.argv[1])
kill = lambda events, l1: os.kill(os.getpid(), signal.SIGKILL) if events >= 270 else None
chemin.svm_path(data["X"], data["y"], checkpoint=sys.argv[2], progress=kill)
"""
    file = tmp_path / "path.npz"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-c", code, str(tmp_path / "data.npz"), str(file)]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    resumed = chemin.svm_path(X, y, checkpoint=file, resume=True)
    assert_same(resumed, chemin.svm_path(X, y, checkpoint=tmp_path / "whole.npz"))
    assert resumed.certificate().worst_gap < 1e-9


def test_a_resumed_path_may_go_further(tmp_path):
    X, y = problem()
    high = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz", min_ratio=0.2)
    low = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz", resume=True)
    assert low.l1[-1] == 0.0
    np.testing.assert_allclose(low.coef_at(high.l1[-2]), high.coef_at(high.l1[-2]), atol=1e-9)


def test_resume_without_a_file_yet_begins(tmp_path):
    X, y = problem()
    path = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz", resume=True)
    assert path.status.code == "complete"
    assert (tmp_path / "path.npz").exists()


def damaged(file, how):
    content = bytearray(file.read_bytes())
    if how == "truncated":
        content = content[: len(content) // 2]
    elif how == "empty":
        content = bytearray()
    elif how == "flipped":
        content[len(content) // 2] ^= 0xFF
    elif how == "shifted":
        content[content.index(b"NUMPY", content.index(b"record_coef")) + 7] ^= (
            16  # where the numbers begin
        )
    elif how == "encrypted":
        content[zipfile.ZipFile(file).start_dir + 8] ^= 1
    elif how == "text":
        content = bytearray(b"not a checkpoint at all")
    elif how in ("one array", "other arrays"):
        stream = io.BytesIO()
        np.save(stream, np.ones(3)) if how == "one array" else np.savez(
            stream, format=module._FORMAT
        )
        content = bytearray(stream.getvalue())
    file.write_bytes(content)


@pytest.mark.parametrize(
    "how",
    ["truncated", "empty", "flipped", "shifted", "encrypted", "text", "one array", "other arrays"],
)
def test_a_damaged_file_is_refused_and_left_alone(how, tmp_path):
    X, y = problem()
    file = tmp_path / "path.npz"
    chemin.svm_path(X, y, checkpoint=file)
    damaged(file, how)
    content = file.read_bytes()
    with pytest.raises(CheckpointError, match="not a whole checkpoint"):
        chemin.svm_path(X, y, checkpoint=file, resume=True)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ("X", {}), ("a bit", {}), ("y", {}), ("order", {}), ("sign", {}), ("fewer", {}), ("", {"l2": 2.0}),
        ("", {"sample_weight": np.linspace(1, 2, 120)}), ("", {"l1_weight": np.linspace(1, 2, 40)}),
    ],
)  # fmt: skip
def test_other_data_are_refused_and_the_file_left_alone(change, options, tmp_path):
    X, y = problem()
    file = tmp_path / "path.npz"
    chemin.svm_path(X, y, checkpoint=file)
    content, X, y = file.read_bytes(), X.copy(), y.copy()
    if change == "X":
        X[17, 3] += 1e-6
    elif change == "a bit":
        X[17, 3] = np.nextafter(X[17, 3], np.inf)
    elif change == "y":
        y[5] = -y[5]
    elif change == "order":
        X[[0, 1]] = X[[1, 0]]
    elif change == "sign":
        X[:, 2] *= -1
    elif change == "fewer":
        X = X[:, 1:]
    with pytest.raises(CheckpointError, match="other data"):
        chemin.svm_path(X, y, checkpoint=file, resume=True, **options)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("number", "version"), [(2, r"chemin 0\.1:"), (99, "chemin of another version:")]
)
def test_another_version_is_refused_and_named(number, version, tmp_path, monkeypatch):
    X, y = problem()
    file = tmp_path / "path.npz"
    with monkeypatch.context() as other:
        other.setattr(module, "_FORMAT", number)
        chemin.svm_path(X, y, checkpoint=file)
    content = file.read_bytes()
    with pytest.raises(CheckpointError, match=f"{version} resume with that version, or start anew"):
        chemin.svm_path(X, y, checkpoint=file, resume=True)
    assert file.read_bytes() == content


def test_a_checkpoint_of_the_first_edition_is_refused_and_named(tmp_path):
    """Its arrays had other names; the format is read before any of them."""
    X, y = problem()
    old = {
        "format": np.array(2),
        "probe": np.ones(9),
        "counters": np.zeros(4),
        "point_l1": np.ones(1),
    }
    np.savez(tmp_path / "path.npz", **old)
    with pytest.raises(CheckpointError, match=r"written by chemin 0\.1: resume with that version"):
        chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz", resume=True)


def test_other_files_are_no_checkpoints(tmp_path):
    X, y = problem()
    np.savez(tmp_path / "other.npz", X=X)
    with pytest.raises(CheckpointError, match="no checkpoint of a path"):
        chemin.svm_path(X, y, checkpoint=tmp_path / "other.npz", resume=True)
    for resume in (False, True):
        with pytest.raises(InvalidInputError, match="is a folder"):
            chemin.svm_path(X, y, checkpoint=tmp_path, resume=resume)


def test_nothing_is_overwritten_by_mistake(tmp_path):
    X, y = problem()
    (tmp_path / "path.npz").write_text("precious")
    with pytest.raises(CheckpointError, match="resume=True"):
        chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz")
    assert (tmp_path / "path.npz").read_text() == "precious"
    with pytest.raises(InvalidInputError, match="not a folder"):
        chemin.svm_path(X, y, checkpoint=tmp_path / "nowhere" / "path.npz")
    with pytest.raises(InvalidInputError, match="resume needs a checkpoint"):
        chemin.svm_path(X, y, resume=True)
    for name in ("", 3):
        with pytest.raises(InvalidInputError, match="name of a file"):
            chemin.svm_path(X, y, checkpoint=name)


def test_a_path_already_below_its_end_says_so(tmp_path):
    X, y = problem()
    path = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz")
    for options in ({"min_l1": 0.5 * path.l1[0]}, {"min_ratio": 0.9}):
        with pytest.raises(CheckpointError, match="smaller min_l1"):
            chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz", resume=True, **options)


def test_a_full_disk_does_not_end_the_path(tmp_path, monkeypatch):
    X, y = problem()

    def full(stream, **arrays):
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(UserWarning, match="the path goes on"):
        path = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz")
    assert path.status.code == "complete"
    assert not list(tmp_path.iterdir())


def test_what_stands_in_the_way_of_a_file_does_not_end_the_path(tmp_path):
    X, y = problem()
    (tmp_path / "path.npz.part").mkdir()
    with pytest.warns(UserWarning, match="the path goes on"):
        path = chemin.svm_path(X, y, checkpoint=tmp_path / "path.npz")
    assert path.status.code == "complete"


@pytest.mark.parametrize("kind", ["sparse", "kernel"])
def test_every_kind_of_columns_is_known_again(kind, tmp_path):
    X, y = problem()

    def columns(points):
        return (
            sparse.csr_array(points)
            if kind == "sparse"
            else KernelDictionary(points, points[:40], (Gaussian(9.0),))
        )

    file = tmp_path / "path.npz"
    begun = chemin.svm_path(columns(X), y, checkpoint=file)
    assert_same(chemin.svm_path(columns(X.copy()), y, checkpoint=file, resume=True), begun)
    X[17, 3] = np.nextafter(X[17, 3], np.inf)
    with pytest.raises(CheckpointError, match="other data"):
        chemin.svm_path(columns(X), y, checkpoint=file, resume=True)
