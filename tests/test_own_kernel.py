"""Claims about kernels of one's own: the example of the documentation runs, and its models are saved and loaded."""

from __future__ import annotations

import importlib.util
import pathlib
import sys

import numpy as np
import pandas as pd
import pytest

import chemin
from chemin.exceptions import InvalidInputError
from chemin.kernels import Function, Gaussian, is_positive

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("own_kernel", EXAMPLES / "own_kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_kernel"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["own_kernel"]


def test_it_is_a_kernel(example):
    kernel = example.Pieces(2)
    texts = ["TATA", "TAT", "GG", ""]
    values = kernel(texts, texts)
    np.testing.assert_allclose(np.diag(values), kernel.diagonal(texts))
    np.testing.assert_allclose(values, values.T)
    assert is_positive(kernel, texts)
    assert (str(kernel), kernel == example.Pieces(2)) == ("Pieces(length=2)", True)


def test_its_model_is_saved_for_those_who_know_it(example, tmp_path):
    X, y = example.sequences(60)
    new, truth = example.sequences(60, seed=1)
    kernels = [example.Pieces(3) + example.Pieces(5), example.Pieces(4).named("four")]
    model = chemin.KernelBasisClassifier(kernels, l1=0.5).fit(X, y)
    assert model.score(new, truth) > 0.9
    chemin.save(model, tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match=r"own_kernel\.Pieces.*trusted="):
        chemin.load(tmp_path / "model.skops")
    again = chemin.load(tmp_path / "model.skops", trusted=["own_kernel.Pieces"])
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    assert str(again.explain(new[:1])[0]) == str(model.explain(new[:1])[0])


def test_the_example_runs(example, capsys):
    example.main()
    assert "the same decisions: True" in capsys.readouterr().out


def common(X, Z):
    return [[len(set(x.split()) & set(z.split())) for z in Z] for x in X]


def test_a_function_compares_the_texts_of_a_column():
    table = chemin.read("patients", target="diagnostic")
    X = table.X[["observation", "âge"]].assign(observation=table.X["observation"].fillna(""))
    kernels = [Function(common).on("observation"), Gaussian(10).on("âge")]
    model = chemin.KernelBasisClassifier(kernels, l1=5.0).fit(X, table.y)
    assert model.score(X, table.y) > 0.85
    assert "in observation" in str(model.explain(X[:1])[0])


@pytest.mark.parametrize("kind", [list, np.array, pd.Series], ids=["list", "array", "Series"])
def test_a_function_compares_a_list_of_texts(kind):
    texts = ["forte douleur", "aucune douleur", "toux grasse", "toux sèche"] * 5
    labels = ["cœur", "cœur", "poumon", "poumon"] * 5
    model = chemin.KernelBasisClassifier(common, l1=0.5).fit(kind(texts), labels)
    assert model.predict(kind(["vive douleur", "petite toux"])).tolist() == ["cœur", "poumon"]


def test_a_function_of_numbers_is_given_numbers():
    seen = []

    def product(X, Z):
        seen.append((X.dtype, X.ndim))
        return X @ Z.T

    X = np.random.default_rng(0).normal(size=(30, 2))
    chemin.KernelBasisClassifier(product, l1=0.5).fit(X, X[:, 0] > 0)
    assert set(seen) == {(np.dtype(float), 2)}
