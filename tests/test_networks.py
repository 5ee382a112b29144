"""Claims about networks that learn: the course's counts and formulas, seeds, checkpoints, and digits held out."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from scipy import ndimage, signal
from scipy.special import expit, log_softmax, softmax
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from chemin.datasets import mnist
from chemin.exceptions import CheckpointError, InvalidInputError

torch = pytest.importorskip("torch", reason='PyTorch is not installed: pip install "chemin[deep]"')

from chemin.models.networks import (  # noqa: E402
    Augmentation,
    AutoEncoder,
    ConvolutionalClassifier,
    NetworkClassifier,
    NetworkRegressor,
    Training,
    layer_table,
    trace_gradients,
    train,
)
from chemin.models.networks.batches import drawn_batches  # noqa: E402
from chemin.models.networks.layers import (  # noqa: E402
    ACTIVATIONS,
    activation_layer,
    convolutional_network,
    count_parameters,
    dense_network,
)
from chemin.models.networks.losses import as_loss  # noqa: E402

matplotlib.use("Agg")
functional = torch.nn.functional
IRIS = load_iris(return_X_y=True)
DIGITS, LABELS = load_digits(return_X_y=True)


def weights_of(network):
    return {name: numbers.clone() for name, numbers in network.state_dict().items()}


def same(one, other):
    """Say whether two networks have the same numbers, bit for bit."""
    left, right = one.state_dict(), other.state_dict()
    return left.keys() == right.keys() and all(torch.equal(left[k], right[k]) for k in left)


# Behind scikit-learn's interface


@pytest.mark.filterwarnings("ignore")  # the checks fit hostile data on purpose
@parametrize_with_checks(
    [
        NetworkClassifier((8,), epochs=15, batch_size=16, learning_rate=0.1),
        NetworkRegressor((8,), epochs=8, batch_size=16, learning_rate=0.05),
        AutoEncoder(1, (4,), epochs=2),
        ConvolutionalClassifier(
            filters=(4,),
            convolutions=1,
            dense=8,
            dropout=0.0,
            epochs=8,
            batch_size=16,
            device="cpu",
        ),
    ]
)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


FEW = {
    "classes": NetworkClassifier((3,), epochs=2, dropout=0.2, random_state=0),
    "numbers": NetworkRegressor((3,), epochs=2, validation=0.2, random_state=0),
    "codes": AutoEncoder(2, (3,), epochs=2, random_state=0),
    "images": ConvolutionalClassifier((2, 2), filters=(2,), dense=3, epochs=2, random_state=0),
}


@pytest.fixture(params=FEW)
def few(request):
    """Return an estimator of each kind that is soon fitted."""
    return clone(FEW[request.param])


def test_a_seed_gives_the_same_network_and_leaves_other_draws_alone(few):
    torch.manual_seed(7)
    untouched = torch.rand(3)
    torch.manual_seed(7)
    one = clone(few).fit(*IRIS)
    assert torch.equal(torch.rand(3), untouched)
    assert same(one.network_, clone(few).fit(*IRIS).network_)
    assert not same(one.network_, few.set_params(random_state=1).fit(*IRIS).network_)


def test_a_stored_network_answers_as_before(few):
    few.fit(*IRIS)
    ask = few.transform if isinstance(few, AutoEncoder) else few.predict
    again = pickle.loads(pickle.dumps(few))
    other = again.transform if isinstance(few, AutoEncoder) else again.predict
    assert np.array_equal(ask(IRIS[0]), other(IRIS[0]))


def test_a_network_takes_and_gives_the_columns_as_they_are():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    model = NetworkRegressor((3,), epochs=2, random_state=0).fit(X, y)
    with torch.no_grad():
        asked = model.network_(torch.from_numpy(X))
    assert np.allclose(asked[:, 0].numpy(), model.predict(X))
    by_hand = np.maximum(X @ model.coefs_[0] + model.intercepts_[0], 0.0)
    by_hand = by_hand @ model.coefs_[1] + model.intercepts_[1]
    assert np.allclose(by_hand[:, 0], model.predict(X))
    two = np.column_stack([y, -y])
    assert NetworkRegressor((3,), epochs=1).fit(X, two).predict(X).shape == two.shape


# Counts of the course


def test_a_network_of_5_3_2_units_has_26_parameters():
    rng = np.random.default_rng(0)
    model = NetworkClassifier((3,), epochs=1).fit(rng.random((20, 5)), np.arange(20) % 2)
    assert model.n_parameters_ == 26
    d, n, s = 7, 11, 4
    assert count_parameters(dense_network((d, n, s))) == (d + 1) * n + (n + 1) * s


@pytest.mark.parametrize("channels", [1, 3])
def test_a_convolution_has_as_many_parameters_as_its_filters_whatever_the_image(channels):
    network = convolutional_network(
        (channels, 28, 28), 10, filters=(8, 16), convolutions=2, dense=5, dropout=0.5, batch_norm=False
    )  # fmt: skip
    table = layer_table(network, (channels, 28, 28))
    found = {layer.name: layer for layer in table.layers}
    counts = [found[name].parameters for name in ("0", "2", "5", "7")]
    kinds = [(8, channels), (8, 8), (16, 8), (16, 16)]
    assert counts == [filters * (3 * 3 * below + 1) for filters, below in kinds]
    pooled = [layer.shape for layer in table.layers if layer.kind == "MaxPool2d"]
    assert pooled == [(8, 14, 14), (16, 7, 7)]
    normalised = convolutional_network(
        (channels, 28, 28), 10, filters=(8, 16), convolutions=2, dense=5, dropout=0.5, batch_norm=True
    )  # fmt: skip
    offsets = 8 + 8 + 16 + 16  # one of a filter; normalisation has an offset, too, and a factor
    assert count_parameters(normalised) == table.total + offsets
    assert count_parameters(network) == table.total == sum(counts) + (784 + 1) * 5 + (5 + 1) * 10


# Formulas of the course


FORMULAS = {
    "relu": lambda a: np.maximum(a, 0.0),
    "sigmoid": lambda a: 1.0 / (1.0 + np.exp(-a)),
    "softsign": lambda a: a / (1.0 + np.abs(a)),
    "tanh": np.tanh,
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_an_activation_is_its_formula(activation):
    a = np.linspace(-6.0, 6.0, 25)
    found = activation_layer(activation)(torch.from_numpy(a)).numpy()
    assert np.allclose(found, FORMULAS[activation](a), atol=1e-12)


def test_outputs_of_classes_are_softmax_and_argmax_and_two_of_them_a_sigmoid():
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = NetworkClassifier((4,), epochs=3, random_state=0).fit(X, names)
    with torch.no_grad():
        scores = model.network_(torch.from_numpy(X)).numpy()
    assert np.allclose(model.predict_proba(X), softmax(scores, axis=1))
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert scores.shape == (150, 3)
    two = y > 0
    model = NetworkClassifier((4,), epochs=3, random_state=0).fit(X[two], y[two])
    with torch.no_grad():
        scores = model.network_(torch.from_numpy(X)).numpy()
    chance = expit(scores[:, 1] - scores[:, 0])
    assert np.allclose(model.predict_proba(X)[:, 1], chance)
    assert np.array_equal(model.predict(X), np.where(chance > 0.5, 2, 1))


def squared_cost(o, t):
    return 0.5 * np.sum((o - t) ** 2, axis=1).mean()


def cross_entropy_cost(o, t):
    return -np.sum(t * log_softmax(o, axis=1), axis=1).mean()


def binary_cost(o, t):
    p = expit(o[:, 1] - o[:, 0])
    return -np.mean(t[:, 1] * np.log(p) + t[:, 0] * np.log(1.0 - p))


COSTS = {
    "half the square": ("squared", 3, squared_cost, lambda o: o),
    "cross-entropy": ("cross-entropy", 3, cross_entropy_cost, lambda o: softmax(o, axis=1)),
    "binary cross-entropy": ("cross-entropy", 2, binary_cost, lambda o: softmax(o, axis=1)),
}


@pytest.mark.parametrize("kind", COSTS)
def test_the_slope_of_each_cost_at_the_output_is_the_answer_less_the_target(kind):
    name, width, formula, answer = COSTS[kind]
    rng = np.random.default_rng(0)
    o = rng.standard_normal((8, width))
    codes = rng.integers(0, width, 8)
    one_hot = np.eye(width)[codes]
    outputs = torch.tensor(o, requires_grad=True)
    cost = as_loss(name)
    found = cost.value(outputs, cost.read(codes if cost.of_classes else one_hot, torch.float64))
    assert found.item() == pytest.approx(formula(o, one_hot), abs=1e-12)
    found.backward()
    assert np.abs(8 * outputs.grad.numpy() - (answer(o) - one_hot)).max() < 1e-12


def test_a_smaller_loss_can_be_a_larger_share_of_errors():
    cost = as_loss("cross-entropy")
    targets = torch.tensor([0, 0])
    hesitant = torch.tensor([[0.1, 0.0], [0.1, 0.0]])
    mixed = torch.tensor([[9.0, 0.0], [0.0, 0.1]])
    assert cost.value(mixed, targets) < cost.value(hesitant, targets)
    assert cost.errors(mixed, targets).mean() > cost.errors(hesitant, targets).mean()


@pytest.mark.parametrize("activation", ["sigmoid", "relu"])
def test_a_layer_multiplies_delta_by_no_more_than_its_slope_and_weights_allow(activation):
    steepest = {"sigmoid": 0.25, "relu": 1.0}[activation]
    X, y = IRIS
    model = NetworkClassifier((6,) * 5, activation, epochs=1, random_state=0).fit(X, y)
    layers = trace_gradients(model, X, y).layers
    for (below, above), W in zip(pairwise(layers), model.coefs_[1:], strict=True):
        ceiling = steepest * np.linalg.norm(W, 2) * np.linalg.norm(above.delta, axis=1)
        assert (np.linalg.norm(below.delta, axis=1) <= ceiling + 1e-15).all()


# Descent: the formulas of batch, online and mini-batch steps, momentum, Nesterov and decay


def plain(slope, x, rate, factor):
    while True:
        x = x - rate * slope(x)
        yield x


def momentum(slope, x, rate, factor):
    step = 0.0
    while True:
        step = factor * step + slope(x)
        x = x - rate * step
        yield x


def nesterov(slope, x, rate, factor):
    step = 0.0
    while True:
        step = factor * step + slope(x - rate * factor * step)
        x = x - rate * step
        yield x - rate * factor * step  # where the next slope is asked for


RULES = {
    "plain": (plain, 0.0, False),
    "momentum": (momentum, 0.8, False),
    "nesterov": (nesterov, 0.8, True),
}


@pytest.mark.parametrize("batch_size", [None, 1, 4])
@pytest.mark.parametrize("rule", RULES)
def test_steps_are_those_of_the_formula(rule, batch_size):
    formula, factor, ahead = RULES[rule]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10, 3))
    truth = np.array([1.0, -2.0, 0.5])
    λ, rate, start = 0.03, 0.05, np.array([0.2, -0.1, 0.4])
    network = torch.nn.Linear(3, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        network.weight.copy_(torch.from_numpy(start))
    met = []

    def remember(batch, generator):
        met.append(batch.numpy().copy())
        return batch

    training = Training(
        epochs=3, batch_size=batch_size, learning_rate=rate, momentum=factor, nesterov=ahead,
        weight_decay=2.0 * λ, augment=remember,
    )  # fmt: skip
    train(network, X, X @ truth, loss="squared", training=training, random_state=0)
    steps = {None: 1, 1: 10, 4: 3}[batch_size]
    assert len(met) == 3 * steps
    batches = iter(met)

    def slope(x):
        """Return the slope of the mean of ½(w·x − y)² over the next batch, and of λ‖w‖²: 2λw."""
        rows = next(batches)
        return rows.T @ (rows @ (x - truth)) / len(rows) + 2.0 * λ * x

    walk = formula(slope, start, rate, factor)
    for _ in met:
        reached = next(walk)
    assert np.allclose(network.weight.detach().numpy()[0], reached, atol=1e-12)


@pytest.mark.parametrize("size", [None, 1, 7, 32, 200])
def test_an_epoch_looks_at_every_row_once_in_batches_of_nearly_the_same_size(size):
    batches = drawn_batches(100, size, torch.Generator().manual_seed(0))
    assert sorted(torch.cat(batches).tolist()) == list(range(100))
    assert len(batches) == -(-100 // (size or 100))
    sizes = [len(batch) for batch in batches]
    assert max(sizes) - min(sizes) <= 1
    assert len(batches) == 100 or batches[0].tolist() != list(range(len(batches[0])))


RATES = {
    "constant": [1.0, 1.0, 1.0, 1.0],
    "cosine": [1.0, (1.0 + 0.5**0.5) / 2.0, 0.5, (1.0 - 0.5**0.5) / 2.0],
    "one-cycle": [0.0, 0.9904, 0.6913, 0.2222],
}


@pytest.mark.parametrize("schedule", RATES)
def test_the_rate_goes_as_its_schedule_says(schedule):
    model = NetworkClassifier((), epochs=4, learning_rate=0.1, schedule=schedule).fit(*IRIS)
    assert model.history_.learning_rate == pytest.approx(0.1 * np.array(RATES[schedule]), abs=1e-5)


@pytest.mark.parametrize("decay", [0.01, 0.1])
@pytest.mark.parametrize("count", [2, 3])
def test_a_network_without_hidden_layer_is_logistic_regression(count, decay):
    X, y = (part[-50 * count :] for part in IRIS)
    model = NetworkClassifier(
        (), epochs=400, batch_size=None, learning_rate=1.0, weight_decay=decay, random_state=0
    ).fit(X, y)
    # Two outputs ±w/2 have the penalty ½·decay·‖w‖²/2, half that of the one vector w of two classes.
    C = 1.0 / (len(X) * decay) * (2.0 if count == 2 else 1.0)
    rows = StandardScaler().fit_transform(X)
    known = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(rows, y)
    assert np.abs(model.predict_proba(X) - known.predict_proba(rows)).max() < 1e-4
    W = (model.coefs_[0] * X.std(axis=0)[:, None]).T
    W = W[1:] - W[:1] if count == 2 else W - W.mean(axis=0)
    assert np.abs(W - known.coef_).max() < 1e-3


def test_a_network_of_numbers_without_hidden_layer_is_least_squares():
    X, y = load_diabetes(return_X_y=True)
    model = NetworkRegressor(
        (), epochs=600, batch_size=None, learning_rate=0.3, weight_decay=0.0, random_state=0
    ).fit(X, y)
    known = LinearRegression().fit(X, y)
    assert np.abs(model.predict(X) - known.predict(X)).max() < 0.02 * y.std()


# Early stopping


def test_training_ends_when_the_held_out_loss_rises_and_goes_back_to_its_least():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 10))
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)  # few rows, noisy: learnt by heart
    with_torch = torch.from_numpy(X[30:])
    network = dense_network((10, 32, 2), dtype=torch.float64)
    training = Training(epochs=200, learning_rate=0.1, batch_size=8, patience=5)
    history = train(
        network, X[:30], y[:30], loss="cross-entropy", training=training, random_state=0,
        validation_data=(X[30:], y[30:]),
    )  # fmt: skip
    losses = history.validation_loss
    assert history.kept == np.argmin(losses) + 1
    assert history.epochs == history.kept + 5 < 200
    assert history.training_loss[-1] < history.training_loss[history.kept - 1]
    kept = functional.cross_entropy(network(with_torch), torch.from_numpy(y[30:])).item()
    assert kept == pytest.approx(losses.min())
    assert "had not fallen for 5 epochs" in str(history)


def test_rows_held_out_are_not_learnt_from():
    met = []

    def remember(batch, generator):
        met.append(batch[:, 0].numpy().copy())
        return batch

    numbers = np.arange(40.0)
    training = Training(epochs=2, batch_size=8, validation=0.25, augment=remember)
    network = torch.nn.Linear(1, 2)
    codes = np.arange(40) % 2
    train(network, numbers[:, None] / 40, codes, loss="cross-entropy", training=training, random_state=0)  # fmt: skip
    first, second = (set(np.concatenate(met[4 * k : 4 * k + 4]).tolist()) for k in (0, 1))
    assert first == second
    assert len(first) == 30


# Convolution, pooling, dropout, augmentation


def slid(kernel, values):
    """Return what a layer of PyTorch with this kernel makes of a line or an image, without a border."""
    layer = {1: torch.nn.Conv1d, 2: torch.nn.Conv2d}[kernel.ndim](1, 1, kernel.shape, bias=False)
    layer = layer.double()
    assert layer.weight.numel() == kernel.size  # shared by all places
    with torch.no_grad():
        layer.weight[0, 0] = torch.from_numpy(kernel.copy())
        return layer(torch.from_numpy(values)[None, None])[0, 0].numpy()


@pytest.mark.parametrize(("kernel", "values"), [((3,), (12,)), ((3, 2), (7, 9))])
def test_a_layer_is_a_convolution_with_the_kernel_flipped(kernel, values):
    rng = np.random.default_rng(0)
    h, s = rng.standard_normal(kernel), rng.standard_normal(values)
    known = signal.convolve(s, h, mode="valid")  # Σ h(k) s(n − k), as the course writes it
    assert known.shape == tuple(a - b + 1 for a, b in zip(values, kernel, strict=True))
    assert np.allclose(slid(np.flip(h), s), known)
    assert not np.allclose(slid(h, s), known)
    assert np.allclose(slid(h, s), signal.correlate(s, h, mode="valid"))


SPREAD = np.exp(-0.5 * np.arange(-2, 3) ** 2)
DIRAC = np.zeros((3, 3))
DIRAC[1, 1] = 1.0
FILTERS = {
    "nothing": (DIRAC, lambda image: image),
    "Gauss": (
        np.outer(SPREAD, SPREAD) / SPREAD.sum() ** 2,
        lambda image: ndimage.gaussian_filter(image, 1.0, mode="constant", radius=2),
    ),
    "vertical": (
        np.array([[1.0, 0.0, -1.0]] * 3),
        lambda image: ndimage.prewitt(image, axis=1, mode="constant"),
    ),
    "horizontal": (
        np.array([[1.0, 0.0, -1.0]] * 3).T,
        lambda image: ndimage.prewitt(image, axis=0, mode="constant"),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_known_filters_are_layers_with_zeros_around_the_image(name):
    h, known = FILTERS[name]
    image = DIGITS[0].reshape(8, 8)
    found = slid(np.flip(h), np.pad(image, len(h) // 2))
    assert np.allclose(found, known(image), atol=1e-12)


def test_pooling_keeps_the_largest_of_four_values():
    network = convolutional_network(
        (1, 4, 4), 2, filters=(1,), convolutions=1, dense=1, dropout=0.0, batch_norm=False
    )
    (pooling,) = (layer for layer in network if isinstance(layer, torch.nn.MaxPool2d))
    image = np.random.default_rng(0).standard_normal((4, 4))
    largest = image.reshape(2, 2, 2, 2).max(axis=(1, 3))
    assert np.array_equal(pooling(torch.from_numpy(image)[None])[0].numpy(), largest)


def test_dropout_leaves_units_out_while_training_alone():
    network = dense_network((1, 10_000, 1), "sigmoid", dropout=0.5)
    (dropping,) = (layer for layer in network if isinstance(layer, torch.nn.Dropout))
    ones = torch.ones(10_000)
    kept = dropping.train()(ones)
    assert set(kept.tolist()) == {0.0, 2.0}
    assert float(kept.mean()) == pytest.approx(1.0, abs=0.05)
    assert torch.equal(dropping.eval()(ones), ones)
    model = ConvolutionalClassifier(filters=(2,), dense=4, epochs=1, dropout=0.5).fit(
        DIGITS, LABELS
    )
    model.network_.train()
    assert np.array_equal(model.predict_proba(DIGITS), model.predict_proba(DIGITS))


def test_shifts_move_images_by_whole_pixels_and_flips_mirror_them():
    images = torch.from_numpy(DIGITS[:200].reshape(-1, 1, 8, 8))
    generator = torch.Generator().manual_seed(0)
    moved = Augmentation(shift=2)(images, generator)
    bordered = np.pad(images.numpy(), ((0, 0), (0, 0), (2, 2), (2, 2)), mode="edge")
    places = [(i, j) for i in range(5) for j in range(5)]
    fits = np.array([
        [np.allclose(bordered[k, :, i : i + 8, j : j + 8], moved[k].numpy(), atol=1e-9) for i, j in places]
        for k in range(200)
    ])  # fmt: skip
    assert fits.any(axis=1).all()
    assert fits.any(axis=0).all()
    mirrored = Augmentation(flip=True)(images, generator)
    same = [torch.allclose(mirrored[k], images[k]) for k in range(200)]
    other = [torch.allclose(mirrored[k], images[k].flip(-1)) for k in range(200)]
    assert all(a or b for a, b in zip(same, other, strict=True))
    assert 70 < sum(same) < 130


def test_images_are_turned_by_no_more_than_was_asked_for():
    across = np.arange(15.0)  # the grey value of a pixel is its column
    ramps = torch.from_numpy(np.broadcast_to(across, (300, 1, 9, 15)).copy())
    turned = Augmentation(rotation=30.0)(ramps, torch.Generator().manual_seed(0)).numpy()[:, 0]
    slope = np.stack([turned[:, 4, 8] - turned[:, 4, 6], turned[:, 5, 7] - turned[:, 3, 7]]) / 2.0
    assert np.linalg.norm(slope, axis=0) == pytest.approx(np.ones(300))  # no stretching
    angles = np.degrees(np.arctan2(slope[1], slope[0]))
    assert np.abs(angles).max() < 30.0
    assert angles.min() < -25.0 < 25.0 < angles.max()
    assert turned[:, 4, 7] == pytest.approx(np.full(300, 7.0))  # the centre stays
    assert Augmentation().check() is None


# Auto-encoders


def test_an_auto_encoder_without_hidden_layers_finds_the_principal_plane():
    X = StandardScaler().fit_transform(IRIS[0])
    model = AutoEncoder(2, epochs=150, random_state=0).fit(X)
    again = model.inverse_transform(model.transform(X))
    plane = PCA(2).fit(X)
    known = plane.inverse_transform(plane.transform(X))
    assert np.mean((X - again) ** 2) == pytest.approx(np.mean((X - known) ** 2), rel=1e-3)
    assert np.abs(again - known).max() < 0.1
    assert model.transform(X).shape == (150, 2)
    assert model.n_parameters_ == (4 + 1) * 2 + (2 + 1) * 4
    assert list(model.get_feature_names_out()) == ["autoencoder0", "autoencoder1"]


def test_a_hidden_layer_tells_a_curve_by_one_number_and_a_line_does_not():
    angle = np.linspace(0.0, np.pi, 200)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    losses = [
        np.mean((X - model.inverse_transform(model.transform(X))) ** 2)
        for model in (
            AutoEncoder(1, hidden, "tanh", epochs=60, random_state=0).fit(X)
            for hidden in ((), (16,))
        )
    ]
    assert losses[1] < 0.2 * losses[0]


# Checkpoints


TRAINED = """
import os, signal, sys
import numpy as np, torch
from chemin.models.networks import Training, train
from chemin.models.networks.layers import convolutional_network

def network():
    torch.manual_seed(0)
    return convolutional_network(
        (1, 8, 8), 3, filters=(3,), convolutions=1, dense=6, dropout=0.3, batch_norm=True
    )

def learn(model, file, deadly=None):
    steps = []

    def noise(images, generator):
        steps.append(len(images))
        if len(steps) == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return images + torch.rand(images.shape, generator=generator)

    noise.__qualname__ = "noise"
    rng = np.random.default_rng(0)
    training = Training(
        epochs=5, batch_size=8, schedule="one-cycle", validation=0.2, patience=4, augment=noise, checkpoint=file
    )
    X, y = rng.random((50, 1, 8, 8)), rng.integers(0, 3, 50)
    history = train(model, X, y, loss="cross-entropy", training=training, random_state=0)
    return history, len(steps)
"""


@pytest.mark.skipif(os.name != "posix", reason="a process is ended by a signal")
def test_a_training_that_was_killed_goes_on_to_the_same_weights_bit_for_bit(tmp_path):
    file = tmp_path / "training.pt"
    script = f"{TRAINED}\nlearn(network(), {str(file)!r}, deadly=13)"  # amid the third epoch
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert ended.returncode < 0, ended.stderr.decode()
    made: dict = {}
    exec(TRAINED, made)
    whole, resumed = made["network"](), made["network"]()
    history, steps = made["learn"](whole, None)
    rest, fewer = made["learn"](resumed, file)
    assert steps == 5 * history.epochs
    assert fewer == steps - 2 * 5
    assert same(whole, resumed)
    for name in ("training_loss", "training_error", "validation_loss", "learning_rate"):
        assert np.array_equal(getattr(history, name), getattr(rest, name))
    assert (history.kept, history.reason) == (rest.kept, rest.reason)
    again = made["network"]()
    assert made["learn"](again, file)[1] == 0  # it has ended: nothing is left to do
    assert same(whole, again)


def test_an_interrupted_estimator_goes_on(tmp_path, few, monkeypatch):
    from chemin.models.networks.checkpoint import Checkpoint

    whole = clone(few).set_params(epochs=4).fit(*IRIS)
    write = Checkpoint.write

    def interrupted(self, progress, network, optimiser):
        if len(progress.epochs) == 3:
            raise KeyboardInterrupt
        write(self, progress, network, optimiser)

    few.set_params(epochs=4, checkpoint=tmp_path / "a.pt")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            few.fit(*IRIS)
    few.fit(*IRIS)
    assert same(whole.network_, few.network_)
    assert [path.name for path in tmp_path.iterdir()] == ["a.pt"]


class Malicious:
    """Its pickle runs a command: it writes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    X, y = IRIS
    file = tmp_path / "a.pt"
    model = NetworkClassifier((3,), epochs=2, checkpoint=file, random_state=0).fit(X, y)
    for change in ({"hidden": (4,)}, {"learning_rate": 0.01}, {"epochs": 3}):
        with pytest.raises(CheckpointError, match="other data, another network or other settings"):
            clone(model).set_params(**change).fit(X, y)
    with pytest.raises(CheckpointError, match="other data"):
        clone(model).fit(X[:-1], y[:-1])
    with pytest.raises(CheckpointError, match="another random_state"):
        clone(model).set_params(random_state=1).fit(X, y)
    whole = file.read_bytes()
    for damaged in (whole[:100], b""):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="not a whole checkpoint"):
            clone(model).fit(X, y)
    torch.save({"a": 1}, file)
    with pytest.raises(CheckpointError, match="no checkpoint of a training"):
        clone(model).fit(X, y)
    marker = tmp_path / "marker"
    torch.save({"format": 1, "digest": Malicious(marker)}, file)
    with pytest.raises(CheckpointError, match="not a whole checkpoint") as refused:
        clone(model).fit(X, y)
    assert "weights_only" not in str(refused.value)  # PyTorch says how to run the code all the same
    assert not marker.exists()
    for place in (tmp_path, tmp_path / "none" / "a.pt", 3):
        with pytest.raises(InvalidInputError, match=r"pass the name|create it"):
            clone(model).set_params(checkpoint=place).fit(X, y)


def test_frozen_weights_belong_to_a_checkpoint(tmp_path):
    X, y = IRIS
    networks = [torch.nn.Sequential(*dense_network((4, 3, 3))) for _ in range(2)]
    training = Training(epochs=1, checkpoint=tmp_path / "a.pt")
    for k, network in enumerate(networks):
        with torch.no_grad():
            network[0].weight.fill_(float(k))
    last = [list(network[2].parameters()) for network in networks]
    options = {"loss": "cross-entropy", "training": training, "random_state": 0}
    train(networks[0], X, y, parameters=last[0], **options)
    with pytest.raises(CheckpointError, match="another network"):
        train(networks[1], X, y, parameters=last[1], **options)


# Digits


def digits_of_28_pixels(count, part, rng):
    """Return so many digits, three times as large, each at a place of its own in 28 × 28 pixels."""
    drawn = rng.choice(part, count, replace=count > len(part))
    large = np.kron(DIGITS[drawn].reshape(-1, 8, 8), np.ones((3, 3)))
    images = np.zeros((count, 28, 28))
    for image, digit, (i, j) in zip(images, large, rng.integers(0, 5, (count, 2)), strict=True):
        image[i : i + 24, j : j + 24] = digit
    return images, LABELS[drawn]


def digits_to_learn():
    """Return 2000 digits to learn and 500 held out, of MNIST where the environment has its place."""
    if "CHEMIN_MNIST" in os.environ:
        known = mnist(os.environ["CHEMIN_MNIST"])
        return known.X_train[:2000], known.y_train[:2000], known.X_test[:2000], known.y_test[:2000]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(LABELS))
    learnt = digits_of_28_pixels(2000, order[:-500], rng)
    return *learnt, *digits_of_28_pixels(500, order[-500:], rng)


def test_a_convolutional_network_knows_digits_that_it_has_not_seen(capsys):
    X, y, others, truth = digits_to_learn()
    model = ConvolutionalClassifier(
        (28, 28), filters=(8, 16, 32), convolutions=1, dense=64, dropout=0.2, shift=1, epochs=10, batch_size=50,
        learning_rate=0.1, random_state=0, verbose=True,
    ).fit(X, y)  # fmt: skip
    right = np.mean(model.predict(others) == truth)
    assert right > 0.95
    assert model.history_.training_loss[-1] < 0.3 * model.history_.training_loss[0]
    assert "10/10" in capsys.readouterr().err


def test_images_of_several_channels_may_come_as_they_are():
    grey = DIGITS[:300].reshape(-1, 1, 8, 8)
    coloured = np.concatenate([grey, 16.0 - grey, np.full_like(grey, 3.0)], axis=1)
    options = {"filters": (4,), "dense": 8, "epochs": 1, "random_state": 0}
    model = ConvolutionalClassifier(**options).fit(coloured, LABELS[:300])
    assert model.shape_ == (3, 8, 8)
    with torch.no_grad():
        scaled = model.network_[0](torch.from_numpy(coloured).float())
    assert torch.allclose(scaled.mean(dim=(0, 2, 3)), torch.zeros(3), atol=1e-5)
    assert torch.allclose(scaled.std(dim=(0, 2, 3)), torch.tensor([1.0, 1.0, 0.0]), atol=1e-3)
    rows = ConvolutionalClassifier((3, 8, 8), **options).fit(
        coloured.reshape(300, -1), LABELS[:300]
    )
    assert np.array_equal(model.predict_proba(coloured), rows.predict_proba(coloured))
    with pytest.raises(InvalidInputError, match="those of the training had"):
        model.predict(grey)


# What is told


def test_a_history_is_a_table_two_curves_and_a_sentence():
    model = NetworkClassifier((4,), epochs=3, validation=0.2, random_state=0).fit(*IRIS)
    table = model.history_.frame()
    assert table["epoch"].tolist() == [1, 2, 3]
    assert model.history_.held_out
    loss, error = model.history_.plot().axes
    assert [line.get_label() for line in loss.lines] == ["learnt from", "held out", "kept: epoch 3"]
    assert error.get_ylabel() == "wrong answers"
    assert "3 epochs in" in str(model.history_)
    numbers = NetworkRegressor((4,), epochs=2, random_state=0).fit(*IRIS).history_
    assert not numbers.held_out
    assert len(numbers.plot().axes[0].lines) == 2
    matplotlib.pyplot.close("all")


WRONG = {
    "hidden": (NetworkClassifier(hidden=(0,)), "hidden is"),
    "activation": (NetworkClassifier(activation="step"), "activation is 'step': pass one of relu"),
    "dropout": (NetworkClassifier(dropout=1.0), "dropout is 1.0"),
    "epochs": (NetworkClassifier(epochs=0), "epochs is 0"),
    "batch_size": (NetworkClassifier(batch_size=2.5), "batch_size is 2.5"),
    "learning_rate": (NetworkClassifier(learning_rate=0.0), "learning_rate is 0.0"),
    "momentum": (NetworkClassifier(momentum=1.0), "momentum is 1.0"),
    "weight_decay": (NetworkClassifier(weight_decay=-1.0), "weight_decay is -1.0"),
    "schedule": (NetworkClassifier(schedule="steps"), "schedule is 'steps': pass one of constant"),
    "device": (NetworkClassifier(device="tpu"), "device is 'tpu': pass one of auto, cpu, cuda"),
    "patience": (NetworkClassifier(patience=3), "patience needs held-out rows: pass validation"),
    "validation": (NetworkClassifier(validation=0.001), "cannot hold out rows of every class"),
    "too fast": (
        NetworkRegressor(learning_rate=1e6, momentum=0.0),
        "the training loss is .*pass a smaller one",
    ),
    "filters": (ConvolutionalClassifier(filters=()), "filters is"),
    "shape": (ConvolutionalClassifier((3, 3)), "9 pixels, but rows have 4 columns"),
    "shift": (ConvolutionalClassifier(shift=0.5), "shift is 0.5"),
    "rotation": (ConvolutionalClassifier(rotation=270.0), "rotation is 270.0"),
    "online": (ConvolutionalClassifier(batch_size=1), "too few images to be normalised by"),
    "code": (AutoEncoder(0), "n_components is"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_settings_name_the_remedy(kind):
    model, message = WRONG[kind]
    with pytest.raises(InvalidInputError, match=message):
        model.fit(*IRIS)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_missing_is_told():
    with pytest.raises(InvalidInputError, match="PyTorch sees no GPU: pass 'cpu' or 'auto'"):
        NetworkClassifier(device="cuda").fit(*IRIS)
    assert ConvolutionalClassifier(**FEW["images"].get_params()).fit(*IRIS).history_.device == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_learns_what_a_cpu_learns():
    fitted = [
        NetworkClassifier((8,), epochs=20, device=device, random_state=0).fit(*IRIS)
        for device in ("cpu", "cuda")
    ]
    assert fitted[1].history_.device == "cuda"
    assert np.allclose(*(model.predict_proba(IRIS[0]) for model in fitted), atol=1e-3)


WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ImportError(name)

sys.meta_path.insert(0, Hidden())
import chemin, chemin.models
from chemin.exceptions import MissingLibraryError
from chemin.models.networks import NetworkClassifier, compile_formula, vgg16

assert compile_formula("a xor b")([[0, 1]]).tolist() == [True]
for need in (lambda: NetworkClassifier().fit([[0.0], [1.0]], [0, 1]), vgg16):
    try:
        need()
    except MissingLibraryError as error:
        print(error)
"""


def test_all_but_networks_works_without_pytorch_and_they_say_how_to_have_it():
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT], check=True, capture_output=True, text=True
    ).stdout
    assert told.count('pip install "chemin[deep]"') == 2
