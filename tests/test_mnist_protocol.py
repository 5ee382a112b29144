"""Claims about the protocol of the images: it resumes, its files are enough to decide again, its tables add up."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import matplotlib as mpl
import numpy as np
import pytest

from chemin.datasets import Images
from chemin.engine.entry import svm_path
from chemin.exceptions import InvalidInputError
from chemin.experiments import mnist_windows as study
from chemin.experiments.mnist import Settings, load_pair, main, mnist_pair, mnist_protocol

mpl.use("Agg")

FEW = Settings(n_train=20, n_validation=20, size=3, stride=2, positions=None)
SIDE = 8


def drawn(rng: np.random.Generator, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Return images of three kinds of bars on a grey noise, and which bar they show."""
    label = np.repeat(np.arange(3), each)
    X = rng.integers(0, 150, (len(label), SIDE, SIDE))
    for kind in range(3):
        X[label == kind, 2 * kind : 2 * kind + 2, 1:7] += rng.integers(0, 100, (each, 2, 6))
    return X.reshape(len(label), -1).astype(np.uint8), label


@pytest.fixture(scope="module")
def images() -> Images:
    rng = np.random.default_rng(0)
    return Images(*drawn(rng, 40), *drawn(rng, 30), (SIDE, SIDE))


@pytest.fixture(scope="module")
def run(images, tmp_path_factory):
    folder = tmp_path_factory.mktemp("protocol")
    lines: list[str] = []
    return folder, mnist_protocol(images, folder, settings=FEW, say=lines.append), lines


def test_every_pair_has_a_machine_and_a_line(run):
    _, result, lines = run
    assert [machine.digits for machine in result.machines] == [(0, 1), (0, 2), (1, 2)]
    assert len(lines) == 3
    assert lines[0].startswith("1/3 0 against 1")
    for machine in result.machines:
        assert machine.status == "complete"
        assert 0 < machine.l1 <= machine.first_l1
        assert machine.breakpoints > 1
        assert machine.events >= machine.breakpoints - 2
        assert machine.couples == len(machine.shares) > 0
        assert machine.shares.sum() == pytest.approx(1.0)
        assert machine.seconds > 0
        assert machine.peak_memory > 2**20


def test_the_confusion_matrix_counts_every_test_image_once(run, images):
    _, result, _ = run
    assert result.confusion.sum(axis=1).tolist() == np.bincount(images.y_test).tolist()
    assert result.errors["vote"] == pytest.approx(
        1.0 - np.trace(result.confusion) / len(images.y_test)
    )
    assert result.errors["vote"] < 0.25
    assert set(result.errors) == {"vote", "coupling"}


@pytest.mark.parametrize("power", [0.75, 0.0])
def test_a_saved_machine_decides_as_its_path(images, tmp_path, power):
    settings = Settings(**{**FEW.__dict__, "power": power})
    mnist_protocol(images, tmp_path, [(2, 0)], settings)
    machine = load_pair(tmp_path / "machine-0-2.npz")
    pair = settings.draw(images, 0, 2)
    columns = settings.couples(pair.X_train, pair.shape)
    path = svm_path(columns.of(pair.X_train), pair.y_train, l2=settings.l2)
    expected = path.decision_at(columns.of(images.X_test / 255.0), machine.l1)
    assert machine.decisions(images.X_test) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    tested = images.y_test != 1
    wrong = (expected[tested] > 0) != (images.y_test[tested] == 2)
    assert machine.test_error == np.mean(wrong)
    unseen = path.decision_at(columns.of(pair.X_validation), machine.l1)
    assert machine.validation_error == pytest.approx(
        np.mean((unseen > 0) != (pair.y_validation > 0))
    )
    assert machine.images.tolist() == np.round(255 * pair.X_train[machine.rows]).tolist()


def test_an_interrupted_run_goes_on_to_the_same_result(run, images, tmp_path):
    _, whole, _ = run
    lines: list[str] = []

    def stop(line: str) -> None:
        lines.append(line)
        if len(lines) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mnist_protocol(images, tmp_path, settings=FEW, say=stop)
    assert not (tmp_path / "mnist.md").exists()
    again = mnist_protocol(images, tmp_path, settings=FEW, say=lines.append)
    assert [line.endswith("(kept)") for line in lines[2:]] == [True, True, False]
    assert again.confusion.tolist() == whole.confusion.tolist()
    for one, other in zip(again.machines, whole.machines, strict=True):
        assert np.array_equal(one.decisions(images.X_test), other.decisions(images.X_test))
        assert one.sigmoid == other.sigmoid


def test_less_memory_gives_the_same_machine(images):
    whole, lazy = (mnist_pair(images, 0, 1, FEW, memory=memory) for memory in (2**24, 2**15))
    assert lazy.l1 == pytest.approx(whole.l1, rel=1e-9)
    # Rounding in the dual values comes back divided by the ridge of 1e-9.
    assert lazy.decisions(images.X_test) == pytest.approx(
        whole.decisions(images.X_test), rel=1e-3, abs=1e-3
    )


def test_a_folder_keeps_to_its_settings_and_images(run, images):
    folder, _, _ = run
    with pytest.raises(InvalidInputError, match="choose another folder"):
        mnist_protocol(images, folder, settings=Settings(**{**FEW.__dict__, "offset": 2.0}))
    others = Images(
        images.X_train, images.y_train, images.X_test[:-1], images.y_test[:-1], images.shape
    )
    with pytest.raises(InvalidInputError, match="choose another folder"):
        mnist_protocol(others, folder, settings=FEW)


def test_the_report_is_written_with_pictures(run):
    folder, result, _ = run
    text = (folder / "mnist.md").read_text(encoding="utf-8")
    assert f"{100 * result.errors['vote']:.2f} % by vote" in text
    assert text.count("complete") == 3
    summary = json.loads((folder / "mnist.json").read_text(encoding="utf-8"))
    assert summary["confusion"] == result.confusion.tolist()
    assert len(summary["machines"]) == 3
    with np.load(folder / "mnist.npz", allow_pickle=False) as stored:
        assert stored["confusion"].tolist() == result.confusion.tolist()
        assert stored["digits"].tolist() == [[0, 1], [0, 2], [1, 2]]
    for picture in ("confusion.png", "couples-0-1.png"):
        assert (folder / picture).stat().st_size > 1000


def test_pairs_that_do_not_meet_have_no_vote(images, tmp_path):
    result = mnist_protocol(images, tmp_path, [(0, 1), (1, 2)], FEW)
    assert result.confusion is None
    assert result.errors == {}
    assert not (tmp_path / "confusion.png").exists()


def test_mistakes_are_told(images, tmp_path):
    with pytest.raises(InvalidInputError, match="from 0"):
        Settings(power=2.0)
    with pytest.raises(InvalidInputError, match="pairs is empty"):
        mnist_protocol(images, tmp_path, [], FEW)
    with pytest.raises(InvalidInputError, match="ask for fewer"):
        mnist_pair(images, 0, 1, Settings(n_train=60, n_validation=60, size=3, positions=None))


def test_the_command_line_reads_files(images, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("chemin.experiments.mnist.Settings", partial(Settings, **FEW.__dict__))
    file = tmp_path / "images.npz"
    shown = {name: getattr(images, name).reshape(-1, SIDE, SIDE) for name in ("X_train", "X_test")}
    np.savez(file, **shown, y_train=images.y_train, y_test=images.y_test)
    main(["--data", str(file), "--out", str(tmp_path / "out"), "--pairs", "0-1"])
    printed = capsys.readouterr().out
    assert "1/1 0 against 1" in printed
    assert "| 0, 1 |" in printed


def test_the_fewest_validation_errors_are_the_fewest_of_the_whole_path(images):
    settings = replace(FEW, power=0.0, choice="errors")
    machine = mnist_pair(images, 0, 1, settings)
    pair = settings.draw(images, 0, 1)
    columns = settings.couples(pair.X_train, pair.shape)
    path = svm_path(columns.of(pair.X_train), pair.y_train, l2=settings.l2, min_ratio=1e-6)
    decisions = np.array([path.decision_at(columns.of(pair.X_validation), l1) for l1 in path.l1])
    wrong = np.mean(decisions * pair.y_validation <= 0, axis=1)
    assert machine.validation_error == wrong.min()
    assert machine.l1 == pytest.approx(path.l1[np.argmin(wrong)])


def test_a_gaussian_takes_windows_without_ink_and_a_polynomial_does_not(images):
    left = images.X_train.copy()
    left.reshape(-1, SIDE, SIDE)[:, :, 4:] *= (images.y_train == 0).astype(np.uint8)[:, None, None]
    dark = Images(left, images.y_train, left, images.y_train, images.shape)
    gaussian, polynomial = (
        mnist_pair(dark, 0, 1, replace(FEW, power=0.0, width=width)) for width in (1.0, None)
    )
    assert gaussian.blank.any()
    assert not polynomial.blank.any()
    assert len(polynomial.blank) == polynomial.couples


def test_a_study_of_windows_has_a_row_for_every_variant(images, tmp_path, monkeypatch):
    variants = {name: replace(FEW, size=size) for name, size in {"size-3": 2, "size-7": 3}.items()}
    monkeypatch.setattr(study, "VARIANTS", variants)
    lines: list[str] = []
    found = study.mnist_windows(images, tmp_path, say=lines.append)
    assert [variant.name for variant in found] == ["size-3", "size-7"]
    assert len(lines) == 2
    for variant in found:
        assert np.sum(variant.confusion, axis=1).tolist() == np.bincount(images.y_test).tolist()
        assert variant.complete == 3
    study.draw(found, tmp_path / "mnist-windows.png")
    text = (tmp_path / "mnist-windows.md").read_text(encoding="utf-8")
    assert text.count("| size-") == 2
    with pytest.raises(InvalidInputError, match="pass some of size-3"):
        study.mnist_windows(images, tmp_path, ["size-4"])


@pytest.mark.parametrize(
    ("vote", "blank", "expected"),
    [
        ((0.05, 0.06), 0.1, ["agrees", "agrees"]),
        ((0.05, 0.04), 0.1, ["agrees", "differs"]),
        ((0.05, 0.06), 0.0, ["agrees", "differs"]),
        ((0.06, 0.07), 0.1, ["differs", "agrees"]),
    ],
)
def test_verdicts_on_the_literal_protocol_are_computed(vote, blank, expected):
    literal = study.Variant(
        "literal", study.LITERAL, 49, vote[0], 0.05, 0.01, 60.0, 1e-3, 0.0, 45, 1.0,
        tuple(tuple(row) for row in study._THESIS.tolist()),
    )  # fmt: skip
    gaussian = replace(
        literal, name="gaussian-2", settings=study.VARIANTS["gaussian-2"], vote=vote[1], blank=blank
    )
    rows = study.verdicts([literal, gaussian])
    assert [row.verdict for row in rows] == expected
    assert rows[0].values["correlation"] == pytest.approx(1.0)


def test_the_table_of_the_thesis_has_its_error():
    assert study._THESIS.sum() == 10_000
    assert 1.0 - np.trace(study._THESIS) / 10_000 == pytest.approx(0.0525)
