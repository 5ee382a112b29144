"""Claims about how the engine works: what it leaves alone, how it stops, and how it finds its path again."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import chemin
import loops
from adversarial import TABLE
from chemin.dictionaries import DenseDictionary, KernelDictionary
from chemin.engine import strategy, thresholds
from chemin.engine.exact.engine import Engine
from chemin.engine.exact.inner import rows
from chemin.engine.recovery.interior import solve
from chemin.exceptions import EngineError, InvalidInputError
from chemin.kernels import Gaussian, Linear

GAP = 1e-9


def gaussian(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, p)) + 0.3 * (2 * y - 1)[:, None] * (np.arange(p) < 5), y


def watch_few(monkeypatch, resident: str = "whole") -> None:
    """Let few rows be near at first, and few columns be resident, chosen where they live, unless all are."""
    monkeypatch.setattr(rows, "ROWS_AT_FIRST", 8)
    monkeypatch.setattr(thresholds, "FIRST_RESIDENT", 24)
    monkeypatch.setattr(thresholds, "FEWEST_WATCHED", 8)
    if resident == "chosen":
        monkeypatch.setattr(thresholds, "MOST_WHOLE", 0)


@pytest.mark.parametrize("resident", ["whole", "chosen"])
@pytest.mark.parametrize("shape", [(400, 6), (30, 500), (150, 150)])
def test_what_is_not_watched_is_not_missed(shape, resident, monkeypatch):
    """A path that watches a handful at a time is the path that watches everything."""
    X, y = gaussian(*shape)
    watch_few(monkeypatch, resident)
    few = chemin.svm_path(X, y, min_l1=1.0)
    everything = chemin.svm_path(X, y, min_l1=1.0, screening=False)
    np.testing.assert_array_equal(few.events["index"], everything.events["index"])
    np.testing.assert_allclose(few.l1, everything.l1, rtol=0.0, atol=1e-12 * few.l1[0])


ALIKE = (
    [("gaussian", shape, l2) for shape in ((200, 10), (40, 400), (100, 100), (30, 3000)) for l2 in (0.0, 1e-3, 1.0)]
    + [("kernel", (60, width), l2) for width in (0.5, 2.0) for l2 in (1e-6, 1e-2)]
    + [("weighted", (120, 30), l2) for l2 in (0.0, 1.0)]
    + [("sparse", (80, 600), l2) for l2 in (1e-3, 1.0)]
)  # fmt: skip


@pytest.mark.parametrize("resident", ["whole", "chosen"])
@pytest.mark.parametrize(("kind", "shape", "l2"), ALIKE)
def test_screening_changes_nothing_but_the_work(kind, shape, l2, resident, monkeypatch):
    """Twenty problems: the same events at the same l1, whether all is evaluated at every event or hardly anything."""
    watch_few(monkeypatch, resident)
    rng, options = np.random.default_rng(len(ALIKE)), {}
    if kind == "kernel":
        points, y = gaussian(shape[0], 2)
        X = KernelDictionary(
            points, points, (Gaussian(shape[1]), Gaussian(4.0 * shape[1]), Linear())
        )
    else:
        X, y = gaussian(*shape)
    if kind == "sparse":
        X = sparse.csc_array(np.where(rng.random(X.shape) < 0.1, X, 0.0))
    if kind == "weighted":
        options = {
            "sample_weight": rng.uniform(0.5, 2.0, shape[0]),
            "l1_weight": rng.uniform(0.5, 2.0, shape[1]),
        }
    lazy, all_looked_at = (
        chemin.svm_path(X, y, l2=l2, min_ratio=0.02, screening=screening, **options)
        for screening in (True, False)
    )
    np.testing.assert_array_equal(lazy.events["kind"], all_looked_at.events["kind"])
    np.testing.assert_array_equal(lazy.events["index"], all_looked_at.events["index"])
    np.testing.assert_allclose(lazy.l1, all_looked_at.l1, rtol=0.0, atol=1e-12 * lazy.l1[0])
    if X.shape[1] > 2000:
        assert lazy.stats["columns_per_event"] < all_looked_at.stats["columns_per_event"] / 2


def test_max_events_stops_and_says_so():
    X, y = gaussian(60, 10)
    path = chemin.svm_path(X, y, max_events=25)
    assert path.status.code == "stopped"
    assert "max_events" in str(path.status)
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize("name", ["gaussian_balanced", "one_against_ninety_nine"])
def test_stopping_before_the_path_begins_gives_the_empty_model(name):
    X, y, _ = TABLE[name]()
    path = chemin.svm_path(X, y, max_events=1)
    assert path.status.code == "stopped"
    assert not path.coef_at(path.l1[-1]).any()
    assert path.certificate().worst_gap <= GAP


def test_progress_is_called_with_events_and_a_falling_l1():
    X, y = gaussian(40, 8)
    seen: list[tuple[int, float]] = []
    path = chemin.svm_path(X, y, progress=lambda events, l1: seen.append((events, l1)))
    assert len(seen) > 1
    assert all(a <= b for (a, _), (b, _) in pairwise(seen))
    assert all(a >= b for (_, a), (_, b) in pairwise(seen))
    assert seen[-1] == (path.stats["events"], path.l1[-1])


def interrupt_after(count: int):
    def report(events: int, l1: float) -> None:
        if events >= count:
            raise KeyboardInterrupt

    return report


def test_ctrl_c_with_progress_returns_the_certified_part(monkeypatch):
    loops.use(loops.OftenChecked, monkeypatch)
    X, y = gaussian(60, 10)
    path = chemin.svm_path(X, y, progress=interrupt_after(60))
    assert path.status.code == "interrupted"
    assert len(path.l1) > 30
    assert path.certificate(midpoints=True).worst_gap <= GAP
    whole = chemin.svm_path(X, y)
    np.testing.assert_allclose(
        path.coef.toarray(), whole.coef[: len(path.l1)].toarray(), atol=1e-12
    )


def test_ctrl_c_without_progress_raises(monkeypatch):
    X, y = gaussian(60, 10)

    class Interrupted(loops.EventByEvent):
        def run_one(self, max_events):
            if self.n_events == 20:
                raise KeyboardInterrupt
            return super().run_one(max_events)

    loops.use(Interrupted, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        chemin.svm_path(X, y)


def test_a_line_of_progress_goes_to_the_error_stream(capsys, monkeypatch):
    monkeypatch.setattr("chemin.progress._REFRESH", -1.0)
    X, y = gaussian(30, 5)
    chemin.svm_path(X, y, progress=True)
    output = capsys.readouterr()
    assert "events" in output.err
    assert not output.out


def lose_the_way(monkeypatch, times: int) -> None:
    """Make the engine lose its certificate at some events."""
    loops.use(loops.losing(times), monkeypatch)


def never_try_again(monkeypatch) -> None:
    """Leave nothing to a lost engine but another solver."""
    monkeypatch.setattr(thresholds, "MOST_TRIES", 0)


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("times", [1, 100])
def test_a_lost_engine_starts_again_from_its_last_certified_point(l2, times, monkeypatch):
    X, y = gaussian(60, 10)
    whole = chemin.svm_path(X, y, l2=l2)
    lose_the_way(monkeypatch, times)
    path = chemin.svm_path(X, y, l2=l2)
    assert path.status.code == "complete"
    assert 0 == whole.stats["restarts"] < path.stats["restarts"] <= times
    assert path.certificate(midpoints=True).worst_gap <= GAP
    if l2:
        grid = path.l1[0] * np.geomspace(0.9, 0.01, 20)
        np.testing.assert_allclose(path.coef_at(grid), whole.coef_at(grid), atol=1e-9)


@pytest.mark.parametrize("free", [False, True])
def test_a_way_lost_before_the_path_begins_is_found_again(free, monkeypatch):
    """While b = 0, as it long is where one class is larger, or while columns that are never penalised are fitted."""
    X, y = gaussian(60, 10)
    y[:45] = 0
    options = {"l1_weight": np.arange(10) > 1} if free else {}
    whole = chemin.svm_path(X, y, **options)
    engines, lost, init = [], [], Engine.__init__

    def seen(self, *given, **named):
        engines.append(self)
        init(self, *given, **named)

    class Faulty(loops.EventByEvent):
        def run_one(self, max_events):
            if self.n_events >= 3 and not lost:
                lost.append(engines[-1].begun)
                assert free or not self.recording
                raise EngineError("lost")
            return super().run_one(max_events)

    monkeypatch.setattr(Engine, "__init__", seen)
    loops.use(Faulty, monkeypatch)
    path = chemin.svm_path(X, y, **options)
    assert lost == [not free]
    assert (path.status.code, path.stats["restarts"]) == ("complete", 1)
    np.testing.assert_allclose(path.l1[0], whole.l1[0], rtol=1e-12)
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize("seed", [28, 341, 451, 501, 633, 641, 685, 780, 793, 862, 1027, 20603])
def test_noisy_labels_under_narrow_kernels(seed):
    """Far from the active centres points are almost alike; each of these draws led an earlier engine astray."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 500))
    Z = rng.normal(size=(n, 2)) if rng.random() < 0.5 else rng.uniform(-1.0, 1.0, (n, 2))
    y = np.sign(Z[:, 0] * Z[:, 1] + rng.choice([1, 3, 10, 100]) * rng.normal(size=n))
    width, ratio = 10 ** rng.uniform(-2.5, 0.3), 10 ** rng.uniform(0.1, 1)
    kernels = [Gaussian(width * ratio**k) for k in range(3)]
    path = chemin.svm_path(
        KernelDictionary(Z, Z, kernels), y, l2=rng.choice([1.0, 1e-2, 1e-4, 1e-8]), min_ratio=0.5
    )
    assert path.status.code == "complete"
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize("l2", [0.0, 1.0])
@pytest.mark.parametrize("at_once", [1000, 4])
def test_a_lost_engine_is_put_back_on_its_path_and_says_so(l2, at_once, monkeypatch):
    monkeypatch.setattr("chemin.engine.recovery.repair._SOLVED_AT_ONCE", at_once)
    never_try_again(monkeypatch)
    X, y = gaussian(60, 10)
    whole = chemin.svm_path(X, y, l2=l2)
    lose_the_way(monkeypatch, times=1)
    path = chemin.svm_path(X, y, l2=l2)
    assert path.status.code == "repaired"
    assert "re-solved independently" in str(path.status)
    assert path.l1[-1] == 0.0
    assert path.certificate(midpoints=True).worst_gap <= GAP
    if l2:
        grid = path.l1[0] * np.geomspace(0.9, 0.01, 20)
        np.testing.assert_allclose(path.coef_at(grid), whole.coef_at(grid), atol=1e-9)


def test_an_engine_that_keeps_losing_its_way_keeps_only_what_is_certified(monkeypatch):
    never_try_again(monkeypatch)
    monkeypatch.setattr(thresholds, "MOST_REPAIRS", 1)
    X, y = gaussian(60, 10)
    lose_the_way(monkeypatch, times=100)
    path = chemin.svm_path(X, y)
    assert path.status.code == "lost"
    assert path.l1[-1] > 0.0
    assert path.certificate(midpoints=True).worst_gap <= GAP


def test_an_engine_lost_again_before_it_looked_around_can_still_be_replayed(monkeypatch):
    X, y = gaussian(60, 10)
    never_try_again(monkeypatch)
    loops.use(loops.OftenChecked, monkeypatch)
    run, runs = Engine.run, []

    def lost_at_once(self, *given):
        runs.append(self.n_events)
        if len(runs) in (2, 3):
            raise EngineError("lost again")
        return (
            run(self, given[0], 60, *given[2:]) if len(runs) > 1 else run_until_lost(self, *given)
        )

    def run_until_lost(self, end, max_events, report):
        run(self, end, 40, report)
        raise EngineError("lost")

    monkeypatch.setattr(Engine, "run", lost_at_once)
    path = chemin.svm_path(X, y)
    assert len(runs) == 4
    assert path.certificate().worst_gap <= GAP


def test_an_engine_lost_before_the_path_begins_is_an_error(monkeypatch):
    def lost(self, *given, **named):
        raise EngineError("the duality gap grew")

    monkeypatch.setattr(Engine, "check", lost)
    with pytest.raises(EngineError, match="gap grew"):
        chemin.svm_path(*gaussian(20, 3))


@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize(
    "name", ["gaussian_unbalanced", "binary_balanced", "huge_values", "random_weights"]
)
def test_the_interior_point_used_for_repairs_finds_the_same_optimum(name, l2):
    X, y, options = TABLE[name]()
    path = chemin.svm_path(X, y, l2=l2, **options)
    l1 = 0.2 * path.l1[0]
    found = solve(path.problem, l1)
    best = path.problem.objective(path.coef_at(l1), path.intercept_at(l1), l1)
    assert path.problem.objective(found.coef, found.intercept, l1) == pytest.approx(best, rel=1e-7)


def test_ctrl_c_before_the_path_begins_raises_even_with_progress(monkeypatch):
    """Columns that l1 never penalises are fitted by a path of their own, which is nobody's result."""
    X, y = gaussian(60, 10)

    class Interrupted(loops.EventByEvent):
        def run_one(self, max_events):
            if self.n_events == 20:
                assert self.record.is_open
                raise KeyboardInterrupt
            return super().run_one(max_events)

    loops.use(Interrupted, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        chemin.svm_path(X, y, l1_weight=[0] * 9 + [1], progress=lambda events, l1: None)


class Computed:
    """A dictionary that stores no columns: x_j(t) = cos(j t), single precision, Fortran order."""

    def __init__(self, points: np.ndarray, p: int) -> None:
        self.points, self.shape, self.names = points, (len(points), p), None

    most_columns, look_cost = 10, 1e3

    def block(self, rows, index):
        return self.columns(index)[rows]

    def resident(self):
        return nullcontext(self)

    def at_hand(self):
        return None

    def nbytes(self):
        return 0

    def digest(self):
        return np.array([float(len(self.points)), self.points.sum()])

    def columns(self, index):
        return np.asfortranarray(
            np.cos(np.outer(self.points, np.asarray(index) + 1)), dtype=np.float32
        )

    def correlations(self, u, rows=slice(None)):
        return (
            self.columns(np.arange(self.shape[1]))[slice(None) if rows is None else rows]
            .astype(float)
            .T
            @ u
        )

    def scores(self, coef):
        return np.asarray((coef.T @ self.columns(np.arange(self.shape[1])).astype(float).T).T)

    def column_norms(self):
        return np.linalg.norm(self.columns(np.arange(self.shape[1])), axis=0)

    def column_ranges(self):
        values = self.columns(np.arange(self.shape[1]))
        return np.column_stack([values.min(axis=0), values.max(axis=0)])

    def row_norms(self):
        return np.linalg.norm(self.columns(np.arange(self.shape[1])), axis=1)


def test_any_dictionary_will_do():
    points = np.random.default_rng(0).uniform(0, 3, 50)
    dictionary = Computed(points, 20)
    path = chemin.svm_path(dictionary, np.arange(50) % 2)
    dense = chemin.svm_path(dictionary.columns(np.arange(20)).astype(float), np.arange(50) % 2)
    np.testing.assert_array_equal(path.events["index"], dense.events["index"])
    assert path.certificate(midpoints=True).worst_gap <= GAP
    assert path.decision_at(dictionary, 1.0).shape == (50,)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_a_dense_dictionary_of_any_type_is_read_as_numbers(dtype):
    X, y, _ = TABLE["small_integers_unbalanced"]()
    path = chemin.svm_path(DenseDictionary(np.asfortranarray(X.astype(dtype))), y)
    np.testing.assert_allclose(path.l1, chemin.svm_path(X, y).l1)


@pytest.mark.parametrize(
    ("scale", "options", "words"),
    [
        (1e200, {}, "X has values beyond"),
        (1e-120, {}, "X has values beyond"),
        (1.0, {"sample_weight": np.full(30, 1e300)}, "sample_weight has values beyond"),
        (1.0, {"l1_weight": np.full(4, 1e-300)}, "l1_weight has values beyond"),
        (1.0, {"progress": 3}, "progress is 3"),
    ],
)
def test_what_double_precision_cannot_square_is_refused(scale, options, words):
    X, y = gaussian(30, 4)
    with pytest.raises(InvalidInputError, match=words):
        chemin.svm_path(scale * X, y, **options)


def test_a_repaired_path_that_is_not_optimal_everywhere_is_called_uncertified(monkeypatch):
    X, y = gaussian(60, 10)
    lose_the_way(monkeypatch, times=1)
    never_try_again(monkeypatch)
    # for the last judgement alone, not for the engine's own checks
    strict = SimpleNamespace(**vars(thresholds) | {"TRUSTED_GAP": -1.0})
    monkeypatch.setattr(strategy, "thresholds", strict)
    path = chemin.svm_path(X, y)
    assert path.status.code == "uncertified"
    assert "certificate()" in str(path.status)


class Stingy(DenseDictionary):
    """Columns of which only very few may be kept."""

    @property
    def most_columns(self) -> int:
        return 1

    def at_hand(self) -> None:
        return None


@pytest.mark.parametrize(
    "name",
    ["many_more_variables_than_points_balanced", "binary_wide", "columns_repeated_three_times"],
)
def test_few_columns_in_memory_change_nothing(name, monkeypatch):
    """Ten columns of a kind reach their threshold together, and only eight may be kept at first."""
    X, y, options = TABLE[name]()
    X = np.tile(X, (1, 10))
    ample = chemin.svm_path(DenseDictionary(X), y, **options)
    monkeypatch.setattr(thresholds, "FEWEST_WATCHED", 8)
    stingy = chemin.svm_path(Stingy(X), y, **options)
    # Breakpoints that rounding alone tells apart may be one or two; the solutions are the same everywhere.
    np.testing.assert_allclose(stingy.coef_at(ample.l1), ample.coef_at(ample.l1), atol=1e-9)
    assert stingy.certificate().worst_gap < 1e-9


@pytest.mark.parametrize("seed", [14, 15, 50])
def test_more_columns_alike_than_are_watched_are_no_obstacle(seed):
    """Hundreds of copies are reached together: the limit is zero, and steps that move β alone go on all the same."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([6, 20]))
    X = np.tile(rng.integers(-2, 3, (n, 6)).astype(float), (1, 300))
    y = np.where(np.arange(n) % 2, 1, -1)
    path = chemin.svm_path(X, y, l2=0.0)
    assert path.status.code == "complete"
    assert path.certificate().worst_gap <= GAP


@pytest.mark.parametrize("share", [0.2, 0.3, 0.9, 1.0])
def test_a_first_step_longer_than_the_path_ends_with_it(share):
    """From two points of each class the first event is far below the first l1."""
    X, y, weight = (
        np.array([[3.0, 0.1], [2.0, -0.2], [-3.0, 0.2], [-2.0, 0.3]]),
        [1, 1, 0, 0],
        [0.1, 5.0],
    )
    path = chemin.svm_path(X, y, l1_weight=weight, min_ratio=share)
    assert path.status.code == "complete"
    assert path.l1[-1] == pytest.approx(share * path.l1[0], rel=1e-12)
    assert path.certificate(midpoints=True).worst_gap <= GAP


@pytest.mark.parametrize("options", [{"screening": 2}, {"min_ratio": 2.0}, {"device": "abacus:1"}])
def test_options_out_of_range_are_refused(options):
    X, y = gaussian(20, 3)
    if "device" in options:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(InvalidInputError, match="pass"):
        chemin.svm_path(X, y, **options)
