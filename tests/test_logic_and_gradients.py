"""Claims about networks one can open: formulas compiled to steps, and the δ of every neuron."""

from __future__ import annotations

import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor

from chemin.exceptions import InvalidInputError
from chemin.models.networks.formulas import as_formula, clauses_of
from chemin.models.networks.logic import compile_formula
from chemin.models.networks.trace import backpropagate, trace_gradients

# Formulas


def said(depth: int = 4) -> st.SearchStrategy[str]:
    """Return formulas as Python would write them, which evaluates them without this library."""
    return st.recursive(
        st.sampled_from(["a", "b", "c", "d", "True", "False"]),
        lambda inner: st.one_of(
            st.builds("(not {})".format, inner),
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} or {})".format, inner, inner),
            st.builds("({} ^ {})".format, inner, inner),
        ),
        max_leaves=8,
    )


@settings(max_examples=60, deadline=None)
@given(said())
def test_a_network_computes_its_formula(text):
    network = compile_formula(text, variables="abcd")
    for case in product([False, True], repeat=4):
        truth = eval(text, {}, dict(zip("abcd", case, strict=True)))
        assert network([case])[0] == bool(truth)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("a and b", "(a) ∧ (b)"),
        ("a or b", "(a ∨ b)"),
        ("x xor y", "(x ∨ y) ∧ (¬x ∨ ¬y)"),
        ("a => b", "(¬a ∨ b)"),
        ("a => b => c", "(¬a ∨ ¬b ∨ c)"),
        ("a <=> b", "(a ∨ ¬b) ∧ (¬a ∨ b)"),
        ("¬(a ∧ (b ∨ ¬c))", "(¬a ∨ ¬b) ∧ (¬a ∨ c)"),
        ("a or b and c", "(a ∨ b) ∧ (a ∨ c)"),
        ("a & (a | b)", "(a)"),
        ("a or not a", "true"),
        ("0", "(false)"),
    ],
)
def test_clauses_are_those_found_by_hand(text, clauses):
    assert str(compile_formula(text)).splitlines()[1].strip() == clauses


def test_exclusive_or_is_the_network_of_the_course():
    network = compile_formula("x1 xor x2")
    assert network.coefs[0].T.tolist() == [[1.0, 1.0], [-1.0, -1.0]]
    assert network.intercepts[0].tolist() == [-0.5, 1.5]
    assert network.coefs[1].ravel().tolist() == [1.0, 1.0]
    assert network.intercepts[1].tolist() == [-1.5]
    assert network.truth_table()["output"].tolist() == [False, True, True, False]
    assert network.hidden([[1, 0]]).tolist() == [[True, True]]


def test_the_clauses_of_a_parity_double_with_every_variable():
    for count in range(2, 9):
        text = " xor ".join(f"v{k}" for k in range(count))
        assert len(clauses_of(as_formula(text))) == 2 ** (count - 1)


def test_columns_are_found_by_their_names():
    pandas = pytest.importorskip("pandas")
    network = compile_formula("wet and not cold")
    table = pandas.DataFrame({"cold": [0, 1], "else": [5, 6], "wet": [1, 1]})
    assert network(table).tolist() == [True, False]
    with pytest.raises(InvalidInputError, match="no column 'cold'"):
        network(table[["wet"]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a and", "a name, 'not' or '\\(' is missing at the end"),
        ("(a or b", "'\\)' is missing at the end"),
        ("a b", "was expected at character 3 of the formula, before 'b'"),
        ("a & & b", "is missing at character 5"),
        ("a $ b", "'\\$' at character 3, which is no name"),
        ("__import__('os')", 'has "\'" at character 12'),
        ("", "at the end of the formula ''"),
        ("~" * 500 + "a", "nested more than 60 deep"),
        ("(" * 500 + "a" + ")" * 500, "nested more than 60 deep"),
        (" xor ".join(f"v{k}" for k in range(400)), "nested more than 60 deep"),
        (" xor ".join(f"v{k}" for k in range(16)), "more than 5000 clauses"),
        (3, "pass a text"),
    ],
)
def test_what_is_no_formula_is_told_with_its_place(text, message):
    with pytest.raises(InvalidInputError, match=message):
        compile_formula(text)


def test_unknown_symbols_are_named():
    with pytest.raises(
        InvalidInputError, match="unknown symbol 'umbrela': did you mean 'umbrella'"
    ):
        compile_formula("rain and umbrela", variables=["rain", "umbrella"])
    with pytest.raises(InvalidInputError, match="name each one once"):
        compile_formula("a", variables=["a", "a"])
    with pytest.raises(InvalidInputError, match="pass 2, a, b"):
        compile_formula("a or b")([[1, 0, 1]])
    with pytest.raises(InvalidInputError, match="not all 0 or 1"):
        compile_formula("a or b")([[0.5, 0]])
    with pytest.raises(InvalidInputError, match="an array or a DataFrame of zeros and ones"):
        compile_formula("a or b")({"a": [1], "b": [0]})
    many = compile_formula(" or ".join(f"v{k}" for k in range(40)))
    with pytest.raises(InvalidInputError, match=r"2\^40 rows"):
        many.truth_table()
    assert many([[0] * 39 + [1]]).tolist() == [True]


def test_a_logic_network_is_drawn_with_a_line_for_every_literal():
    network = compile_formula("(rain or snow) and not umbrella => wet")
    ax = network.plot()
    lines = [line for line in ax.lines if len(line.get_xdata())]
    assert len(lines) == sum(len(clause) for clause in network.clauses) + len(network.clauses)
    assert "bias" in network.frame().columns


# Backpropagation


def random_network(seed: int, sizes=(4, 5, 6, 3)):
    rng = np.random.default_rng(seed)
    pairs = list(pairwise(sizes))
    coefs = [rng.standard_normal(shape) for shape in pairs]
    intercepts = [rng.standard_normal(above) for _, above in pairs]
    targets = np.eye(sizes[-1])[rng.integers(0, sizes[-1], 7)]
    return coefs, intercepts, rng.standard_normal((7, sizes[0])), targets


@pytest.mark.parametrize("output", ["softmax", "logistic", "identity"])
@pytest.mark.parametrize("activation", ["identity", "relu", "sigmoid", "tanh", "softsign"])
def test_delta_is_what_automatic_differentiation_gives(activation, output):
    torch = pytest.importorskip(
        "torch", reason='PyTorch is not installed: pip install "chemin[deep]"'
    )
    coefs, intercepts, X, targets = random_network(0)
    found = backpropagate(coefs, intercepts, activation, X, targets, output)
    functional = torch.nn.functional
    act = {"identity": lambda a: a, "softsign": functional.softsign}.get(activation)
    act = act or getattr(torch, activation)
    z, inputs = torch.tensor(X), []
    for W, b in zip(coefs, intercepts, strict=True):
        a = z @ torch.tensor(W) + torch.tensor(b)
        a.requires_grad_(True)
        a.retain_grad()
        inputs.append(a)
        z = act(a)
    T = torch.tensor(targets)
    loss = {
        "softmax": lambda a: functional.cross_entropy(a, T, reduction="sum"),
        "logistic": lambda a: functional.binary_cross_entropy_with_logits(a, T, reduction="sum"),
        "identity": lambda a: 0.5 * ((a - T) ** 2).sum(),
    }[output]
    loss(inputs[-1]).backward()
    for a, delta in zip(inputs, found, strict=True):
        assert np.abs(a.grad.numpy() - delta).max() < 1e-10


def test_delta_is_the_change_of_the_loss_by_finite_differences():
    coefs, intercepts, X, targets = random_network(1)
    deltas = backpropagate(coefs, intercepts, "tanh", X, targets, "logistic")

    def loss(intercepts):
        z = X
        for W, b in zip(coefs, intercepts, strict=True):
            a = z @ W + b
            z = np.tanh(a)
        p = expit(a)
        return -np.sum(targets * np.log(p) + (1 - targets) * np.log(1 - p))

    step = 1e-6
    for layer, delta in enumerate(deltas):
        for neuron in range(delta.shape[1]):
            moved = [b.copy() for b in intercepts]
            moved[layer][neuron] += step
            slope = (loss(moved) - loss(intercepts)) / step
            assert slope == pytest.approx(delta[:, neuron].sum(), abs=1e-4)


def deep(activation: str) -> MLPClassifier:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one pass, on purpose
        model = MLPClassifier((16,) * 6, activation=activation, max_iter=1, random_state=0)
        return model.fit(X, y), X, y


def test_sigmoids_vanish_and_rectifiers_do_not():
    sigmoid = trace_gradients(*deep("logistic"))
    rectifier = trace_gradients(*deep("relu"))
    assert sigmoid.ratio < 1e-3 < rectifier.ratio
    assert "vanishes" in str(sigmoid)
    assert "reaches the first one" in str(rectifier)
    assert sigmoid.factor == pytest.approx(sigmoid.ratio ** (1 / 5))
    assert (np.diff(sigmoid.meter) > 0).all()


def test_a_trace_is_a_table_and_a_picture():
    trace = trace_gradients(*deep("relu"))
    table = trace.frame()
    assert len(table) == 6 * 16 + 1
    assert table["layer"].iloc[-1] == "output"
    dead = (table["size"] == 0.0).sum()
    assert f"{dead} neuron" in str(trace)
    ax = trace.plot()
    assert ax.get_yscale() == "log"
    assert [tick.get_text() for tick in ax.get_xticklabels()][-1] == "output"


def test_numbers_and_three_classes_have_a_delta_for_every_output():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    options = {"hidden_layer_sizes": (4,), "solver": "lbfgs", "random_state": 0, "max_iter": 2000}
    numbers = MLPRegressor(activation="tanh", **options).fit(X, X[:, 0])
    trace = trace_gradients(numbers, X, X[:, 0])
    assert trace.layers[-1].delta[:, 0] == pytest.approx(numbers.predict(X) - X[:, 0])
    assert "cannot vanish" in str(trace)
    y = rng.integers(0, 3, 40)
    classes = MLPClassifier(activation="tanh", alpha=1.0, **options).fit(X, y)
    expected = classes.predict_proba(X) - np.eye(3)[y]
    assert trace_gradients(classes, X, y).layers[-1].delta == pytest.approx(expected)
    with pytest.raises(InvalidInputError, match=r"does not know: \[7\]"):
        trace_gradients(classes, X, np.full(40, 7))
    with pytest.raises(InvalidInputError, match="LinearRegression is no network"):
        trace_gradients(LinearRegression().fit(X, X[:, 0]), X, X[:, 0])
    with pytest.raises(ValueError, match="features as input"):
        trace_gradients(classes, X[:, :1], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        trace_gradients(classes, X, y[:1])


def test_networks_of_pytorch_have_the_same_delta():
    torch = pytest.importorskip(
        "torch", reason='PyTorch is not installed: pip install "chemin[deep]"'
    )
    from chemin.models.networks import ConvolutionalClassifier, NetworkClassifier

    rng = np.random.default_rng(0)
    X = rng.random((40, 36))
    y = np.array(["one", "three", "two"])[rng.integers(0, 3, 40)]
    model = NetworkClassifier((6, 5), activation="tanh", epochs=2, random_state=0).fit(X, y)
    few = y != "two"  # the last class is in none of the rows
    formulas = trace_gradients(model, X[few], y[few])
    by_torch = trace_gradients(model.network_, X[few], np.searchsorted(model.classes_, y[few]))
    for layer, other in zip(formulas.layers, by_torch.layers, strict=True):
        assert np.abs(layer.delta - other.delta).max() < 1e-10
    images = ConvolutionalClassifier(filters=(4, 3), epochs=1, random_state=0).fit(X, y)
    trace = trace_gradients(images, X, y)
    assert [layer.delta.shape[1] for layer in trace.layers] == [4, 4, 3, 3, 128, 3]
    assert trace.layers[-1].delta == pytest.approx(
        images.predict_proba(X) - (y[:, None] == images.classes_), abs=1e-6
    )
    assert not any(module._forward_hooks for module in images.network_.modules())
    in_place = torch.nn.Sequential(
        torch.nn.Linear(36, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 3)
    )
    assert len(trace_gradients(in_place, X, np.zeros(40, dtype=int)).layers) == 2
    with pytest.raises(InvalidInputError, match="let their weights require a gradient"):
        trace_gradients(in_place.requires_grad_(False), X, np.zeros(40, dtype=int))
