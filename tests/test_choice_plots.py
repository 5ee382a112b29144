"""Claims about the pictures of a choice and of a model's path: what is drawn is what was compared."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score

import chemin
from chemin.estimators import KernelBasisClassifier, SparseSVC
from chemin.exceptions import InvalidInputError
from chemin.plots import plot_choice, plot_coefficients, plot_path, plot_roc, plot_trade
from chemin.plots.candidates import comparison_of, staircase
from chemin.plots.lines import coefficient_lines
from chemin.plots.roc import rankings

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

DATA = load_breast_cancer(as_frame=True)
POINTS, LABELS = DATA.data[::2], DATA.target_names[DATA.target][::2]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tumours():
    return SparseSVC(l1=10.0, standardize=True).fit(POINTS, LABELS)


@pytest.fixture(scope="module")
def mixed():
    return KernelBasisClassifier(l1=2.0, random_state=0).fit(POINTS, LABELS)


@pytest.fixture(scope="module")
def flowers():
    points, labels = load_iris(return_X_y=True, as_frame=True)
    return SparseSVC(l1=1.0).fit(points, labels), points, labels


def curve(shift=0.0):
    l1 = np.array([50.0, 20.0, 10.0, 5.0, 1.0, 0.0])
    mean = np.array([0.4, 0.2, 0.1, 0.06, 0.08, 0.09]) + shift
    folds = np.stack([mean - 0.01, mean + 0.01])
    size = np.array([0.0, 1.0, 3.5, 6.0, 12.0, 20.0])
    spread = np.full(6, 0.01)
    return {
        "l1": l1,
        "mean_error": mean,
        "standard_error": spread,
        "fold_errors": folds,
        "size": size,
    }


EMPTY = {name: np.empty(0) for name in ("l1", "relax", "mean_error", "standard_error", "size")}
RELAXED = {
    "l1": np.array([20.0, 20.0, 10.0, 10.0]),
    "relax": np.array([0.0, 0.5, 0.0, 0.5]),
    "mean_error": np.array([0.12, 0.15, 0.05, 0.07]),
    "standard_error": np.full(4, 0.012),
    "size": np.array([1.0, 1.0, 3.5, 3.5]),
}


def results(relaxed=True):
    chosen = {"l1": 10.0, "relax": 0.0, "error": 0.05, "standard_error": 0.012, "size": 3.5}
    on_path = {"l1": 7.0, "relax": 1.0, "error": 0.06, "standard_error": 0.01, "size": 6.0}
    both = [on_path, chosen if relaxed else on_path]
    return {name: [some[name] for some in both] for name in chosen} | {
        "l2": [0.1, 1.0],
        "interval": [(5.0, 10.0)] * 2,
        "ties": [[(5.0, 10.0)]] * 2,
        "curve": [curve(0.02), curve()],
        "relaxed": [EMPTY, RELAXED if relaxed else EMPTY],
        "chosen": 1,
    }


@dataclass
class Chosen:
    """A model of which nothing is known but what it compared."""

    cv_results_: Any
    scoring: Any = None

    def reading(self, machine=None):
        """Return the number of a machine, as a reading has it."""
        return type("Reading", (), {"number": machine})


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_curve_is_drawn_as_steps_with_its_band_and_the_choice():
    ax = plot_choice(Chosen(results()))
    (line,) = [line for line in ax.lines if line.get_label() == "on the path"]
    assert line.get_drawstyle() == "steps-pre"
    np.testing.assert_allclose(line.get_ydata()[1:], curve()["mean_error"])
    np.testing.assert_allclose(line.get_xdata()[1:-1], curve()["l1"][:-1])
    left, right = ax.get_xlim()
    assert ax.get_xscale() == "log"
    assert left > 50.0
    assert 0.0 < right <= 1.0
    (chosen,) = [line for line in ax.lines if line.get_label().startswith("chosen")]
    assert (chosen.get_xdata()[0], chosen.get_ydata()[0]) == (10.0, 0.05)
    assert legend(ax)[-1].splitlines() == ["chosen: 5.0 %", "λ₁ = 10", "φ = 0", "3.5 columns"]
    assert "another λ₂" in legend(ax)
    ax.figure.canvas.draw()


def test_relaxed_models_are_dots_where_they_were_compared():
    ax = plot_choice(Chosen(results()))
    dots = {c.get_label(): c.get_offsets().data for c in ax.collections if "φ" in c.get_label()}
    assert list(dots) == ["relaxed, φ = 0", "relaxed, φ = 0.5"]
    np.testing.assert_allclose(dots["relaxed, φ = 0"], [[20.0, 0.12], [10.0, 0.05]])
    ax = plot_choice(Chosen(results(relaxed=False)))
    assert not any("relaxed" in text for text in legend(ax))
    assert "φ" not in legend(ax)[-1]


def test_of_many_relaxations_a_bar_tells_the_colours():
    many = results()
    levels = np.linspace(0.0, 0.9, 10)
    many["relaxed"][1] = dict.fromkeys(RELAXED, np.linspace(0.05, 0.3, 10)) | {"relax": levels}
    assert len(plot_choice(Chosen(many)).figure.axes) == 2


def test_the_staircase_never_rises_and_no_model_is_below_it():
    found = comparison_of(Chosen(results())).compared
    sizes, errors = staircase(found)
    assert np.all(np.diff(sizes) > 0)
    assert np.all(np.diff(errors) < 0)
    for size, error in zip(found.size, found.error, strict=True):
        assert errors[sizes <= size][-1] <= error
    np.testing.assert_allclose(sizes, [0.0, 1.0, 3.5])
    np.testing.assert_allclose(errors, [0.4, 0.12, 0.05])


def test_error_against_length_marks_the_choice_and_one_standard_error():
    ax = plot_trade(Chosen(results()))
    (line,) = [line for line in ax.lines if "standard error" in line.get_label()]
    np.testing.assert_allclose(line.get_ydata(), 0.062)
    (chosen,) = [line for line in ax.lines if line.get_label().startswith("chosen")]
    assert (chosen.get_xdata()[0], chosen.get_ydata()[0]) == (3.5, 0.05)
    ax.figure.canvas.draw()


def test_a_score_is_drawn_as_itself_not_as_its_negative():
    scored = results(relaxed=False)
    for name in ("mean_error", "fold_errors"):
        scored["curve"][1][name] = scored["curve"][1][name] - 1.0
    scored["error"] = [-0.94, -0.94]
    ax = plot_choice(Chosen(scored, "roc_auc"))
    assert ax.get_ylabel() == "cross-validated roc_auc"
    (chosen,) = [line for line in ax.lines if line.get_label().startswith("chosen: 0.94")]
    assert chosen.get_ydata()[0] == 0.94
    plot_trade(Chosen(scored, "roc_auc"))


def test_of_several_machines_one_is_drawn():
    other = results(relaxed=False)
    assert comparison_of(Chosen([results(), other]), machine=1).chosen.relax[0] == 1.0
    assert comparison_of(Chosen([results(), other]), machine=0).chosen.relax[0] == 0.0


@pytest.mark.parametrize("plot", [plot_choice, plot_trade])
def test_a_model_that_compared_nothing_is_answered_with_a_remedy(plot, tumours):
    with pytest.raises(InvalidInputError, match="fit one with CV in its name"):
        plot(tumours)


def test_no_text_of_the_pictures_of_a_choice_overlaps_another():
    for plot in (plot_choice, plot_trade):
        figure = plot(Chosen(results())).figure
        figure.canvas.draw()
        texts = figure.axes[0].get_legend().get_texts()
        boxes = [text.get_window_extent() for text in texts]
        assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


def test_the_path_of_a_model_has_its_names_its_classes_and_its_l1(tumours):
    figure = plot_path(tumours)
    figure.canvas.draw()
    first, _, dual, _ = figure.axes
    names = [text.get_text() for text in first.texts]
    assert "model, λ₁ = 10" in names
    assert "worst radius" in names
    assert legend(dual) == ["benign", "malignant"]
    assert "benign vs malignant · 285 points" in figure.get_suptitle()
    for panel in figure.axes:
        boxes = [text.get_window_extent() for text in panel.texts]
        assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


@pytest.mark.parametrize("positive", [None, "benign"])
def test_lines_end_at_the_coefficients_of_the_tables(tumours, positive, monkeypatch):
    monkeypatch.setattr(tumours, "positive", positive, raising=False)
    ax = plot_coefficients(tumours, top=100)
    drawn = {int(line.get_label()): line for line in ax.lines if line.get_label().isdigit()}
    sign = 1.0 if positive is None else -1.0
    for column in tumours.support_:
        end = drawn[int(column)].get_ydata()[-1]
        np.testing.assert_allclose(end, sign * tumours.coef_[0, column], rtol=1e-9)
    penalised = plot_coefficients(tumours, top=100, units="path")
    drawn = {int(line.get_label()): line for line in penalised.lines if line.get_label().isdigit()}
    lines = coefficient_lines(tumours.path_)
    for column in tumours.support_:
        end = drawn[int(column)].get_ydata()[-1]
        np.testing.assert_allclose(end, sign * lines.of(int(column))[-1])


def test_the_colours_of_the_classes_follow_the_positive_one(tumours, monkeypatch):
    monkeypatch.setattr(tumours, "positive", "benign", raising=False)
    figure = plot_path(tumours)
    assert legend(figure.axes[2]) == ["malignant", "benign"]


def test_couples_and_variables_are_named_along_a_mixed_path(mixed):
    figure = plot_path(mixed, top=60)
    names = [text.get_text() for text in figure.axes[0].texts]
    variables = mixed.variables_["variable"]
    assert set(variables) <= set(names)
    assert any(name.startswith("point ") and "Gaussian" in name for name in names)
    assert figure.axes[1].texts[-4].get_text() in ("active terms", "points left")
    assert "couples" in figure.get_suptitle()
    ax = plot_coefficients(mixed, highlight=[variables[0]])
    assert ax.texts[-1].get_text() == variables[0]


def test_a_relaxed_model_has_dots_at_its_own_coefficients():
    model = SparseSVC(l1=10.0, standardize=True).fit(POINTS, LABELS)
    assert not [c for c in plot_coefficients(model).collections if hasattr(c, "get_sizes")]
    model.estimators_[0].relax_ = 0.5
    model.estimators_[0].coef_ = 2.0 * model.estimators_[0].coef_
    ax = plot_coefficients(model, top=100)
    (dots,) = [c for c in ax.collections if isinstance(c, matplotlib.collections.PathCollection)]
    np.testing.assert_allclose(
        np.sort(dots.get_offsets()[:, 1]), np.sort(model.reading().coefficients)
    )


def test_one_machine_of_several_classes_is_drawn(flowers):
    model, _, _ = flowers
    assert plot_path(model, machine=(1, 2)).get_suptitle().startswith("1 vs 2 · 100 points")
    with pytest.raises(InvalidInputError, match="3 machines decide between 3 classes"):
        plot_path(model)


@pytest.mark.parametrize(
    ("what", "given", "message"),
    [
        ("a text", {}, "pass a path, or a fitted classifier"),
        (None, {"units": "metres"}, "pass 'user' or 'path'"),
        (None, {"highlight": ["nobody"]}, "cannot be highlighted"),
    ],
)
def test_what_cannot_be_drawn_is_answered_with_a_remedy(tumours, what, given, message):
    with pytest.raises(InvalidInputError, match=message):
        plot_path(tumours if what is None else what, **given)


def test_the_areas_are_those_of_scikit_learn(tumours, flowers):
    new, wanted = DATA.data[1::2], DATA.target_names[DATA.target][1::2]
    (ranking,) = rankings(tumours, new, wanted)
    assert ranking.label == "malignant"
    decisions = tumours.decision_function(new)
    assert ranking.area == roc_auc_score(wanted == "malignant", decisions)
    called = tumours.predict(new) == "malignant"
    np.testing.assert_allclose(ranking.at_zero[1], called[wanted == "malignant"].mean())
    model, points, labels = flowers
    several = rankings(model, points, labels)
    scores = model.decision_function(points)
    assert [curve.label for curve in several] == [0, 1, 2]
    for k, one in enumerate(several):
        np.testing.assert_allclose(one.area, roc_auc_score(labels == k, scores[:, k]))
    assert legend(plot_roc(model, points, labels))[0].startswith("0: AUC ")


def test_the_curve_is_that_of_the_class_that_is_spoken_for(tumours, monkeypatch):
    area = rankings(tumours, POINTS, LABELS)[0].area
    monkeypatch.setattr(tumours, "positive", "benign", raising=False)
    (ranking,) = rankings(tumours, POINTS, LABELS)
    assert ranking.label == "benign"
    np.testing.assert_allclose(ranking.area, area)
    assert legend(plot_roc(tumours, POINTS, LABELS))[0].startswith("benign: AUC ")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (LABELS[:3], "one label per row"),
        (np.full(len(POINTS), "benign"), "no points of class 'malignant'"),
        (np.full(len(POINTS), "malignant"), "only points of class 'malignant'"),
    ],
)
def test_labels_without_a_curve_are_refused(tumours, labels, message):
    with pytest.raises(InvalidInputError, match=message):
        plot_roc(tumours, POINTS, labels)


def test_the_modules_are_there_without_an_import_of_their_own_and_matplotlib_waits():
    code = (
        "import sys, chemin; chemin.plots.plot_path; chemin.interpret.explain; "
        "assert 'matplotlib' not in sys.modules; assert {'plots', 'interpret'} <= set(dir(chemin))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert chemin.plots.plot_trade is plot_trade
