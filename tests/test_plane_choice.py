"""Claims about the (l1, l2) of least cross-validated error: none is better, and all that are as good are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

import chemin
from chemin.dictionaries import DenseDictionary
from chemin.engine.plane.polygon import area, centre, common, halves
from chemin.estimators.plane import Steps, best_region, held_out, steps_of
from chemin.exceptions import EngineError, InvalidInputError, OutOfTimeError

L1 = (0.5, 8.0)
L2 = (0.1, 10.0)


def surfaces(X, y):
    """Return a surface, and the rows it has not seen, for each of three folds."""
    return [
        (chemin.svm_surface(X[train], y[train], l1=L1, l2=L2), test)
        for train, test in StratifiedKFold(3).split(X, y)
    ]


def error_at(folds, X, y, l1, l2):
    rates = [
        ((surface.decision_at(X[test], l1, l2) > 0.0) != y[test, None]).mean(axis=0)
        for surface, test in folds
    ]
    return np.mean(rates, axis=0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(45, 5))
    return X, X[:, 0] - X[:, 1] + 1.5 * rng.normal(size=45) > 0.4


@pytest.fixture(scope="module")
def folds(data):
    return surfaces(*data)


@pytest.fixture(scope="module")
def steps(data, folds):
    X, y = data
    return [
        steps_of(surface, DenseDictionary(X[test]), y[test], np.ones(len(test)))
        for surface, test in folds
    ]


def region_in(steps, most=10_000):
    unit = np.array([L1[1], L2[1]])
    return best_region(steps, unit, np.array([L1[0], L2[0]]) / unit, most)


def points(count):
    rng = np.random.default_rng(5)
    return np.exp(rng.uniform(*np.log(L1), count)), np.exp(rng.uniform(*np.log(L2), count))


def test_the_error_is_constant_on_pieces_that_fill_the_rectangle(data, folds, steps):
    X, y = data
    unit = np.array([L1[1], L2[1]])
    whole = np.prod(1.0 - np.array([L1[0], L2[0]]) / unit)
    for fold, (surface, test) in zip(steps, folds, strict=True):
        sizes = np.array([area(fold.piece(k)) for k in range(len(fold))])
        np.testing.assert_allclose(sizes.sum(), whole, rtol=1e-9)
        large = np.flatnonzero(sizes > 1e-9)
        places = np.array([centre(fold.piece(k)) for k in large]) * unit
        seen = error_at([(surface, test)], X, y, *places.T)
        np.testing.assert_allclose(fold.values[large], seen, atol=1e-12)


def test_nothing_is_better_than_the_best_region(data, folds, steps):
    X, y = data
    region = region_in(steps)
    assert region.is_exact
    assert error_at(folds, X, y, *points(2000)).min() >= region.error - 1e-12
    assert error_at(folds, X, y, [region.l1], [region.l2])[0] == pytest.approx(region.error)
    middles = np.array([centre(one) for one in region.polygons if area(one) > 1e-7])
    np.testing.assert_allclose(error_at(folds, X, y, *middles.T), region.error, atol=1e-12)


def test_the_region_is_all_that_is_as_good(data, folds, steps):
    X, y = data
    region = region_in(steps)
    largest = max(region.polygons, key=area)
    low, high = largest.min(axis=0), largest.max(axis=0)
    around = np.random.default_rng(6).uniform(2.0 * low - high, 2.0 * high - low, size=(500, 2))
    l1, l2 = np.clip(around, [L1[0], L2[0]], [L1[1], L2[1]]).T
    as_good = error_at(folds, X, y, l1, l2) <= region.error + 1e-12
    inside = np.zeros(len(l1), dtype=bool)
    for polygon in region.polygons:
        along = np.roll(polygon, -1, axis=0) - polygon
        offset = np.column_stack([l1, l2])[:, None] - polygon
        cross = along[:, 0] * offset[:, :, 1] - along[:, 1] * offset[:, :, 0]
        inside |= (cross >= 0.0).all(axis=1)
    assert 0 < as_good.sum() < len(l1)
    np.testing.assert_array_equal(inside, as_good)


@pytest.mark.parametrize("most", [0, 3, 30])
def test_a_search_cut_short_says_how_good_it_is_and_is_no_worse_than_lines(
    data, folds, steps, most
):
    X, y = data
    least = region_in(steps).error
    region = region_in(steps, most)
    assert region.lower <= least + 1e-12 <= region.error + 2e-12
    assert region.is_exact or "by more than" in str(region)
    assert region.is_whole or "may not be all" in str(region)
    assert error_at(folds, X, y, [region.l1], [region.l2])[0] == pytest.approx(region.error)
    for l2 in np.geomspace(*L2, 201)[1::20]:  # of the lines that it begins from
        across = error_at(folds, X, y, np.geomspace(*L1, 400), l2)
        assert region.error <= across.min() + 1e-12


def cut(rng, lines, through=None):
    """Return a function with a few values on the parts of a square, cut by random lines, perhaps through one point."""
    pieces = [np.array([[0.1, 0.1], [1.0, 0.1], [1.0, 1.0], [0.1, 1.0]])]
    for _ in range(lines):
        x, y = rng.uniform(0.1, 1.0, size=2) if through is None else through
        angle = rng.uniform(0.0, np.pi)
        across = np.array([-x * np.cos(angle) - y * np.sin(angle), np.cos(angle), np.sin(angle)])
        pieces = [part for piece in pieces for part in halves(piece, across) if part is not None]
    return Steps.of(pieces, rng.integers(0, 4, size=len(pieces)))


@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 4),
    through=st.sampled_from([None, (0.0, 0.0), (0.5, 0.6)]),
)
@settings(max_examples=40, deadline=None)
def test_the_least_sum_and_where_it_is_are_those_of_all_overlaps(seed, count, through):
    rng = np.random.default_rng(seed)
    folds = [cut(rng, 8, through) for _ in range(count)]
    overlaps = [(folds[0].piece(k), folds[0].values[k]) for k in range(len(folds[0]))]
    for fold in folds[1:]:
        overlaps = [
            (shared, value + fold.values[k])
            for polygon, value in overlaps
            for k in range(len(fold))
            if (shared := common(polygon, fold.piece(k))) is not None
        ]
    least = min(value for polygon, value in overlaps if area(polygon) > 1e-9)
    size = sum(area(polygon) for polygon, value in overlaps if value == least)
    region = best_region(folds, np.ones(2), np.full(2, 0.1))
    assert region.is_exact
    assert region.is_whole
    assert region.error == pytest.approx(least / count)
    assert sum(area(polygon) for polygon in region.polygons) == pytest.approx(size, abs=1e-8)


def test_no_path_at_another_l2_is_better(data):
    X, y = data
    model = chemin.SparseSVCCV(l2="surface", cv=3).fit(X, y)
    lowest = float(model.path_.l1[0]) / 40.0
    paths = chemin.SparseSVCCV(l2=np.geomspace(0.01, 100.0, 40), cv=3, min_l1=lowest).fit(X, y)
    assert min(paths.cv_results_["error"]) >= model.region_.error - 1e-12
    assert model.cv_results_["error"] == pytest.approx([model.region_.error])
    assert model.l2_ == model.region_.l2
    assert model.path_.problem.l2 == model.l2_


AWKWARD = {
    "balanced": lambda rng: (rng.normal(size=(24, 3)), np.repeat([0, 1], 12)),
    "integers": lambda rng: (rng.integers(-1, 2, size=(23, 4)).astype(float), None),
    "binary": lambda rng: (rng.integers(0, 2, size=(30, 3)).astype(float), None),
    "opposite twins": lambda rng: (np.tile(rng.normal(size=(15, 3)), (2, 1)), None),
    "strips": lambda rng: (np.column_stack([rng.normal(size=(33, 2)), np.ones(33)]), None),
    "wide": lambda rng: (rng.normal(size=(18, 25)), None),
}


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("seed", range(4))
def test_the_error_of_the_region_is_that_of_the_paths_there_and_never_beaten(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = AWKWARD[kind](rng)
    if y is None:
        y = X[:, 0] + rng.normal(size=len(X)) > np.median(X[:, 0])
    if kind == "opposite twins":
        y[15:20] = ~y[:5]
    splits = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y))
    model = chemin.SparseSVCCV(l2="surface", cv=splits, min_ratio=0.2).fit(X, y)
    region = model.region_
    assert region.is_exact
    assert region.is_whole
    inside = min(
        region.polygons, key=lambda one: np.abs(centre(one) - [region.l1, region.l2]).max()
    )
    for l2 in (region.l2, float(centre(inside)[1])):
        path = chemin.SparseSVCCV(l2=l2, cv=splits, min_ratio=0.2).fit(X, y)
        assert path.cv_results_["error"] == pytest.approx([region.error], abs=1e-12)
    beside = chemin.SparseSVCCV(l2=[0.02, 0.3, 4.0, 50.0], cv=splits, min_ratio=0.2).fit(X, y)
    assert min(beside.cv_results_["error"]) >= region.error - 1e-12


def test_a_region_of_small_l2_holds_the_point_that_is_taken():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(33, 3))
    y = X[:, 0] + X[:, 1] + rng.normal(size=33) > 0.8
    model = chemin.SparseSVCCV(l2="surface", cv=4, min_ratio=0.2).fit(X, y)
    (polygon,) = model.region_.polygons
    assert polygon[:, 1].max() < 0.1
    assert np.all(polygon.min(axis=0) < [model.region_.l1, model.region_.l2])
    assert np.all(polygon.max(axis=0) > [model.region_.l1, model.region_.l2])
    assert model.cv_results_["error"] == pytest.approx([model.region_.error])


def test_where_no_variable_is_of_use_there_is_no_region_and_the_model_is_empty():
    X = np.random.default_rng(5).normal(size=(40, 3))
    model = chemin.SparseSVCCV(l2="surface", cv=4).fit(X, np.arange(40) < 4)
    assert model.region_ is None
    assert not model.coef_.any()


def test_columns_of_no_scale_are_refused_with_a_remedy(data):
    X, y = data
    with pytest.raises(EngineError, match="centre and scale the columns"):
        chemin.SparseSVCCV(l2="surface", cv=3).fit(1e-5 * X, y)


def test_every_machine_has_its_own_region():
    X, y = load_iris(return_X_y=True)
    model = chemin.SparseSVCCV(l2="surface", cv=2, min_ratio=0.2).fit(X[::6], y[::6])
    assert len(model.region_) == len(model.l2_) == 3
    assert [one.l2 for one in model.region_] == model.l2_.tolist()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"l2": "surface", "scoring": "roc_auc"}, "list of l2"),
        ({"l2": "plane"}, "'surface'"),
        ({"l2": "surface", "loss": "squared_hinge"}, "list of l2"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_remedy(data, options, what):
    with pytest.raises(InvalidInputError, match=what):
        chemin.SparseSVCCV(**options).fit(*data)


def test_a_rectangle_of_too_many_cells_is_refused_with_a_remedy(data, monkeypatch):
    monkeypatch.setattr(held_out, "_MOST_CELLS", 50)
    with pytest.raises(InvalidInputError, match="list of l2"):
        chemin.SparseSVCCV(l2="surface").fit(*data)


def test_a_time_limit_that_surfaces_pass_is_told_with_a_remedy(data):
    with pytest.raises(OutOfTimeError, match=r"raise max_time, or pass a list of l2"):
        chemin.SparseSVCCV(l2="surface", max_time=0.02).fit(*data)


def test_the_surfaces_of_the_folds_are_counted_where_progress_is_asked_for(data, capsys):
    chemin.SparseSVCCV(l2="surface", min_ratio=0.3, cv=2, verbose=True).fit(*data)
    assert "surfaces of the folds" in capsys.readouterr().err
