"""Claims about stability selection: frequencies are exact counts, true variables are stable, luck is bounded."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import chemin
from chemin.datasets import benchmark_gaussian, breast_cancer, gaussian_pair
from chemin.estimators import selection as module
from chemin.estimators.selection import Stability, stability, stays_of
from chemin.exceptions import InvalidInputError, OutOfRangeError
from chemin.plots import plot_stability
from chemin.plots.stability import frequency_lines
from chemin.validation import as_problem

DATA = {
    "wide": (*benchmark_gaussian(40, 60, random_state=0), {"l2": 1.0, "min_l1": 3.0}),
    "long": (*gaussian_pair(40, 8, 3), {"l2": 10.0, "min_l1": 0.0}),
    "no ridge": (*gaussian_pair(20, 12, 3), {"l2": 0.0, "min_l1": 1.0}),
    "weights": (*gaussian_pair(20, 12, 3), {
        "l2": 1.0, "min_l1": 1.0, "sample_weight": np.linspace(0.0, 2.0, 40), "l1_weight": np.arange(12.0) % 3,
    }),
}  # fmt: skip


@pytest.fixture(scope="module")
def tumours() -> Stability:
    sample = breast_cancer()
    return stability(sample.columns, sample.y, resamples=20, min_l1=50.0, random_state=0)


def paths_of(X, y, options, resamples, random_state):
    """Follow the same subsamples again, one call each."""
    problem, classes = as_problem(
        X, y, options["l2"], options.get("sample_weight"), options.get("l1_weight")
    )
    parts = module._subsamples(problem, classes, 0.5, resamples // 2, random_state)
    given = {key: options[key] for key in ("l2", "min_l1", "l1_weight") if key in options}
    return [
        chemin.svm_path(X[rows], y[rows], sample_weight=weight, **given) for rows, weight in parts
    ]


@pytest.mark.parametrize("case", DATA)
def test_frequencies_are_those_of_a_recount_at_breakpoints_and_between(case):
    X, y, options = DATA[case]
    found = stability(X, y, resamples=6, random_state=1, **options)
    paths = paths_of(X, y, options, 6, 1)
    levels = np.unique(np.concatenate([path.l1 for path in paths]))
    levels = np.concatenate([levels, 0.5 * (levels[1:] + levels[:-1])])
    # Above its first breakpoint a path stays as it begins there.
    counts = sum(
        np.where(
            levels[:, None] > path.l1[0],
            path.coef[[0]].toarray() != 0.0,
            path.coef_at(levels) != 0.0,
        ).astype(int)
        for path in paths
    )
    np.testing.assert_array_equal(found.frequency_at(levels), counts / 6)
    np.testing.assert_array_equal(found.max_frequency, counts.max(axis=0) / 6)
    np.testing.assert_array_equal(found.frequency_at(float(levels[3])), counts[3] / 6)
    ever = np.mean(
        [np.any(path.coef.toarray() != 0.0, axis=0)[found.penalised].sum() for path in paths]
    )
    assert found.n_selected == pytest.approx(ever)


def test_frequencies_are_shares_and_their_peaks_are_where_the_table_says(tumours):
    values = tumours.frequency_at(np.geomspace(400.0, 50.0, 300))
    assert values.min() == 0.0
    assert values.max() <= 1.0
    assert np.all(values <= tumours.max_frequency)
    table = tumours.frame()
    assert table["name"].tolist() == tumours.names[table["index"]].tolist()
    assert np.all(np.diff(table["max_frequency"]) <= 0.0)
    for j, share, l1 in zip(table["index"], table["max_frequency"], table["l1"], strict=True):
        assert tumours.frequency_at(l1)[j] == share


def test_a_stay_is_open_where_the_path_is_continuous_and_closed_where_it_jumps():
    points, labels = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    smooth, jump = (
        stays_of(chemin.svm_path(points, labels, l2=l2))["high"][0] for l2 in (1.0, 0.0)
    )
    assert smooth == np.nextafter(6.0, 0.0)
    assert jump == 6.0


def test_halves_are_disjoint_stratified_and_weigh_as_much_as_all_points():
    y = np.repeat([0, 1], [11, 30])
    problem, classes = as_problem(np.zeros((41, 1)), y, sample_weight=np.r_[0.0, np.ones(40)])
    parts = module._subsamples(problem, classes, 0.5, 3, 0)
    assert len(parts) == 6
    for (rows, weight), (others, _) in zip(parts[::2], parts[1::2], strict=True):
        assert not set(rows) & set(others)
        assert np.bincount(y[rows]).tolist() == np.bincount(y[others]).tolist() == [5, 15]
        np.testing.assert_allclose(np.bincount(y[rows], weight), [10.0, 30.0])


def test_the_same_state_gives_the_same_numbers_on_any_number_of_processes():
    X, y = benchmark_gaussian(40, 30, random_state=0)
    one, again, two, other = (
        stability(X, y, resamples=8, random_state=state, n_jobs=jobs)
        for state, jobs in ((0, 1), (0, 1), (0, 2), (1, 1))
    )
    for same in (again, two):
        np.testing.assert_array_equal(same.stays, one.stays)
        assert same.min_l1 == one.min_l1
    assert not np.array_equal(one.max_frequency, other.max_frequency)


def test_true_variables_are_stable_and_noise_rarely_is():
    X, y = gaussian_pair(60, 200, 4, shift=1.6)
    found = stability(X, y, resamples=40, random_state=0)
    assert sorted(found.selected()) == [0, 1, 2, 3]
    assert found.false_bound() <= 1.0
    assert found.max_frequency[4:].mean() < 0.1


def test_pure_noise_is_selected_no_more_often_than_the_bound_says():
    rng = np.random.default_rng(0)
    counts, bounds = [], []
    for state in range(15):
        X, y = rng.standard_normal((40, 50)), np.repeat([0, 1], 20)
        found = stability(X, y, resamples=20, random_state=state, threshold=0.6, expected_false=2.0)
        counts.append(len(found.selected()))
        bounds.append(found.false_bound())
    assert 1.5 < np.mean(bounds) <= 2.0
    assert np.mean(counts) <= np.mean(bounds)


@pytest.mark.parametrize(("threshold", "expected_false"), [(0.6, 0.5), (0.75, 1.0), (0.9, 3.0)])
def test_the_range_goes_down_to_where_the_bound_is_what_was_asked(threshold, expected_false):
    X, y = benchmark_gaussian(40, 100, random_state=0)
    found = stability(
        X, y, resamples=20, random_state=0, threshold=threshold, expected_false=expected_false
    )
    assert 0.9 * expected_false < found.false_bound() <= expected_false
    assert found.false_bound() == pytest.approx(found.n_selected**2 / ((2 * threshold - 1) * 100))


@pytest.mark.parametrize(
    ("threshold", "factor"),
    [(0.7, 0.5 / (0.4 - 0.05)), (0.75, 0.5 / 0.45), (0.9, 4 * 0.15 / 1.1), (0.5001, np.inf)],
)
def test_the_unimodal_bound_is_that_of_the_theorem(threshold, factor):
    found = stability(*benchmark_gaussian(40, 100, random_state=0), resamples=20, random_state=0)
    assert found.false_bound(threshold, unimodal=True) == pytest.approx(
        factor * found.n_selected**2 / 100
    )


def test_one_level_has_a_smaller_bound_than_the_range(tumours):
    q = tumours.frequency_at(100.0).sum()
    assert tumours.false_bound(0.8, l1=100.0) == pytest.approx(q**2 / (0.6 * 30))
    assert tumours.false_bound(0.8, l1=100.0) < tumours.false_bound(0.8)
    assert set(tumours.selected(l1=100.0)) <= set(tumours.selected())


def test_names_and_facts_are_kept(tumours):
    assert tumours.names.tolist() == breast_cancer().names.tolist()
    assert "30 variables" in repr(tumours)
    assert "20 subsamples" in repr(tumours)
    for j in tumours.selected():
        assert tumours.names[j] in tumours.summary()


def test_dataframes_sparse_and_scaled_columns_are_the_same_data():
    pandas = pytest.importorskip("pandas")
    X, y = benchmark_gaussian(40, 10, random_state=0)
    X[X < 0.0] = 0.0
    options = {"resamples": 4, "random_state": 0, "min_l1": 5.0, "standardize": True}
    dense = stability(X, y, **options)
    frame = stability(pandas.DataFrame(X, columns=list("abcdefghij")), y, **options)
    assert frame.names.tolist() == list("abcdefghij")
    thin, scaled = (
        stability(sparse.csr_array(X), y, **options),
        stability(X * np.geomspace(1.0, 8.0, 10), y, **options),
    )
    for other in (frame, thin, scaled):
        np.testing.assert_allclose(other.max_frequency, dense.max_frequency)


def test_a_path_that_stops_early_raises_the_range_and_says_so():
    X, y = benchmark_gaussian(40, 30, random_state=0)
    found = stability(X, y, resamples=4, min_l1=0.1, max_events=10, random_state=0)
    assert found.min_l1 > 0.1
    assert "raise max_events" in found.status


def test_no_signal_selects_nothing():
    found = stability(np.zeros((8, 3)), [0, 1] * 4, resamples=4, random_state=0)
    assert found.max_frequency.tolist() == [0.0, 0.0, 0.0]
    assert found.false_bound() == 0.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fraction": 0.0}, "fraction is 0.0"),
        ({"fraction": 0.6}, "not above 0.5"),
        ({"fraction": "half"}, "fraction is 'half'"),
        ({"resamples": 1}, "pass an even number"),
        ({"resamples": 7}, "pass an even number"),
        ({"resamples": 10.0}, "pass an even number"),
        ({"threshold": 0.5}, "above 0.5"),
        ({"threshold": 1.1}, "not above 1"),
        ({"expected_false": 0.0}, "expected_false is 0.0"),
        ({"fraction": 0.01}, "too few: add some, or raise fraction"),
        ({"min_l1": -1.0}, "min_l1 is -1.0"),
        ({"y": [0] * 39 + [1]}, "class 1 has 1 members"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(wrong, message):
    X, y = gaussian_pair(20, 3, 1)
    with pytest.raises(InvalidInputError, match=message):
        stability(X, **({"y": y, "resamples": 4} | wrong))


def test_a_result_refuses_what_it_cannot_answer(tumours):
    with pytest.raises(OutOfRangeError, match="smaller min_l1"):
        tumours.frequency_at(49.0)
    with pytest.raises(OutOfRangeError):
        tumours.frequency_at(np.array([60.0, np.nan]))
    with pytest.raises(InvalidInputError, match=r"above 0\.5"):
        tumours.false_bound(0.5)
    with pytest.raises(InvalidInputError, match="threshold is 0"):
        tumours.selected(0)


def test_progress_is_shown_on_the_error_stream(capsys):
    stability(*gaussian_pair(20, 3, 1), resamples=4, verbose=True, random_state=0)
    shown = capsys.readouterr()
    assert "4/4" in shown.err
    assert shown.out == ""


@pytest.fixture
def plt():
    pytest.importorskip("matplotlib").use("Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    yield plt
    plt.close("all")


def test_the_emptiest_result_can_be_drawn_on_given_axes(plt):
    ax = plt.subplots()[1]
    assert plot_stability(stability(np.zeros((8, 3)), [0, 1] * 4, resamples=4), ax) is ax
    ax.figure.canvas.draw()
    assert ax.get_title(loc="left").startswith("0 stable variables")


def test_stable_variables_are_coloured_and_named_without_overlap_and_the_others_grey(tumours, plt):
    ax = plot_stability(tumours, threshold=0.8, top=5)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == tumours.names[
        tumours.selected(0.8)[:5]
    ].tolist()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])
    coloured = [line for line in ax.lines if line.get_label().isdigit()]
    grey = sum(len(collection.get_segments()) for collection in ax.collections)
    assert len(coloured) + grey == np.count_nonzero(tumours.max_frequency)
    assert ax.get_xlim()[0] > tumours.l1_max > ax.get_xlim()[1] == tumours.min_l1
    assert f"{tumours.false_bound(0.8):.2g} expected by luck" in ax.get_title(loc="left")
    drawn = frequency_lines(tumours)
    np.testing.assert_array_equal(drawn.values, tumours.frequency_at(drawn.x)[:, drawn.index])
