"""Claims about the thesis's experiments: small versions of what they show, and what a run writes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from chemin.datasets import TOYDATA1, TOYDATA2, toydata1, toydata2
from chemin.dictionaries import KernelDictionary
from chemin.engine.entry import svm_path
from chemin.exceptions import InvalidInputError
from chemin.experiments import checker, dynamics, end_of_path, gaussian, pinned
from chemin.experiments import reproduce as run
from chemin.experiments import toydata1 as first
from chemin.experiments import toydata2 as second
from chemin.experiments.plane import boundary_of, kernels_of, right_kernels
from chemin.experiments.record import AGREES, DIFFERS, FRESH, Row, markdown, write_table


def check(rows, folder):
    """Every row is complete, and its pictures are there."""
    for row in rows:
        assert all(
            getattr(row, name)
            for name in ("name", "section", "setup", "said", "seen", "why", "values")
        )
        assert row.verdict in (AGREES, DIFFERS)
        assert row.figures
        assert all((folder / figure).read_bytes()[:4] == b"\x89PNG" for figure in row.figures)
        json.dumps(dict(row.values))
        assert "nan" not in row.seen


def test_the_path_in_l1_passes_where_the_path_in_s_stops(tmp_path):
    rows = pinned.pinned(tmp_path, 2, print)
    check(rows, tmp_path)
    assert [row.verdict for row in rows] == [AGREES]


def test_plateaus_of_s_are_rare_for_a_large_l2_and_everywhere_for_a_small_one(tmp_path):
    rows = gaussian.gaussian(tmp_path, 2, print)
    check(rows, tmp_path)
    large, small = (np.array(row.values["share"]) for row in rows)
    assert large.max() < 0.4 < 0.8 < small.min()
    assert rows[1].verdict == AGREES


def test_on_toydata1_couples_are_few_and_most_have_the_kernel_of_their_region():
    draws = first.look([FRESH, FRESH + 1], 1e-10, n_jobs=None)
    assert all(draw.couples <= 10 for draw in draws)
    assert sum(draw.right for draw in draws) >= 0.8 * sum(draw.couples for draw in draws)
    assert all(draw.test_error < 0.05 for draw in draws)
    assert all(draw.status == "complete" for draw in draws)


def test_beyond_the_two_limits_events_do_not_depend_on_l2(tmp_path):
    rows = dynamics.dynamics(tmp_path, 2, print)
    check(rows, tmp_path)
    assert [row.verdict for row in rows] == [AGREES, AGREES]


def test_the_largest_l2_is_where_the_first_point_leaves_at_the_very_end():
    X, y = toydata1(20, random_state=3)
    columns = KernelDictionary(X, X, kernels_of(TOYDATA1))
    most, without_b0 = dynamics.largest_l2(columns.columns(np.arange(columns.shape[1])), y)
    assert most <= without_b0
    above, at = (
        dynamics.events_of(svm_path(columns, y, l2=scale * most)) for scale in (50.0, 1.000001)
    )
    assert above == at
    assert dynamics.events_of(svm_path(columns, y, l2=0.98 * most)) != above


def test_the_path_ends_at_the_plain_svm_with_all_columns_however_small_l2_is(tmp_path):
    rows = end_of_path.end_of_path(tmp_path, 2, print)
    check(rows, tmp_path)
    for draw in rows[0].values["draws"]:
        assert [end["l2"] for end in draw if end["l2"] < 1.0] == [1e-20, 1e-15, 1e-12, 1e-10, 1e-8]
        assert all(end["couples"] == 600 for end in draw)
        assert all(end["apart"] < 1e-4 for end in draw)
        assert all(end["train"] == 0.0 and end["test"] < 0.03 for end in draw if end["l2"] <= 1.0)


def test_on_toydata2_right_kernels_take_over_at_the_critical_l1(tmp_path):
    rows = second.toydata2_rows(tmp_path, 2, print)
    check(rows, tmp_path)
    for draw in rows[0].values["draws"]:
        assert draw["above"]["share"] < 0.5 < draw["below"]["share"]
        assert draw["above"]["strip_accuracy"] < 0.2 < 0.8 < draw["below"]["strip_accuracy"]
        assert draw["above"]["accuracy"] > 0.9
        assert draw["below"]["wrong"] < draw["above"]["wrong"]


def test_the_critical_l1_is_exact():
    X, y = toydata2(random_state=FRESH)
    zone = second.zone_of(X, y)
    path = svm_path(KernelDictionary(X, X, kernels_of(TOYDATA2)), y, l2=1.0, min_l1=5.0)
    coef = path.coef_at(second.critical_l1(path, zone))
    assert np.abs(coef[zone.right]).sum() == pytest.approx(np.abs(coef[zone.wrong]).sum(), rel=1e-9)
    assert len(np.intersect1d(zone.right, zone.wrong)) == 0
    assert len(zone.right) + len(zone.wrong) == 60 * len(TOYDATA2.widths)


def test_on_the_chequerboard_the_right_kernel_is_preferred():
    result = checker.fit(FRESH, 0.1, n_train=320).result
    assert result.right > result.wrong
    assert result.accuracy > 0.8
    assert result.status == "complete"


def test_the_boundary_of_a_circle_is_found_where_it_is():
    X = np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0], [1.5, 0.0]])
    boundary = boundary_of(lambda Z: np.sum(Z**2, axis=1) - 1.0, X)
    np.testing.assert_allclose(boundary.distances(X)[2:], [1.0, 0.5], atol=0.01)
    assert boundary.length == pytest.approx(2.0 * np.pi, rel=0.05)
    assert np.all(np.isinf(boundary_of(lambda Z: np.ones(len(Z)), X).distances(X)))


def test_right_kernels_are_those_of_the_regions():
    X, y = toydata1(random_state=0)
    assert right_kernels(TOYDATA1, X, y)[:100].tolist() == [0] * 100
    assert [kernel.name for kernel in kernels_of(TOYDATA1)] == list(TOYDATA1.widths)


def test_a_run_writes_a_table_of_its_rows(tmp_path, monkeypatch):
    row = Row(
        "One", "1.2", "a set-up", "said", "seen", AGREES, "a reason", ("one.png",), {"count": 3}
    )
    lines = []
    monkeypatch.setattr(run, "EXPERIMENTS", {"one": lambda folder, seeds, say: [row]})
    assert run.reproduce(tmp_path / "new", seeds=3, progress=lines.append) == [row]
    assert json.loads((tmp_path / "new" / "experiments.json").read_text())[0]["values"] == {
        "count": 3
    }
    text = (tmp_path / "new" / "experiments.md").read_text(encoding="utf-8")
    assert text == markdown([row], 3)
    assert "| One | 1.2 | said | seen | **agrees** |" in text
    assert "![One](one.png)" in text
    assert any("agrees" in line for line in lines)


def test_one_draw_has_no_spread(tmp_path):
    with pytest.raises(InvalidInputError, match="2 draws or more"):
        run.reproduce(tmp_path, seeds=1)


def test_every_experiment_is_run():
    assert list(run.EXPERIMENTS) == [
        "pinned", "gaussian", "toydata1", "dynamics", "end of path", "toydata2", "checker",
    ]  # fmt: skip


def test_a_cell_of_the_table_stays_one_cell(tmp_path):
    row = Row("One", "1.2", "a set-up", "|E| = 2", "s", DIFFERS, "w")
    write_table([row], tmp_path, 2)
    (line,) = [
        line
        for line in (tmp_path / "experiments.md").read_text().splitlines()
        if line.startswith("| One")
    ]
    assert line.replace("\\|", "").count("|") == 6
