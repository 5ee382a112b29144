"""Does any text break the grammar of kernels? Random and damaged texts, for some minutes.

Whatever is written, kernels come out that are written and read back as they are, or an `InvalidInputError` of a few
lines, within a second.
"""

from __future__ import annotations

import argparse
import random
import time

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chemin.exceptions import InvalidInputError
from chemin.kernels import Kernel, parse_kernels, write_kernel
from chemin.kernels.grammar.limits import DEEPEST, LONGEST_TEXT
from test_kernel_grammar import ACCEPTED, KERNELS, REFUSED

_FEW_LINES = 6
_LONGEST_LINE = 500  # characters
_SECOND = 1.0  # of the processor: others may be using it too
_WRITTEN = 20  # kernels of one text that are written again

VALID = [text for text, _ in ACCEPTED]
WRITTEN = st.lists(KERNELS.map(write_kernel), min_size=1, max_size=3).map(", ".join)
TEXTS = st.one_of(
    st.sampled_from(VALID), WRITTEN, st.sampled_from([text for text, _, _ in REFUSED])
)
WORDS = st.sampled_from([
    "gaussian", "Laplacian", "epanechnikov", "polynomial", "linear", "constant", "widths", "pairs_of", "windows",
    "window", "kernel", "width", "size", "stride", "positions", "shape", "degree", "offset", ".on", ".named", "(", ")",
    "(", ")", ",", ", ", "=", "+", "*", "**", "^", "-", ".", "'", '"', "''", "0", "1", "2.5", "28", "inf", "1e999",
    "1e-999", "9" * 101, "5.", ".5", "age", "âge", "site", "\u0302", "\u202e", "\x00", "\n", " ", "漢", "∞", "٣", "²",
    "\ud800", "{", "[", "__class__", "rbf", "lambda:", "%s", "\\", "#",
])  # fmt: skip
COLUMNS = st.sampled_from(
    [
        None,
        None,
        ["age", "weight", "âge"],
        {"site": ["site=a", "site=b"], "age": ["age"], "none": []},
    ]
)
SHAPES = st.sampled_from([None, (28, 28), (300, 300), (1, 1)])


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """Return a text with some characters changed, cut out, doubled, or put in from another text."""
    text = draw(TEXTS)
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(text)))
        last = first + draw(st.sampled_from([0, 0, 1, 1, 3, 30]))
        doubled = st.just(2 * text[first:last])
        piece = draw(st.one_of(st.just(""), doubled, WORDS, WORDS, st.characters(), TEXTS))
        text = text[:first] + piece + text[last:]
    return text


@st.composite
def repeated_texts(draw: st.DrawFn) -> str:
    """Return words repeated as often as the limits allow, and a little more."""
    parts = [draw(WORDS) + draw(WORDS) + draw(st.sampled_from(["", *VALID])) for _ in range(3)]
    times = st.sampled_from([1, 2, DEEPEST, DEEPEST + 1, 1000, LONGEST_TEXT])
    text = "".join(part * min(draw(times), LONGEST_TEXT // len(part)) for part in parts)
    return text[: LONGEST_TEXT + draw(st.integers(-10, 1))]


INPUTS = st.one_of(
    damaged_texts(),
    damaged_texts(),
    st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=30).map("".join),
    repeated_texts(),
    st.text(max_size=60),
)


def check(text: str, columns: object, image_shape: tuple[int, int] | None) -> str:
    """Return "read" or "refused"; raise if it is neither, slow, or not the same when written."""
    start = time.process_time()
    kernels: tuple[Kernel, ...] = ()
    lines = ["read"]
    try:
        kernels = parse_kernels(text, columns=columns, image_shape=image_shape)
    except InvalidInputError as error:
        lines = str(error).split("\n")
    assert time.process_time() - start < _SECOND, "slow"
    assert 1 <= len(lines) <= _FEW_LINES, lines
    assert all(line.isprintable() and len(line) <= _LONGEST_LINE for line in lines), lines
    assert isinstance(kernels, tuple)
    assert bool(kernels) == (lines == ["read"])
    for kernel in kernels[:_WRITTEN]:
        assert isinstance(kernel, Kernel)
        if len(text) < LONGEST_TEXT // 4:  # parameters that are left out are written, too
            assert parse_kernels(write_kernel(kernel)) == (kernel,)
    return "read" if kernels else "refused"


def main() -> None:
    """Fuzz for some minutes and say how many texts were read and refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given_args = parser.parse_args()
    end = time.monotonic() + 60.0 * given_args.minutes
    counts = {"read": 0, "refused": 0}
    seed = given_args.seed
    print(f"seed {seed}", flush=True)
    while time.monotonic() < end:

        @hypothesis.seed(seed)
        @settings(
            max_examples=1000, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(INPUTS, COLUMNS, SHAPES)
        def some(text: str, columns: object, image_shape: tuple[int, int] | None) -> None:
            counts[check(text, columns, image_shape)] += 1

        some()
        seed += 1
    print(
        f"{sum(counts.values())} texts, {counts['read']} read, {counts['refused']} refused, none broke the grammar"
    )


if __name__ == "__main__":
    main()
