"""Claims about projections: what the course says of principal components, the way back, and maps of the plane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import zoom
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

import chemin
from chemin.exceptions import CheminError, InvalidInputError
from chemin.exploration import map_points, pca
from chemin.exploration.projection import METHODS

IRIS = load_iris().data
DIGITS = load_digits()


def cloud(seed: int, n: int = 40, p: int = 5) -> np.ndarray:
    drawing = np.random.default_rng(seed)
    return drawing.normal(size=(n, p)) @ drawing.normal(size=(p, p)) + drawing.normal(size=p)


# The course: C = (1/N) Σ (x − x̄)(x − x̄)ᵀ, eigenvectors by decreasing eigenvalue


@pytest.mark.parametrize("seed", range(5))
def test_directions_are_the_eigenvectors_of_the_covariance_by_decreasing_eigenvalue(seed):
    X = cloud(seed)
    found = pca(X, scale=False)
    away = X - X.mean(axis=0)
    C = sum(np.outer(x, x) for x in away) / len(X)
    assert np.all(np.diff(found.variances) <= 0.0)
    for direction, variance in zip(found.directions, found.variances, strict=True):
        assert np.allclose(C @ direction, variance * direction)
    assert np.allclose(found.directions @ found.directions.T, np.eye(5))


def test_the_second_direction_is_that_of_the_second_largest_eigenvalue():
    X = cloud(3)
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T, bias=True)))[::-1]
    assert pca(X, 2, scale=False).variances == pytest.approx(values[:2])


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_of_projected_points_is_the_eigenvalue_with_one_over_n(seed):
    found = pca(cloud(seed), scale=False)
    assert np.allclose(found.coordinates.var(axis=0), found.variances)
    assert np.allclose(found.coordinates.mean(axis=0), 0.0)
    assert found.variances.sum() == pytest.approx(found.total)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4))
def test_no_other_directions_keep_more_variance_or_lose_less(seed, k):
    X = cloud(seed)
    found = pca(X, k, scale=False)
    others = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(5, k)))[0]
    away = X - X.mean(axis=0)
    assert (away @ others).var(axis=0).sum() <= found.variances.sum() * (1 + 1e-12)
    lost = np.mean(np.sum((away - away @ others @ others.T) ** 2, axis=1))
    back = np.mean(np.sum((X - found.restore(found.coordinates)) ** 2, axis=1))
    assert back <= lost * (1 + 1e-12)
    assert back == pytest.approx(found.error())  # the sum of the eigenvalues that are left


def test_points_are_projected_by_p_and_restored_by_its_transpose():
    X = cloud(0)
    found = pca(X, 3, scale=False)
    P = found.directions.T
    assert np.allclose(found.project(X), (X - X.mean(axis=0)) @ P)
    assert np.allclose(found.restore(found.project(X)), found.project(X) @ P.T + X.mean(axis=0))
    assert np.allclose(found.project(X[0]), found.coordinates[:1])
    assert np.allclose(found.project(X, 2), found.coordinates[:, :2])


def test_all_directions_lead_back_to_the_points():
    found = pca(cloud(1), scale=False)
    assert np.allclose(found.restore(found.coordinates), cloud(1))
    assert found.error() == pytest.approx(0.0, abs=1e-9)


def test_images_of_784_numbers_stay_readable_through_30():
    images = np.array([zoom(image, 3.5, order=1) for image in DIGITS.images[:900]]).reshape(
        900, 784
    )
    labels = DIGITS.target[:900]
    found = pca(images[:700], 30, scale=False)
    short = found.project(images[700:])
    assert short.shape == (200, 30)
    reader = KNeighborsClassifier(3).fit(images[:700], labels[:700])
    read = reader.predict(found.restore(short))
    assert np.mean(read == reader.predict(images[700:])) > 0.97
    assert np.mean(read == labels[700:]) > 0.93


def test_variances_are_those_of_scikit_learn_but_for_one_over_n():
    theirs = PCA().fit(IRIS)
    found = pca(IRIS, scale=False)
    assert np.allclose(found.variances, theirs.explained_variance_ * 149 / 150)
    assert np.allclose(found.shares, theirs.explained_variance_ratio_)
    assert np.allclose(np.abs(found.directions), np.abs(theirs.components_))


@pytest.mark.parametrize("columns", ["fewer", "more"])
def test_as_many_directions_as_have_any_variance(columns):
    X = cloud(0, n=30, p=4) if columns == "fewer" else cloud(0, n=4, p=30)
    assert len(pca(np.hstack([X, X]), scale=False).variances) == (4 if columns == "fewer" else 3)


def test_signs_do_not_depend_on_the_solver():
    found = pca(IRIS, scale=False)
    mirrored = pca(-IRIS, scale=False)
    largest = np.argmax(np.abs(found.directions), axis=1)
    assert np.all(found.directions[np.arange(4), largest] > 0)
    assert np.allclose(found.directions, mirrored.directions)


def test_how_many_directions_a_share_needs():
    found = pca(IRIS, scale=False)
    assert [found.needed(share) for share in (0.5, 0.95, 0.99, 1.0)] == [1, 2, 3, 4]
    with pytest.raises(InvalidInputError, match="larger components"):
        pca(IRIS, 1, scale=False).needed(0.99)


def test_a_table_with_words_gaps_and_dates_is_projected():
    found = pca(chemin.read("patients", target="diagnostic"))
    assert "sexe = H" in found.points.names
    assert found.points.left_out == {"identifiant": "it names the rows"}
    assert found.frame().shape == (180, 1 + len(found.variances))
    assert found.loadings()["column"].tolist() == list(found.points.names)


# Maps


@pytest.mark.parametrize("method", METHODS)
def test_maps_are_flat_repeatable_and_know_how_far_to_be_trusted(method):
    X = IRIS[::3] + 1e-3 * np.random.default_rng(0).normal(size=(50, 4))  # no two rows alike
    made = map_points(X, method)
    assert made.coordinates.shape == (50, 2)
    assert np.array_equal(made.coordinates, map_points(X, method).coordinates)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert made.trust == pytest.approx(trustworthiness(scaled, made.coordinates, n_neighbors=5))
    assert str(made).startswith(method)


WRONG = {
    "no components": lambda: pca(IRIS, 0),
    "too many components asked back": lambda: pca(IRIS, 2).error(3),
    "points of another width": lambda: pca(IRIS).project([[1.0, 2.0]]),
    "a share above one": lambda: pca(IRIS).needed(1.5),
    "rows all alike": lambda: pca(np.ones((5, 3))),
    "one row": lambda: pca(IRIS[:1]),
    "no image": lambda: pca(IRIS).plot_restored(shape=(3, 3)),
    "too few colours": lambda: pca(IRIS).plot([1, 2]),
    "no such map": lambda: map_points(IRIS, "mercator"),
    "a map of three rows": lambda: map_points(IRIS[:3]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_requests_name_the_remedy(wrong):
    with pytest.raises(CheminError, match=r"pass|needed"):
        WRONG[wrong]()
