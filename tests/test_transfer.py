"""Claims about VGG, files of weights and transfer: counts, names, numbers that arrive, layers that stay as they are."""

from __future__ import annotations

import pickle
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from chemin import KernelBasisClassifier, interpret
from chemin.exceptions import InvalidInputError, MissingLibraryError
from chemin.kernels import Gaussian

torch = pytest.importorskip("torch", reason='PyTorch is not installed: pip install "chemin[deep]"')

from chemin.models.networks import transfer  # noqa: E402
from chemin.models.networks.transfer import (  # noqa: E402
    FineTunedClassifier,
    ImageFeatures,
    make_transfer,
)
from chemin.models.networks.vgg import layer_table, vgg, vgg16  # noqa: E402
from chemin.models.networks.weights import load_weights, save_weights  # noqa: E402

matplotlib.use("Agg")
functional = torch.nn.functional
MEANS = np.array([0.485, 0.456, 0.406])
DEVIATIONS = np.array([0.229, 0.224, 0.225])
CONVOLUTIONS = {11: (1, 1, 2, 2, 2), 13: (2,) * 5, 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
DIGITS, LABELS = load_digits(return_X_y=True)


def small(classes=7, seed=0, **options):
    """Return a network of two blocks whose places are those of VGG: features.0, features.3, classifier.0, 3 and 6."""
    return vgg([(4, 1), (8, 1)], hidden=12, classes=classes, random_state=seed, **options)


def small_double():
    return small().double()


def numbers_of(network):
    return {name: numbers.clone() for name, numbers in network.state_dict().items()}


def moved(before, network):
    """Return the names of what is no longer what it was, bit for bit."""
    after = network.state_dict()
    return {name for name, numbers in before.items() if not torch.equal(numbers, after[name])}


# The course: VGG layer by layer


@pytest.mark.parametrize("depth", CONVOLUTIONS)
def test_layers_have_the_parameters_that_arithmetic_gives(depth):
    expected = []
    before = 3
    for channels, convolutions in zip((64, 128, 256, 512, 512), CONVOLUTIONS[depth], strict=True):
        for _ in range(convolutions):
            expected.append((3**2 * before + 1) * channels)
            before = channels
    expected += [(7 * 7 * 512 + 1) * 4096, (4096 + 1) * 4096, (4096 + 1) * 1000]
    table = layer_table(vgg(depth, device="meta"))
    assert [layer.parameters for layer in table.layers if layer.parameters] == expected
    assert table.total == sum(expected)
    assert len(expected) == depth


def test_the_first_layers_and_the_sum_of_vgg16_are_those_of_the_course():
    table = layer_table(vgg16(device="meta"))
    assert "150 528 values in" in str(table)
    assert [layer.parameters for layer in table.layers[:3]] == [1792, 0, 36928]
    assert table.total == 138_357_544
    shapes = {layer.name: layer.shape for layer in table.layers}
    assert shapes["features.30"] == shapes["avgpool"] == (512, 7, 7)
    assert shapes["classifier.6"] == (1000,)
    assert table.frame()["parameters"].sum() == table.total
    left, right = table.plot()
    assert len(left.patches) == len(right.patches) == 16
    matplotlib.pyplot.close("all")


def test_names_and_shapes_of_vgg16_are_those_of_torchvision():
    expected = {}
    before = 3
    places = {
        0: 64, 2: 64, 5: 128, 7: 128, 10: 256, 12: 256, 14: 256, 17: 512, 19: 512, 21: 512, 24: 512, 26: 512, 28: 512,
    }  # fmt: skip
    for place, channels in places.items():
        expected[f"features.{place}.weight"] = (channels, before, 3, 3)
        expected[f"features.{place}.bias"] = (channels,)
        before = channels
    for place, (units, below) in {0: (4096, 25088), 3: (4096, 4096), 6: (1000, 4096)}.items():
        expected[f"classifier.{place}.weight"] = (units, below)
        expected[f"classifier.{place}.bias"] = (units,)
    found = vgg16(device="meta").state_dict()
    assert {name: tuple(numbers.shape) for name, numbers in found.items()} == expected
    assert list(found) == list(expected)


def test_a_table_leaves_the_network_alone_and_counts_shared_weights_once():
    layer = torch.nn.Linear(4, 4)
    network = torch.nn.Sequential(layer, torch.nn.BatchNorm1d(4), torch.nn.ReLU(), layer).train()
    before = numbers_of(network)
    table = layer_table(network, (4,))
    assert [row.parameters for row in table.layers] == [20, 8, 0, 0]
    assert table.total == 28
    assert not moved(before, network)
    assert network.training
    assert not any(module._forward_hooks for module in network.modules())


def test_alexnet_has_about_60_million_parameters_and_650_000_neurons():
    nn = torch.nn
    with torch.device("meta"):
        features = (
            nn.Conv2d(3, 96, 11, stride=4), nn.ReLU(), nn.MaxPool2d(3, 2),
            nn.Conv2d(96, 256, 5, padding=2, groups=2), nn.ReLU(), nn.MaxPool2d(3, 2),
            nn.Conv2d(256, 384, 3, padding=1), nn.ReLU(),
            nn.Conv2d(384, 384, 3, padding=1, groups=2), nn.ReLU(),
            nn.Conv2d(384, 256, 3, padding=1, groups=2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten(),
        )  # fmt: skip
        dense = (nn.Linear(9216, 4096), nn.Linear(4096, 4096), nn.Linear(4096, 1000))
        network = nn.Sequential(*features, *dense)
    table = layer_table(network, (3, 227, 227))
    assert table.total == 60_965_224
    assert sum(layer.values for layer in table.layers if layer.parameters) == 659_272


def test_initial_weights_have_the_variance_of_rectifiers_and_come_from_the_seed():
    one, same, other = (vgg([(64, 2)], hidden=64, random_state=seed) for seed in (0, 0, 1))
    for layer in (one.features[2], one.classifier[0]):
        inputs = layer.weight[0].numel()
        assert float(layer.weight.detach().var()) * inputs == pytest.approx(2.0, rel=0.05)
        assert not layer.bias.any()
    assert not moved(numbers_of(one), same)
    assert "features.0.weight" in moved(numbers_of(one), other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"blocks": 17}, {"blocks": []}, {"blocks": [(4, 0)]}, {"blocks": [4]}, {"blocks": None}, {"hidden": 0},
        {"classes": 1.5}, {"dropout": 1.0}, {"dropout": "half"},
    ],
)  # fmt: skip
def test_wrong_architectures_name_the_remedy(wrong):
    with pytest.raises(InvalidInputError, match="pass"):
        vgg(**wrong)


@pytest.mark.parametrize("image", [(3, 2, 2), (1, 32, 32), (3, 32)])
def test_images_that_a_network_does_not_take_are_named(image):
    with pytest.raises(InvalidInputError, match=r"images of shape .*pass the image="):
        layer_table(small(), image)


# Files of weights


def by_hand(weights, images):
    """Return what a network of `small`'s kind gives, from named numbers alone."""
    z = images
    for place in (0, 3):
        z = functional.conv2d(
            z, weights[f"features.{place}.weight"], weights[f"features.{place}.bias"], padding=1
        )
        z = functional.max_pool2d(z.relu(), 2)
    z = functional.adaptive_avg_pool2d(z, 7).flatten(1)
    for place in (0, 3):
        z = functional.linear(
            z, weights[f"classifier.{place}.weight"], weights[f"classifier.{place}.bias"]
        ).relu()
    return functional.linear(z, weights["classifier.6.weight"], weights["classifier.6.bias"])


def foreign_weights(seed=3):
    """Return random numbers under the names of torchvision, made without the library."""
    generator = torch.Generator().manual_seed(seed)
    shapes = {
        "features.0": (4, 3, 3, 3), "features.3": (8, 4, 3, 3), "classifier.0": (12, 8 * 49), "classifier.3": (12, 12),
        "classifier.6": (7, 12),
    }  # fmt: skip
    made = {}
    for name, shape in shapes.items():
        made[f"{name}.weight"] = 0.1 * torch.randn(shape, generator=generator)
        made[f"{name}.bias"] = 0.1 * torch.randn(shape[:1], generator=generator)
    return made


def write(weights, file, **options):
    if file.suffix == ".npz":
        np.savez(file, **{name: numbers.numpy() for name, numbers in weights.items()})
    else:
        torch.save(weights, file, **options)
    return file


WRITTEN = {
    "new": ("a.pth", lambda weights: weights, {}),
    "old": ("a.pt", lambda weights: weights, {"_use_new_zipfile_serialization": False}),
    "wrapped": ("a.pth", lambda weights: {"epoch": 3, "state_dict": weights}, {}),
    "parallel": ("a.pth", lambda weights: {f"module.{k}": v for k, v in weights.items()}, {}),
    "double": ("a.pth", lambda weights: {k: v.double() for k, v in weights.items()}, {}),
    "arrays": ("a.npz", lambda weights: weights, {}),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_loaded_weights_give_the_outputs_of_plain_functions(kind, tmp_path):
    name, wrap, options = WRITTEN[kind]
    weights = foreign_weights()
    file = write(wrap(weights), tmp_path / name, **options)
    network = load_weights(small(), file).eval()
    images = torch.randn(5, 3, 24, 20, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(network(images), by_hand(weights, images))


def test_numbers_of_lower_precision_arrive_as_they_are(tmp_path):
    halves = {name: numbers.half() for name, numbers in foreign_weights().items()}
    network = load_weights(small(), write(halves, tmp_path / "a.pth"))
    for name, numbers in network.state_dict().items():
        assert torch.equal(numbers, halves[name].float())


def test_arrays_of_the_other_byte_order_are_read(tmp_path):
    weights = foreign_weights()
    np.savez(tmp_path / "a.npz", **{k: v.numpy().astype(">f4") for k, v in weights.items()})
    assert not moved(weights, load_weights(small(), tmp_path / "a.npz"))


@pytest.mark.parametrize("name", ["a.pth", "a.pt", "a.npz", "a.safetensors"])
def test_what_is_saved_is_loaded(name, tmp_path):
    if name.endswith("safetensors"):
        pytest.importorskip("safetensors")
    trained = small()
    file = save_weights(trained, tmp_path / name)
    assert not moved(numbers_of(trained), load_weights(small(seed=1), file))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def spoiled(name, change):
    def spoil(weights):
        weights[name] = change(weights[name])
        return weights

    return spoil


def without(name):
    return lambda weights: {key: numbers for key, numbers in weights.items() if key != name}


SPOILED = {
    "missing": (without("classifier.3.bias"), r"missing: 1 \(classifier.3.bias\)"),
    "unknown": (
        lambda w: w | {"features.9.weight": w["features.0.bias"]},
        r"unknown to the network: 1 \(features.9.weight\)",
    ),
    "renamed": (
        lambda w: {key.replace("features", "body"): v for key, v in w.items()},
        r"missing: 4 .*; …\), unknown to the network: 4 \(body",
    ),
    "shape": (
        spoiled("classifier.6.weight", lambda w: w[:5]),
        r"another shape: 1 \(classifier.6.weight, \(5, 12\) for \(7, 12\)\)",
    ),
    "transposed": (spoiled("classifier.0.weight", lambda w: w.T), "another shape: 1"),
    "whole numbers": (
        spoiled("features.0.bias", lambda w: w.long()),
        r"another kind: 1 \(features.0.bias, int64 for float32\)",
    ),
    "complex": (spoiled("features.0.bias", lambda w: w + 0j), "complex64 for float32"),
    "NaN": (
        spoiled("features.3.bias", lambda w: w.where(torch.arange(8) != 5, torch.nan)),
        r"not finite: 1 \(features.3.bias\)",
    ),
    "infinite": (spoiled("features.3.bias", lambda w: w / 0.0), "not finite: 1"),
    "infinite half": (spoiled("features.3.bias", lambda w: (w / 0.0).half()), "not finite: 1"),
    "beyond single precision": (
        spoiled("features.3.bias", lambda w: w.double() * 1e200),
        "not finite: 1",
    ),
    "no tensor": (
        spoiled("features.3.bias", lambda w: w.tolist()),
        r"not an array of numbers: 1 \(features.3.bias, list\)",
    ),
    "sparse": (spoiled("features.3.bias", lambda w: w.to_sparse()), "not an array of numbers: 1"),
    "shapes only": (spoiled("features.3.bias", lambda w: w.to("meta")), "not an array of numbers"),
    "several": (
        lambda w: without("features.0.bias")(spoiled("features.3.bias", lambda w: w / 0.0)(w)),
        "missing: 1 .*, not finite: 1",
    ),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_every_corruption_is_named_and_the_network_left_as_it_was(kind, tmp_path):
    spoil, message = SPOILED[kind]
    file = write(spoil(foreign_weights()), tmp_path / "spoiled.pth")
    network = small()
    before = numbers_of(network)
    with pytest.raises(InvalidInputError, match=f"spoiled.pth does not fit.*{message}"):
        load_weights(network, file)
    assert not moved(before, network)


class Malicious:
    """Its pickle runs a command: it writes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


@pytest.mark.parametrize("kind", ["new", "old", "pickle", "npz"])
def test_code_in_a_pickle_is_not_run(kind, tmp_path):
    marker = tmp_path / "marker"
    file = tmp_path / ("a.npz" if kind == "npz" else "a.pth")
    evil = foreign_weights() | {"features.0.bias": Malicious(marker)}
    if kind == "pickle":
        file.write_bytes(pickle.dumps(Malicious(marker)))
    elif kind == "npz":
        np.savez(file, **{"features.0.bias": np.array([Malicious(marker)], dtype=object)})
    else:
        torch.save(evil, file, _use_new_zipfile_serialization=kind == "new")
    assert not marker.exists()
    with pytest.raises(InvalidInputError, match=r"pickle"):
        load_weights(small(), file)
    assert not marker.exists()
    if kind != "npz":
        torch.load(file, weights_only=False) if kind != "pickle" else pickle.loads(
            file.read_bytes()
        )
        assert marker.exists()  # so that the file was dangerous


@pytest.mark.parametrize("name", ["a.pth", "a.npz"])
def test_half_a_file_is_refused(name, tmp_path):
    file = write(foreign_weights(), tmp_path / name)
    whole = file.read_bytes()
    for part in (whole[: len(whole) // 2], b"", b"no weights"):
        file.write_bytes(part)
        with pytest.raises(InvalidInputError, match=r"a\.(pth|npz) is (damaged|not a whole)"):
            load_weights(small(), file)


def test_files_and_networks_that_hold_no_weights_are_named(tmp_path):
    torch.save([torch.ones(2)], tmp_path / "list.pth")
    with pytest.raises(InvalidInputError, match="holds a list instead of numbers by name"):
        load_weights(small(), tmp_path / "list.pth")
    torch.save(small(), tmp_path / "module.pth")
    with pytest.raises(InvalidInputError, match="more than numbers by name"):
        load_weights(small(), tmp_path / "module.pth")
    with pytest.raises(InvalidInputError, match="there is no file"):
        load_weights(small(), tmp_path / "absent.pth")
    for name in ("a.h5", "a", "a.csv"):
        with pytest.raises(InvalidInputError, match=r"ends in one of \.pth, \.pt"):
            load_weights(small(), tmp_path / name)
        with pytest.raises(InvalidInputError, match=r"ends in one of \.pth, \.pt"):
            save_weights(small(), tmp_path / name)
    file = write(foreign_weights(), tmp_path / "a.pth")
    with pytest.raises(InvalidInputError, match="device='cpu'"):
        load_weights(small(device="meta"), file)
    with pytest.raises(InvalidInputError, match="pass a torch Module"):
        load_weights("vgg16", file)


@pytest.mark.parametrize("rest", ["kept", "left out"])
def test_features_are_loaded_into_a_network_for_other_classes(rest, tmp_path):
    weights = foreign_weights()
    if rest == "left out":
        weights = {name: w for name, w in weights.items() if name.startswith("features.")}
    file = write(weights, tmp_path / "a.pth")
    network = small(classes=3)
    before = numbers_of(network)
    load_weights(network, file, only="features")
    assert not moved({k: v for k, v in weights.items() if k.startswith("features")}, network)
    assert all(name.startswith("features.") for name in moved(before, network))
    with pytest.raises(InvalidInputError, match="pass one of classifier, features"):
        load_weights(network, file, only="feature")
    with pytest.raises(InvalidInputError, match=r"does not fit.*only='features'"):
        load_weights(network, file)


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    file = save_weights(small(), tmp_path / "a.pth")
    before = file.read_bytes()

    def broken(entries, part):
        Path(part).write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", broken)
    with pytest.raises(OSError, match="no space"):
        save_weights(small(seed=1), file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_bfloat16_has_no_place_in_an_npz_file(tmp_path):
    with pytest.raises(InvalidInputError, match=r"save it as \.pth"):
        save_weights(small().bfloat16(), tmp_path / "a.npz")


def test_versions_of_pytorch_that_ran_code_are_not_asked(tmp_path, monkeypatch):
    file = write(foreign_weights(), tmp_path / "a.pth")
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")
    with pytest.raises(MissingLibraryError, match=r"chemin\[deep\]"):
        load_weights(small(), file)


def test_safetensors_that_is_missing_says_how_to_install_it(tmp_path, monkeypatch):
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "safetensors.torch", None)
    with pytest.raises(MissingLibraryError, match="pip install safetensors"):
        load_weights(small(), file)


# Estimators


CHECKED = {
    "features": ImageFeatures(small_double, size=8),
    "tuned": FineTunedClassifier(
        small_double, size=8, learning_rate=0.05, fine_rate=0.01, epochs=5
    ),
}


@pytest.mark.filterwarnings("ignore")  # the checks fit hostile data on purpose
@pytest.mark.parametrize("estimator", CHECKED.values(), ids=CHECKED)
def test_every_check_of_scikit_learn_passes(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert not [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]


# Frozen features


def normalised(rows, shape, limits):
    """Return images on ImageNet's scale, grey ones three times."""
    images = rows.reshape(len(rows), *shape)
    images = np.broadcast_to(images, (len(rows), 3, *shape[1:]))
    share = (images - limits[0]) / (limits[1] - limits[0])
    scaled = (share - MEANS[:, None, None]) / DEVIATIONS[:, None, None]
    return torch.from_numpy(np.ascontiguousarray(scaled))


@pytest.mark.parametrize("shape", [(1, 9, 7), (3, 9, 7)])
@pytest.mark.parametrize("size", [None, 9, 12, 5])
def test_features_are_those_of_the_network_on_normalised_images(shape, size):
    rows = np.random.default_rng(0).integers(0, 256, size=(11, int(np.prod(shape))))
    network = small_double().eval()
    images = normalised(rows, shape, (0.0, 255.0))
    if size == 5:
        images = functional.interpolate(images, (5, 5), mode="area")
    elif size is not None:
        images = functional.interpolate(images, (size, size), mode="bilinear")
    with torch.no_grad():
        maps = network.features(images)
        dense = network.classifier[:4](network.avgpool(maps).flatten(1))
    expected = {
        ("features", 1): maps.mean(dim=(2, 3)),
        ("features", None): maps.flatten(1),
        ("avgpool", 7): functional.adaptive_avg_pool2d(maps, 7).flatten(1),
        ("classifier.3", 1): dense,
    }
    for (layer, pool), known in expected.items():
        made = ImageFeatures(
            network, shape=shape, layer=layer, pool=pool, size=size, limits=(0, 255), batch_size=4
        )
        assert np.allclose(made.fit_transform(rows), known.numpy(), atol=1e-5)
        assert len(made.get_feature_names_out()) == known.shape[1]


def test_limits_are_those_of_the_training_images():
    made = ImageFeatures(small(), size=8).fit(DIGITS[:50])
    assert made.limits_ == (0.0, 16.0)
    assert made.shape_ == (1, 8, 8)
    scaled = ImageFeatures(small(), size=8).fit_transform(DIGITS[:50] * 10.0 - 3.0)
    assert np.allclose(scaled, made.transform(DIGITS[:50]), atol=1e-5)
    assert ImageFeatures(small(), size=8).fit(np.full((2, 16), 7.0)).limits_ == (7.0, 8.0)


def test_images_may_come_as_images():
    made = ImageFeatures(small(), size=8).fit(DIGITS[:30])
    seen = ImageFeatures(small(), size=8).fit(DIGITS[:30].reshape(-1, 8, 8))
    assert np.array_equal(made.transform(DIGITS), seen.transform(DIGITS.reshape(-1, 1, 8, 8)))
    with pytest.raises(InvalidInputError, match="those of the training had"):
        seen.transform(DIGITS.reshape(-1, 4, 16))


def test_neither_features_nor_the_given_network_change_when_a_head_is_fitted():
    network = small().train()
    before = numbers_of(network)
    model = make_transfer(network, SVC(), size=16, pool=2)
    frozen = model["features"].fit_transform(DIGITS)
    model.fit(DIGITS[:500], LABELS[:500])
    assert np.array_equal(model["features"].transform(DIGITS), frozen)
    assert not moved(before, model["features"].network_.network)
    assert not moved(before, network)
    assert network.training
    assert not any(module._forward_hooks for module in network.modules())
    assert model["features"].n_parameters_ == 0
    assert not any(p.requires_grad for p in model["features"].network_.parameters())


def test_features_do_not_depend_on_the_batch_or_on_dropout():
    made = [
        ImageFeatures(small, size=8, layer="classifier.5", batch_size=size).fit_transform(DIGITS)
        for size in (7, 500)
    ]
    assert np.allclose(*made, atol=1e-5)


@pytest.mark.parametrize(
    "head",
    [SVC(), KernelBasisClassifier(l1=1.0), KernelBasisClassifier("cosine", l1=1.0)],
    ids=["SVM", "kernel basis", "images alone"],
)
def test_heads_on_random_features_beat_chance_clearly(head):
    network = vgg([(8, 1), (16, 1)], hidden=8, random_state=0)
    model = make_transfer(network, head, size=16, pool=2).fit(DIGITS[:400], LABELS[:400])
    chance = np.bincount(LABELS[400:]).max() / len(LABELS[400:])
    assert model.score(DIGITS[400:], LABELS[400:]) > chance + 0.5


def test_a_decision_is_explained_by_training_images():
    two = np.isin(LABELS, (3, 8))
    X, y = DIGITS[two], LABELS[two]
    network = vgg([(8, 1), (16, 1)], hidden=8, random_state=0)
    head = KernelBasisClassifier([Gaussian(8.0)], l1=1.0)
    model = make_transfer(network, head, size=16, pool=2).fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) > 0.8
    couples = interpret.couples(model)
    assert 0 < len(couples) < 50
    assert all(y[couples["point"]] == couples["label"])
    told = interpret.explain(model, X[150:160])
    assert np.allclose([e.decision for e in told], model.decision_function(X[150:160]))
    assert "(class" in str(told[0])
    assert "ImageFeatures" in str(interpret.summary(model))


def test_the_default_head_is_a_short_kernel_basis():
    two = LABELS < 2
    model = make_transfer(small, size=8).fit(DIGITS[two][:100], LABELS[two][:100])
    assert model.score(DIGITS[two][100:], LABELS[two][100:]) > 0.9
    assert model["head"].n_terms_ < 30


def test_the_file_of_weights_of_vgg16_stands_for_the_network(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "vgg16", lambda device: small(device=device))
    file = write(foreign_weights(), tmp_path / "vgg16.pth")
    from_file = ImageFeatures(file, size=16).fit_transform(DIGITS[:20])
    given = ImageFeatures(load_weights(small(), file), size=16).fit_transform(DIGITS[:20])
    assert np.array_equal(from_file, given)


def test_copies_and_pickles_give_the_same_features():
    made = ImageFeatures(small(), size=8).fit(DIGITS[:50])
    expected = made.transform(DIGITS[:50])
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.transform(DIGITS[:50]), expected)
    assert np.array_equal(clone(made).fit_transform(DIGITS[:50]), expected)


def test_a_bar_is_shown_if_asked_for(capsys):
    made = ImageFeatures(small(), size=8, batch_size=10, verbose=True).fit(DIGITS[:30])
    made.transform(DIGITS[:30])
    assert "batches" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"network": None}, "pass the file of weights of VGG16"),
        ({"network": list}, "pass the file of weights of VGG16"),
        ({"shape": (9, 9)}, "81 pixels, but rows have 64 columns"),
        ({"shape": (4, 4, 4)}, "4 channels"),
        ({"layer": "features.99"}, "no layer 'features.99': pass one of features, features.0"),
        ({"layer": ""}, "no layer ''"),
        ({"size": 2}, r"2 × 2 pixels .*pass another size"),
        ({"size": 0}, "size is 0: pass"),
        ({"pool": 0}, "pool is 0: pass"),
        ({"batch_size": 1.5}, "batch_size is 1.5: pass"),
        ({"limits": (1, 0)}, "limits is"),
        ({"limits": 255}, "limits is 255"),
        ({"limits": (0, np.inf)}, "limits is"),
        ({"device": "tpu"}, "device is 'tpu': pass"),
    ],
)
def test_wrong_parameters_of_features_name_the_remedy(wrong, message):
    with pytest.raises(InvalidInputError, match=message):
        ImageFeatures(**{"network": small, "size": 8, **wrong}).fit(DIGITS[:10])


def test_a_layer_that_images_do_not_pass_is_named():
    network = small()
    network.features[0].idle = torch.nn.ReLU()
    with pytest.raises(InvalidInputError, match="do not pass"):
        ImageFeatures(network, layer="features.0.idle", size=8).fit(DIGITS[:10])


# Fine-tuning


def tuned(network, **options):
    settings = {"size": 16, "warm_up": 3, "epochs": 2, "random_state": 0, **options}
    return FineTunedClassifier(network, **settings).fit(DIGITS[:200], LABELS[:200])


FROM = {
    None: {"features.0", "features.3", "classifier.0", "classifier.3", "classifier.6"},
    "features.3": {"features.3", "classifier.0", "classifier.3", "classifier.6"},
    "classifier": {"classifier.0", "classifier.3", "classifier.6"},
    "classifier.6": {"classifier.6"},
}


@pytest.mark.parametrize("layer", FROM)
def test_layers_before_the_first_one_tuned_stay_as_they_are(layer):
    network = small(classes=10)
    before = numbers_of(network)
    model = tuned(network, from_layer=layer)
    found = moved(before, model.network_.network)
    assert {name.rpartition(".")[0] for name in found} == FROM[layer]
    learned = (w.numel() for k, w in before.items() if k.rpartition(".")[0] in FROM[layer])
    assert model.n_parameters_ == sum(learned)
    assert not moved(before, network)


def test_a_warm_up_alone_learns_the_new_layer_alone():
    network = small(classes=10, dropout=0.0)
    before = numbers_of(network)
    model = tuned(network, epochs=0)
    assert moved(before, model.network_.network) == {"classifier.6.weight", "classifier.6.bias"}
    assert model.n_parameters_ == 12 * 10 + 10
    assert len(model.stages_) == 1
    assert model.history_ is model.stages_[0]
    losses = model.history_.training_loss
    assert losses[-1] < losses[0]


def test_statistics_of_frozen_batches_stay_as_they_are():
    nn = torch.nn
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 10)
    )
    before = numbers_of(network)
    model = tuned(network, size=8, from_layer="4")
    assert moved(before, model.network_.network) == {"4.weight", "4.bias"}
    model = tuned(network, size=8)
    assert {"1.running_mean", "1.running_var"} < moved(before, model.network_.network)


def test_rates_are_those_asked_for_and_the_low_one_comes_second():
    model = tuned(small(), learning_rate=0.02, fine_rate=0.0005)
    assert [stage.epochs for stage in model.stages_] == [3, 2]
    assert set(model.stages_[0].learning_rate) == {0.02}
    assert set(model.stages_[1].learning_rate) == {0.0005}


def test_a_fine_tuned_network_beats_its_warm_up():
    network = vgg([(8, 1)], hidden=32, random_state=0)
    scores = [
        FineTunedClassifier(network, size=14, epochs=epochs, fine_rate=0.003, random_state=0)
        .fit(DIGITS[:600], LABELS[:600])
        .score(DIGITS[600:], LABELS[600:])
        for epochs in (0, 15)
    ]
    assert scores[0] > 0.3
    assert scores[1] > max(0.8, scores[0])


def test_a_seed_gives_the_same_network_and_another_one_another():
    one, same, other = (tuned(small(), random_state=seed) for seed in (0, 0, 1))
    assert not moved(numbers_of(one.network_), same.network_)
    assert "network.classifier.6.weight" in moved(numbers_of(one.network_), other.network_)


def test_draws_of_others_go_on_as_if_nothing_had_been():
    torch.manual_seed(7)
    untouched = torch.rand(3)
    torch.manual_seed(7)
    tuned(small())
    ImageFeatures(small(), size=8).fit_transform(DIGITS[:20])
    assert torch.equal(torch.rand(3), untouched)


@pytest.mark.parametrize(("before", "after"), [(5, 6), (8, 2)], ids=["warm-up", "tuning"])
def test_fine_tuning_goes_on_where_it_was_interrupted(before, after, tmp_path):
    steps = 0  # six of the new layer alone, then four

    def unchanged(images, generator):
        nonlocal steps
        steps += 1
        if steps == before + 1:
            raise KeyboardInterrupt
        return images

    options = {"augment": unchanged, "batch_size": 100, "checkpoint": tmp_path / "a.pt"}
    with pytest.raises(KeyboardInterrupt):
        tuned(small(), **options)
    resumed = tuned(small(), **options)
    assert steps == before + 1 + after
    whole = tuned(small(), batch_size=100)
    assert not moved(numbers_of(whole.network_), resumed.network_)


def test_dropout_is_for_training_alone():
    model = tuned(small())
    assert not model.network_.training
    again = [model.predict_proba(DIGITS[:20]) for _ in range(2)]
    assert np.array_equal(*again)
    assert np.allclose(again[0].sum(axis=1), 1.0)
    without_dropout = tuned(small(dropout=0.0))
    assert "network.classifier.6.weight" in moved(
        numbers_of(model.network_), without_dropout.network_
    )


def test_images_are_changed_while_training_alone():
    met = []

    def darker(images, generator):
        met.append(tuple(images.shape))
        return 0.5 * images

    model = tuned(small(), augment=darker, batch_size=100)
    assert met == [(100, 1, 8, 8)] * 2 * 5
    model.predict(DIGITS[:10])
    assert len(met) == 10


def test_two_classes_and_texts_are_predicted():
    two = LABELS < 2
    names = np.where(LABELS[two] == 0, "zero", "one")
    model = make_pipeline(FineTunedClassifier(small, size=8, epochs=3, random_state=0))
    model.fit(DIGITS[two], names)
    assert set(model.predict(DIGITS[two])) == {"zero", "one"}
    assert model.predict_proba(DIGITS[two]).shape == (two.sum(), 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"warm_up": -1}, "warm_up is -1: pass"),
        ({"epochs": 2.5}, "epochs is 2.5: pass"),
        ({"warm_up": 0, "epochs": 0}, "pass a positive number of either"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
        ({"fine_rate": -1.0}, "-1.0"),
        ({"from_layer": "body"}, "pass one of features.0, features.3, classifier.0"),
        ({"from_layer": "features.1"}, "has no parameters: pass one of"),
        ({"size": 1}, "pass another size"),
        ({"network": lambda: torch.nn.Conv2d(3, 4, 3)}, "no dense layer"),
        ({"network": lambda: torch.nn.Linear(8, 3)}, "no dense layer"),
        (
            {"network": lambda: torch.nn.Sequential(small(), torch.nn.Unflatten(1, (1, -1)))},
            "whose last dense layer is the output",
        ),
    ],
)
def test_wrong_parameters_of_fine_tuning_name_the_remedy(wrong, message):
    with pytest.raises(InvalidInputError, match=message):
        tuned(**{"network": small, "size": 8, **wrong})


def test_one_class_is_refused():
    with pytest.raises(InvalidInputError, match="one class"):
        FineTunedClassifier(small, size=8).fit(DIGITS[:5], np.zeros(5))
