"""Claims about what a path gives back."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from scipy import sparse

import chemin
from adversarial import TABLE
from chemin.exceptions import InvalidInputError, OutOfRangeError


@pytest.fixture(scope="module")
def path() -> chemin.Path:
    X, y, _ = TABLE["gaussian_unbalanced"]()
    return chemin.svm_path(X, y, l2=0.1)


def test_coefficients_and_dual_values_are_affine_between_breakpoints(path):
    for k in range(len(path.l1) - 1):
        l1 = 0.3 * path.l1[k] + 0.7 * path.l1[k + 1]
        expected = 0.3 * path.coef[[k]] + 0.7 * path.coef[[k + 1]]
        np.testing.assert_allclose(path.coef_at(l1), expected.toarray()[0], atol=1e-12)
        dual = 0.3 * path.dual[[k]] + 0.7 * path.dual[[k + 1]]
        np.testing.assert_allclose(path.dual_at(l1), dual.toarray()[0], atol=1e-12)


def test_at_a_breakpoint_the_stored_solution_is_returned(path):
    np.testing.assert_allclose(path.coef_at(path.l1), path.coef.toarray(), atol=1e-14)
    np.testing.assert_allclose(path.intercept_at(path.l1), path.intercept, atol=1e-14)


def test_a_path_asked_to_stop_above_its_start_is_its_start():
    path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], min_l1=1e6)
    assert path.start.l1 == path.l1[-1] == 6.0
    assert path.coef_at(1e6).tolist() == [0.0]


def test_above_the_first_breakpoint_nothing_changes(path):
    assert not path.coef_at(10 * path.l1[0]).any()
    np.testing.assert_array_equal(path.dual_at(10 * path.l1[0]), path.dual_at(path.l1[0]))
    assert path.start.l1 == path.l1[0]


def test_above_the_first_breakpoint_nothing_has_moved_even_if_others_share_its_l1():
    path = chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], l2=0.0)
    assert path.l1[0] == path.l1[1]
    assert path.coef_at(1.1 * path.l1[0]).tolist() == [0.0]


@pytest.mark.parametrize("ask", ["coef_at", "dual_at", "intercept_at", "intercept_range_at"])
@pytest.mark.parametrize("l1", [float("nan"), None, "a"])
def test_an_l1_is_a_number(ask, l1):
    X, y, _ = TABLE["gaussian_unbalanced"]()
    path = chemin.svm_path(X, y, min_l1=1.0)
    with pytest.raises(InvalidInputError, match="pass a number"):
        getattr(path, ask)(l1)


@pytest.mark.parametrize("ask", ["coef_at", "dual_at", "intercept_at", "intercept_range_at"])
@pytest.mark.parametrize("l1", [0.5, -1.0])
def test_below_the_end_the_error_says_what_to_do(ask, l1):
    X, y, _ = TABLE["gaussian_unbalanced"]()
    path = chemin.svm_path(X, y, min_l1=1.0)
    with pytest.raises(OutOfRangeError, match="smaller min_l1"):
        getattr(path, ask)(l1)


def test_decisions_are_those_of_the_coefficients(path):
    X, _, _ = TABLE["gaussian_unbalanced"]()
    expected = X @ path.coef_at(1.0) + path.intercept_at(1.0)
    np.testing.assert_allclose(path.decision_at(X, 1.0), expected)
    with pytest.raises(InvalidInputError, match="same variables"):
        path.decision_at(X[:, :3], 1.0)


def test_events_tell_the_sizes_of_the_four_sets(path):
    events = path.events
    n = path.problem.dictionary.shape[0]
    assert np.all(events["left"] + events["elbow"] + events["right"] == n)
    assert (events["kind"][0], events["kind"][-1]) == ("start", "end")
    last = {int(k): row for k, row in zip(events["breakpoint"], events, strict=True)}
    for k, row in last.items():
        alpha, weight = path.dual[[k]].toarray()[0], path.problem.weight
        assert np.sum(path.coef[[k]].toarray() != 0) <= row["active"]
        assert np.sum((alpha > 1e-9) & (alpha < weight - 1e-9)) <= row["elbow"]
        assert row["l1"] == path.l1[k]


def test_every_event_is_what_it_says(path):
    """Replayed from the first row, the events give the supports halfway to the next breakpoint."""
    active = set(path.breakpoints.first_active.tolist())
    for k in range(len(path.l1) - 1):
        for event in path.events[path.events["breakpoint"] == k]:
            if event["kind"] == "enter":
                active.add(int(event["index"]))
            elif event["kind"] == "leave":
                active.remove(int(event["index"]))
        halfway = path.coef_at(0.5 * (path.l1[k] + path.l1[k + 1]))
        assert set(np.flatnonzero(halfway).tolist()) <= active


def test_the_s_path_is_the_norm_of_the_coefficients(path):
    np.testing.assert_allclose(path.norm1, np.abs(path.coef.toarray()).sum(axis=1))
    assert np.all(np.diff(path.norm1) >= -1e-12)


def test_a_balanced_start_has_a_whole_interval_of_intercepts():
    X, y, _ = TABLE["gaussian_balanced"]()
    path = chemin.svm_path(X, y)
    assert path.start.intercept_range == pytest.approx((-1.0, 1.0))
    assert path.intercept[0] == pytest.approx(0.0)
    for share in np.linspace(0.01, 0.99, 15):
        l1 = share * path.l1[0]
        low, high = path.intercept_range_at(l1)
        assert path.intercept_at(l1) == pytest.approx((low + high) / 2)
        objective = [
            path.problem.objective(path.coef_at(l1), b0, l1) for b0 in (low, high, (low + high) / 2)
        ]
        np.testing.assert_allclose(objective, objective[0], rtol=1e-12)


def test_the_interval_of_intercepts_is_not_larger_than_it_should_be():
    X, y, _ = TABLE["gaussian_balanced"]()
    path = chemin.svm_path(X, y, l2=100.0)
    l1 = 0.9 * path.l1[0]
    low, high = path.intercept_range_at(l1)
    assert low < high
    best = path.problem.objective(path.coef_at(l1), low, l1)
    for outside in (low - 1e-3, high + 1e-3):
        assert path.problem.objective(path.coef_at(l1), outside, l1) > best + 1e-6


def test_dense_sparse_and_frames_give_the_same_path():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y, _ = TABLE["sparse_counts"]()
    names = [f"gene {j}" for j in range(X.shape[1])]
    reference = chemin.svm_path(X, y)
    words = np.where(y > 0, "sick", "healthy")
    for data in (
        sparse.csr_array(X),
        pandas.DataFrame(X, columns=names),
        polars.DataFrame(X, schema=names),
    ):
        path = chemin.svm_path(data, words)
        np.testing.assert_allclose(path.l1, reference.l1, atol=1e-12)
        np.testing.assert_allclose(path.coef.toarray(), reference.coef.toarray(), atol=1e-12)
        assert path.classes.tolist() == ["healthy", "sick"]
        if not sparse.issparse(data):
            assert path.names.tolist() == names


def test_frames_carry_the_names_of_the_variables():
    pandas = pytest.importorskip("pandas")
    X, y, _ = TABLE["gaussian_unbalanced"]()
    frame = chemin.svm_path(pandas.DataFrame(X, columns=list("abcdefgh")), y).frame()
    entered = frame[frame["kind"] == "enter"]
    assert [list("abcdefgh")[j] for j in entered["index"]] == entered["name"].tolist()
    assert (frame[frame["kind"] == "elbow"]["name"] == "").all()


def test_a_path_cannot_be_changed_and_survives_pickling(path):
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.status = None
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(again.coef_at(1.0), path.coef_at(1.0))


def test_a_breakpoint_keeps_little_more_than_its_free_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3000)), np.arange(40) % 2
    path = chemin.svm_path(X, y)
    kept = sum(
        part.nbytes for part in vars(path.breakpoints).values() if isinstance(part, np.ndarray)
    )
    free = int(path.breakpoints.n_active.sum() + path.breakpoints.n_elbow.sum())
    assert kept <= 12 * free + 100 * len(path.l1) + 8 * X.shape[1]


def test_columns_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas")
    X, y, _ = TABLE["gaussian_unbalanced"]()
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    path = chemin.svm_path(frame, y)
    np.testing.assert_allclose(path.decision_at(frame, 1.0), path.decision_at(X, 1.0))
    with pytest.raises(InvalidInputError, match="select 'a', 'b', 'c', 'd', 'e', …"):
        path.decision_at(frame[list("hgfedcba")], 1.0)


def test_the_start_names_what_enters_there_and_nothing_else():
    X, y, options = TABLE["some_columns_never_penalised"]()
    for given in ({}, options):
        path = chemin.svm_path(X, y, **given)
        assert len(path.start.entering) == 1
        just_below = path.coef_at(path.l1[0] * (1 - 1e-6)) - path.coef_at(path.l1[0])
        penalised = np.flatnonzero(np.asarray(given.get("l1_weight", np.ones(6))))
        assert np.argmax(np.abs(just_below[penalised])) == penalised.tolist().index(
            path.start.entering[0]
        )


def test_a_path_describes_itself_without_its_data(path):
    assert "complete" in repr(path)
    assert len(repr(path)) < 400


def test_between_pieces_even_the_midpoint_of_a_free_intercept_is_affine():
    X, y, _ = TABLE["gaussian_balanced"]()
    path = chemin.svm_path(X, y, l2=100.0)
    pieces = path.pieces()
    l1, coef, intercept = pieces.l1, pieces.coef, pieces.intercept
    assert len(l1) > len(path.l1)
    for k in range(len(l1) - 1):
        middle = 0.5 * (l1[k] + l1[k + 1])
        if l1[k + 1] < l1[k]:
            assert path.intercept_at(middle) == pytest.approx(
                0.5 * (intercept[k] + intercept[k + 1]), abs=1e-9
            )
            halfway = 0.5 * (coef[[k]] + coef[[k + 1]])
            np.testing.assert_allclose(path.coef_at(middle), halfway.toarray()[0], atol=1e-12)
