"""Claims about reading: any table becomes the same table, every guess is told, nothing is lost in silence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import warnings
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chemin
from awkward import NAMES, PLAIN, ROWS, STYLES, TYPES, check_table
from chemin.exceptions import InvalidInputError, LossWarning, TableError
from chemin.tables.cells.dates import DateFormat
from chemin.tables.cells.numbers import NumberFormat, decide_format, gather_evidence
from chemin.tables.cells.scales import order_of


def csv_of(text: str, encoding: str = "utf-8") -> io.BytesIO:
    return io.BytesIO(text.encode(encoding))


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_an_awkward_file_is_the_same_table(style):
    table = chemin.read(io.BytesIO(style.written()))
    check_table(table)
    assert not table.losses
    assert all(guess.evidence and guess.argument for guess in table.guesses)


@pytest.mark.parametrize(
    "name", ["french of Windows", "german thousands", "everything at once", "lines of old Macs"]
)
def test_the_call_that_a_table_tells_leaves_nothing_to_guess(name, tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(STYLES[name].written())
    table = chemin.read(file)
    again = eval(table.call, {"chemin": chemin})
    check_table(again)
    assert {guess.what for guess in again.guesses} <= {
        what.what for what in table.guesses if what.given is None
    }


def test_every_guess_names_the_argument_that_overrides_it():
    import inspect

    known = inspect.signature(chemin.read).parameters
    for style in STYLES.values():
        for guess in chemin.read(io.BytesIO(style.written())).guesses:
            assert guess.argument in known, guess


PACKINGS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zipped({"table.csv": data}),
    "zip of a Mac": lambda data: zipped({"table.csv": data, "__MACOSX/._table.csv": b"x"}),
    "zip of a gzip": lambda data: zipped({"table.csv.gz": gzip.compress(data)}),
}


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS.keys())
def test_packed_files_are_unpacked(pack, tmp_path):
    file = tmp_path / "table.bin"  # what a file holds is told by its bytes
    file.write_bytes(pack(STYLES["french of Windows"].written()))
    check_table(chemin.read(file))


def test_one_member_of_several_is_chosen(tmp_path):
    file = tmp_path / "tables.zip"
    file.write_bytes(zipped({"a.csv": b"x,y\n1,2\n", "b.csv": PLAIN.written()}))
    check_table(chemin.read(file, member="b.csv"))
    with pytest.raises(TableError, match=r"holds 2 files.*member="):
        chemin.read(file)
    with pytest.raises(TableError, match=r"no member 'c.csv'"):
        chemin.read(file, member="c.csv")


def frame() -> pd.DataFrame:
    return chemin.read(io.BytesIO(PLAIN.written())).frame("pandas")


SOURCES = {
    "pandas": lambda folder: frame(),
    "polars": lambda folder: chemin.read(io.BytesIO(PLAIN.written())).frame("polars"),
    "polars, lazy": lambda folder: chemin.read(io.BytesIO(PLAIN.written())).frame("polars").lazy(),
    "pandas of texts": lambda folder: pd.read_csv(io.BytesIO(STYLES["french"].written()), sep=";"),
    "pyarrow": lambda folder: __import__("pyarrow").Table.from_pandas(frame()),
    "a table": lambda folder: chemin.read(io.BytesIO(PLAIN.written())),
    "Parquet": lambda folder: saved(
        folder / "table.parquet", lambda file: frame().to_parquet(file)
    ),
    "Excel": lambda folder: saved(
        folder / "table.xlsx", lambda file: frame().to_excel(file, index=False)
    ),
    "Excel, after a preamble": lambda folder: saved(folder / "table.xlsx", with_preamble),
    "OpenDocument": lambda folder: saved(
        folder / "table.ods", lambda file: frame().to_excel(file, index=False)
    ),
}


def saved(file, write):
    write(file)
    return file


def with_preamble(file):
    with pd.ExcelWriter(file) as book:
        frame().to_excel(book, sheet_name="données", index=False, startrow=3, startcol=1)
        sheet = book.sheets["données"]
        sheet.cell(1, 2, "Export du 12/03/2026")


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
def test_a_table_from_elsewhere_is_the_same_table(make, tmp_path):
    check_table(chemin.read(make(tmp_path)))


def test_a_sheet_is_chosen_by_name_or_number(tmp_path):
    file = tmp_path / "book.xlsx"
    with pd.ExcelWriter(file) as book:
        pd.DataFrame().to_excel(book, sheet_name="vide", index=False)
        pd.DataFrame({"a": [1, 2]}).to_excel(book, sheet_name="un", index=False)
        frame().to_excel(book, sheet_name="deux", index=False)
    first = chemin.read(file)
    assert first.names == ["a"]
    assert [str(guess) for guess in first.guesses if guess.what == "sheet"]
    check_table(chemin.read(file, sheet="deux"))
    check_table(chemin.read(file, sheet=2))
    with pytest.raises(TableError, match=r"no sheet 'trois'.*'vide', 'un', 'deux'"):
        chemin.read(file, sheet="trois")


def test_npz_holds_columns_names_target_and_rows(tmp_path):
    file = tmp_path / "points.npz"
    X = np.arange(12.0).reshape(6, 2) ** 2
    labels = [f"P{i}" for i in range(6)]
    np.savez(
        file,
        X=X,
        y=[-1, 1] * 3,
        names=["u", "v"],
        class_names=["sain", "malade"],
        row_labels=labels,
    )
    table = chemin.read(file)
    assert table.names == ["u", "v", "y", "row"]
    assert table.target == "y"
    assert table.y.tolist() == ["sain", "malade"] * 3
    assert table.X["row"].tolist() == labels
    np.testing.assert_array_equal(table["v"].values, X[:, 1])


def test_images_in_folders_are_rows_of_grey_levels(tmp_path):
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 255, (6, 4, 5), dtype=np.uint8)
    for number, pixels in enumerate(levels):
        folder = tmp_path / ("chat" if number % 2 else "chien")
        folder.mkdir(exist_ok=True)
        image.fromarray(pixels).save(folder / f"{number}.png")
    (tmp_path / "chat" / "broken.png").write_bytes(b"not an image")
    with pytest.warns(LossWarning, match=r"broken\.png"):
        table = chemin.read(tmp_path)
    assert (table.shape, table.image_shape, table.target) == ((6, 22), (4, 5), "class")
    assert sorted(table.y.tolist()) == ["chat"] * 3 + ["chien"] * 3
    pixels = table.frame()[[name for name in table.names if name.startswith("pixel")]].to_numpy()
    np.testing.assert_array_equal(pixels[0], levels[1].ravel())
    smaller = chemin.read(tmp_path / ".." / tmp_path.name, size=(2, 2), rows=3)
    assert smaller.shape == (3, 6)


@pytest.mark.parametrize(
    "name", ["patients", "breast-cancer", "iris", "wine", "diabetes", "digits"]
)
def test_bundled_tables_are_read_by_name(name):
    table = chemin.read(name, target="diagnostic") if name == "patients" else chemin.read(name)
    assert len(table.y) == table.shape[0] > 100
    assert not table.losses


def test_rows_and_columns_are_chosen():
    table = chemin.read(io.BytesIO(PLAIN.written()), rows=5, columns=["âge"], target="sexe")
    assert table.shape == (5, 2)
    assert table.names == ["âge", "sexe"]
    with pytest.raises(TableError, match=r"no column 'age'.*did you mean 'âge'"):
        chemin.read(io.BytesIO(PLAIN.written()), columns=["age"])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_the_types_of_the_table(kind):
    held = chemin.read(io.BytesIO(PLAIN.written())).frame(kind)
    again = chemin.read(held)
    assert again.types == TYPES
    assert again.kind == kind
    assert type(again.X).__module__.startswith(kind)


def test_types_are_what_the_user_says():
    text = "a;b;c;d\n" + "\n".join(
        f"{i};{i % 3};{'bas' if i % 2 else 'haut'};0{i % 9}" for i in range(30)
    )
    table = chemin.read(
        csv_of(text), types={"a": "number", "b": "category", "c": ["bas", "haut"], "d": "number"}
    )
    assert table.types == {"a": "number", "b": "category", "c": "ordered", "d": "number"}
    assert table["c"].field.levels == ("bas", "haut")
    assert table["b"].values[:3].tolist() == ["0", "1", "2"]
    guessed = chemin.read(csv_of(text))
    assert guessed.types == {"a": "identifier", "b": "number", "c": "category", "d": "category"}


TYPED = {
    "leading zeros are a code": (["01", "02", "03", "04"] * 10, "category"),
    "numbers with a unit": (["12 %", "13,5 %", "9 %"] * 10, "number"),
    "prices": (["1 200 €", "35,50 €", "12 €"] * 10, "number"),
    "true minus signs": (["\u22121,5", "2,5", "3,25"] * 10, "number"),
    "infinite": (["1", "inf", "2.5", "-Infinity"] * 10, "number"),
    "months by name": (
        ["1er mars 2024", "3 févr. 2023", "12 décembre 2022", "15 Aug 2021"] * 10,
        "date",
    ),
    "moments": (["2024-03-01 12:30", "2024-03-01T08:00:05Z", "2023-01-01 00:00"] * 10, "date"),
    "two digits of a year": (["25/12/98", "01/02/03", "31/01/24"] * 10, "date"),
    "stages": (["stade III", "stade I", "stade II"] * 10, "ordered"),
    "ranges": (["18-25", "26-40", "41-64", "65+"] * 10, "ordered"),
    "sizes": (["S", "M", "L", "XL"] * 10, "ordered"),
    "yes and no": (["oui", "non"] * 20, "category"),
    "one value": (["x"] * 30, "constant"),
    "no value": (["", "NA", "?"] * 10, "constant"),
    "sentences": ([f"le patient numéro {i} va mieux" for i in range(40)], "text"),
    "words that never repeat": ([f"AB-{i}" for i in range(40)], "identifier"),
    "numbers and a few slips": ([str(i / 7) for i in range(58)] + ["abc", "n.d."], "number"),
    "numbers and many words": ([str(i / 7) for i in range(20)] + ["abc"] * 20, "category"),
}


@pytest.mark.filterwarnings("ignore::chemin.exceptions.LossWarning")
@pytest.mark.parametrize(("cells", "type"), TYPED.values(), ids=TYPED.keys())
def test_the_type_of_a_column_is_told_by_its_cells(cells, type):
    text = "other;colonne\n" + "\n".join(f"{i % 2};{cell}" for i, cell in enumerate(cells))
    assert chemin.read(csv_of(text)).types["colonne"] == type


def test_what_is_not_a_number_is_counted_and_named():
    cells = [str(i / 7) for i in range(58)] + ["abc", "x1"]
    with pytest.warns(
        LossWarning, match="2 cells read as missing, column 'v': not numbers: 'abc', 'x1'"
    ):
        table = chemin.read(
            csv_of("u;v\n" + "\n".join(f"{i % 2};{cell}" for i, cell in enumerate(cells)))
        )
    (loss,) = table.losses
    assert loss.count == 2
    assert np.isnan(table["v"].values).sum() == 2


def test_rows_without_a_target_are_left_out_and_counted():
    with pytest.warns(LossWarning, match="2 rows left out, column 'y'"):
        table = chemin.read(csv_of("x;y\n1;a\n2;\n3;b\n4;NA\n"), target="y")
    assert table.shape == (2, 2)
    assert table.y.tolist() == ["a", "b"]


def test_ragged_lines_are_filled_up_or_set_aside_and_counted():
    lines = [f"{i};{i / 2};x" for i in range(40)]
    lines[5] = "5;2.5"
    lines[7] = "7;3.5;x;too much"
    lines.append("Source : INSEE")
    with pytest.warns(LossWarning):
        table = chemin.read(csv_of("a;b;c\n" + "\n".join(lines)))
    assert table.shape == (39, 3)
    counts = {loss.what: loss.count for loss in table.losses}
    assert counts == {"lines filled up with missing cells": 1, "lines set aside": 2}
    assert "lines 9" in str([loss.where for loss in table.losses])


def test_a_file_without_a_header_has_columns_x0_x1():
    table = chemin.read(csv_of("1,2.5,a\n3,4.5,b\n5,6.5,a\n"))
    assert table.names == ["x0", "x1", "x2"]
    assert table.shape == (3, 3)
    assert chemin.read(csv_of("1,2.5,a\n3,4.5,b\n5,6.5,a\n"), header=1).names == ["1", "2.5", "a"]


def test_names_that_repeat_are_numbered_and_empty_ones_named():
    table = chemin.read(csv_of("a;a;;b\n1;2;3;4\n5;6;7;8\n"))
    assert table.names == ["a", "a (2)", "column 3", "b"]


def test_html_in_names_is_escaped():
    page = chemin.read(
        csv_of("<script>alert(1)</script>;b\n<b>x</b>;2\n<i>y</i>;3\n")
    )._repr_html_()
    assert "<script>" not in page
    assert "<b>x" not in page
    assert "&lt;script&gt;" in page


def test_a_quote_that_is_never_closed_swallows_nothing():
    lines = [f'{i};5" tube' if i != 3 else '3;"5 inches' for i in range(100)]
    table = chemin.read(csv_of("a;b\n" + "\n".join(lines)))
    assert table.shape == (100, 2)
    assert any(guess.what == "quote" for guess in table.guesses)


BAD_FILES = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n  \n", "nothing but empty lines"),
    "header alone": (b"a;b;c\n", "no row below it"),
    "web page": (
        b"<!DOCTYPE html><html><body>404</body></html>",
        "web page.*download the table itself",
    ),
    "PDF": (b"%PDF-1.4 xxx", "PDF document"),
    "image": (b"\x89PNG\r\n\x1a\n0000", "an image"),
    "pickle": (b"\x80\x04\x95abc", "pickle runs whatever"),
    "bytes": (bytes(range(256)) * 8, "bytes that are no text"),
    "damaged zip": (b"PK\x03\x04garbage", "damaged archive"),
    "damaged gzip": (gzip.compress(b"a,b\n1,2\n")[:-6], "damaged"),
    "damaged Parquet": (b"PAR1 nothing here PAR1", "damaged Parquet"),
    "damaged workbook": (zipped({"[Content_Types].xml": b"<x/>"}), "damaged or protected workbook"),
    "damaged npz": (zipped({"X.npy": b"nothing"}), "cannot be read as arrays"),
    "npz without X": (zipped({"Z.npy": b"nothing"}), "no array X"),
    "ragged": (("a;b;c\n" + "1;2;3\n1;2;3;4;5\n" * 20).encode(), "is ragged.*separator="),
    "packed four times": (
        gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"a,b\n1,2")))),
        "more than three",
    ),
}


@pytest.mark.parametrize(("data", "message"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_bad_file_is_explained_in_a_few_lines(data, message, tmp_path):
    file = tmp_path / "file.csv"
    file.write_bytes(data)
    with pytest.raises(TableError, match=message) as caught:
        chemin.read(file)
    assert len(str(caught.value).splitlines()) <= 3
    assert file.read_bytes() == data


BAD_ARGUMENTS = {
    "no such file": ({"source": "no/such/file.csv"}, "cannot be opened.*check the path"),
    "no such target": ({"target": "sex"}, "no such column.*did you mean 'sexe'"),
    "no such column in types": ({"types": {"agee": "number"}}, "no such column"),
    "no such type": ({"types": {"âge": "integer"}}, "pass one of number, category"),
    "no order known": ({"types": {"sexe": "ordered"}}, "from low to high"),
    "no such encoding": ({"encoding": "utf-9"}, "Python does not know"),
    "wrong encoding": ({"encoding": "ascii"}, "cannot be decoded as ascii"),
    "separator too long": ({"separator": ";;"}, "pass one letter"),
    "quote too long": ({"quote": "''"}, "pass one letter"),
    "no such line": ({"header": 4000}, "no such line"),
    "decimal": ({"decimal": ";"}, r"pass '\.' or ','"),
    "rows": ({"rows": 0}, "how many rows"),
    "memory": ({"memory": -1}, "gibibytes"),
    "too little memory": ({"memory": 1e-5}, r"million cells.*rows=\d+.*larger memory="),
    "a number": ({"source": 3}, "a int cannot be read"),
    "a vector": ({"source": np.arange(3.0)}, "one row per point"),
    "an empty frame": ({"source": pd.DataFrame()}, "shape"),
    "names that repeat": (
        {"source": pd.DataFrame([[1, 2]], columns=["a", "a"])},
        "columns share a name: 'a'",
    ),
    "lists in cells": ({"source": pl.DataFrame({"a": [[1], [2]]})}, "'a' holds List"),
    "a target that is missing": (
        {"source": pd.DataFrame({"a": [1, 2], "y": [None, None]}), "target": "y"},
        "every cell of the target 'y' is missing",
    ),
}


@pytest.mark.parametrize(("given", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS.keys())
def test_a_bad_argument_names_its_remedy(given, message):
    source = given.get("source", None)
    rest = {name: value for name, value in given.items() if name != "source"}
    with pytest.raises(InvalidInputError, match=message):
        chemin.read(io.BytesIO(PLAIN.written()) if source is None else source, **rest)


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    file = tmp_path / "bomb.zip"
    file.write_bytes(zipped({"zeros.csv": b"0," * 5_000_000}))
    assert file.stat().st_size < 100_000
    with pytest.raises(TableError, match=r"unpacks to .* more than the 0\.001 GiB allowed"):
        chemin.read(file, memory=0.001)
    file.write_bytes(gzip.compress(b"0," * 5_000_000))
    with pytest.raises(TableError, match=r"unpacks to more than the 0\.001 GiB"):
        chemin.read(file, memory=0.001)


@given(
    st.floats(-1e12, 1e12).map(lambda value: round(value, 3)),
    st.sampled_from(
        [(".", ","), (",", "."), (",", " "), (",", "\u202f"), (".", "'"), (".", ""), (",", "")]
    ),
)
def test_a_number_is_read_as_it_was_written(value, marks):
    decimal, thousands = marks
    text = f"{value:,.4f}".translate({ord(","): thousands, ord("."): decimal})
    form = decide_format(gather_evidence([text]), fallback=decimal)
    assert form.parse(text) == pytest.approx(value, abs=1e-4)


@given(st.text(max_size=12))
def test_no_text_breaks_a_number_or_a_date(text):
    number = NumberFormat(",").parse(text)
    assert number is None or not math.isnan(number)
    DateFormat().parse(text)
    gather_evidence([text])


@given(st.datetimes(), st.booleans())
def test_a_date_is_read_as_it_was_written(moment, day_first):
    moment = moment.replace(microsecond=0)
    form = DateFormat(day_first)
    written = (
        f"{moment.day:02d}/{moment.month:02d}"
        if day_first
        else f"{moment.month:02d}/{moment.day:02d}"
    )
    assert form.parse(f"{written}/{moment.year:04d} {moment:%H:%M:%S}") == moment
    assert form.parse(moment.isoformat()) == moment


@given(st.permutations(["jamais", "rarement", "parfois", "souvent", "toujours"]), st.integers(3, 5))
def test_words_of_a_scale_are_put_in_order(words, count):
    known = ("jamais", "rarement", "parfois", "souvent", "toujours")
    some = words[:count]
    assert order_of(some) == tuple(word for word in known if word in some)


cell = st.one_of(
    st.text(max_size=6),
    st.floats().map(str),
    st.sampled_from(["NA", "1,5", "01/02/2024", '"', ";"]),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(cell, min_size=1, max_size=5), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
)
def test_whatever_is_in_a_file_it_is_read_or_explained(rows, separator):
    text = "\n".join(separator.join(row) for row in rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        try:
            table = chemin.read(io.BytesIO(text.encode("utf-8", errors="replace")))
        except TableError:
            return
    assert len(table.frame()) == table.shape[0]
    assert str(table)


def test_a_table_of_the_right_size_is_told_in_words():
    told = str(chemin.read(io.BytesIO(STYLES["french of Windows"].written())))
    for word in (
        "cp1252",
        "semicolon",
        "override with decimal=",
        "losses: none",
        f"{ROWS} rows",
        *NAMES,
    ):
        assert word in told


def test_dates_with_gaps_and_zones_are_read_as_on_the_spot():
    days = pd.to_datetime(["2024-01-01", None, "2024-03-05"])
    table = chemin.read(
        pd.DataFrame({"d": days, "z": days.tz_localize("Europe/Paris"), "x": [1.0, 2, 4]})
    )
    assert table.types == {"d": "date", "z": "date", "x": "number"}
    for name in ("d", "z"):
        assert [str(day)[:10] for day in table[name].values] == ["2024-01-01", "NaT", "2024-03-05"]
    assert any(guess.what == "clock of 'z'" for guess in table.guesses)
    again = chemin.read(
        pd.DataFrame({"d": pd.to_datetime(["2024-01-01"] * 3), "e": pd.NaT, "x": [1, 2, 4]})
    )
    assert again.types == {"d": "constant", "e": "constant", "x": "number"}


@pytest.mark.parametrize(
    "columns",
    [[0, 1], [0.5, 1.5], [("a", "b"), ("a", "c")], [True, None]],
    ids=["whole", "floats", "pairs", "odd"],
)
def test_names_need_not_be_texts(columns):
    frame = pd.DataFrame(np.arange(6.0).reshape(3, 2) ** 2)
    frame.columns = pd.Index(columns, tupleize_cols=False)
    table = chemin.read(frame, target=columns[1])
    assert (table.names, table.shape) == ([str(name) for name in columns], (3, 2))


def test_a_code_of_missing_cells_is_one_code():
    table = chemin.read(csv_of("a,b\n1,2\n-9,4\n9,5\n"), missing="-9")
    np.testing.assert_array_equal(table["a"].values, [1.0, np.nan, 9.0])
    with pytest.warns(LossWarning, match="NA"):
        kept = chemin.read(
            csv_of("a,b\n" + "\n".join(f"{3 * i},{i}.5" for i in range(40)) + "\nNA,1\n"),
            missing=["-9"],
        )
    assert kept["a"].strange == {"NA": 1}


def test_chromosomes_are_categories():
    names = [*map(str, range(1, 23)), "X", "Y"] * 3
    table = chemin.read(
        csv_of("chrom,v\n" + "\n".join(f"{name},{i % 7}.5" for i, name in enumerate(names)))
    )
    assert table.types["chrom"] == "category"
    assert not table["chrom"].absent.any()
    assert chemin.read(csv_of("chrom,v\n1,2\n1,3\nX,4\n")).types["chrom"] == "category"


def test_columns_of_other_marks_are_told_apart_and_asked_for(tmp_path):
    file = tmp_path / "mixed.csv"
    rows = [f"{i},5;{i}.25;{i + 1:02d}/{i + 13}/2024;{i + 13}/{i + 1:02d}/2024" for i in range(8)]
    file.write_text("a;b;us;fr\n" + "\n".join(rows))
    table = chemin.read(file)
    again = eval(table.call, {"chemin": chemin})
    for name in table.names:
        np.testing.assert_array_equal(table[name].values, again[name].values)
    assert table["b"].values[1] == 1.25
    assert str(table["us"].values[0])[:10] == str(table["fr"].values[0])[:10] == "2024-01-13"


def test_the_call_of_a_frame_names_it_source():
    frame = pd.DataFrame({"a": ["1,5", "2,5"], "b": [1, 2]})
    again = eval(chemin.read(frame).call, {"chemin": chemin, "source": frame})
    assert again["a"].values.tolist() == [1.5, 2.5]


def test_reading_and_preparing_agree_on_thousands():
    frame = pd.DataFrame({"a": ["1,234", "2,345"]})
    assert chemin.read(frame)["a"].values.tolist() == [1234.0, 2345.0]
    assert chemin.Prepare(scale=False).fit_transform(frame)["a"].tolist() == [1234.0, 2345.0]
    assert chemin.read(csv_of("a;b\n1,234;1\n2,345;2\n"))["a"].values.tolist() == [1.234, 2.345]
    prepare = chemin.Prepare(scale=False).fit(pd.DataFrame({"a": ["1,5", "2,5", "3,5"]}))
    with pytest.warns(LossWarning, match=r"2\.250"):
        prepare.transform(pd.DataFrame({"a": ["2.250"]}))


@pytest.mark.parametrize("make", [csv_of, lambda text: pd.read_csv(io.StringIO(text))])
def test_whole_numbers_too_large_for_a_float_are_names(make):
    text = "id,v\n" + "".join(f"{9007199254740993 + i},{i % 3}\n" for i in range(25))
    table = chemin.read(make(text))
    assert table.types["id"] == "identifier"
    assert table["id"].values[0] == "9007199254740993"


def test_a_target_is_numbers_or_classes():
    counted = chemin.read(
        csv_of("dose,y\n" + "".join(f"{(i * 7) % 11},{i + 1}\n" for i in range(25))), target="y"
    )
    assert counted.y.tolist() == list(range(1, 26))
    names = chemin.read(
        csv_of("dose,y\n" + "".join(f"{(i * 7) % 11},N{i}\n" for i in range(25))), target="y"
    )
    assert names.types["y"] == "category"


def test_booleans_may_be_numbers_and_words_may_not():
    frame = pd.DataFrame({"flag": [True, False] * 4, "word": list("abcdefgh")})
    assert chemin.read(frame, types={"flag": "number"})["flag"].values.tolist() == [1.0, 0.0] * 4
    with pytest.raises(
        InvalidInputError, match="'word' is to be a number, and no cell of it can be read"
    ):
        chemin.read(frame, types={"word": "number"})


HEADERS = {
    "years": ("gene,2019,2020,2021\nA,1.5,2,3\nB,4,5,6\n", ["gene", "2019", "2020", "2021"], 2),
    "a plate": (
        "Plate,P1\nDate,2024-01-01\n\nWell,OD\nA0,0.1\nA1,0.2\nA2,0.3\n",
        ["Well", "OD"],
        3,
    ),
    "one column of decimals": ("x\n1,5\n2,5\n3,1\n", ["x"], 3),
    "one column of towns": ("city\nLe Havre\nNew York\nParis\nSan Jose\n", ["city"], 4),
    "row names of R": (
        '"","mpg","grp"\n"1",20,"a"\n"2",21,"b"\n"3",22,"a"\n',
        ["column 1", "mpg", "grp"],
        3,
    ),
    "R without a corner": (
        '"mpg","grp"\n"1",20,"a"\n"2",21,"b"\n"3",22,"a"\n',
        ["column 1", "mpg", "grp"],
        3,
    ),
}


@pytest.mark.parametrize(("text", "names", "rows"), HEADERS.values(), ids=HEADERS.keys())
def test_the_header_is_found(text, names, rows):
    table = chemin.read(csv_of(text))
    assert (table.names, table.shape[0]) == (names, rows)
    assert table.types.get("column 1", "identifier") == "identifier"


def test_versions_are_no_dates_and_births_are_past():
    assert DateFormat().parse("1.2.10") is None
    assert DateFormat().parse("13/03/52").year == 1952
    assert DateFormat().parse("13/03/24").year == 2024
    assert order_of(["10-2", "1-100", "3-7"]) is None


def test_what_is_no_file_is_told():
    with pytest.raises(TableError, match="an address, and only files are read"):
        chemin.read("https://example.org/table.csv")
    with pytest.raises(TableError, match=r"a JSON file.*read_json"):
        chemin.read(csv_of('[{"a": 1}, {"a": 2}]'))
    with pytest.raises(TableError, match="hidden values"):
        chemin.read(np.ma.masked_equal(np.arange(6.0).reshape(3, 2), 3.0))
    with pytest.raises(TableError, match="Complex"):
        chemin.read(np.array([[1j, 2], [3, 4]]))


def test_a_header_shorter_than_its_rows_is_filled_up():
    with pytest.warns(LossWarning, match="1 line filled up"):
        table = chemin.read(csv_of("Export\n\n,,,0\n0,0"))
    assert table.names == ["Export", "column 2", "column 4"]


@pytest.mark.parametrize("rows", [4, 30])
def test_a_line_of_units_is_set_aside(rows):
    lines = [f"A{i};{60 + i},5;{160 + i}" for i in range(rows)]
    with pytest.warns(LossWarning, match="1 line set aside, line 2: units of the columns: kg, cm"):
        table = chemin.read(csv_of("nom;poids;taille\n;kg;cm\n" + "\n".join(lines)))
    assert table.shape == (rows, 3)
    assert (table.types["poids"], table.types["taille"]) == ("number", "number")
    kept = chemin.read(csv_of("nom;poids;taille\nZ;NA;?\n" + "\n".join(lines)))
    assert kept.shape == (rows + 1, 3)
