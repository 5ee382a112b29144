"""Claims about findings: what is planted is found under its code, and what is clean is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

import chemin
from chemin.exceptions import InvalidInputError
from chemin.exploration import CODES, check
from chemin.exploration.findings.checks import QUESTIONS
from chemin.exploration.findings.finding import SEVERITIES
from chemin.exploration.subject import as_subject

N = 300


def clean(seed: int = 0, n: int = N) -> pd.DataFrame:
    """Return a table in which there is nothing to find, with a target of two classes that others foretell in part."""
    drawing = np.random.default_rng(seed)
    age = drawing.normal(50.0, 10.0, n)
    weight = drawing.normal(70.0, 12.0, n)
    town = drawing.choice(["Lyon", "Nancy", "Metz"], n)
    chance = 1.0 / (1.0 + np.exp(-(age - 50.0) / 5.0))
    ill = np.where(drawing.random(n) < chance, "yes", "no")
    return pd.DataFrame({"age": age, "weight": weight, "town": town, "ill": ill})


def with_columns(**columns: Any) -> pd.DataFrame:
    return clean().assign(**columns)


def ill(data: pd.DataFrame) -> np.ndarray:
    return (data["ill"] == "yes").to_numpy()


def with_cells(column: str, rows: Any, value: Any) -> pd.DataFrame:
    data = clean()
    data.loc[rows, column] = value
    return data


def blank_rows() -> pd.DataFrame:
    data = clean()
    data.loc[[8, 9], ["age", "weight"]] = np.nan
    data.loc[[8, 9], "town"] = None
    return data


def drawing() -> np.random.Generator:
    return np.random.default_rng(7)


NOISE = np.random.default_rng(1).normal(size=N)
SOME = np.random.default_rng(2).random(N)


def rare(share: float) -> pd.DataFrame:
    data = clean(n=1000)
    kept = (data["ill"] == "no") | (np.arange(1000) < 1000 * share)
    return data[kept].reset_index(drop=True)


@dataclass(frozen=True)
class Planted:
    """A table with something in it, the code under which it is found, and the columns it is found in."""

    code: str
    data: Callable[[], Any]
    columns: tuple[str, ...] = ()
    target: Any = "ill"


PLANTED = {
    "the target under another name": Planted(
        "target-copy", lambda: with_columns(result=clean()["ill"].map({"yes": "P", "no": "N"})), ("result",)
    ),
    "the target as numbers": Planted("target-copy", lambda: with_columns(flag=ill(clean()).astype(int)), ("flag",)),
    "a target of numbers in other units": Planted(
        "target-copy", lambda: clean().assign(pounds=lambda d: 2.2046 * d["weight"]), ("pounds",), "weight"
    ),
    "the target and little noise": Planted(
        "leak", lambda: with_columns(marker=ill(clean()) + 0.1 * NOISE), ("marker",)
    ),
    "a flag that is wrong in two rows of a hundred": Planted(
        "leak", lambda: with_columns(treated=np.where(SOME < 0.02, ~ill(clean()), ill(clean())).astype(float)),
        ("treated",),
    ),
    "a word for each class and a few others": Planted(
        "leak",
        lambda: with_columns(
            ward=np.where(ill(clean()), drawing().choice(["A", "B"], N), drawing().choice(["C", "D", "E"], N))
        ),
        ("ward",),
    ),
    "gaps in one class only": Planted(
        "leak", lambda: with_columns(dose=np.where(ill(clean()), NOISE, np.nan)), ("dose",)
    ),
    "a date after which all are ill": Planted(
        "leak",
        lambda: with_columns(
            seen=pd.Timestamp("2024-01-01") + pd.to_timedelta((100 * ill(clean()) + 90 * SOME).round(), unit="D")
        ),
        ("seen",),
    ),
    "a target of numbers and little noise": Planted(
        "leak", lambda: clean().assign(scale=lambda d: d["weight"] + 0.1 * NOISE), ("scale",), "weight"
    ),
    "numbers given out class by class": Planted(
        "leak",
        lambda: with_columns(
            number=np.random.default_rng(3).permutation(N) + np.where(ill(clean()), 90_000, 10_000)
        ),
        ("number",),
    ),
    "one class": Planted("one-class", lambda: clean().assign(ill="no"), ("ill",)),
    "a class of three rows": Planted("tiny-class", lambda: with_cells("ill", [0, 1, 2], "perhaps"), ("ill",)),
    "infinite values": Planted("infinite", lambda: with_cells("age", [3, 5], np.inf), ("age",)),
    "a rare class": Planted("imbalance", lambda: rare(0.08), ("ill",)),
    "rows twice": Planted("duplicate-rows", lambda: pd.concat([clean(), clean()[:20]], ignore_index=True)),
    "equal rows of two classes": Planted(
        "contradiction",
        lambda: pd.concat([clean(), clean()[:6].assign(ill=lambda d: np.where(d["ill"] == "yes", "no", "yes"))]),
    ),
    "a column twice": Planted("duplicate-columns", lambda: clean().assign(years=lambda d: d["age"]), ("years",)),
    "other words for the same": Planted(
        "duplicate-columns",
        lambda: clean().assign(code=lambda d: d["town"].map({"Lyon": 69, "Nancy": 54, "Metz": 57})), ("code",),
    ),
    "other units": Planted(
        "duplicate-columns", lambda: clean().assign(pounds=lambda d: 2.2 * d["weight"] + 1e-4 * NOISE), ("pounds",)
    ),
    "the same in the other direction": Planted(
        "duplicate-columns", lambda: clean().assign(left=lambda d: 1.0 / d["weight"]), ("left",)
    ),
    "-1 for a gap": Planted(
        "missing-code", lambda: with_columns(visits=np.where(SOME < 0.1, -1, drawing().poisson(30.0, N))), ("visits",)
    ),
    "999 for a gap": Planted("missing-code", lambda: with_cells("weight", list(range(0, 60, 10)), 999.0), ("weight",)),
    "postcodes": Planted(
        "number-code", lambda: with_columns(zip=drawing().choice([54000, 57000, 69001, 69002], N)), ("zip",)
    ),
    "codes without a name": Planted(
        "number-code", lambda: with_columns(v7=drawing().choice([1, 2, 5, 9, 14], N)), ("v7",)
    ),
    "gaps that go with the target": Planted(
        "missing-with-target", lambda: with_columns(test=np.where(ill(clean()) & (SOME < 0.6), np.nan, NOISE)),
        ("test",),
    ),
    "one value far away": Planted("outlier", lambda: with_cells("age", 17, 500.0), ("age",)),
    "three values far away": Planted(
        "outlier", lambda: with_cells("weight", [1, 2, 3], [-300.0, 700.0, 710.0]), ("weight",)
    ),
    "more columns than rows": Planted("few-rows", lambda: np.random.default_rng(0).normal(size=(30, 80)), (), None),
    "rows sorted by the target": Planted("sorted-by-target", lambda: clean().sort_values("ill")),
    "rows sorted by a target of numbers": Planted("sorted-by-target", lambda: clean().sort_values("age"), (), "age"),
    "dates that rise": Planted(
        "time-order", lambda: with_columns(day=pd.date_range("2023-05-01", periods=N, freq="D")), ("day",)
    ),
    "a drift": Planted("drift", lambda: with_columns(sensor=np.arange(N) / 50.0 + NOISE), ("sensor",)),
    "words in two ways": Planted("similar-words", lambda: with_cells("town", [4, 9], "nancy "), ("town",)),
    "as many words as rows, nearly": Planted(
        "many-words", lambda: with_columns(street=[f"street {k // 2}" for k in range(N)]), ("street",)
    ),
    "rows of gaps": Planted(
        "blank-row", blank_rows
    ),
    "gaps": Planted("missing", lambda: with_cells("age", list(range(0, 300, 9)), np.nan), ("age",)),
    "gaps in the same rows": Planted(
        "missing-together",
        lambda: with_columns(a=np.where(SOME < 0.2, np.nan, NOISE), b=np.where(SOME < 0.2, np.nan, SOME)), ("b",),
    ),
    "nothing but gaps": Planted("empty", lambda: with_columns(spare=np.nan), ("spare",)),
    "one value": Planted("constant", lambda: with_columns(site="Nancy", kind=3.0), ("site", "kind")),
    "one value in all rows but two": Planted(
        "nearly-constant", lambda: with_columns(flag=np.where(np.arange(N) < 2, 1.0, 0.0)), ("flag",)
    ),
    "row numbers": Planted("identifier", lambda: with_columns(row=np.arange(N)), ("row",)),
    "names": Planted("identifier", lambda: with_columns(patient=[f"P{k:04d}" for k in range(N)]), ("patient",)),
    "numbers that rise": Planted(
        "identifier", lambda: with_columns(file=np.cumsum(drawing().integers(1, 9, N))), ("file",)
    ),
    "spreads apart": Planted("scales", lambda: with_columns(income=40_000.0 + 20_000.0 * NOISE), ("income", "age")),
    "sentences": Planted(
        "sentences", lambda: with_columns(note=[f"seen on day {k} of the trial, no {k % 7} fever" for k in range(N)]),
        ("note",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found(name):
    planted = PLANTED[name]
    found = check(planted.data(), planted.target)
    assert planted.code in found, str(found)
    assert set(planted.columns) <= set(found[planted.code].columns)


def test_every_code_is_planted_here():
    assert {planted.code for planted in PLANTED.values()} == set(CODES)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_found_where_there_is_nothing(seed):
    assert [finding.code for finding in check(clean(seed), "ill")] == []
    assert [finding.code for finding in check(clean(seed), "age")] == []


LAWS = {
    "normal": lambda r, n: r.normal(size=n),
    "lognormal": lambda r, n: r.lognormal(size=n),
    "exponential": lambda r, n: r.exponential(size=n),
    "uniform": lambda r, n: r.random(n),
    "counts": lambda r, n: r.poisson(4.0, n).astype(float),
    "many zeros": lambda r, n: np.where(r.random(n) < 0.7, 0.0, r.exponential(size=n)),
    "few words": lambda r, n: r.choice(["a", "b", "c"], n),
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [40, 200, 2000])
def test_columns_of_any_law_are_neither_leaks_nor_copies(seed, n):
    drawing = np.random.default_rng(seed)
    data = pd.DataFrame({name: law(drawing, n) for name, law in LAWS.items()})
    for target in (drawing.integers(3, size=n), data["normal"] + drawing.normal(size=n)):
        found = check(data, target)
        for code in (
            "leak",
            "target-copy",
            "duplicate-columns",
            "number-code",
            "missing-code",
            "identifier",
        ):
            assert code not in found, str(found[code])


@pytest.mark.parametrize(("n", "p"), [(30, 500), (80, 3000)])
def test_few_rows_of_many_columns_are_no_leaks(n, p):
    drawing = np.random.default_rng(n)
    found = check(drawing.normal(size=(n, p)), drawing.integers(2, size=n))
    assert "few-rows" in found
    assert "leak" not in found
    assert "target-copy" not in found


@pytest.mark.parametrize("name", ["breast-cancer", "digits", "iris", "wine", "diabetes"])
def test_real_data_have_no_leak(name):
    found = check(chemin.read(name))
    assert "leak" not in found
    assert "target-copy" not in found


@pytest.mark.parametrize("seed", range(4))
def test_a_good_variable_is_no_leak_on_parts_of_the_rows_either(seed):
    iris = load_iris(as_frame=True)
    X, _, y, _ = train_test_split(
        iris.data, iris.target.astype(str), test_size=0.2, random_state=seed, stratify=iris.target
    )
    assert "leak" not in check(X, y)


def test_names_of_rows_that_begin_with_the_class_are_no_leak():
    table = clean().assign(
        file=lambda d: [f"{word}/{row}.png" for row, word in enumerate(d["ill"])]
    )
    found = check(table, "ill")
    assert found["identifier"].columns == ("file",)
    assert "leak" not in found


def test_a_leak_is_found_among_thousands_of_columns():
    drawing = np.random.default_rng(0)
    y = drawing.integers(2, size=72)
    X = drawing.normal(size=(72, 3000))
    X[:, 5:9] += 2.0 * y[:, None]  # genes that tell much, and not all
    X[:, 1234] = y + 0.05 * drawing.normal(size=72)
    assert check(pd.DataFrame(X).add_prefix("x"), y)["leak"].columns == ("x1234",)


GAPPED = {
    "two classes": lambda y, r: np.where(r.random(len(y)) < 0.3, np.nan, y),
    "and a little noise": lambda y, r: np.where(
        r.random(len(y)) < 0.5, np.nan, y + 0.01 * r.normal(size=len(y))
    ),
}


@pytest.mark.parametrize("n", [60, 400, 4000])
@pytest.mark.parametrize("leak", GAPPED)
def test_a_leak_with_gaps_is_found(leak, n):
    r = np.random.default_rng(n)
    y = r.integers(2, size=n)
    found = check({"a": r.normal(size=n), "z": GAPPED[leak](y, r)}, y.astype(str))
    assert "z" in {
        column
        for code in ("leak", "target-copy")
        if code in found
        for column in found[code].columns
    }


def test_a_copy_with_gaps_of_its_own_is_a_copy():
    data = clean().assign(again=lambda d: d["age"].where(SOME > 0.2))
    assert check(data, "ill")["duplicate-columns"].columns == ("again",)


def test_zero_among_large_numbers_is_a_gap_and_zero_among_small_ones_is_not():
    r = np.random.default_rng(0)
    pressure = np.where(r.random(500) < 0.05, 0.0, r.normal(72.0, 12.0, 500).round())
    rain = np.where(r.random(500) < 0.4, 0.0, r.exponential(size=500))
    found = check({"pressure": pressure, "rain": rain})
    assert found["missing-code"].columns == ("pressure",)


HEAVY = {
    "normal": lambda r, n: r.normal(size=n),
    "exponential": lambda r, n: r.exponential(size=n),
    "log-normal": lambda r, n: r.lognormal(size=n),
    "counts": lambda r, n: r.poisson(3.0, n).astype(float),
}


@pytest.mark.parametrize("law", HEAVY)
@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_the_end_of_a_tail_is_seldom_called_an_outlier(law, n):
    columns = np.column_stack([HEAVY[law](np.random.default_rng(k), n) for k in range(60)])
    found = check(columns)
    assert len(found["outlier"].columns if "outlier" in found else ()) <= 9


COUNTED = {
    "counts": (np.random.default_rng(0).poisson(4.0, 2000), False),
    "digits": (np.random.default_rng(0).integers(10, size=2000), True),
    "a rare class": (np.where(np.arange(2000) < 10, 1, 0), True),
    "as many values as rows": (np.arange(20), False),
    "halves": (np.arange(60) % 4 / 2.0, False),
    "words": (np.array(["a", "b", "c"] * 20), True),
}


@pytest.mark.parametrize("target", COUNTED)
def test_whole_numbers_are_classes_where_none_is_rare(target):
    y, classes = COUNTED[target]
    assert as_subject(np.random.default_rng(0).normal(size=(len(y), 2)), y).has_classes is classes


def test_a_target_of_numbers_is_what_the_reader_was_told():
    data = pd.DataFrame({"x": np.arange(60.0) ** 2, "grade": np.arange(60) % 3})
    assert as_subject(data, "grade").has_classes
    assert not as_subject(chemin.read(data, target="grade", types={"grade": "number"})).has_classes
    assert as_subject(chemin.read(data, target="grade", types={"grade": "category"})).has_classes


def test_a_target_with_an_index_follows_the_rows():
    data = clean()
    shuffled = data["ill"].sample(frac=1.0, random_state=0)
    assert "leak" not in check(data.drop(columns="ill"), shuffled)
    y = as_subject(data.drop(columns="ill"), shuffled).target.values
    assert (y == data["ill"].to_numpy()).all()
    with pytest.raises(InvalidInputError, match="different indices"):
        check(data, shuffled.iloc[:-1])


def test_findings_tell_the_rows_as_they_were_given():
    data = with_cells("age", 217, 500.0)
    assert check(data, "ill", rows=slice(200, 300))["outlier"].rows == (217,)
    assert "outlier" not in check(data, "ill", rows=slice(0, 200))


def test_findings_come_with_severity_evidence_and_remedy():
    found = check(PLANTED["postcodes"].data(), "ill")
    finding = found["number-code"]
    assert finding.severity in SEVERITIES
    assert "'zip'" in str(finding)
    assert finding.remedy.endswith(".")
    frame = found.frame()
    assert frame.loc[frame["code"] == "number-code", "column"].tolist() == ["zip"]


def test_each_question_passed_found_or_was_not_put():
    found = check(clean())
    told = [
        *(f.code for f in found),
        *(c.code for c in found.passed),
        *(c.code for c in found.skipped),
    ]
    assert sorted(told) == sorted(CODES)
    assert {c.code for c in found.skipped} == {q.code for q in QUESTIONS if q.needs}
    assert "no target was named" in str(found)


def test_a_muted_question_is_not_put():
    data = with_columns(site="Nancy")
    found = check(data, "ill", mute=["constant"])
    assert "constant" not in found
    assert ("constant", "muted") in [(c.code, c.why_not) for c in found.skipped]
    with pytest.raises(InvalidInputError, match="pass some of"):
        check(data, mute=["boredom"])


def test_the_most_serious_comes_first():
    data = with_columns(site="Nancy", flag=ill(clean()).astype(int))
    ranks = [SEVERITIES.index(finding.severity) for finding in check(data, "ill")]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0


def test_many_rows_are_sampled_and_said_so():
    found = check(np.random.default_rng(0).normal(size=(20_000, 5)), budget=1e-3)
    assert "drawn at random" in found.said
