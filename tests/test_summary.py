"""Claims about the summary of a model: its facts are those of the model, told in text and in HTML."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold

import chemin
from chemin.datasets import TOYDATA1, toydata1
from chemin.estimators import KernelBasisClassifier, SparseSVC, SparseSVCCV
from chemin.kernels import Gaussian

KERNELS = [Gaussian(width).named(name) for name, width in TOYDATA1.widths.items()]
X, Y = toydata1(40)
WORDS = np.where(Y > 0, "plus", "minus")

MODELS = {
    "linear": SparseSVC(l1=1.0, standardize=True),
    "couples": KernelBasisClassifier(KERNELS, l1=2.0),
    "variables and couples": KernelBasisClassifier(l1=2.0, random_state=0),
    "l1 chosen": SparseSVCCV(cv=3, standardize=True),
    "empty": SparseSVC(l1=1e6),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_facts_are_those_of_the_model(name):
    model = MODELS[name].fit(X, WORDS)
    summary = model.summary()
    (machine,) = summary.machines
    columns = model.estimators_[0].columns_
    assert summary.classes == (("minus", 40), ("plus", 40))
    assert summary.n_terms == model.n_terms_ == len(summary.terms)
    assert machine.rows == len(X)
    assert machine.variables_offered == columns.n_variables
    assert machine.variables_kept + machine.couples_kept == model.n_terms_
    assert (machine.l1, machine.l2) == (model.l1_, model.l2_)
    assert machine.gap < 1e-9
    assert machine.status == str(model.path_.status)
    shares = [term.share for term in summary.terms]
    assert shares == sorted(shares, reverse=True)
    np.testing.assert_allclose(sum(shares), 1.0 if shares else 0.0)


@pytest.mark.parametrize("name", MODELS)
def test_text_and_page_tell_every_fact_and_term(name):
    summary = MODELS[name].fit(X, WORDS).summary()
    text, page = str(summary), summary._repr_html_()
    for fact, told in summary.facts():
        assert f"{fact} " in text
        assert told in text
        assert fact in page
    for term in summary.terms[:20]:
        assert term.name in text
        assert term.name in page
    assert repr(summary) == text
    assert text.splitlines()[0] == type(MODELS[name]).__name__


def test_the_gap_is_that_of_the_certificate():
    model = SparseSVC(l1=1.0).fit(X, WORDS)
    proof = chemin.certify(
        X, WORDS, model.coef_[0], model.intercept_[0], 1.0, 1.0, model.estimators_[0].dual_
    )
    np.testing.assert_allclose(model.summary().machines[0].gap, proof.worst_gap, atol=1e-15)


def test_what_cross_validation_found_is_told_with_a_caution():
    data = load_breast_cancer(as_frame=True)
    given = {"standardize": True, "cv": 3, "random_state": 0}
    model = SparseSVCCV(**given).fit(data.data[::2], data.target[::2])
    machine = model.summary().machines[0]
    assert machine.interval == model.cv_results_["interval"][0]
    assert machine.error == model.cv_results_["error"][0]
    told = dict(model.summary().facts())
    assert f"{100 * machine.error:.1f} % ± {100 * machine.standard_error:.1f} %" in told["CV error"]
    assert "the smallest of those compared, so a little optimistic" in told["CV error"]
    assert "is as good" in told["l1"]
    ranked = SparseSVCCV(scoring="roc_auc", rule="1se", **given).fit(
        data.data[::2], data.target[::2]
    )
    told = dict(ranked.summary().facts())["CV roc_auc"]
    assert told.startswith(f"{-ranked.cv_results_['error'][0]:.4g} ± ")
    assert "within one standard error" in told
    assert "CV error" not in dict(SparseSVC().fit(X, Y).summary().facts())


def test_several_machines_have_a_line_each_and_shares_are_means():
    points, labels = load_iris(return_X_y=True, as_frame=True)
    model = SparseSVC(l1=1.0, standardize=True).fit(points, labels)
    summary = model.summary()
    facts = dict(summary.facts())
    for number, name in enumerate(("0 vs 1", "0 vs 2", "1 vs 2")):
        kept = np.count_nonzero(model.coef_[number])
        assert facts[name].startswith(f"{kept} variable")
    assert facts["paths"] == "3 of 3 are complete"
    wanted = {name: 0.0 for name in points.columns}
    for number in range(3):
        reading = model.reading(number)
        for item, share in zip(reading.items, reading.shares, strict=True):
            wanted[item.name] += share / 3
    for term in summary.terms:
        np.testing.assert_allclose(term.share, wanted[term.name])
        assert term.coefficient is None
    assert "<table>" in summary._repr_html_()


def test_a_relaxed_model_says_so():
    model = SparseSVC(l1=1.0).fit(X, WORDS)
    assert "relax" not in dict(model.summary().facts())
    model = SparseSVC(l1=1.0, relax=0.25).fit(X, WORDS)
    facts = dict(model.summary().facts())
    assert (
        facts["relax"]
        == "0.25; the terms chosen at l1 are solved for again with l1 = 0.25 and l2 = 1"
    )
    assert float(facts["certificate"].split()[3]) < 1e-9


def test_of_many_terms_twenty_are_named_and_the_others_added_up():
    model = KernelBasisClassifier(Gaussian(0.5), l1=0.01).fit(X, WORDS)
    summary = model.summary()
    assert summary.n_terms > 20
    left = sum(term.share for term in summary.terms[20:])
    assert f"{summary.n_terms - 20} more terms, {100 * left:.1f} % together" in str(summary)


def test_points_that_weigh_nothing_are_not_counted():
    weight = np.ones(len(X))
    weight[:10] = 0.0
    summary = SparseSVC(l1=1.0).fit(X, WORDS, sample_weight=weight).summary()
    assert sum(count for _, count in summary.classes) == len(X) - 10


def test_an_unfinished_path_is_told():
    points, labels = load_iris(return_X_y=True)
    model = SparseSVC(l1=0.01, max_events=3)
    with pytest.warns(UserWarning, match="raise max_events"):
        model.fit(points, labels)
    summary = model.summary()
    short = [machine for machine in summary.machines if not machine.complete]
    assert short
    assert short[0].status in str(summary)


def test_nested_folds_judge_the_whole_choice():
    model = SparseSVCCV(cv=3).fit(X, WORDS)
    summary = model.summary(X, WORDS, folds=3)
    rows = StratifiedKFold(3, shuffle=True, random_state=0).split(X, WORDS)
    wrong = [np.mean(clone(model).fit(X[a], WORDS[a]).predict(X[b]) != WORDS[b]) for a, b in rows]
    assert summary.nested[0] == pytest.approx(np.mean(wrong))
    assert "without the points judged" in str(summary)
    assert model.summary().nested is None
