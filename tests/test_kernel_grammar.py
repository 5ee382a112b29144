"""Claims about kernels as text: what a text means, what is refused and how, and that every text reads back."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chemin import kernels
from chemin.exceptions import InvalidInputError
from chemin.kernels import (
    Columns,
    Constant,
    Epanechnikov,
    Function,
    Gaussian,
    Graphs,
    Kernel,
    Laplacian,
    Linear,
    Pairwise,
    Polynomial,
    Precomputed,
    Product,
    Strings,
    Sum,
    Window,
    pairs_of,
    parse_kernels,
    widths,
    windows,
    write_kernel,
)
from chemin.kernels.grammar import parser
from chemin.kernels.grammar.limits import DEEPEST, LONGEST_NUMBER, LONGEST_TEXT, MOST_KERNELS

INF = math.inf
SHAPE = (28, 28)
UPRIGHT = Gaussian((0.1, INF)).named("upright")
DECOMPOSED = "a\u0302ge"  # âge, its accent a character of its own

# One row per text: itself, and the kernels it means.
ACCEPTED: list[tuple[str, tuple[Kernel, ...]]] = [
    ("linear", (Linear(),)),
    ("linear()", (Linear(),)),
    ("gaussian", (Gaussian(),)),
    ("polynomial", (Polynomial(),)),
    ("constant(2)", (Constant(2),)),
    ("constant(value=-1.5)", (Constant(-1.5),)),
    ("laplacian(.5)", (Laplacian(0.5),)),
    ("epanechnikov( width = 2. )", (Epanechnikov(2),)),
    ("Gaussian(width=1e-3)", (Gaussian(1e-3),)),
    ("GAUSSIAN(Width=1)", (Gaussian(1),)),
    ("gaussian((1, inf))", (Gaussian((1, INF)),)),
    ("gaussian(width=(1, 8, INF))", (Gaussian((1, 8, INF)),)),
    ("gaussian((3,))", (Gaussian((3,)),)),
    ("gaussian((3))", (Gaussian(3),)),
    ("polynomial(3)", (Polynomial(3),)),
    ("polynomial(3, 0)", (Polynomial(3, 0),)),
    ("polynomial(offset=-1e2, degree=4,)", (Polynomial(4, -100),)),
    ("gaussian(width=1).on(age, weight)", (Gaussian(1).on(["age", "weight"]),)),
    ("linear.on(âge, durée)", (Linear().on(["âge", "durée"]),)),
    (f"linear.on({DECOMPOSED})", (Linear().on(DECOMPOSED),)),
    ("linear.on(0, 3)", (Linear().on([0, 3]),)),
    ("linear.on('0')", (Linear().on("0"),)),
    ("linear.on(Age)", (Linear().on("Age"),)),
    ("linear.on(inf, kernel, window, on)", (Linear().on(["inf", "kernel", "window", "on"]),)),
    ("""linear.on("a + b", 'l''heure', "l'eau", "")""", (Linear().on(["a + b", "l'heure", "l'eau", ""]),)),
    ('linear.on("a ""b""", "c\\")', (Linear().on(['a "b"', "c\\"]),)),
    (
        '2 * gaussian(0.5).on("mean radius") + linear.on(age)',
        (2 * Gaussian(0.5).on("mean radius") + Linear().on("age"),),
    ),
    ("epanechnikov(2) * gaussian(1).on(x3)", (Epanechnikov(2) * Gaussian(1).on("x3"),)),
    ("gaussian(2)^2", (Gaussian(2) ** 2,)),
    ("(linear + constant(1)) ** 3", ((Linear() + Constant(1)) ** 3,)),
    ("(linear^2).on(2)", ((Linear() ** 2).on(2),)),
    ("((linear.on(1)).on(a))", (Linear().on(1).on("a"),)),
    ('gaussian((0.1, inf)).named("upright")', (UPRIGHT,)),
    ("gaussian((0.1, inf)).Named(upright).on(0, 1)", (UPRIGHT.on([0, 1]),)),
    ("linear,\n  gaussian(2)", (Linear(), Gaussian(2))),
    ("widths(0.5, 1, 2)", widths([0.5, 1, 2])),
    ("widths((1, inf), (inf, 1))", widths([(1, INF), (INF, 1)])),
    ("Widths(0.5, 1, kernel=Laplacian)", widths([0.5, 1], Laplacian)),
    ("widths(1, 2).on(âge)", tuple(k.on("âge") for k in widths([1, 2]))),
    ("pairs_of(a, b, c, kernel=2 * linear)", pairs_of(["a", "b", "c"], 2 * Linear())),
    ("pairs_of(3, 1, kernel=linear), linear", (*pairs_of([3, 1], Linear()), Linear())),
    (
        "windows(size=7, stride=(3, 4), kernel=polynomial(3))",
        windows(SHAPE, 7, (3, 4), Polynomial(3)),
    ),
    (
        "windows(size=7, stride=3, positions=2, kernel=linear, shape=(28, 28))",
        windows(SHAPE, 7, 3, Linear(), positions=2),
    ),
    (
        "linear.on(window(top=0, left=3, height=7, width=6))",
        (Linear().on(Window(SHAPE, 0, 3, 7, 6)),),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ACCEPTED, ids=[row[0] for row in ACCEPTED])
def test_a_text_means_these_kernels(text, expected):
    assert parse_kernels(text, image_shape=SHAPE) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2 * Gaussian(1) * Linear() + -3 * Linear() ** 2 * Constant(2)",
        "Linear() * (2 * (Gaussian((1, 2)) * Linear().named('a'))) * (Linear() + Constant())",
        "2 * (Linear() + Gaussian()).on(0) ** 2 + (Linear() ** 2).on(3)",
    ],
)
def test_an_expression_means_what_it_means_in_python(text):
    assert parse_kernels(text) == (eval(text, vars(kernels)),)


# One row per text: itself, where the caret stands, and a part of the message.
REFUSED: list[tuple[str, int, str]] = [
    ("gausian(1)", 0, "there is no kernel 'gausian': did you mean gaussian?"),
    ("Rbf(gamma=1)", 0, "kernels of scikit-learn and functions are for Python only"),
    ("__import__('os').system('ls')", 0, "there is no kernel '__import__'"),
    ("gaussian.__class__", 9, "kernels have no '__class__': the methods are on, named"),
    ("gaussian(0,5)", 10, "write 0.5 for one number, or 0, 5 for two"),
    ("widths(1, 2,5)", 11, "write 2.5 for one number"),
    ("0,5 * linear", 1, "write 0.5 for one number"),
    ("gaussian(1, 8)", 12, "write gaussian(0.5), or gaussian((1, 8)) per axis"),
    ("gaussian(width=1, 8)", 18, "gaussian((1, 8)) per axis"),
    ("polynomial(degree=3, 1)", 21, "write polynomial(degree=3, offset=1)"),
    ("gaussian(1, width=2)", 12, "width is given twice"),
    ("gaussian(gamma=2)", 9, "'gaussian' has no parameter 'gamma': the parameters are width"),
    ("gaussian(widht=2)", 9, "did you mean width?"),
    ("linear(1)", 7, "'linear' takes no such value here"),
    ("linear(c=1)", 7, "'linear' has no parameter 'c'"),
    ("gaussian(0)", 0, "width is 0: pass one number > 0"),
    ("gaussian(-1)", 0, "width is -1"),
    ("gaussian(inf)", 0, "inf leaves an axis out, but not all of them"),
    ("gaussian((inf, inf))", 0, "but not all of them"),
    ("gaussian((1, (2, 3)))", 13, "expected a number, found '('"),
    ("gaussian((1 2))", 12, "expected ',' or ')', found '2'"),
    ("gaussian(1e400)", 0, "width is inf"),
    ("gaussian(linear)", 9, "expected a number, found 'linear'"),
    ("gaussian(nan)", 9, "expected a number, found 'nan'"),
    ("polynomial(2.5)", 0, "degree is 2.5: pass a whole number"),
    ("polynomial(2, inf)", 0, "offset is inf: pass a finite number"),
    ("polynomial((1, 2))", 0, "degree is (1, 2)"),
    ("constant(1e999)", 0, "value is inf"),
    ("1e999 * linear", 0, "a factor of a kernel is inf"),
    ("2", 0, "a number is no kernel: write 2 * linear, or constant(2)"),
    ("linear * 2", 9, "factors stand in front, 2 * linear"),
    ("linear + 2", 9, "a number is no kernel"),
    ("-linear", 1, "write -1 * linear"),
    ("linear - linear", 7, "kernels are not subtracted: write + -1 * linear"),
    ("(linear - linear)", 8, "kernels are not subtracted"),
    ("linear / 2", 7, "multiply by a factor in front instead"),
    ("linear × linear", 7, "write * to multiply"),
    ("linear ^ 0", 9, "the degree of a power of a kernel is 0"),
    ("linear ^ 0.5", 9, "the degree of a power of a kernel is 0.5"),
    ("linear^2^2", 8, "put parentheses around the power"),
    ("linear^2.on(age)", 8, "put parentheses around the power"),
    ("linear linear", 7, "expected +, *, ^, .on(…) or a comma or the end, found 'linear'"),
    ("linear + ", 9, "expected a kernel, found the end"),
    ("linear, , linear", 8, "expected a kernel, found ','"),
    ("(linear", 7, "or ')', found the end"),
    ("linear)", 6, "found ')'"),
    ("()", 1, "expected a kernel, found ')'"),
    ("gaussian(1", 10, "expected ',' or ')' after 'gaussian', found the end"),
    ("'linear'", 0, "expected a kernel, found 'linear'"),
    ("linear.bind(a)", 7, "kernels have no 'bind'"),
    ("linear.2", 6, "found '.2'"),
    ("linear.on", 9, "expected '(' after 'on', found the end"),
    ("linear.on()", 7, "list at least one column"),
    ("linear.on(a, a)", 7, "a column is listed twice"),
    ("linear.on(mean radius)", 15, 'write .on(age, "mean radius")'),
    ("linear.on(petal.length)", 15, 'write .on(age, "mean radius")'),
    ("linear.on(1.5)", 10, "expected a column, found '1.5'"),
    ("linear.on(-1)", 10, "expected a column, found '-'"),
    ("linear.on([a, b])", 10, "lists have no brackets: .on(age, weight)"),
    ("linear.on(“a”)", 10, "quotes are straight"),
    ('linear.on("a)', 10, "this quote is never closed"),
    ("linear.on('l'eau')", 16, "double a ' within it"),
    ("linear.named()", 7, "a kernel has one name"),
    ("linear.named(a, b)", 7, "a kernel has one name"),
    ("linear.named(3)", 13, "expected a name in quotes, found '3'"),
    ("linear; linear", 6, "kernels are separated by commas"),
    ("linear\x00", 6, r"'\x00' has no meaning here: remove it"),
    ("2 * widths(1, 2)", 4, "'widths' makes several kernels and stands alone"),
    ("widths(1, 2) + linear", 13, "a family stands alone"),
    ("widths(1, 2).named(a)", 13, "a family takes .on(columns) only"),
    ("widths()", 0, "pass at least one width"),
    ("widths(kernel=laplacian, 1)", 25, "write widths(0.5, 1, 2, kernel=laplacian)"),
    ("widths(1, kernel=linear)", 17, "'linear' has no width: the kernels of widths are"),
    ("pairs_of(a, b)", 0, "'pairs_of' needs kernel"),
    ("pairs_of(a, kernel=linear)", 0, "a pair needs two columns"),
    ("pairs_of(a, a, kernel=linear)", 0, "a column is listed twice"),
    ("windows(size=7, kernel=linear)", 0, "'windows' needs stride"),
    ("windows(7, 3, linear)", 8, "write windows(size=7, stride=3, kernel=polynomial(3))"),
    ("windows(size=0, stride=1, kernel=linear)", 0, "size is 0"),
    ("windows(size=30, stride=1, kernel=linear)", 0, "pass a smaller size"),
    ("windows(size=7, stride=3, kernel=linear, positions=99)", 0, "windows fit down"),
    ("windows(size=7, stride=3, kernel=linear, shape=(8, 8))", 0, "images are 28 × 28 here"),
    ("linear.on(window(top=0, left=3))", 10, "'window' needs height and width"),
    ("linear.on(window(top=22, left=0, height=7, width=7))", 10, "is not inside an image"),
    ("linear.on(a, window(top=0, left=3, height=7, width=7))", 7, "to one window"),
]


@pytest.mark.parametrize(("text", "place", "part"), REFUSED, ids=[ascii(row[0]) for row in REFUSED])
def test_a_refusal_says_what_to_write_and_shows_where(text, place, part):
    with pytest.raises(InvalidInputError) as refused:
        parse_kernels(text, image_shape=SHAPE)
    message, shown, caret = str(refused.value).split("\n")
    assert part in message
    assert shown == "  " + text.replace("\x00", r"\x00")
    assert caret == " " * (2 + place) + "^"


def test_the_place_is_shown_in_long_and_wide_and_unseen_text():
    text = "linear.on('漢\u202e\n') + " * 20 + "x + linear" * 9
    with pytest.raises(InvalidInputError, match="no kernel 'x'") as refused:
        parse_kernels(text)
    _, shown, caret = str(refused.value).split("\n")
    assert r"漢\u202e\n') + x + linear" in shown
    wide = shown[: shown.index("x + ")].count("漢")
    assert shown[caret.index("^") - wide] == "x"
    assert shown[2] == shown[-1] == "…"


@pytest.mark.parametrize("text", ["", " \n\t", None, 3, b"linear"])
def test_nothing_is_no_kernel(text):
    with pytest.raises(InvalidInputError, match=r"has no kernel|written as a text"):
        parse_kernels(text)


# Columns


def test_known_columns_are_named_exactly_and_others_are_refused():
    known = ["âge", "Mean radius", "site"]
    text = "linear.on(âge, 'Mean radius', 2)"
    assert parse_kernels(text, columns=known) == parse_kernels(text)
    for text, part in [
        ("linear.on(ÂGES)", "there is no column ÂGES: did you mean âge?"),
        ("linear.on('mean radius')", 'no column "mean radius": did you mean "Mean radius"?'),
        ("linear.on(zzz)", 'no column zzz: the columns are âge, "Mean radius", site'),
        ("linear.on(3)", "there is no column 3: 3 columns are counted from 0"),
        ("pairs_of(âge, sit, kernel=linear)", "did you mean site?"),
    ]:
        with pytest.raises(InvalidInputError) as refused:
            parse_kernels(text, columns=known)
        assert part in str(refused.value)


def test_accents_may_be_written_in_either_way():
    assert parse_kernels(f"linear.on({DECOMPOSED})", columns=["âge"]) == (Linear().on("âge"),)
    assert parse_kernels("linear.on(âge)", columns=[DECOMPOSED]) == (Linear().on(DECOMPOSED),)
    both = ["âge", DECOMPOSED]
    assert parse_kernels(f"linear.on(âge, {DECOMPOSED})", columns=both) == (Linear().on(both),)


def test_a_variable_means_all_columns_made_of_it():
    made = {"age": "age", "site": ["site=Lyon", "site=Nice"], "none": []}
    assert parse_kernels("linear.on(site, age)", columns=made) == (
        Linear().on(["site=Lyon", "site=Nice", "age"]),
    )
    assert parse_kernels("linear.on('site=Nice')", columns=made) == (Linear().on("site=Nice"),)
    (pair,) = parse_kernels("pairs_of(age, site, kernel=gaussian)", columns=made)
    assert pair == Gaussian().on(["age", "site=Lyon", "site=Nice"])
    with pytest.raises(InvalidInputError, match="listed twice"):
        parse_kernels("linear.on(site, 'site=Lyon')", columns=made)
    with pytest.raises(InvalidInputError, match="list at least one column"):
        parse_kernels("linear.on(none)", columns=made)


def test_what_surrounds_a_text_is_checked_too():
    with pytest.raises(InvalidInputError, match="pass a list of names"):
        parse_kernels("linear", columns="age")
    with pytest.raises(InvalidInputError, match="the columns are none"):
        parse_kernels("linear.on(a)", columns=[])
    with pytest.raises(InvalidInputError, match="image_shape is 0"):
        parse_kernels("linear", image_shape=0)
    with pytest.raises(InvalidInputError, match="Add their shape"):
        parse_kernels("windows(size=7, stride=3, kernel=linear)")


# Limits


TOO_LARGE = {
    "at most 50 parentheses": "(" * 5000,
    "at most 50 kernels": "linear" + ".on(0)" * 1600,
    "has 10001 characters": "linear" + " " * (LONGEST_TEXT - 5),
    "a number has 101 characters": f"gaussian({'9' * (LONGEST_NUMBER + 1)})",
    "makes 1000000 kernels": "windows(size=1, stride=1, kernel=linear, shape=(1000, 1000))",
    "makes 4000000 kernels": "windows(size=1, stride=1, kernel=linear, positions=2000, shape=2000)",
    f"a text at most {MOST_KERNELS}": f"pairs_of({', '.join(map(str, range(400)))}, kernel=linear)",
}


@pytest.mark.parametrize("part", TOO_LARGE)
def test_what_is_too_large_is_refused(part):
    with pytest.raises(InvalidInputError, match=part):
        parse_kernels(TOO_LARGE[part])


def test_families_share_one_limit(monkeypatch):
    monkeypatch.setattr(parser, "MOST_KERNELS", 5)
    pair = "pairs_of(a, b, c, kernel=linear)"
    assert len(parse_kernels(f"{pair}, linear, linear")) == 5
    with pytest.raises(InvalidInputError, match="'pairs_of' makes 3 kernels, and a text at most 5"):
        parse_kernels(f"{pair}, {pair}")


def test_what_is_within_the_limits_is_read():
    deepest = "linear" + ".on(0)" * DEEPEST
    assert write_kernel(parse_kernels(deepest)[0]) == deepest
    assert parse_kernels("(" * DEEPEST + "linear" + ")" * DEEPEST) == (Linear(),)
    assert parse_kernels(f"constant({'9' * LONGEST_NUMBER})") == (Constant(1e100),)
    longest = " * ".join(["linear"] * (LONGEST_TEXT // 9))
    assert write_kernel(parse_kernels(longest)[0]) == longest


# Texts of kernels

NAMES = st.one_of(
    st.sampled_from(["age", "âge", DECOMPOSED, "mean radius", "a,b", "l'eau", '"', "x\\", "on", "0", ""]),
    st.text(max_size=4),
)  # fmt: skip
WIDTHS = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
PER_AXIS = st.tuples(WIDTHS, st.lists(st.one_of(WIDTHS, st.just(INF)), max_size=2))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ELEMENTARY = st.one_of(
    st.just(Linear()),
    st.builds(Constant, NUMBERS),
    st.builds(Polynomial, st.integers(1, 10**9), NUMBERS),
    *(
        st.builds(make, st.one_of(WIDTHS, PER_AXIS.map(lambda both: (both[0], *both[1]))))
        for make in (Gaussian, Laplacian, Epanechnikov)
    ),
)
BLOCKS = st.one_of(
    st.lists(st.one_of(NAMES, st.integers(0, 9)), min_size=1, max_size=3, unique=True).map(
        lambda items: Columns(tuple(items))
    ),
    st.builds(Window, st.just(SHAPE), *[st.integers(0, 9)] * 2, *[st.integers(1, 9)] * 2),
)
KERNELS = st.recursive(
    ELEMENTARY,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Sum(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Product(tuple(parts))),
        st.builds(lambda kernel, factor: factor * kernel, inner, NUMBERS),
        st.builds(lambda kernel, degree: kernel**degree, inner, st.integers(1, 9)),
        st.builds(lambda kernel, block: kernel.on(block), inner, BLOCKS),
        st.builds(lambda kernel, title: kernel.named(title), inner, NAMES),
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(KERNELS)
def test_the_text_of_a_kernel_means_that_kernel(kernel):
    assert parse_kernels(write_kernel(kernel)) == (kernel,)


@pytest.mark.parametrize(("text", "expected"), ACCEPTED, ids=[row[0] for row in ACCEPTED])
def test_what_was_read_is_written_and_read_again(text, expected):
    assert parse_kernels(", ".join(map(write_kernel, expected))) == expected


@pytest.mark.parametrize(
    "text",
    [
        'gaussian(width=(0.1, inf)).named("upright") + 2 * linear.on(âge, "l\'heure", 3)^2',
        "polynomial(degree=3, offset=-0.5) * (linear + constant(value=1e-05))",
        "(2 * (linear * linear)).on(0) * linear * (3 * linear)",
        "linear.on(window(top=0, left=3, height=7, width=7, shape=(28, 28)))",
    ],
)
def test_texts_have_no_more_parentheses_than_they_need(text):
    assert write_kernel(parse_kernels(text)[0]) == text


class OwnGaussian(Gaussian):
    """A kernel that would be written like another one."""


WITHOUT_TEXT = [
    (Function(max), "Function has no text"),
    (Linear() + 2 * Function(max).on("note"), "Function has no text"),
    (Precomputed([[1.0]]), "Precomputed has no text"),
    (Pairwise("rbf"), "Pairwise has no text"),
    (Strings(), "Strings has no text"),
    (Graphs(), "Graphs has no text"),
    (OwnGaussian(2), "OwnGaussian has no text"),
    (Sum((Linear(),)), "Sum has no text"),
    (Linear().named(3), "Named has no text"),
    ("linear", "str is no kernel"),
    (Gaussian, "ABCMeta is no kernel"),
    (Linear() ** 10**5000, "more than 100 digits"),
    (Linear().named("x" * LONGEST_TEXT), "characters: write at most 10000"),
]


@pytest.mark.parametrize(("kernel", "part"), WITHOUT_TEXT, ids=[row[1] for row in WITHOUT_TEXT])
def test_other_kernels_have_no_text(kernel, part):
    with pytest.raises(InvalidInputError, match=part):
        write_kernel(kernel)


def test_kernels_too_deep_for_a_text_are_refused_without_recursion():
    deep: Kernel = Linear()
    for _ in range(DEEPEST):
        deep = 2 * deep
    assert parse_kernels(write_kernel(deep)) == (deep,)
    for _ in range(2 * sys.getrecursionlimit()):
        deep = deep.on(0)
    with pytest.raises(InvalidInputError, match="built on one another"):
        write_kernel(deep)
    doubled: Kernel = Linear()
    for _ in range(DEEPEST):
        doubled = doubled**2 + doubled**3
    with pytest.raises(InvalidInputError, match="kernels are joined"):
        write_kernel(doubled)
