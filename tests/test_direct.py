"""Claims about solutions at one l1 without their path: those of the path, certified, from nothing or from nearby."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import chemin
from adversarial import TABLE
from chemin.engine.direct import is_quicker
from chemin.exceptions import InvalidInputError
from chemin.problems import Hinge, Huber, HuberizedHinge, Squared
from test_losses import COLUMNS, LOSSES, WEIGHTS, case_of

GAP = 1e-9
SHARES = (0.02, 0.3, 0.8)
EVERY = list(product(LOSSES, COLUMNS, WEIGHTS))


@pytest.mark.parametrize("l2", [0.0, 0.5])
@pytest.mark.parametrize(("name", "columns", "weights"), EVERY)
def test_the_solution_is_that_of_the_path(name, columns, weights, l2):
    case = case_of(name, columns, weights)
    path = case.path(l2)
    for share, near in product(SHARES, (None, path)):
        l1 = share * path.l1[0]
        options = {"loss": case.loss, "l2": l2, "near": near}
        found = chemin.solve(case.columns, case.y, l1, **options, **case.options)
        assert found.certificate().worst_gap <= GAP
        assert found.found_by == ("interior point" if near is None else "path nearby")
        ours = case.objective(found.coef, found.intercept, l1, l2)
        assert ours == pytest.approx(case.objective_on(path, l1, l2), rel=1e-10)
        if l2 > 0.0:
            np.testing.assert_allclose(found.coef, path.coef_at(l1), atol=1e-8)


@pytest.mark.parametrize("loss", [Hinge(), HuberizedHinge(0.5), Squared()], ids=str)
@pytest.mark.parametrize("name", TABLE)
def test_whatever_the_data_the_solution_is_certified(name, loss):
    X, y, options = TABLE[name]()
    first = float(chemin.path(X, y, loss=loss, min_ratio=1.0, **options).l1[0])
    found = chemin.solve(X, y, 0.1 * first, loss=loss, **options)
    assert found.certificate().worst_gap <= GAP


def test_a_path_that_ends_above_is_gone_on_with():
    case = case_of("huber", "dense", "none")
    path = case.path(0.5)
    part = chemin.path(case.X, case.y, loss=case.loss, l2=0.5, min_ratio=0.3)
    l1 = 0.05 * path.l1[0]
    found = chemin.solve(case.X, case.y, l1, loss=case.loss, l2=0.5, near=part)
    assert found.found_by == "path nearby"
    np.testing.assert_allclose(found.coef, path.coef_at(l1), atol=1e-9)


def test_above_the_first_l1_the_model_is_empty():
    case = case_of("squared", "dense", "none")
    first = float(case.path(0.5).l1[0])
    for near in (None, case.path(0.5)):
        found = chemin.solve(case.X, case.y, 2.0 * first, loss="squared", l2=0.5, near=near)
        assert not found.coef.any()
        assert found.intercept == pytest.approx(case.y.mean())


def test_at_zero_there_is_no_interior_and_the_path_is_followed():
    case = case_of("squared", "dense", "none")
    found = chemin.solve(case.X, case.y, 0.0, loss="squared", l2=0.0)
    rows = np.column_stack([np.ones(len(case.y)), case.X])
    least = np.linalg.lstsq(rows, case.y, rcond=None)[0]
    assert found.found_by == "path"
    np.testing.assert_allclose(found.coef, least[1:], atol=1e-9)


def test_the_path_of_another_problem_is_refused():
    case = case_of("squared", "dense", "none")
    with pytest.raises(InvalidInputError, match="same X"):
        chemin.solve(case.X[:-1], case.y[:-1], 1.0, loss="squared", near=case.path(1.0))


def test_a_negative_penalty_is_refused():
    with pytest.raises(InvalidInputError, match=r"l1 is -1\.0"):
        chemin.solve([[0.0], [1.0]], [0.0, 1.0], -1.0, loss="squared")


def test_estimators_solve_at_their_l1_alone_where_that_is_quicker():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2500, 4))
    y = X[:, 0] + 0.5 * rng.standard_normal(2500)
    model = chemin.SparseRegressor(l1=30.0, loss=Huber(0.3)).fit(X, y)
    assert "alone" in str(model.path_.status)
    path = chemin.path(X, y, loss=Huber(0.3), min_l1=30.0)
    np.testing.assert_allclose(model.coef_, path.coef_at(30.0), atol=1e-10)
    relaxed = chemin.SparseRegressor(l1=30.0, loss=Huber(0.3), relax=0.0).fit(X, y)
    assert relaxed.support_.tolist() == model.support_.tolist()
    classifier = chemin.SparseSVC(l1=30.0, loss="huberized").fit(X, y > 0)
    assert "alone" in str(classifier.path_.status)
    assert classifier.path_.certificate().worst_gap <= GAP
    assert not is_quicker(Hinge(), 10**6, 2)
    assert not is_quicker(Squared(), 10**6, 2)
