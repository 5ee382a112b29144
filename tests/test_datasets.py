"""Claims about the data: shapes, seeds, means, regions, files, and the recipe of the comparisons to the last bit."""

from __future__ import annotations

import gzip
from types import SimpleNamespace

import numpy as np
import pytest

import chemin
from chemin import datasets
from chemin.exceptions import CheminError, InvalidInputError


def test_the_line_is_separated_and_balanced():
    X, y = datasets.separated_line()
    assert X.shape == (10, 1)
    assert np.sum(y == 1) == np.sum(y == -1) == 5
    assert X[y == -1].max() < 0.0 < X[y == 1].min()


def test_on_the_line_s_stands_still_and_l1_goes_on_to_zero():
    path = chemin.svm_path(*datasets.separated_line(), l2=1.0)
    pinned = np.flatnonzero((path.events.elbow == 2) & (path.events.active == 1))
    assert len(pinned) > 1
    assert path.l1[-1] == 0.0
    assert path.norm1[-1] == pytest.approx(path.norm1[-2], abs=1e-12)
    assert not np.allclose(path.dual_at(path.l1[-2]), path.dual_at(0.0))


def test_the_gaussian_pair_differs_in_its_informative_variables_only():
    X, y = datasets.gaussian_pair(
        n_per_class=2000, p=20, n_informative=5, shift=2.0, random_state=3
    )
    assert X.shape == (4000, 20)
    difference = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)
    np.testing.assert_allclose(difference, np.repeat([2.0, 0.0], [5, 15]), atol=0.15)
    np.testing.assert_allclose(X[y == 1].std(axis=0), 1.0, atol=0.1)


def test_the_gaussian_pair_has_the_published_sizes_by_default():
    X, y = datasets.gaussian_pair()
    assert X.shape == (100, 100)
    assert y.tolist() == [1] * 50 + [-1] * 50


@pytest.mark.parametrize(
    ("n", "p", "seed"), [(100, 100, 1), (200, 5000, 2), (60, 7, 3), (11, 3, 4)]
)
def test_the_benchmark_follows_its_recipe_to_the_last_bit(n, p, seed):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n // 2), -np.ones(n - n // 2)]
    X = rng.standard_normal((n, p))
    k = min(50, p)
    X[: n // 2, :k] += 0.5
    X[n // 2 :, :k] -= 0.5
    X -= X.mean(0)
    X /= X.std(0)
    order = rng.permutation(n)
    drawn, labels = datasets.benchmark_gaussian(n, p, seed)
    np.testing.assert_array_equal(drawn, X[order])
    np.testing.assert_array_equal(labels, y[order])


@pytest.mark.parametrize(
    "draw", [datasets.gaussian_pair, lambda **state: datasets.benchmark_gaussian(40, 6, **state)]
)
def test_a_seed_gives_the_same_data_and_another_seed_others(draw):
    np.testing.assert_array_equal(
        draw(random_state=7)[0], draw(random_state=np.random.default_rng(7))[0]
    )
    assert not np.array_equal(draw(random_state=7)[0], draw(random_state=8)[0])


def test_breast_cancer_is_standardised_named_and_labelled_in_words():
    sample = datasets.breast_cancer()
    assert sample.X.shape == (569, 30)
    np.testing.assert_allclose(sample.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(sample.X.std(axis=0), 1.0)
    assert sample.names[0] == "mean radius"
    assert np.sum(sample.y == "benign") == 357
    assert np.sum(sample.y == "malignant") == 212


def test_the_names_of_a_sample_travel_with_its_path():
    sample = datasets.breast_cancer()
    path = chemin.svm_path(sample.columns, sample.y, min_l1=200.0)
    np.testing.assert_array_equal(path.names, sample.names)
    assert path.classes.tolist() == ["benign", "malignant"]


TOYS = [(datasets.toydata1, datasets.TOYDATA1), (datasets.toydata2, datasets.TOYDATA2)]


@pytest.mark.parametrize(("draw", "toy"), TOYS)
def test_a_toy_is_balanced_and_its_parts_have_their_shares_means_and_deviations(draw, toy):
    X, y = draw(4000, random_state=1)
    assert X.shape == (8000, 2)
    assert y.tolist() == [1] * 4000 + [-1] * 4000
    start = 0
    for part in toy.parts:
        count = round(4000 * part.share)
        rows = slice(start, start + count)
        assert np.all(y[rows] == part.label)
        np.testing.assert_allclose(X[rows].mean(axis=0), part.mean, atol=0.2)
        np.testing.assert_allclose(X[rows].std(axis=0), part.deviation, rtol=0.1)
        start += count
    assert start == 8000


@pytest.mark.parametrize(("draw", "toy"), TOYS)
def test_the_region_of_a_point_is_the_part_it_was_drawn_from(draw, toy):
    X, y = draw(1000, random_state=2)
    drawn = np.repeat(np.arange(len(toy.parts)), [round(1000 * part.share) for part in toy.parts])
    names, kernels = (
        np.array([getattr(part, field) for part in toy.parts]) for field in ("name", "kernel")
    )
    assert np.mean(toy.regions(X, y) == names[drawn]) > 0.98
    assert np.mean(toy.kernels(X, y) == kernels[drawn]) > 0.98


@pytest.mark.parametrize("toy", [toy for _, toy in TOYS])
def test_each_part_has_its_kernel_in_the_family_and_the_kernel_has_its_shape(toy):
    for part in toy.parts:
        assert np.sign(np.subtract(*toy.widths[part.kernel])) == np.sign(
            np.subtract(*part.deviation)
        )


def test_on_toydata2_the_thin_kernel_reaches_the_strip_only_below_a_critical_l1():
    toy = datasets.TOYDATA2
    X, y = datasets.toydata2(random_state=1)
    away = X[:, None, :] - X[None, :, :]
    blocks = [
        np.exp(-0.5 * np.sum((away / np.array(widths)) ** 2, axis=2))
        for widths in toy.widths.values()
    ]
    columns = np.hstack(blocks)
    path = chemin.svm_path(columns, y, l2=1.0, min_l1=3.0)
    thin = list(toy.widths).index("thin vertical")
    strip = np.flatnonzero(toy.regions(X, y) == "strip")

    def at(l1):
        coef = path.coef_at(l1)
        accuracy = np.mean((columns @ coef + path.intercept_at(l1) > 0.0) == (y > 0))
        return np.count_nonzero(coef.reshape(len(blocks), len(y))[thin, strip]), accuracy

    couples, accuracy = at(10.0)
    assert couples == 0
    assert 0.93 < accuracy < 0.97
    couples, accuracy = at(3.5)
    assert couples > 0
    assert accuracy > 0.99


def test_shares_are_rounded_without_losing_a_point():
    X, y = datasets.toydata2(7, random_state=0)
    assert np.sum(y == 1) == np.sum(y == -1) == 7
    assert len(X) == 14


def test_the_strip_lies_between_the_two_vertical_bands():
    X, y = datasets.toydata2(500, random_state=3)
    region = datasets.TOYDATA2.regions(X, y)
    across = {
        name: X[region == name, 0]
        for name in ("left vertical band", "strip", "right vertical band")
    }
    assert across["left vertical band"].max() < across["strip"].min()
    assert across["strip"].max() < across["right vertical band"].min()


def test_the_chequerboard_alternates_and_its_noise_says_nothing():
    X, y = datasets.checker(16_000, random_state=0)
    square = datasets.checker_squares(X)
    assert X[:, :2].min() >= 0.0
    assert X[:, :2].max() <= 4.0
    np.testing.assert_array_equal(np.bincount(square), 1000)
    np.testing.assert_array_equal(y, np.where((square // 4 + square % 4) % 2 == 0, 1, -1))
    np.testing.assert_allclose(
        X[y == 1, 2:].mean(axis=0) - X[y == -1, 2:].mean(axis=0), 0.0, atol=0.06
    )
    np.testing.assert_allclose(X[:, 2:].std(axis=0), 1.0, atol=0.03)


@pytest.mark.parametrize("noise_variables", [0, 1, 5])
def test_the_chequerboard_has_the_noise_asked_for(noise_variables):
    assert datasets.checker(32, noise_variables)[0].shape == (32, 2 + noise_variables)


@pytest.mark.parametrize("draw", [datasets.toydata1, datasets.toydata2, datasets.checker])
def test_one_generator_draws_a_training_set_then_a_test_set(draw):
    rng = np.random.default_rng(5)
    first, second = draw(random_state=rng)[0], draw(random_state=rng)[0]
    np.testing.assert_array_equal(first, draw(random_state=5)[0])
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: datasets.toydata1(1), "n_per_class is 1"),
        (lambda: datasets.checker(0), "n is 0"),
        (lambda: datasets.checker(16, -1), "noise_variables is -1"),
        (lambda: datasets.TOYDATA1.regions(np.zeros((3, 4)), np.ones(3)), "as the generator does"),
        (lambda: datasets.TOYDATA1.regions(np.zeros((3, 2)), np.zeros(3)), "labels other than"),
    ],
)
def test_a_toy_says_what_is_wrong(call, words):
    with pytest.raises(InvalidInputError, match=words):
        call()


NAMES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
LOADERS = [datasets.mnist, datasets.fashion_mnist]


def small_images():
    rng = np.random.default_rng(0)
    y_train, y_test = np.repeat(np.arange(3), 8), np.arange(3)
    images = (rng.integers(0, 256, (len(y), 4, 5), dtype=np.uint8) for y in (y_train, y_test))
    X_train, X_test = images
    return X_train, y_train.astype(np.uint8), X_test, y_test.astype(np.uint8)


def idx(array):
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return (0x0800 + array.ndim).to_bytes(4, "big") + lengths + array.tobytes()


def write_idx(folder, compressed=False):
    for name, array in zip(NAMES, small_images(), strict=True):
        content = idx(array)
        (folder / (name + ".gz" * compressed)).write_bytes(
            gzip.compress(content) if compressed else content
        )
    return folder


def write_npz(folder, keys=("X_train", "y_train", "X_test", "y_test")):
    np.savez(folder / "images.npz", **dict(zip(keys, small_images(), strict=True)))
    return folder / "images.npz"


WRITERS = {
    "idx": write_idx,
    "idx.gz": lambda folder: write_idx(folder, compressed=True),
    "npz": write_npz,
    "its folder": lambda folder: write_npz(folder).parent,
    "npz, small x": lambda folder: write_npz(folder, ("x_train", "y_train", "x_test", "y_test")),
}


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("form", WRITERS)
def test_images_are_the_same_from_every_form_of_file(form, load, tmp_path):
    images = load(WRITERS[form](tmp_path))
    X_train, y_train, X_test, y_test = small_images()
    assert images.shape == (4, 5)
    assert images.X_train.dtype == np.uint8
    np.testing.assert_array_equal(images.X_train, X_train.reshape(24, 20))
    np.testing.assert_array_equal(images.X_test, X_test.reshape(3, 20))
    np.testing.assert_array_equal(images.y_train, y_train)
    np.testing.assert_array_equal(images.y_test, y_test)


def spoil(folder, name, change):
    file = write_idx(folder) / name
    file.write_bytes(change(file.read_bytes()))
    return folder


FAULTS = {
    "no folder": (lambda folder: folder / "nowhere", "neither a folder nor an npz file"),
    "empty folder": (lambda folder: folder, "has no train-images-idx3-ubyte"),
    "swapped": (
        lambda folder: spoil(folder, NAMES[0], lambda _: idx(np.zeros(30, np.uint8))),
        "2049 where 2051",
    ),
    "cut": (
        lambda folder: spoil(folder, NAMES[2], lambda content: content[:-1]),
        "truncated or too long",
    ),
    "header cut": (
        lambda folder: spoil(folder, NAMES[1], lambda content: content[:5]),
        "its header alone has 8",
    ),
    "one file": (lambda folder: write_idx(folder) / NAMES[0], "neither a folder"),
    "keys": (
        lambda folder: write_npz(folder, ("a", "b", "c", "d")),
        "holds a, b, c, d: save the arrays X_train",
    ),
    "counts": (
        lambda folder: spoil(folder, NAMES[1], lambda _: idx(np.zeros(5, np.uint8))),
        "one label each",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_file_is_named_with_its_remedy(fault, tmp_path):
    make, words = FAULTS[fault]
    with pytest.raises(InvalidInputError, match=words):
        datasets.mnist(make(tmp_path))


def test_a_broken_compressed_file_and_a_broken_npz_are_named(tmp_path):
    write_idx(tmp_path, compressed=True)
    whole = (tmp_path / f"{NAMES[0]}.gz").read_bytes()
    (tmp_path / f"{NAMES[0]}.gz").write_bytes(whole[:-12])
    with pytest.raises(InvalidInputError, match="cannot be decompressed"):
        datasets.mnist(tmp_path)
    (tmp_path / "broken.npz").write_bytes(b"PK not a zip")
    with pytest.raises(InvalidInputError, match="cannot be read as npz"):
        datasets.mnist(tmp_path / "broken.npz")


@pytest.mark.parametrize("load", LOADERS)
def test_without_a_network_the_loader_says_what_to_pass(load, monkeypatch):
    def unreachable(*args, **options):
        raise OSError("no network")

    monkeypatch.setattr("chemin.datasets.images.fetch_openml", unreachable)
    with pytest.raises(CheminError, match=rf"{load.__name__}\('folder'\)"):
        load()


def test_openml_gives_training_images_first(monkeypatch):
    bunch = SimpleNamespace(
        data=np.zeros((60_002, 784)), target=np.array(["3"] * 60_000 + ["7"] * 2)
    )
    monkeypatch.setattr("chemin.datasets.images.fetch_openml", lambda *args, **options: bunch)
    images = datasets.mnist()
    assert images.X_train.shape == (60_000, 784)
    assert images.y_test.tolist() == [7, 7]


def test_a_pair_is_balanced_disjoint_scaled_and_reproducible(tmp_path):
    images = datasets.mnist(write_idx(tmp_path))
    drawn = datasets.pair(images, 0, 2, n_train=8, n_validation=6, random_state=1)
    assert drawn.y_train.tolist() == [-1] * 4 + [1] * 4
    assert drawn.y_validation.tolist() == [-1] * 3 + [1] * 3
    assert (drawn.classes, drawn.shape) == ((0, 2), (4, 5))
    rows = {
        tuple(row)
        for row in np.rint(255 * np.vstack([drawn.X_train, drawn.X_validation]))
        .astype(int)
        .tolist()
    }
    assert len(rows) == 14
    assert rows <= {tuple(row) for row in images.X_train[images.y_train != 1].tolist()}
    assert drawn.X_train.max() <= 1.0
    np.testing.assert_array_equal(drawn.X_train, datasets.pair(images, 0, 2, 8, 6, 1).X_train)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"a": 1, "b": 1}, "two different classes"),
        ({"a": 0, "b": 1, "n_train": 7}, "n_train is 7"),
        (
            {"a": 0, "b": 1, "n_train": 10, "n_validation": 10},
            "class 0 has 8 training images and 10 are needed",
        ),
        ({"a": 0, "b": 9, "n_train": 4, "n_validation": 4}, "class 9 has 0"),
    ],
)
def test_an_impossible_pair_is_refused(options, words, tmp_path):
    with pytest.raises(InvalidInputError, match=words):
        datasets.pair(datasets.mnist(write_idx(tmp_path)), **options)
