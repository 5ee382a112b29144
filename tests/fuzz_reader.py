"""Does any file break the reader? Random tables, bytes and damaged files, for some minutes: ``make fuzz``.

Whatever comes in, a table comes out or a `TableError` of a few lines; a file that is read twice gives the same table.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import random
import time
import warnings
import zipfile
from dataclasses import replace

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chemin
from awkward import STYLES
from chemin.exceptions import LossWarning, TableError

ENCODINGS = (
    "utf-8",
    "utf-8-sig",
    "cp1252",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "iso-8859-15",
    "cp850",
    "mac_roman",
)
CELLS = st.one_of(
    st.text(max_size=15),
    st.integers().map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=True, places=2).map(lambda number: str(number).replace(".", ",")),
    st.datetimes().map(lambda moment: moment.strftime("%d/%m/%Y")),
    st.dates().map(str),
    st.sampled_from(
        [
            "",
            "NA",
            "?",
            "-",
            '"',
            "'",
            "1 234,5",
            "1.234",
            "12 %",
            "=1+1",
            "\x00",
            "\u2028",
            "∞",
            "٣",
        ]
    ),
)
_FEW_LINES = 2000  # letters
GRIDS = st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=12)


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    """Return a table of any cells, written by any rules or by none."""
    rows = draw(GRIDS)
    separator = draw(st.sampled_from(",;\t| :"))
    if draw(st.booleans()):
        stream = io.StringIO(newline="")
        quoting = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
        csv.writer(stream, delimiter=separator, quoting=quoting).writerows(rows)
        text = stream.getvalue()
    else:
        text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(separator.join(row) for row in rows)
    text = draw(st.sampled_from(["", "Export\n\n", "sep=;\n", "# a remark\n"])) + text
    return text.encode(draw(st.sampled_from(ENCODINGS)), errors="replace")


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """Return a good file with some bytes changed, cut off or doubled."""
    style = draw(st.sampled_from(list(STYLES.values())))
    separator = draw(st.sampled_from([style.separator, ";", "\t"]))
    data = bytearray(packed(replace(style, separator=separator).written(), draw(st.integers(0, 3))))
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        action = draw(st.integers(0, 3))
        if action == 0 and data:
            data[place] = draw(st.integers(0, 255))
        elif action == 1:
            del data[place : place + draw(st.integers(1, 200))]
        elif action == 2:
            data[place:place] = draw(st.binary(max_size=20))
        else:
            data = data[: place + 1]
    return bytes(data)


def packed(data: bytes, how: int) -> bytes:
    """Return a file as it is, by gzip, or in a zip archive."""
    if how < 2:
        return data
    if how == 2:
        return gzip.compress(data)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("table.csv", data)
    return stream.getvalue()


FILES = st.one_of(csv_files(), damaged_files(), st.binary(max_size=400))


def check(data: bytes) -> str:
    """Return "read" or "refused"; raise if it is neither, or not the same twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        try:
            table = chemin.read(io.BytesIO(data))
        except TableError as error:
            return "refused" if len(str(error)) < _FEW_LINES else f"refused at length: {error}"
        again = chemin.read(io.BytesIO(data))
        assert str(again) == str(table)
        assert len(table.frame()) == table.shape[0]
        assert table._repr_html_()
        chemin.read(table.frame("polars"))
    return "read"


def main() -> None:
    """Fuzz for some minutes and say how many files were read and refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given_args = parser.parse_args()
    end = time.monotonic() + 60.0 * given_args.minutes
    counts = {"read": 0, "refused": 0}
    seed = given_args.seed
    print(f"seed {seed}")
    while time.monotonic() < end:

        @hypothesis.seed(seed)
        @settings(
            max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(FILES)
        def some(data: bytes) -> None:
            counts[check(data)] += 1

        some()
        seed += 1
    print(
        f"{sum(counts.values())} files, {counts['read']} read, {counts['refused']} refused, none broke the reader"
    )


if __name__ == "__main__":
    main()
