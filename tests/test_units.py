"""Claims about how ways of (α, l1) are measured: no column is faster than its pace, and good units make few near."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
from chemin.dictionaries import DenseDictionary
from chemin.dictionaries.survey import Units, survey_of
from chemin.engine import thresholds
from chemin.engine.end import End
from chemin.engine.exact import engine as engines
from chemin.engine.exact.engine import Engine
from chemin.engine.exact.inner.columns import WatchedColumns
from chemin.engine.screening.columns import PartialScreening
from chemin.engine.screening.units import Near, Ruler, Way, best_units
from chemin.kernels import Gaussian
from chemin.validation import as_problem


def axes_on(rng, k, r):
    """Return orthonormal columns of sum 0."""
    some = rng.standard_normal((k, r))
    return np.linalg.qr(some - some.mean(axis=0))[0]


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(3, 30), r=st.integers(0, 5), scale=st.integers(-6, 6)
)
def test_no_column_is_faster_than_its_pace(seed, n, r, scale):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, 40)) + rng.choice([0.0, 10.0], 40)) * 10.0**scale
    X *= rng.random(X.shape) < rng.choice([0.2, 1.0])
    rows = rng.permutation(n)[: rng.integers(2, n + 1)]
    r = min(r, len(rows) - 1)
    elsewhere, l1_unit = 10.0 ** rng.uniform(-2, 2, 2)
    units = Units(
        rows, axes_on(rng, len(rows), r), 10.0 ** rng.uniform(0, 2, r), elsewhere, l1_unit
    )
    columns, weight = DenseDictionary(X), rng.uniform(0.5, 2.0, 40)
    survey = survey_of(
        columns, columns.column_norms(), columns.column_ranges(), weight, np.empty(0, dtype=np.intp)
    )
    survey.read(np.zeros(n))
    survey.measure_by(units)
    change = rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 0, n)
    change -= change.mean()
    l1 = float(rng.normal())
    length = Ruler(units, n).length(change, np.arange(n), l1)
    moved = np.abs(X.T @ change) + weight * abs(l1)
    assert np.all(moved <= survey.pace * length * (1.0 + 1e-9))


def test_a_way_along_one_axis_is_as_long_as_the_fastest_column_says():
    """Nothing is given away where the bound can be attained: one column, one axis, two points."""
    axis = np.array([[1.0], [-1.0]]) / np.sqrt(2.0)
    columns, units = (
        DenseDictionary(3.0 * axis),
        Units(np.arange(2), axis, np.array([4.0]), 1e-9, 1e-9),
    )
    survey = survey_of(
        columns,
        columns.column_norms(),
        columns.column_ranges(),
        np.ones(1),
        np.empty(0, dtype=np.intp),
    )
    survey.read(np.zeros(2))
    survey.measure_by(units)
    length = Ruler(units, 2).length(axis[:, 0], np.arange(2), 0.0)
    assert survey.pace[0] * length == pytest.approx(3.0, rel=1e-4)


def test_units_stretch_what_near_columns_have_in_common_and_the_way_avoids():
    rng = np.random.default_rng(0)
    k, n = 40, 100
    common = axes_on(rng, k, 2)
    varying = 10.0 * common @ rng.standard_normal((2, 300)) + rng.standard_normal((k, 300))
    varying -= varying.mean(axis=0)
    change = np.zeros(n)
    change[:k] = rng.standard_normal(k)
    change[:k] -= common @ (common.T @ change[:k])
    rows, near = np.arange(k), Near(varying, np.sqrt(np.mean(np.sum(varying**2, axis=0))), 5.0, 1.0)
    units = best_units(rows, near, Way(change, -0.1, rows))
    assert np.abs(np.linalg.svd(units.axes.T @ common)[1] - 1.0).max() < 1e-2
    assert units.stretch.max() > 2.0
    np.testing.assert_allclose(units.axes.sum(axis=0), 0.0, atol=1e-12)
    along_them = np.zeros(n)
    along_them[:k] = common @ rng.standard_normal(2)
    assert len(best_units(rows, near, Way(along_them, -0.1, rows)).stretch) == 0


KINDS = ["low rank", "kernel", "far", "scales"]


def columns_of(kind):
    """Return columns, labels and L1 weights of a problem whose columns are alike in some way."""
    rng = np.random.default_rng(7)
    n, p = 200, 1000
    X = rng.standard_normal((n, p))
    if kind == "low rank":
        X = 5.0 * rng.standard_normal((n, 3)) @ rng.standard_normal((3, p)) + 0.3 * X
    elif kind == "kernel":
        Z = X[:, :3]
        X = np.hstack([Gaussian(width)(Z, Z) for width in (0.5, 0.7, 1.0, 1.4, 2.0)])
    elif kind == "far":
        X += 100.0
    else:
        X *= 10.0 ** rng.uniform(-2, 2, p)
    score = X[:, :3].sum(axis=1) / X[:, :3].std()
    y = np.where(score + rng.standard_normal(n) > np.median(score), 1.0, -1.0)
    return X, y, rng.uniform(0.5, 2.0, p)


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_of_a_path_is_faster_than_its_pace(kind, monkeypatch):
    """Between two choices among all columns, as the engine makes them."""
    monkeypatch.setattr(DenseDictionary, "most_columns", 100)
    monkeypatch.setattr(thresholds, "MOST_WHOLE", 0)
    X, y, weight = columns_of(kind)
    slack, checked, choose = [], [0, 0], PartialScreening.choose

    def watched(self, loop):
        u, l1 = y * loop.state.dual(), loop.state.l1
        here = l1 * weight - np.abs(X.T @ u)
        if slack:
            before, pace, home = slack.pop()
            length = self.ruler.length(u - home[0], np.arange(len(u)), l1 - home[1])
            moved = np.abs(here - before)[self.candidates]
            assert np.all(moved <= pace[self.candidates] * length * (1.0 + 1e-9) + 1e-9)
            checked[0] += 1
            checked[1] += len(self.ruler.units.stretch) > 0
        choice = choose(self, loop)
        slack.append((here, self.survey.pace.copy(), (u, l1)))
        return choice

    monkeypatch.setattr(PartialScreening, "choose", watched)
    path = chemin.svm_path(X, y, l2=1e-3, l1_weight=weight, min_ratio=0.01)
    assert path.status.code == "complete"
    assert checked[0] > 5
    assert checked[1] > 0 or kind != "kernel"


@pytest.mark.parametrize("kind", KINDS)
def test_no_resident_column_is_faster_than_its_pace(kind, monkeypatch):
    """Between two choices of what to watch, as the loop makes them: the way it counts is never too short."""
    X, y, weight = columns_of(kind)
    checked = []

    class Judged(WatchedColumns):
        before = None

        def choose(self, state, da, dl1):
            here = state.l1 * weight - np.abs(X.T @ (y * state.dual()))
            if self.before is not None:
                slack, pace = self.before
                assert np.all(np.abs(here - slack) <= pace * self.limit.bound * (1 + 1e-9) + 1e-9)
                checked.append(self.limit.steps)
            super().choose(state, da, dl1)
            # a choice for one step is measured in that step's own direction
            is_bounded = np.isfinite(self.limit.limit) and not self.limit.once
            self.before = (here, np.asarray(self.pace)[:-1].copy()) if is_bounded else None

    monkeypatch.setattr(engines, "WatchedColumns", Judged)
    path = chemin.svm_path(X, y, l2=1e-3, l1_weight=weight, min_ratio=0.01)
    assert path.status.code == "complete"
    assert np.count_nonzero(checked) > 5


def test_the_loop_measures_steps_by_the_same_ruler():
    """Along a straight step the way that it counts is the length of the step."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 400))
    y = np.where(X[:, :5].sum(axis=1) > 0, 1.0, -1.0)
    problem, _ = as_problem(X, y, 1.0, None, None)
    engine = Engine(problem)
    engine.begin()
    engine.run(End(), 150, lambda events, l1: None)
    loop = engine.loop
    state = loop.state
    rows = np.array(state.elbow)[: state.n_elbow // 2]
    axes, stretch = axes_on(rng, len(rows), 3), np.array([2.0, 3.0, 4.0])
    ruler = Ruler(Units(rows, axes, stretch, 0.7, 1.9), 60)
    for _ in range(5):
        loop.columns.measure_outer(1e300, False, ruler)
        u, l1 = y * state.dual(), state.l1
        loop.run(loop.n_events + 1)
        length = ruler.length(y * state.dual() - u, np.arange(60), state.l1 - l1)
        assert length > 0.0
        assert loop.columns.outer.steps == 1
        assert loop.columns.outer.bound == pytest.approx(length, rel=1e-9)
