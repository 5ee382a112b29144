"""Claims about the pictures of exploration: what is drawn is what was given, however much or little that is."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from chemin.exploration import densities as estimated
from chemin.exploration import groups as grouped
from chemin.exploration import pca
from chemin.plots import canvas
from chemin.plots.exploration import (
    densities,
    dependence,
    description,
    groups,
    marks,
    projection,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
colors = pytest.importorskip("matplotlib.colors")

FLOWERS = load_iris(as_frame=True).data
PETALS = FLOWERS[["petal length (cm)", "petal width (cm)"]]
DRAWING = np.random.default_rng(0)
CLOUD = DRAWING.normal(size=(60, 2))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def written(ax):
    return [text.get_text() for text in ax.texts]


def outlines(ax):
    return [patch for patch in ax.patches if hasattr(patch, "get_data")]


def scatters(ax):
    return [made for made in ax.collections if isinstance(made, matplotlib.collections.PathCollection)]  # fmt: skip


def same_colour(first, second):
    return colors.to_rgb(first) == colors.to_rgb(second)


def check_no_overlap(texts):
    texts[0].figure.canvas.draw()
    extent = (
        matplotlib.text.Text.get_window_extent
    )  # of the letters, without the line that leads to them
    boxes = [extent(text) for text in texts]
    assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


# densities


def test_bins_have_the_heights_that_were_estimated():
    made = estimated.histogram(FLOWERS["petal length (cm)"], 12)
    ax = made.plot()
    for outline in outlines(ax):
        np.testing.assert_allclose(outline.get_data().values, made.heights)
        np.testing.assert_allclose(outline.get_data().edges, made.edges)
    assert ax.get_xlabel() == "petal length (cm)"


def test_every_shifted_histogram_is_drawn_and_their_mean():
    made = estimated.bin_sensitivity(FLOWERS["petal length (cm)"], 10, shifts=5)
    ax = made.plot()
    assert len(outlines(ax)) == 5
    (mean,) = ax.lines
    np.testing.assert_allclose(mean.get_ydata(), made.average[1])
    assert f"{made.distance:.0%}" in ax.get_title("left")


def test_a_law_is_drawn_over_its_values_and_its_quantiles_against_theirs():
    made = estimated.fit_laws(FLOWERS["sepal width (cm)"])
    left, right = made.plot("normal")
    assert legend(left) == ["histogram", "normal law"]
    (curve,) = left.lines
    np.testing.assert_allclose(curve.get_ydata(), made["normal"].pdf(curve.get_xdata()))
    (pairs,) = scatters(right)
    np.testing.assert_allclose(pairs.get_offsets()[:, 1], np.sort(made.values))


def test_a_law_of_counts_has_a_bar_and_a_dot_for_each():
    counts = DRAWING.poisson(3.0, 200)
    left, right = estimated.fit_laws(counts).plot("Poisson")
    shares = [bar.get_height() for bar in left.patches]
    np.testing.assert_allclose(shares, np.bincount(counts)[counts.min() :] / 200)
    assert len(left.lines[0].get_xdata()) == len(shares)
    (pairs,) = scatters(right)
    assert len(pairs.get_offsets()) < 40
    assert len(np.unique(pairs.get_sizes())) > 1


def test_a_law_of_large_counts_is_drawn_as_a_curve():
    left, _ = estimated.fit_laws(DRAWING.geometric(0.002, 300)).plot("geometric")
    assert not [patch for patch in left.patches if hasattr(patch, "get_height")]
    assert len(outlines(left)) == 1


def test_errors_of_a_covariance_are_dots_on_lines_of_what_is_expected():
    rate = estimated.covariance_rate((1, 10), (50, 200), repeats=2)
    ax = rate.plot()
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    for line, errors in zip(dots, rate.error, strict=True):
        np.testing.assert_allclose(line.get_ydata(), errors)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ticks(ax.xaxis) == ["50", "200"]


def test_a_density_is_drawn_over_its_values():
    made = estimated.parzen(PETALS[["petal length (cm)"]])
    ax = made.plot()
    curve = ax.lines[0]
    np.testing.assert_allclose(curve.get_ydata(), made.pdf(curve.get_xdata()))
    assert legend(ax) == ["histogram", made.name, "rows"]
    assert "rows" not in legend(estimated.parzen(DRAWING.normal(size=(400, 1))).plot())


def test_poles_of_a_density_do_not_squash_the_rest():
    values = np.append(DRAWING.normal(size=50), np.zeros(10))
    ax = densities.draw_curve(
        np.linspace(-3.0, 3.0, 5), {"poles": np.array([0.1, 0.2, np.inf, 1e9, 0.0])}, values, name="x"
    )  # fmt: skip
    highest = outlines(ax)[0].get_data().values.max()
    assert highest < ax.get_ylim()[1] < 4.0 * highest
    ax.figure.canvas.draw()


def test_one_value_has_a_picture():
    ax = densities.draw_curve(np.linspace(2.0, 4.0, 9), {"all": np.ones(9)}, np.array([3.0]), name="x")  # fmt: skip
    assert outlines(ax)[0].get_data().values.tolist() == [1.0]


def test_each_level_line_is_half_of_the_next():
    made = estimated.parzen(PETALS)
    ax = made.plot()
    (lines,) = [one for one in ax.collections if hasattr(one, "levels") and not one.filled]
    np.testing.assert_allclose(lines.levels[1:] / lines.levels[:-1], 2.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(PETALS.columns)


@pytest.mark.parametrize("value", [0.0, 1.0, np.inf])
def test_a_density_without_levels_has_points_only(value):
    x = np.arange(3.0)
    ax = densities.draw_levels(x, x, np.full((3, 3), value), CLOUD, names=("a", "b"), title="flat")
    assert len(ax.collections) == 1


def test_the_chosen_mixture_is_marked_where_it_is_best():
    made = estimated.mixture(PETALS, [1, 2, 3], covariance=["full", "tied"], restarts=1)
    ax = made.plot_scores()
    (mark,) = [line for line in ax.lines if line.get_label().startswith("chosen")]
    best = min(made.candidates, key=lambda candidate: candidate.bic)
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (best.components, best.bic)
    assert "BIC" in ax.get_ylabel()


def test_every_column_has_a_panel_with_its_name_and_its_law():
    made = estimated.column_densities(FLOWERS)
    figure = made.plot(most=3)
    assert len(figure.axes) == 3
    for ax, column in zip(figure.axes, made.columns, strict=False):
        assert ax.get_title("left").strip() == column.name
        assert written(ax) == [column.laws.best.name]
    assert figure.get_suptitle().startswith("3 of 4 columns")


# groups


def test_rows_have_the_colours_of_their_groups_and_grey_is_noise():
    labels = np.repeat([0, 1, -1], 20)
    ax = groups.draw_groups(CLOUD, labels, ("a", "b"), title="three")
    assert legend(ax) == ["group 0 (20)", "group 1 (20)", "in none (20)"]
    first, second, none = scatters(ax)
    assert same_colour(first.get_facecolor()[0][:3], canvas.PALETTE[0])
    assert same_colour(second.get_facecolor()[0][:3], canvas.PALETTE[1])
    assert same_colour(none.get_facecolor()[0][:3], canvas.GREY)
    assert none.get_zorder() < first.get_zorder()


def test_many_groups_differ_in_colour_or_marker():
    looks = {(marks.group_look(k)["color"], marks.group_look(k)["marker"]) for k in range(50)}
    assert len(looks) == 50
    ax = groups.draw_groups(CLOUD, np.arange(60) % 30, ("a", "b"), title="thirty")
    assert len(scatters(ax)) == 30
    assert legend(ax)[-1] == "and 6 other groups"


def test_rows_of_one_column_lie_on_a_line_without_a_second_axis():
    ax = grouped.kmeans(FLOWERS[["petal length (cm)"]], 2).plot()
    assert ax.get_xlabel() == "petal length (cm)"
    assert not len(ax.get_yticks())


def test_many_rows_get_small_transparent_marks():
    few, many = marks.dots(100), marks.dots(10_000)
    assert many["s"] < few["s"]
    assert many["alpha"] < few["alpha"]
    assert many["rasterized"]


def test_the_ways_of_the_centres_go_from_their_starts_to_their_ends():
    trace = grouped.lloyd(PETALS, 3)
    ax = trace.plot()
    ways = [line for line in ax.lines if len(line.get_xdata())]
    assert len(ways) == 3
    for way, start, end in zip(ways, trace.steps[0].centers, trace.steps[-1].centers, strict=True):
        path = np.column_stack(way.get_data())
        np.testing.assert_allclose(path[[0, -1]], [start, end])
    assert legend(ax)[-2:] == ["where it starts", "where it ends"]


def test_modes_are_stars_over_faint_level_lines():
    x = np.linspace(-2.0, 2.0, 20)
    bell = np.exp(-(x[:, None] ** 2) - x**2)
    modes = np.array([[0.0, 0.0]])
    ways = [np.array([[1.0, 1.0], [0.0, 0.0]])]
    given = (CLOUD, np.zeros(60, dtype=int), modes, ways, ("a", "b"), "one mode")
    ax = groups.draw_modes(*given, density=(x, x, bell))
    np.testing.assert_allclose(scatters(ax)[-1].get_offsets(), modes)
    assert any(hasattr(one, "levels") for one in ax.collections)
    assert not any(hasattr(one, "levels") for one in groups.draw_modes(*given).collections)
    assert legend(ax) == ["group 0 (60)", "ways uphill", "mode"]


def branches(ax):
    (lines,) = [
        one for one in ax.collections if isinstance(one, matplotlib.collections.LineCollection)
    ]
    return lines


def test_a_tree_has_a_link_per_merge_and_a_leaf_per_row():
    tree = grouped.hierarchy(FLOWERS.iloc[::5])
    ax = tree.plot(groups=3)
    links = np.stack(branches(ax).get_segments())
    assert links.shape == (29, 4, 2)
    np.testing.assert_allclose(links[:, 1, 1], tree.heights)
    assert sorted(ticks(ax.xaxis), key=int) == [str(row) for row in range(30)]
    check_no_overlap(ax.get_xticklabels())


def test_the_branches_of_a_tree_do_not_cross():
    links = np.stack(branches(grouped.hierarchy(CLOUD, "average").plot(groups=4)).get_segments())
    left, right, height = links[:, 0, 0], links[:, 3, 0], links[:, 1, 1]
    assert np.all(left < right)
    foot = links[:, [0, 3], 1]
    for k in range(len(links)):
        crossing = (left[k] < left) & (left < right[k]) & (foot[:, 0] < height[k]) & (height[k] < height)  # fmt: skip
        assert not crossing.any()


def test_the_colours_of_a_tree_are_those_of_its_groups():
    tree = grouped.hierarchy(FLOWERS.iloc[::5])
    labels = tree.cut(3).labels
    ax = tree.plot(groups=3)
    for text in ax.get_xticklabels():
        assert text.get_color() == canvas.PALETTE[labels[int(text.get_text())]]
    grey = [colour for colour in branches(ax).get_colors() if same_colour(colour[:3], "0.45")]
    assert len(grey) == 2


def test_merges_at_one_height_may_be_on_both_sides_of_the_level():
    tree = grouped.hierarchy([0.0, 1.0, 10.0, 11.0, 20.0, 21.0], "single")
    for kept, colours in ((None, 3), (1, 5)):
        ax = groups.draw_tree(tree.merges, 1.0, tree.points.rows, title="ties", kept=kept)
        assert len({text.get_color() for text in ax.get_xticklabels()}) == colours


def test_a_tree_of_many_rows_or_of_two_is_drawn():
    ax = grouped.hierarchy(DRAWING.normal(size=(1500, 2)), "single").plot(groups=25)
    assert ax.get_xlabel() == "1500 rows"
    assert not len(ax.get_xticks())
    assert ticks(grouped.hierarchy([0.0, 1.0]).plot(groups=1).xaxis) == ["0", "1"]
    assert len(branches(grouped.hierarchy(np.zeros((4, 1))).plot(groups=1)).get_segments()) == 3


def test_the_elbow_is_marked_if_there_is_one():
    counts, inertias = np.arange(1, 5), np.array([9.0, 3.0, 2.5, 2.3])
    ax = groups.draw_inertia(counts, inertias, 2)
    assert ax.get_title("left") == "elbow at 2 groups"
    assert [list(line.get_xdata()) for line in ax.lines][1] == [2, 2]
    assert len(groups.draw_inertia(counts, inertias, None).lines) == 1


def test_silhouettes_are_sorted_in_their_groups_around_a_dashed_mean():
    made = grouped.kmeans(PETALS, 3)
    ax = groups.draw_silhouettes(made.silhouettes, made.labels, title="petals")
    for label, bars in enumerate(outlines(ax)):
        wanted = np.sort(made.silhouettes[made.labels == label])[::-1]
        np.testing.assert_allclose(bars.get_data().values, wanted)
    (mean,) = [line for line in ax.lines if line.get_label() == "mean"]
    np.testing.assert_allclose(mean.get_xdata(), made.silhouette)
    assert mean.get_linestyle() == "--"
    texts = [text for text in ax.texts if text.get_text().startswith("group")]
    assert len(texts) == 3
    check_no_overlap(texts)


def test_negative_silhouettes_are_on_the_axis_and_noise_has_none():
    silhouettes = np.array([-0.9, 0.5, 0.4, np.nan])
    ax = groups.draw_silhouettes(silhouettes, np.array([0, 0, 1, -1]), title="bad")
    assert ax.get_xlim()[0] < -0.9
    assert same_colour(outlines(ax)[-1].get_facecolor()[:3], canvas.GREY)
    assert outlines(ax)[-1].get_data().values.tolist() == [0.0]
    one = groups.draw_silhouettes(np.full(3, np.nan), np.zeros(3, dtype=int), title="one group")
    assert "no row has a silhouette" in written(one)


def test_the_names_of_many_groups_do_not_overlap():
    labels = np.repeat(np.arange(25), np.arange(1, 26))
    ax = groups.draw_silhouettes(np.linspace(-1.0, 1.0, len(labels)), labels, title="many")
    assert len(outlines(ax)) == 25
    check_no_overlap([text for text in ax.texts if text.get_text().startswith("group")])


@pytest.mark.parametrize("chosen", [3, None])
def test_valleys_are_drawn_with_the_limit_they_must_exceed(chosen):
    counts = np.arange(2, 6)
    found, limits = np.array([0.5, 0.7, 0.4, -0.2]), np.full(4, 0.3)
    ax = groups.draw_structure(counts, found, limits, np.full(4, 0.9), chosen, title="the answer")
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["shallowest valley\nbetween two groups"].get_ydata(), found)
    np.testing.assert_allclose(lines["depth it must exceed"].get_ydata(), limits)
    assert ("chosen: 3" in lines) is (chosen is not None)
    assert ax.get_ylim()[0] < -0.2
    assert ax.get_title("left") == "the answer"


# projection


def test_a_plane_has_a_colour_for_each_of_ten_classes_and_grey_for_others():
    labels = np.append(np.repeat([f"c{k}" for k in range(10)], 5), [f"rare {k}" for k in range(10)])
    ax = projection.draw_plane(CLOUD, ("a", "b"), labels=labels)
    assert len(legend(ax)) == 11
    assert legend(ax)[0].strip() == "c0 (5)"
    assert legend(ax)[-1].strip() == "10 others (10)"
    assert same_colour(scatters(ax)[-1].get_facecolor()[0][:3], canvas.GREY)


def test_names_are_written_as_they_are():
    labels = np.repeat(["_hidden?", "$a$", "été à Ålesund"], 20)
    ax = projection.draw_plane(CLOUD, ("$x_1$", "long " * 20), labels=labels)
    ax.figure.canvas.draw()
    assert [text.strip() for text in legend(ax)] == [
        r"\$a\$ (20)", "_hidden? (20)", "été à Ålesund (20)",
    ]  # fmt: skip
    assert ax.get_xlabel() == r"\$x_1\$"
    assert len(ax.get_ylabel()) <= 40


def test_numbers_have_a_bar_and_missing_ones_are_grey():
    values = np.append(np.nan, np.arange(59.0))
    ax = projection.draw_plane(CLOUD, ("a", "b"), values=values)
    assert len(ax.figure.axes) == 2
    assert legend(ax) == ["missing (1)"]
    np.testing.assert_allclose(scatters(ax)[1].get_array(), values[1:])


def test_shares_of_variance_are_bars_under_their_running_total():
    shares = np.full(40, 1.0 / 40)
    ax = projection.draw_scree(shares)
    assert [bar.get_height() for bar in ax.patches] == [0.025] * 30
    np.testing.assert_allclose(ax.lines[0].get_ydata()[-1], 0.75)
    assert ax.get_title("left") == "the first 30 of 40 directions"


def test_a_biplot_has_the_longest_arrows_with_names_that_do_not_overlap():
    directions = np.vstack([np.linspace(0.1, 1.0, 15), np.linspace(0.3, 0.31, 15)])
    names = [f"variable {k}" for k in range(15)]
    ax = projection.draw_biplot(CLOUD, directions, names, ("a", "b"), most=8)
    texts = [text for text in ax.texts if text.get_text()]
    assert {text.get_text() for text in texts} == set(names[7:])
    check_no_overlap(texts)
    tips = np.array([text.xy for text in texts])
    order = np.argsort([names.index(text.get_text()) for text in texts])
    ratio = tips[order] / directions[:, 7:].T
    np.testing.assert_allclose(ratio, ratio[0, 0])


def test_arrows_stay_in_proportion_to_a_flat_cloud():
    flat = CLOUD * [10.0, 0.1]
    ax = projection.draw_biplot(flat, np.array([[1.0, 0.0], [0.0, 1.0]]), ["x", "y"], ("a", "b"))
    low, high = ax.get_ylim()
    assert high - low < 6.0 * np.ptp(flat[:, 1])
    nothing = projection.draw_biplot(flat, np.zeros((2, 2)), ["x", "y"], ("a", "b"))
    assert not nothing.texts


def test_images_are_drawn_row_by_row_and_signs_get_two_colours():
    images = np.arange(12.0).reshape(3, 4)
    figure = projection.draw_images(
        [("image", images), ("direction", images - 6.0)], (2, 2), ["a", "b", "c"], vmax=20.0
    )
    panels = np.reshape(figure.axes, (2, 3))
    np.testing.assert_allclose(panels[0, 1].images[0].get_array(), images[1].reshape(2, 2))
    assert [ax.get_title() for ax in panels[0]] == ["a", "b", "c"]
    assert panels[0, 0].images[0].get_clim() == (0.0, 20.0)
    assert panels[1, 0].images[0].get_clim() == (-20.0, 20.0)


# dependence


def test_few_columns_have_their_numbers_in_the_cells_and_gaps_are_grey():
    matrix = np.array([[1.0, -0.254, np.nan], [-0.254, 1.0, 0.001], [np.nan, 0.001, 1.0]])
    ax = dependence.draw_matrix(matrix, ["a", "b", "c"], title="r", symmetric=True)
    assert written(ax) == ["1.00", "−.25", "−.25", "1.00", "0", "0", "1.00"]
    image = ax.images[0]
    assert image.get_clim() == (-1.0, 1.0)
    assert same_colour(image.cmap.get_bad()[:3], "0.82")


@pytest.mark.parametrize("count", [20, 40, 200])
def test_at_most_forty_names_are_beside_a_matrix(count):
    names = [f"température de la mer numéro {k}" for k in range(count)]
    ax = dependence.draw_matrix(np.ones((count, count)), names, title="many", symmetric=False)
    assert not ax.texts
    assert min(count, 40) == len(ticks(ax.yaxis))
    check_no_overlap(ax.get_yticklabels())
    check_no_overlap(ax.get_xticklabels())


def test_significant_influences_have_a_dot_in_their_cell():
    significant = np.array([[True, True, False], [False, True, False], [True, False, True]])
    strength = np.array([[9.0, 0.5, 0.1], [0.1, 9.0, 0.1], [0.4, 0.0, 9.0]])
    ax = dependence.draw_influences(["a", "b", "c"], strength, significant, title="foretold")
    np.testing.assert_allclose(scatters(ax)[0].get_offsets(), [[1.0, 0.0], [0.0, 2.0]])
    assert ax.images[0].get_clim() == (0.0, 0.5)
    assert np.ma.getmaskarray(ax.images[0].get_array()).diagonal().all()


# description


def test_each_column_has_a_panel_of_its_kind():
    words = [f"word {k}" for k in range(12)]
    columns = [
        ("age", "bins", (np.arange(4.0), np.array([1.0, 3.0, 2.0])), 0.0),
        ("town", "bars", (words, np.arange(12, 0, -1)), 0.034),
    ]
    figure = description.draw_columns(columns, total=40)
    age, town = figure.axes
    np.testing.assert_allclose(outlines(age)[0].get_data().values, [1.0, 3.0, 2.0])
    assert not written(age)
    assert written(town) == ["3 % missing"]
    assert [bar.get_width() for bar in town.patches] == [12, 11, 10, 9, 8, 7, 6, 15]
    assert ticks(town.yaxis)[-1] == "5 others"
    assert figure.get_suptitle() == "2 of 40 columns"
    assert not description.draw_columns(columns, total=2).get_suptitle()


def test_missing_shares_are_sorted_and_name_what_is_missing_with_them():
    shares = np.array([0.1, 0.0, 0.4])
    together = np.array([[0.1, 0.0, 0.09], [0.0, 0.0, 0.0], [0.09, 0.0, 0.4]])
    ax = description.draw_missing(["a", "b", "c"], shares, together)
    assert [bar.get_width() for bar in ax.patches] == [0.4, 0.1]
    assert ticks(ax.yaxis) == ["c", "a"]
    assert written(ax) == ["40 %; 9 % together with a", "10 %; 9 % together with c"]
    assert ax.get_title("left") == "2 of 3 columns have gaps"
    alone = description.draw_missing(["a", "b", "c"], shares, None)
    assert written(alone) == ["40 %", "10 %"]
    many = description.draw_missing([f"c{k}" for k in range(50)], np.full(50, 0.5), None)
    assert len(many.patches) == 30
    assert not description.draw_missing(["a"], np.zeros(1), None).patches


def test_findings_are_coloured_by_how_bad_they_are():
    ax = description.draw_findings(
        ["leak", "constant", "skewed"], [1, 4, 2], ["problem", "note", "note"], passed=7
    )
    drawn = {bar.get_y() + bar.get_height() / 2: bar for bar in ax.patches}
    found = [(drawn[place].get_width(), drawn[place].get_facecolor()) for place in (0, 1, 2)]
    assert [width for width, _ in found] == [1, 4, 2]
    assert same_colour(found[0][1][:3], canvas.VERMILION)
    assert same_colour(found[1][1][:3], canvas.BLUE)
    assert legend(ax) == ["problem", "note"]
    assert ax.get_title("right") == "7 checks passed"
    assert written(description.draw_findings([], [], [], passed=1)) == ["nothing was found"]


def test_axes_that_are_given_are_drawn_on():
    ax = plt.subplots()[1]
    made = [
        densities.draw_bins(np.arange(3.0), np.ones(2), name="x", ax=ax),
        groups.draw_groups(CLOUD, np.zeros(60, dtype=int), ("a", "b"), title="one", ax=ax),
        projection.draw_plane(CLOUD, ("a", "b"), ax=ax),
        dependence.draw_matrix(np.eye(2), ["a", "b"], title="two", symmetric=True, ax=ax),
        description.draw_missing(["a"], np.ones(1), None, ax=ax),
    ]
    assert all(one is ax for one in made)


def test_matplotlib_waits_until_something_is_drawn():
    code = (
        "import sys; from chemin.plots.exploration import "
        "densities, dependence, description, groups, projection; assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_silhouettes_and_profiles_of_groups_are_shown():
    found = grouped.kmeans(load_iris().data, 3)
    ax = found.plot_silhouettes()
    assert ax.get_xlabel() == "silhouette"
    profile = found.profile()
    assert profile["size"].tolist() == found.sizes.tolist()
    assert np.allclose(profile["x0"], found.means[:, 0])


def test_directions_are_shown_as_shares_and_as_arrows():
    flowers = load_iris()
    found = pca(flowers.data)
    heights = [bar.get_height() for bar in found.plot_scree().patches]
    assert np.allclose(heights, found.shares)
    texts = {text.get_text() for text in found.plot_biplot(flowers.target).texts}
    assert set(found.points.names) <= texts
