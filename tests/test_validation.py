"""Claims: what means the same gives the same problem, and what is wrong is refused with a remedy, before any work."""

from __future__ import annotations

import datetime
import decimal
import fractions
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from chemin.dictionaries import DenseDictionary, SparseDictionary
from chemin.exceptions import CheminError, EngineError, InvalidInputError, OutOfRangeError
from chemin.validation import (
    as_dictionary,
    as_labels,
    as_problem,
    as_weights,
    check_max_events,
    check_min_l1,
)

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, -3.0], [4.0, 5.0, 0.0], [0.0, 1.0, 1.0]])
Y = np.array([-1, 1, 1, -1])
NAMES = ["age", "size", "7"]


def pandas():
    return pytest.importorskip("pandas")


def polars():
    return pytest.importorskip("polars")


def frame(**columns):
    return pandas().DataFrame(columns)


def nullable(values, dtype):
    return pandas().array(values, dtype=dtype)


def variable_width(values):
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("NumPy 2 brings strings of variable width")
    return np.array(values, dtype=np.dtypes.StringDType())


def masked(values, mask):
    return np.ma.array(values, mask=mask)


# ---- What is accepted ----

DENSE = {
    "C order": lambda: X,
    "Fortran order": lambda: np.asfortranarray(X),
    "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "swapped bytes": lambda: X.astype(">f8"),
    "float32": lambda: X.astype(np.float32),
    "float16": lambda: X.astype(np.float16),
    "longdouble": lambda: X.astype(np.longdouble),
    "int8": lambda: X.astype(np.int8),
    "int64": lambda: X.astype(np.int64),
    "list of lists": X.tolist,
    "list of arrays": lambda: list(X),
    "tuple of tuples": lambda: tuple(map(tuple, X.tolist())),
    "objects": lambda: X.astype(object),
    "decimals": lambda: np.array([[decimal.Decimal(v) for v in row] for row in X.tolist()]),
    "mask that hides nothing": lambda: masked(X, False),
    "NumPy matrix": lambda: X.view(np.matrix),
    "array interface": type("Box", (), {"__array__": lambda self, dtype=None, copy=None: X}),
    "DenseDictionary": lambda: DenseDictionary(X),
}
SPARSE = {
    f"{form}_{kind}": lambda form=form, kind=kind: getattr(sparse, f"{form}_{kind}")(X)
    for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for kind in ("array", "matrix")
} | {
    "csc of int": lambda: sparse.csc_array(X.astype(np.int32)),
    "csr of float32": lambda: sparse.csr_array(X.astype(np.float32)),
    "SparseDictionary": lambda: SparseDictionary(sparse.csc_array(X)),
}
FRAMES = {
    "pandas": lambda: pandas().DataFrame(X, columns=NAMES),
    "pandas, a name that is a number": lambda: pandas().DataFrame(X, columns=["age", "size", 7]),
    "pandas, several types": lambda: (
        pandas().DataFrame(X, columns=NAMES).astype({"age": "int8", "size": "float32"})
    ),
    "pandas, nullable": lambda: (
        pandas().DataFrame(X, columns=NAMES).astype({"age": "Int64", "size": "Float32"})
    ),
    "pandas, objects": lambda: pandas().DataFrame(X, columns=NAMES, dtype=object),
    "pandas, another index": lambda: pandas().DataFrame(X, columns=NAMES, index=list("dcba")),
    "polars": lambda: polars().DataFrame(X, schema=NAMES),
    "polars, several types": lambda: (
        polars().DataFrame(X, schema=NAMES).cast({"age": polars().Int16})
    ),
}


@pytest.mark.parametrize(
    "make", (DENSE | SPARSE | FRAMES).values(), ids=(DENSE | SPARSE | FRAMES).keys()
)
def test_the_same_table_gives_the_same_problem(make):
    table = make()
    problem, classes = as_problem(table, Y, 2, None, [1, 0, 2])
    data = problem.dictionary.data
    dense = data.toarray() if sparse.issparse(data) else data
    assert data.dtype == np.float64
    assert np.array_equal(dense, X)
    assert problem.label.tolist() == [-1.0, 1.0, 1.0, -1.0]
    assert problem.weight.tolist() == [1.0] * 4
    assert problem.l1_weight.tolist() == [1.0, 0.0, 2.0]
    assert (problem.l2, type(problem.l2)) == (2.0, float)
    assert classes.tolist() == [-1, 1]


@pytest.mark.parametrize("make", DENSE.values(), ids=DENSE.keys())
def test_dense_tables_become_c_ordered_arrays_without_names(make):
    dictionary = as_dictionary(make())
    assert isinstance(dictionary, DenseDictionary)
    assert type(dictionary.data) is np.ndarray
    assert dictionary.data.flags.c_contiguous
    assert dictionary.names is None


@pytest.mark.parametrize("make", SPARSE.values(), ids=SPARSE.keys())
def test_sparse_tables_become_canonical_csc_arrays(make):
    dictionary = as_dictionary(make())
    assert isinstance(dictionary, SparseDictionary)
    assert isinstance(dictionary.data, sparse.csc_array)
    assert dictionary.data.has_canonical_format


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_frames_keep_their_column_names_as_text(make):
    dictionary = as_dictionary(make())
    assert dictionary.data.flags.c_contiguous
    assert dictionary.names.dtype.kind == "U"
    assert dictionary.names.tolist() == NAMES


def test_booleans_become_zeros_and_ones():
    expected = [[1.0, 0.5], [0.0, 2.0]]
    columns = {"flag": [True, False], "x": [0.5, 2.0]}
    assert as_dictionary(frame(**columns)).data.tolist() == expected
    assert as_dictionary(polars().DataFrame(columns)).data.tolist() == expected
    assert (
        as_dictionary(frame(flag=nullable([True, False], "boolean"), x=[0.5, 2.0])).data.tolist()
        == expected
    )
    assert as_dictionary(np.array([[True, False]])).data.tolist() == [[1.0, 0.0]]


def test_a_float_array_and_a_csc_array_are_not_copied():
    assert as_dictionary(X).data is X
    table = sparse.csc_array(X)
    assert np.shares_memory(as_dictionary(table).data.data, table.data)


def test_a_dictionary_passes_through():
    dictionary = DenseDictionary(X)
    assert as_dictionary(dictionary) is dictionary


def test_entries_at_hand_are_copied_at_most_once():
    assert DenseDictionary(X).at_hand() is X
    columns = DenseDictionary(np.asfortranarray(X))
    whole = columns.at_hand()
    assert whole.flags.c_contiguous
    np.testing.assert_array_equal(whole, X)
    assert columns.at_hand() is whole
    assert not columns.data.flags.c_contiguous
    assert set(vars(pickle.loads(pickle.dumps(columns)))) == {"data", "names"}


def test_duplicate_sparse_entries_are_summed_in_a_copy():
    table = sparse.csc_array(
        (np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(2, 1)
    )
    assert as_dictionary(table).data.toarray().tolist() == [[2.0], [5.0]]
    assert table.data.tolist() == [1.0, 2.0, 4.0]
    assert table.indices.tolist() == [1, 0, 1]


def test_a_huge_sparse_table_is_never_made_dense():
    table = sparse.coo_array(([1.0], ([3], [5])), shape=(10**7, 10**6))
    assert as_dictionary(table).data.nnz == 1


def test_a_pandas_frame_of_sparse_columns_stays_sparse():
    dummies = pandas().get_dummies(pandas().Series(list("abca"), name="letter"), sparse=True)
    dictionary = as_dictionary(dummies)
    assert isinstance(dictionary, SparseDictionary)
    assert dictionary.names.tolist() == ["a", "b", "c"]
    assert np.array_equal(dictionary.data.toarray(), dummies.to_numpy().astype(float))


def test_sparse_columns_beside_dense_ones_are_read_too():
    table = frame(a=pandas().arrays.SparseArray([0, 1]), b=[2.0, 3.0])
    assert as_dictionary(table).data.tolist() == [[0.0, 2.0], [1.0, 3.0]]


LABELS = {
    "numbers": (lambda: [3, 7, 7, 3], [3, 7]),
    "floats": (lambda: np.array([0.5, 1.5, 1.5, 0.5]), [0.5, 1.5]),
    "list of strings": (lambda: ["a", "b", "b", "a"], ["a", "b"]),
    "array of strings": (lambda: np.array(["a", "b", "b", "a"]), ["a", "b"]),
    "array of string objects": (lambda: np.array(["a", "b", "b", "a"], dtype=object), ["a", "b"]),
    "the text nan": (lambda: ["a", "nan", "nan", "a"], ["a", "nan"]),
    "variable-width strings": (lambda: variable_width(["a", "b", "b", "a"]), ["a", "b"]),
    "bytes": (lambda: [b"a", b"b", b"b", b"a"], [b"a", b"b"]),
    "booleans": (lambda: [False, True, True, False], [False, True]),
    "tuple": (lambda: (0, 1, 1, 0), [0, 1]),
    "unsigned": (lambda: np.array([0, 255, 255, 0], dtype=np.uint8), [0, 255]),
    "pandas": (lambda: pandas().Series(["a", "b", "b", "a"], index=list("wxyz")), ["a", "b"]),
    "pandas categorical": (
        lambda: pandas().Series(["a", "b", "b", "a"], dtype="category"),
        ["a", "b"],
    ),
    "pandas nullable": (lambda: pandas().Series([1, 2, 2, 1], dtype="Int64"), [1, 2]),
    "pandas nullable boolean": (
        lambda: pandas().Series([False, True, True, False], dtype="boolean"),
        [False, True],
    ),
    "pandas index": (lambda: pandas().Index([1, 2, 2, 1]), [1, 2]),
    "polars": (lambda: polars().Series(["a", "b", "b", "a"]), ["a", "b"]),
    "polars categorical": (
        lambda: polars().Series(["a", "b", "b", "a"], dtype=polars().Categorical),
        ["a", "b"],
    ),
    "polars boolean": (lambda: polars().Series([False, True, True, False]), [False, True]),
}


@pytest.mark.parametrize(("make", "expected"), LABELS.values(), ids=LABELS.keys())
def test_any_two_labels_become_minus_and_plus_one(make, expected):
    label, classes = as_labels(make(), 4)
    assert label.dtype == np.float64
    assert label.tolist() == [-1.0, 1.0, 1.0, -1.0]
    assert classes.tolist() == expected
    assert isinstance(classes[0], bytes) or classes.dtype != object


def test_categories_are_sorted_whatever_their_own_order():
    y = pandas().Categorical(["low", "high"], categories=["low", "high"], ordered=True)
    label, classes = as_labels(y, 2)
    assert (label.tolist(), classes.tolist()) == ([1.0, -1.0], ["high", "low"])


@given(st.lists(st.sampled_from(["yes", "no"]), min_size=2).filter(lambda y: len(set(y)) == 2))
def test_labels_find_their_way_back_to_classes(y):
    label, classes = as_labels(y, len(y))
    assert classes[(label > 0).astype(int)].tolist() == y


WEIGHTS = {
    "ints": lambda: [0, 2, 1],
    "tuple": lambda: (0.0, 2.0, 1.0),
    "float32": lambda: np.array([0, 2, 1], dtype=np.float32),
    "objects": lambda: np.array([0, 2, decimal.Decimal(1)]),
    "pandas": lambda: pandas().Series([0, 2, 1], dtype="Int64"),
    "polars": lambda: polars().Series([0, 2, 1]),
}


@pytest.mark.parametrize("make", WEIGHTS.values(), ids=WEIGHTS.keys())
def test_weights_become_floats(make):
    weight = as_weights(make(), 3, "sample_weight")
    assert weight.dtype == np.float64
    assert weight.tolist() == [0.0, 2.0, 1.0]


def test_weights_do_not_follow_later_changes_of_the_caller():
    given_weight = np.ones(3)
    weight = as_weights(given_weight, 3, "sample_weight")
    given_weight[:] = -1.0
    assert weight.tolist() == [1.0, 1.0, 1.0]


def test_no_column_needs_an_l1_weight():
    problem, _ = as_problem(X, Y, 1.0, None, np.zeros(3))
    assert not problem.l1_weight.any()


@pytest.mark.parametrize(
    "value", [0, 2, 0.5, np.float32(0.5), np.int8(3), fractions.Fraction(1, 2)]
)
def test_real_numbers_are_parameters(value):
    assert as_problem(X, Y, value)[0].l2 == float(value)
    assert check_min_l1(value) == float(value)


@pytest.mark.parametrize(("value", "expected"), [(None, None), (1, 1), (np.int64(5), 5)])
def test_events_are_counted_or_unlimited(value, expected):
    assert check_max_events(value) == expected


# ---- What is refused: (input, words that the message must hold, remedy included) ----

DAY = datetime.date(2020, 1, 1)
HOLE = X.copy()
HOLE[2, 1], HOLE[1, 2], HOLE[3, 0] = np.nan, np.inf, -np.inf
HOLES = ["1 NaN", "2 infinite", "row 1, column 2", "SimpleImputer", "drop"]
ENCODE = ["make_pipeline(chemin.Prepare(), estimator)", "drop"]
MISSING = ["1 NaN", "row 1, column 'v'", "SimpleImputer"]

BAD_TABLES = {
    "NaN and infinite": (lambda: HOLE, HOLES),
    "NaN and infinite, sparse": (lambda: sparse.csr_array(HOLE), HOLES),
    "NaN in pandas": (lambda: frame(u=[1.0, 2.0], v=[1.0, np.nan]), MISSING),
    "NA in pandas": (lambda: frame(u=[1.0, 2.0], v=nullable([1, None], "Int64")), MISSING),
    "NA in pandas booleans": (
        lambda: frame(u=[1.0, 2.0], v=nullable([True, None], "boolean")),
        MISSING,
    ),
    "None in pandas objects": (lambda: frame(u=[1.0, 2.0], v=np.array([1, None])), MISSING),
    "NA in pandas objects": (
        lambda: frame(u=[1, 2], v=nullable([1, pandas().NA], object)),
        MISSING,
    ),
    "null in polars": (lambda: polars().DataFrame({"u": [1, 2], "v": [3, None]}), MISSING),
    "null in polars booleans": (
        lambda: polars().DataFrame({"u": [1, 2], "v": [True, None]}),
        MISSING,
    ),
    "nothing but null": (
        lambda: polars().DataFrame({"v": [None, None]}),
        ["2 NaN", "'v'", "SimpleImputer"],
    ),
    "None in a list": (lambda: [[1.0, None]], ["1 NaN", "row 0, column 1", "SimpleImputer"]),
    "hidden by a mask": (lambda: masked(X, X == 5), ["1 NaN", "row 2, column 1", "SimpleImputer"]),
    "too large for float64": (
        lambda: np.array([[np.longdouble(10) ** 4000]]),
        ["1 infinite", "drop"],
    ),
    "an integer too large": (lambda: np.array([[10**400]]), ["0 (int too large", "drop"]),
    "text": (lambda: np.array([["a", "b"]]), ["<U1", *ENCODE]),
    "text in a list": (lambda: [[1, "a"]], ["<U", *ENCODE]),
    "numeric text": (lambda: [["1", "2"]], ["numeric text"]),
    "numeric text as objects": (
        lambda: np.array([["1", 2]], dtype=object),
        ["0 (str", "numeric text"],
    ),
    "variable-width text": (lambda: variable_width([["a"]]), ["String", *ENCODE]),
    "objects": (
        lambda: np.array([[1.0, {}]]),
        ["1 column(s)", "1 (float() argument", "'dict'", *ENCODE],
    ),
    "text in pandas": (
        lambda: frame(u=[1], city=["Paris"]),
        ["1 column(s)", "'city' (String", *ENCODE],
    ),
    "text among pandas objects": (
        lambda: frame(u=[1, 2], v=np.array([1, "a"], dtype=object)),
        ["'v' (", *ENCODE],
    ),
    "category in pandas": (
        lambda: frame(v=pandas().Categorical([1, 2])),
        ["'v' (Categorical", *ENCODE],
    ),
    "missing category": (
        lambda: frame(v=pandas().Categorical(["a", None])),
        ["'v' (Categorical", *ENCODE],
    ),
    "text in polars": (
        lambda: polars().DataFrame({"city": ["Paris"]}),
        ["'city' (String", *ENCODE],
    ),
    "lists in polars": (
        lambda: polars().DataFrame({"v": [[1], [2]]}),
        ["'v' (List", "drop"],
    ),
    "date in pandas": (
        lambda: frame(day=pandas().to_datetime(["2020-01-01"])),
        ["'day' (Datetime", "dates"],
    ),
    "duration in pandas": (
        lambda: frame(v=pandas().to_timedelta([1])),
        ["'v' (Duration", "dates"],
    ),
    "period in pandas": (
        lambda: frame(v=pandas().period_range("2020", periods=1)),
        ["'v' (", "dates"],
    ),
    "date in polars": (lambda: polars().DataFrame({"day": [DAY]}), ["'day' (Date", "dates"]),
    "date": (
        lambda: np.array([["2020-01-01"]], dtype="datetime64[D]"),
        ["datetime64", "dates"],
    ),
    "date among objects": (lambda: np.array([[1, DAY]]), ["1 (", "dates"]),
    "many texts": (
        lambda: frame(**{f"c{j}": ["a"] for j in range(9)}),
        ["9 column(s)", "'c4'", ", ...", *ENCODE],
    ),
    "complex": (lambda: X + 1j, ["Complex data not supported", "X.real"]),
    "complex, sparse": (lambda: sparse.csr_array(X + 1j), ["Complex data not supported", "X.real"]),
    "complex in pandas": (lambda: frame(u=[1.0], v=[1j]), ["Complex data not supported", "X.real"]),
    "complex objects": (lambda: np.array([[1, 1j]], dtype=object), ["1 (complex", "drop"]),
    "one row": (lambda: X[0], ["1-D", "(3,)", "X.reshape(-1, 1)", "X.reshape(1, -1)"]),
    "one row, sparse": (lambda: sparse.coo_array(X[0]), ["1-D", "X.reshape(-1, 1)"]),
    "Series": (lambda: pandas().Series([1.0, 2.0]), ["1-D", "X.reshape(-1, 1)"]),
    "cube": (lambda: np.ones((2, 3, 4)), ["3-D", "(2, 3, 4)", "X.reshape(len(X), -1)"]),
    "None": (lambda: None, ["0-D", "pass a 2-D array"]),
    "lazy frame": (lambda: polars().LazyFrame({"v": [1.0]}), ["0-D", "collect"]),
    "ragged": (lambda: [[1.0], [1.0, 2.0]], ["cannot be read", "same length"]),
    "repeated names": (
        lambda: pandas().DataFrame(X, columns=["u", "u", "v"]),
        ["same name, 'u'", "name of its own"],
    ),
    "no row": (lambda: np.ones((0, 3)), ["0 sample(s) (shape=(0, 3))", "minimum of 1", "selected"]),
    "no column": (
        lambda: np.ones((3, 0)),
        ["0 feature(s) (shape=(3, 0))", "minimum of 1", "selected"],
    ),
    "no column, sparse": (
        lambda: sparse.csr_array((3, 0)),
        ["0 feature(s) (shape=(3, 0))", "selected"],
    ),
    "no column, pandas": (
        lambda: pandas().DataFrame(index=[0, 1]),
        ["0 feature(s) (shape=(2, 0))", "selected"],
    ),
    "no row, dictionary": (lambda: DenseDictionary(np.ones((0, 3))), ["0 sample(s)", "selected"]),
}

DROP_ROWS = ["missing", "row 1", "drop them from X and y"]
BAD_LABELS = {
    "too short": (lambda: [0, 1, 0], ["4 rows", "3 labels", "one label for every row"]),
    "too long": (lambda: [0, 1, 0, 1, 1], ["4 rows", "5 labels", "one label for every row"]),
    "empty": (lambda: [], ["4 rows", "0 labels", "one label for every row"]),
    "one class": (lambda: ["a"] * 4, ["one class only", "'a'", "two classes"]),
    "three classes": (
        lambda: [2, 0, 1, 1],
        ["3 classes", "0, 1, 2", "keep two", "OneVsOneClassifier"],
    ),
    "column vector": (lambda: [[0], [1], [0], [1]], ["(4, 1)", "y.ravel()"]),
    "one-hot": (lambda: np.eye(4, 2), ["(4, 2)", "y.ravel()"]),
    "frame": (lambda: frame(y=[0, 1, 0, 1]), ["(4, 1)", "one column of a DataFrame"]),
    "scalar": (lambda: 1, ["shape ()", "one label per row"]),
    "NaN": (lambda: [0.0, np.nan, 1.0, 1.0], DROP_ROWS),
    "infinite": (lambda: np.array([0.0, np.inf, 1.0, 1.0]), ["infinite", *DROP_ROWS]),
    "None": (lambda: [0, None, 1, 1], DROP_ROWS),
    "None among strings": (lambda: ["a", None, "b", "b"], DROP_ROWS),
    "NaN among strings": (lambda: ["a", np.nan, "b", "b"], DROP_ROWS),
    "float32 NaN among objects": (
        lambda: np.array([0, np.float32("nan"), 1, 1], dtype=object),
        DROP_ROWS,
    ),
    "NaT": (lambda: np.array(["2020", "NaT", "2021", "2021"], dtype="datetime64[Y]"), DROP_ROWS),
    "hidden by a mask": (lambda: masked([0, 1, 1, 0], [0, 1, 0, 0]), DROP_ROWS),
    "missing in pandas": (lambda: pandas().Series(["a", None, "b", "b"]), DROP_ROWS),
    "missing in pandas booleans": (
        lambda: pandas().Series([True, None, False, True], dtype="boolean"),
        DROP_ROWS,
    ),
    "missing in pandas categories": (
        lambda: pandas().Series(["a", None, "b", "b"], dtype="category"),
        DROP_ROWS,
    ),
    "null in polars": (lambda: polars().Series(["a", None, "b", "b"]), DROP_ROWS),
    "mixed types": (lambda: [1, "a", 1, "a"], ["mixes types", "one type"]),
}

PASS = ["sample_weight", "pass 4 finite numbers", "None"]
BAD_WEIGHTS = {
    "too short": (lambda: [1.0, 1.0], ["(2,)", "(4,)", *PASS]),
    "scalar": (lambda: 2.0, ["shape ()", "(4,)", *PASS]),
    "column vector": (lambda: np.ones((4, 1)), ["(4, 1)", *PASS]),
    "negative": (lambda: [1.0, 1.0, -2.0, -3.0], ["2 negative", "-2.0 at position 2", *PASS]),
    "NaN": (lambda: [1.0, np.nan, 1.0, 1.0], ["nan at position 1", *PASS]),
    "infinite": (lambda: [1.0, 1.0, 1.0, np.inf], ["inf at position 3", *PASS]),
    "None among them": (lambda: [1.0, None, 1.0, 1.0], ["nan at position 1", *PASS]),
    "hidden by a mask": (lambda: masked(np.ones(4), [0, 1, 0, 0]), ["nan at position 1", *PASS]),
    "NA in pandas": (
        lambda: pandas().Series([1, None, 1, 1], dtype="Int64"),
        ["nan at position 1", *PASS],
    ),
    "null in polars": (
        lambda: polars().Series([1.0, None, 1.0, 1.0]),
        ["nan at position 1", *PASS],
    ),
    "text": (lambda: ["1", "1", "1", "1"], ["not real numbers", *PASS]),
    "text among objects": (
        lambda: np.array(["1", 1, 1, 1], dtype=object),
        ["not real numbers (str)", *PASS],
    ),
    "a name": (lambda: "balanced", ["not real numbers", *PASS]),
    "complex": (lambda: np.ones(4, dtype=complex), ["not real numbers (complex128)", *PASS]),
    "ragged": (lambda: [[1.0], [1.0, 1.0]], ["not real numbers", *PASS]),
}


def refusal(call, *arguments):
    """Return the message with which a call is refused; a warning on the way would be a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidInputError) as caught:
            call(*arguments)
    return str(caught.value)


def assert_holds(message, words):
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(("make", "words"), BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_a_bad_table_is_refused_with_its_remedy(make, words):
    assert_holds(refusal(as_dictionary, make()), words)


@pytest.mark.parametrize(("make", "words"), BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_bad_labels_are_refused_with_their_remedy(make, words):
    assert_holds(refusal(as_labels, make(), 4), words)


@pytest.mark.parametrize(("make", "words"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS.keys())
def test_bad_weights_are_refused_with_their_remedy(make, words):
    assert_holds(refusal(as_weights, make(), 4, "sample_weight"), words)


@pytest.mark.parametrize(
    "value", ["1", None, True, -1.0, np.nan, np.inf, 1j, [1.0], 10**400, np.True_]
)
def test_what_is_not_a_finite_number_is_no_parameter(value):
    assert_holds(
        refusal(as_problem, X, Y, value), ["l2 is", "finite number >= 0", "pass 0.0 for no ridge"]
    )
    assert_holds(
        refusal(check_min_l1, value),
        ["min_l1 is", "finite number >= 0", "pass 0.0 for the whole path"],
    )


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "3", np.nan])
def test_what_is_not_a_positive_integer_counts_no_events(value):
    assert_holds(
        refusal(check_max_events, value), ["max_events is", "positive integer", "None for no limit"]
    )


@pytest.mark.parametrize(
    ("weight", "name"), [([0, 1, 1, 0], "'a'"), ([1, 0, 0, 1], "'b'"), ([0] * 4, "'a'")]
)
def test_a_class_without_weight_is_named(weight, name):
    words = [f"class {name} has no weight left", "positive sample_weight"]
    assert_holds(refusal(as_problem, X, list("abba"), 1.0, weight), words)


def test_l1_weights_are_counted_by_columns():
    assert_holds(
        refusal(as_problem, X, Y, 1.0, None, np.ones(4)), ["l1_weight", "(4,)", "(3,)", "pass 3"]
    )


def test_parameters_are_checked_before_any_data_are_read():
    class Unread:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError("the table was read")

    assert "l2 is -1" in refusal(as_problem, Unread(), Y, -1)


def test_every_error_can_be_caught_under_a_familiar_name():
    assert InvalidInputError.__bases__ == (CheminError, ValueError)
    assert OutOfRangeError.__bases__ == (InvalidInputError,)
    assert EngineError.__bases__ == (CheminError, RuntimeError)
