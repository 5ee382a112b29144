"""Claims about the pictures of models: what is drawn where, what is named, and that names do not overlap."""

from __future__ import annotations

import builtins

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from chemin import plots
from chemin.datasets import TOYDATA1, checker, toydata1
from chemin.estimators import KernelBasisClassifier, SparseSVC
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import Gaussian, Linear, Polynomial, pairs_of, windows
from chemin.plots.boundary import decision_plane
from chemin.plots.canvas import BLUE, VERMILION
from chemin.plots.couples import coefficient_matrix
from chemin.plots.explanations import explanation_steps
from chemin.plots.images import thumbnails
from chemin.plots.naming import clipped, short_names
from chemin.plots.stays import lives_of

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

KERNELS = [Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()]
X, Y = toydata1()
WORDS = np.where(Y > 0, "plus", "minus")
SHAPE = (6, 8)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def toy():
    return KernelBasisClassifier(KERNELS, l1=2.0).fit(X, WORDS)


@pytest.fixture(scope="module")
def board():
    points, labels = checker(200)
    return (
        KernelBasisClassifier(pairs_of(4, Gaussian(0.35)), l1=1.5, l2=0.1).fit(points, labels),
        points,
        labels,
    )


@pytest.fixture(scope="module")
def flowers():
    points, labels = load_iris(return_X_y=True)
    return KernelBasisClassifier(Gaussian(1.0), l1=1.0).fit(points, labels), points, labels


@pytest.fixture(scope="module")
def tumours():
    points, labels = load_breast_cancer(return_X_y=True, as_frame=True)
    return SparseSVC(l1=10.0, standardize=True).fit(points, labels), points, labels


@pytest.fixture(scope="module")
def digits():
    images = np.random.default_rng(0).random((60, 48))
    labels = np.where(images[:, 9] + images[:, 10] > 1.0, "dark", "light")
    return KernelBasisClassifier(windows(SHAPE, 3, 1, Polynomial(2, 1.0)), l1=0.5).fit(
        images, labels
    ), images


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def markers(ax):
    """Return the collections of scattered points, the lowest first."""
    scattered = [c for c in ax.collections if isinstance(c, matplotlib.collections.PathCollection)]
    return sorted(scattered, key=lambda c: c.zorder)


def test_given_axes_are_used_and_returned(toy):
    figure, ax = plt.subplots()
    assert plots.plot_boundary(toy, X, WORDS, ax, resolution=20) is ax
    figure, ax = plt.subplots()
    assert plots.plot_coefficient_matrix(toy, ax) is ax
    assert plots.plot_history(toy, plt.subplots()[1]).figure is not figure
    ax = plt.subplots()[1]
    assert plots.plot_explanation(toy.explain(X[:1])[0], ax) is ax


def test_the_plane_holds_the_decisions_of_the_model(board):
    model, points, _ = board
    plane = decision_plane(model.reading(), points, np.array([1, 3]), {0: 0.5}, resolution=7)
    place = np.median(points, axis=0)
    place[[0, 1, 3]] = 0.5, plane.x[2], plane.y[5]
    np.testing.assert_allclose(plane.values[5, 2], model.decision_function([place])[0], rtol=1e-12)
    assert plane.x[0] < points[:, 1].min() < points[:, 1].max() < plane.x[-1]


def test_couples_stand_on_their_points_with_the_marker_of_their_kernel_and_the_colour_of_their_sign(
    toy,
):
    ax = plots.plot_boundary(toy, X, WORDS, resolution=30)
    table = toy.couples_
    drawn = markers(ax)[3:]  # after two classes and the support vectors
    kernels = [name for name in TOYDATA1.widths if (table["kernel"] == name).any()]
    assert len(drawn) == len(kernels)
    paths = [collection.get_paths()[0].vertices for collection in drawn]
    assert not any(
        a.shape == b.shape and np.allclose(a, b) for k, a in enumerate(paths) for b in paths[:k]
    )
    for name, collection in zip(kernels, drawn, strict=True):
        some = table[table["kernel"] == name].sort_values("share", ascending=False, kind="stable")
        np.testing.assert_allclose(
            np.sort(collection.get_offsets(), axis=0), np.sort(X[some["point"]], axis=0)
        )
        wanted = [
            matplotlib.colors.to_rgba(BLUE if value > 0 else VERMILION)
            for value in some["coefficient"]
        ]
        np.testing.assert_allclose(collection.get_facecolors(), wanted)
        assert f"{name} ({len(some)})" in legend(ax)


def test_support_vectors_have_a_ring_if_the_points_are_those_of_fit(toy):
    ax = plots.plot_boundary(toy, X, WORDS, resolution=20)
    assert f"support vector ({len(toy.support_)})" in legend(ax)
    ring = markers(ax)[2]
    np.testing.assert_array_equal(ring.get_offsets(), X[toy.support_])
    assert len(ring.get_facecolors()) == 0
    other, labels = toydata1(50, random_state=1)
    ax = plots.plot_boundary(toy, other, np.where(labels > 0, "plus", "minus"), resolution=20)
    assert not any("support" in text for text in legend(ax))


def test_boundary_and_margins_are_drawn_where_they_pass(toy):
    ax = plots.plot_boundary(toy, X, WORDS, resolution=40)
    levels = [c.levels.tolist() for c in ax.collections if hasattr(c, "levels") and not c.filled]
    assert levels == [[0.0], [-1.0], [1.0]]
    flat = KernelBasisClassifier(KERNELS, l1=1e6).fit(X, Y)
    ax = plots.plot_boundary(flat, X, Y, resolution=20)
    assert not [
        c
        for c in ax.collections
        if hasattr(c, "levels") and not c.filled and c.levels.tolist() != [0.0]
    ]


def test_names_of_variables_classes_and_what_is_held_still_are_told(tumours):
    model, points, labels = tumours
    ax = plots.plot_boundary(model, points, labels, variables=("worst radius", 1), resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("worst radius", "mean texture")
    assert "28 other variables at their medians" in ax.get_title(loc="left")
    assert legend(ax)[:4] == ["boundary, f = 0", "margins, f = ±1", "class 0", "class 1"]


def test_a_machine_shows_the_points_of_its_classes_only(flowers):
    model, points, labels = flowers
    ax = plots.plot_boundary(model, points, labels, machine=(1, 2), variables=(2, 3), resolution=20)
    classes = markers(ax)[:2]
    assert [len(c.get_offsets()) for c in classes] == [50, 50]
    assert "class 0" not in legend(ax)


def test_sparse_points_can_be_drawn():
    model = KernelBasisClassifier(KERNELS, l1=5.0).fit(sparse.csr_array(X), Y)
    ax = plots.plot_boundary(model, sparse.csr_array(X), Y, resolution=20)
    assert len(markers(ax)) > 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "choose the two of the plane"),
        ({"variables": (0,)}, "two different ones"),
        ({"variables": (1, 1)}, "two different ones"),
        ({"variables": (0, 4)}, "a position from 0 to 3"),
        ({"variables": ("height", 1)}, "no variable 'height'"),
        ({"variables": (0, 1), "at": [1.0]}, "one value for each of 4"),
        ({"variables": (0, 1), "at": {9: 1.0}}, "no variable 9"),
        ({"variables": (0, 1), "machine": "a vs b"}, "machine is 'a vs b'"),
    ],
)
def test_a_wrong_plane_is_answered_with_a_remedy(board, given, message):
    model, points, labels = board
    with pytest.raises(InvalidInputError, match=message):
        plots.plot_boundary(model, points, labels, **given)


@pytest.mark.parametrize(
    ("points", "labels", "message"),
    [
        (X[:, :1], WORDS, "X has 1 variables"),
        (X, WORDS[:5], "one label per row"),
        (X, np.where(Y > 0, "yes", "no"), "labels as they were given to fit"),
    ],
)
def test_points_of_another_problem_are_refused(toy, points, labels, message):
    with pytest.raises(InvalidInputError, match=message):
        plots.plot_boundary(toy, points, labels)


def test_the_matrix_has_the_active_points_class_by_class(toy):
    matrix = coefficient_matrix(toy.reading())
    np.testing.assert_array_equal(np.sort(matrix.rows), toy.active_points_)
    np.testing.assert_array_equal(matrix.values, toy.B_.toarray()[matrix.rows].T)
    assert np.sum(matrix.labels[1:] != matrix.labels[:-1]) == 1
    ax = plots.plot_coefficient_matrix(toy)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(TOYDATA1.widths)
    assert [text.get_text() for text in ax.texts] == ["class minus", "class plus"]
    mesh = ax.collections[0]
    assert mesh.norm.vmin == -mesh.norm.vmax == -np.abs(matrix.values).max()


def test_of_many_kernels_the_matrix_shows_those_in_use(digits):
    model, _ = digits
    reading = model.reading()
    assert len(reading.kernels) == 24
    matrix = coefficient_matrix(reading)
    np.testing.assert_array_equal(matrix.kernels, np.unique(reading.kernel_numbers))
    ax = plots.plot_coefficient_matrix(model)
    assert all(text.get_text().startswith("rows ") for text in ax.get_yticklabels())
    assert ax.get_ylabel() == "Polynomial(degree=2, offset=1) on …"


def test_images_show_the_point_and_the_window_of_the_largest_couples(digits):
    model, images = digits
    pictures = thumbnails(model.reading(), SHAPE, top=4)
    table = model.couples_[:4]
    assert [p.point for p in pictures] == table["point"].tolist()
    np.testing.assert_array_equal([p.coefficient for p in pictures], table["coefficient"])
    shown = images[model.reading().rows]
    for picture, name in zip(pictures, table["kernel"], strict=True):
        kernel = next(k for k in model.kernels_ if k.name == name)
        np.testing.assert_array_equal(np.flatnonzero(picture.seen), kernel.block.indices)
        scaled = (images[picture.point] - shown.min()) / np.ptp(shown)
        np.testing.assert_allclose(picture.image.ravel(), scaled)
        assert picture.colours.shape == (*SHAPE, 3)
        assert picture.colours.min() >= 0.0
        assert picture.colours.max() <= 1.0


def test_every_image_has_its_class_its_coefficient_and_a_frame(digits):
    model, _ = digits
    figure = plots.plot_couple_images(model, SHAPE, top=5, columns=3)
    assert len(figure.axes) == 5
    for ax, line in zip(figure.axes, model.couples_.itertuples(), strict=False):
        assert ax.get_title() == f"class {line.label}: {line.coefficient:+.3g}"
        assert ax.title.get_color() == (BLUE if line.coefficient > 0 else VERMILION)
        assert len(ax.lines) == 12  # sides of a window of 3 × 3
        assert f"point {line.point}" in ax.get_xlabel()
    assert f"5 of {len(model.couples_)} active couples" in figure.get_suptitle()


def test_a_kernel_of_the_whole_image_has_no_frame(digits):
    _, images = digits
    model = KernelBasisClassifier(Linear(), l1=0.5).fit(images, images[:, 0] > 0.5)
    assert all(not ax.lines for ax in plots.plot_couple_images(model, SHAPE).axes)


def test_images_of_another_shape_or_without_couples_are_refused(digits, tumours):
    with pytest.raises(InvalidInputError, match="pass the shape of the images"):
        plots.plot_couple_images(digits[0], (5, 5))
    with pytest.raises(InvalidInputError, match="made of variables"):
        plots.plot_couple_images(tumours[0], (5, 6))
    with pytest.raises(InvalidInputError, match="made of variables"):
        plots.plot_coefficient_matrix(tumours[0])


@pytest.mark.parametrize("top", [2, 100])
def test_the_steps_of_an_explanation_lead_to_the_decision(tumours, top):
    model, points, _ = tumours
    explanation = model.explain(points[:1])[0]
    steps = explanation_steps(explanation, top)
    assert steps.names[0] == "at the reference"
    assert steps.names[-1] == "decision"
    ends = steps.start + steps.size
    np.testing.assert_allclose(steps.start[1:-1], ends[:-2])
    np.testing.assert_allclose(ends[-2], explanation.decision)
    np.testing.assert_allclose(ends[-1], explanation.decision)
    assert ("other term" in steps.names[-2]) == (top == 2)


def test_every_step_is_drawn_named_and_labelled_without_overlap(tumours):
    model, points, _ = tumours
    explanation = model.explain(points[:1])[0]
    ax = plots.plot_explanation(explanation, top=5)
    ax.figure.canvas.draw()
    steps = explanation_steps(explanation, 5)
    assert [text.get_text() for text in ax.get_yticklabels()] == steps.names
    np.testing.assert_allclose([bar.get_x() for bar in ax.patches], steps.start)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], steps.size)
    wanted = [matplotlib.colors.to_rgb(BLUE if size > 0 else VERMILION) for size in steps.size]
    np.testing.assert_allclose([bar.get_facecolor()[:3] for bar in ax.patches], wanted)
    boxes = [text.get_window_extent() for text in [*ax.texts, *ax.get_yticklabels()]]
    assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


def test_the_rows_of_a_history_are_the_longest_stays_in_the_order_of_entry(tumours):
    model, _, _ = tumours
    reading = model.reading()
    everything = lives_of(reading, (300.0, 10.0), None)
    assert set(everything.columns) == set(reading.stays.columns)
    some = lives_of(reading, (300.0, 10.0), 4)
    assert len(some.columns) == 4
    assert [j for j in everything.columns if j in some.columns] == some.columns.tolist()
    assert np.all(some.first >= some.last)
    ax = plots.plot_history(model, top=4)
    names = [variable.name for variable in reading.describe(some.columns)]
    assert [text.get_text() for text in ax.get_yticklabels()] == names
    left, right = ax.get_xlim()
    assert left > right == model.l1_


def test_the_colours_of_a_history_are_those_of_the_kernels(toy, digits):
    ax = plots.plot_history(toy)
    assert set(legend(ax)) <= set(TOYDATA1.widths)
    many, _ = digits
    assert plots.plot_history(many, top=20).get_legend() is None
    assert "other kernel" in legend(plots.plot_history(many, top=None))[-1]


@pytest.mark.parametrize("l1", [1e6, 0.0], ids=["empty", "down to 0"])
def test_the_smallest_and_the_largest_models_can_be_drawn(l1):
    points, labels = toydata1(15)
    model = KernelBasisClassifier(KERNELS, l1=l1).fit(
        pd.DataFrame(points, columns=["a", "b"]), labels
    )
    plots.plot_boundary(model, points, labels, resolution=10).figure.canvas.draw()
    plots.plot_coefficient_matrix(model).figure.canvas.draw()
    plots.plot_history(model).figure.canvas.draw()
    plots.plot_couple_images(model, (1, 2)).canvas.draw()
    explanation = model.explain(pd.DataFrame(points, columns=["a", "b"]))[0]
    plots.plot_explanation(explanation).figure.canvas.draw()


def test_long_names_are_cut_and_shared_parts_left_out():
    assert len(clipped("x" * 100)) == 40
    assert short_names(["Gaussian on a, b", "Linear on a, b"]) == [
        "Gaussian on a, b",
        "Linear on a, b",
    ]
    assert short_names([kernel.name for kernel in pairs_of(3, Gaussian(1))])[-1] == "columns 1, 2"


def test_without_matplotlib_the_remedy_is_named(toy, digits, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    for draw in (
        lambda: plots.plot_boundary(toy, X, WORDS, resolution=5),
        lambda: plots.plot_couple_images(digits[0], SHAPE),
        lambda: plots.plot_coefficient_matrix(toy),
        lambda: plots.plot_history(toy),
        lambda: plots.plot_explanation(toy.explain(X[:1])[0]),
    ):
        with pytest.raises(MissingLibraryError, match=r"pip install 'chemin\[plots\]'"):
            draw()
