"""Claims about the pictures: what is drawn, what is named, and that drawing never needs more than the path."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import chemin
from chemin import plots
from chemin.datasets import benchmark_gaussian, breast_cancer, gaussian_pair, separated_line
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.plots import lines
from chemin.plots.canvas import spread

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

PICTURES = (plots.plot_coefficients, plots.plot_sets, plots.plot_dual, plots.plot_norm1)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tumours():
    sample = breast_cancer()
    return chemin.svm_path(sample.columns, sample.y, l2=1.0)


@pytest.fixture(scope="module")
def gaussians():
    return chemin.svm_path(*gaussian_pair(), l2=0.2)


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("plot", PICTURES)
def test_given_axes_are_used_and_returned(plot, tumours):
    _, ax = plt.subplots()
    opened = plt.get_fignums()
    assert plot(tumours, ax) is ax
    assert plt.get_fignums() == opened


@pytest.mark.parametrize("plot", PICTURES)
def test_l1_decreases_to_the_right_on_a_log_axis_that_holds_the_first_breakpoint(plot, tumours):
    ax = plot(tumours)
    left, right = ax.get_xlim()
    assert ax.get_xscale() == "log"
    assert left > tumours.l1[0] > right > 0.0
    assert "λ₁" in ax.get_xlabel()


def test_every_variable_that_is_ever_active_is_drawn_and_no_other():
    X, y = benchmark_gaussian(60, 200, random_state=0)
    path = chemin.svm_path(X, y, l2=1.0, min_l1=15.0)
    ever = np.unique(path.coef.indices)
    assert 8 < len(ever) < 200
    ax = plots.plot_coefficients(path, top=8)
    coloured = [line for line in ax.lines if line.get_label().isdigit()]
    grey = sum(len(collection.get_segments()) for collection in ax.collections)
    assert len(coloured) + grey == len(ever)
    np.testing.assert_array_equal(lines.coefficient_lines(path).index, ever)


def test_the_named_variables_are_the_largest_at_the_right_end(tumours):
    ax = plots.plot_coefficients(tumours, top=5)
    end = np.abs(tumours.coef_at(ax.get_xlim()[1]))
    assert texts(ax) == tumours.names[np.argsort(-end)[:5]].tolist()


def test_labels_have_the_colours_of_their_lines_and_do_not_overlap(tumours):
    figure = plots.plot_path(tumours)
    figure.canvas.draw()
    ax = figure.axes[0]
    colours = {line.get_label(): line.get_color() for line in ax.lines}
    for text in ax.texts:
        assert colours[str(tumours.names.tolist().index(text.get_text()))] == text.get_color()
    for panel in figure.axes:
        boxes = [text.get_window_extent() for text in panel.texts]
        assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


def test_spread_labels_keep_their_order_and_their_distance():
    heights = np.random.default_rng(0).uniform(size=30)
    placed = spread(heights, 0.1)
    np.testing.assert_array_equal(np.argsort(placed), np.argsort(heights))
    assert np.diff(np.sort(placed)).min() >= 0.1 - 1e-12
    np.testing.assert_array_equal(spread(np.array([0.0, 1.0]), 0.1), [0.0, 1.0])


def test_names_come_from_the_data_from_the_caller_or_from_the_index(tumours, gaussians):
    assert texts(plots.plot_coefficients(tumours, highlight=["worst radius", 7])) == [
        "worst radius",
        "mean concave points",
    ]
    assert texts(
        plots.plot_coefficients(gaussians, highlight=[3], names=[f"gene {j}" for j in range(100)])
    ) == ["gene 3"]
    assert texts(plots.plot_coefficients(gaussians, highlight=[3])) == ["x3"]


@pytest.mark.parametrize("wrong", [["nobody"], [30], [-1]])
def test_an_unknown_variable_cannot_be_highlighted(tumours, wrong):
    with pytest.raises(InvalidInputError, match="cannot be highlighted"):
        plots.plot_coefficients(tumours, highlight=wrong)


@pytest.mark.parametrize("draw", [plots.plot_coefficients, plots.plot_dual])
def test_the_abscissa_is_l1_or_norm1(tumours, draw):
    assert draw(tumours, against="norm1").get_xlabel() == "‖b‖₁"
    with pytest.raises(InvalidInputError, match="pass 'l1' or 'norm1'"):
        draw(tumours, against="lambda")


@pytest.mark.parametrize("against", ["l1", "norm1"])
def test_lines_tell_the_path(gaussians, against):
    drawn = lines.coefficient_lines(gaussians, against)
    if against == "l1":
        np.testing.assert_allclose(
            drawn.values, gaussians.coef_at(drawn.x)[:, drawn.index], atol=1e-12
        )
    else:
        np.testing.assert_allclose(np.abs(drawn.values).sum(axis=1), drawn.x, atol=1e-12)
    np.testing.assert_allclose(drawn.values[0], gaussians.coef.toarray()[0, drawn.index])


def test_dual_lines_tell_the_path_and_only_points_of_the_elbow(tumours):
    drawn = lines.dual_lines(tumours, top=1000)
    np.testing.assert_allclose(drawn.values, tumours.dual_at(drawn.x)[:, drawn.index], atol=1e-12)
    dual = tumours.dual.toarray()
    inside = np.flatnonzero(np.any((dual > 1e-6) & (dual < 1 - 1e-6), axis=0))
    assert set(inside) <= set(drawn.index.tolist())
    assert len(lines.dual_lines(tumours, top=7).index) == 7
    assert 0 in lines.dual_lines(tumours, top=7, also=[0]).index


def test_dual_values_jump_against_norm1_where_it_has_a_plateau_and_never_against_l1(gaussians):
    flat = lines.plateaus(gaussians)
    assert len(flat) > 100
    against_s, against_l1 = (
        lines.dual_lines(gaussians, against, top=1000) for against in ("norm1", "l1")
    )
    still = np.diff(against_s.x) <= 1e-10
    assert np.abs(np.diff(against_s.values, axis=0)[still]).max() > 0.5
    assert np.all(np.diff(against_l1.x) < 0.0)


def test_a_strong_ridge_leaves_no_plateau():
    assert len(lines.plateaus(chemin.svm_path(*gaussian_pair(), l2=30.0))) == 0


def test_a_jump_from_one_bound_to_the_other_is_drawn():
    ax = plots.plot_dual(chemin.svm_path(*separated_line(), l2=1.0), against="norm1")
    segments = np.concatenate(
        [s for collection in ax.collections for s in collection.get_segments()]
    )
    vertical = (np.diff(segments[:, 0]) == 0.0) & (np.abs(np.diff(segments[:, 1])) == 1.0)
    assert vertical.sum() >= 4


def test_the_sizes_of_the_sets_are_those_of_the_events(tumours):
    drawn = lines.set_lines(tumours)
    n = tumours.problem.dictionary.shape[0]
    np.testing.assert_array_equal(drawn.values[:, 1:].sum(axis=1), n)
    np.testing.assert_array_equal(drawn.values[0], [tumours.events[name][0] for name in lines.SETS])


def test_a_long_path_is_thinned_and_keeps_its_ends():
    l1 = np.sort(np.random.default_rng(0).uniform(0.0, 100.0, 50_000))[::-1]
    l1[-1] = 0.0
    kept = lines._thinned(l1, 2000)
    assert len(kept) <= 2000
    assert (kept[0], kept[-1]) == (0, 49_999)
    assert np.abs(np.diff(np.log(l1[kept[:-1]]))).max() < 1.0


@pytest.mark.parametrize(
    "path",
    [
        chemin.svm_path(np.zeros((4, 2)), [0, 0, 1, 1]),
        chemin.svm_path([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], min_l1=100.0),
        chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], l2=1000.0),
        chemin.svm_path([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], l2=0.0),
        chemin.svm_path(
            [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], sample_weight=[1.0, 3.0, 0.5, 2.0]
        ),
    ],
    ids=["no signal", "one breakpoint", "two breakpoints", "no ridge", "weights"],
)
def test_the_smallest_paths_can_be_drawn(path):
    plots.plot_path(path).canvas.draw()
    plots.plot_norm1(path).figure.canvas.draw()


def test_the_title_carries_the_facts(tumours):
    title = plots.plot_path(tumours, certificate=tumours.certificate()).get_suptitle()
    for fact in (
        "569 points",
        "30 variables",
        "λ₂ = 1",
        f"{len(tumours.l1)} breakpoints",
        "worst relative gap",
    ):
        assert fact in title


def test_the_title_tells_of_a_path_that_did_not_finish():
    path = chemin.svm_path(*gaussian_pair(), max_events=20)
    assert path.status.sentence in plots.plot_path(path).get_suptitle()


def test_without_matplotlib_the_remedy_is_named(tumours, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingLibraryError, match=r"pip install 'chemin\[plots\]'"):
        plots.plot_coefficients(tumours)
    with pytest.raises(MissingLibraryError, match="pictures need matplotlib"):
        plots.plot_path(tumours)


def test_the_cells_of_a_surface_fill_its_rectangle():
    X, y = gaussian_pair()
    surface = chemin.svm_surface(X[::4, :3], y[::4], l1=(0.0, 2.0), l2=(0.1, 10.0))
    polygon = surface.polygon(0)
    ax = plots.plot_surface(surface, outline=[polygon])
    (cells,) = ax.collections
    assert len(cells.get_paths()) == len(surface)
    assert cells.get_array().tolist() == surface.n_active.tolist()
    left, right = ax.get_xlim()
    assert left == 2.0 > right > 0.0
    assert ax.get_ylim() == (0.1, 10.0)
    assert len(ax.patches) == 1


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_front_is_that_of_the_surface(norm):
    X, y = gaussian_pair()
    surface = chemin.svm_surface(X[::4, :3], y[::4], l1=(0.1, 2.0), l2=(0.1, 10.0))
    (line,) = plots.plot_front(surface, norm).lines
    np.testing.assert_array_equal(line.get_ydata(), surface.front(norm)["loss"])
    with pytest.raises(InvalidInputError, match="pass 'l1' or 'l2'"):
        plots.plot_front(surface, "max")
