"""How is a file of text cut into cells? Encoding, separator and quotes, each with its evidence."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from chemin.exceptions import MissingLibraryError, TableError
from chemin.memory import GIB
from chemin.tables.files.grid import Grid, Wanted, grid_of
from chemin.tables.files.source import Source, utf16_without_mark
from chemin.tables.notes import Guess

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SEPARATORS = (",", ";", "\t", "|", " ")
_WESTERN = ("cp1252", "mac_roman", "cp850")  # tried first where UTF-8 fails
_CHUNK = 2**20
_SAMPLE = 2**16  # letters in which the separator is sought
_PER_CELL = 90  # bytes that a cell takes while it is read
_LONGEST = 10_000_000  # letters of a cell
_PREAMBLE = 200  # lines that may come before the rows
_MOST_HELD = 2**20  # different cells remembered at once
_UNUSED = "\x1f"  # stands for the separator where there is one column
_HINT = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?\d+,\d+")
_NAMES = {"\t": "tab", " ": "space", ",": "comma", ";": "semicolon", "|": "bar"}


@dataclass(frozen=True)
class Dialect:
    """How cells are told apart."""

    encoding: str
    separator: str
    quote: str


def read_text(source: Source, wanted: Wanted) -> Grid:
    """Return the cells of a CSV file, of its first rows or of all."""
    guesses: list[Guess] = []
    given = wanted.encoding
    separator = wanted.separator
    chosen = _checked(given, source) if given else guess_encoding(source, guesses)
    sample = _sample(source, chosen)
    if not sample.strip():
        raise TableError(
            f"{source.name} holds nothing but empty lines: check that it was saved completely"
        )
    hint = _HINT.match(sample)
    if hint and separator is None:
        separator = hint[1]
        guesses.append(
            Guess("separator", repr(separator), "the first line says so", "separator", separator)
        )
    body = sample[hint.end() :] if hint else sample
    dialect = _dialect(body, chosen, separator, wanted.quote, guesses)
    _check_memory(source, sample, dialect, wanted.rows, wanted.memory)
    cut = _cells(source, dialect, wanted.rows, guesses, skip=1 if hint else 0)
    if not cut.cells:
        raise TableError(f"{source.name} holds no row: check that it was saved completely")
    grid = grid_of(cut.cells, cut.lines, wanted.header, source.name)
    grid.guesses[:0] = guesses
    return grid


def guess_encoding(source: Source, guesses: list[Guess]) -> str:
    """Return the encoding: what a mark says, UTF-8 if every byte of the file allows it, else the likeliest."""
    with source.open() as stream:
        head = stream.read(_CHUNK)
    for mark, name in _MARKS:
        if head.startswith(mark):
            guesses.append(Guess("encoding", name, "a byte-order mark", "encoding", name))
            return name
    unmarked = utf16_without_mark(head)
    if unmarked is not None:
        evidence = "a zero byte beside most letters"
        guesses.append(Guess("encoding", unmarked, evidence, "encoding", unmarked))
        return unmarked
    failed = _first_not_utf8(source)
    if failed is None:
        evidence = "plain ASCII" if head.isascii() else "every byte of the file allows it"
        guesses.append(Guess("encoding", "utf-8", evidence, "encoding", "utf-8"))
        return "utf-8"
    return _of_one_byte(source, failed, guesses)


def _first_not_utf8(source: Source) -> int | None:
    """Return where a file stops being UTF-8, None if it never does."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    with source.open() as stream:
        while True:
            chunk = stream.read(_CHUNK)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return done - pending + error.start
            if not chunk:
                return None
            done += len(chunk)


def _of_one_byte(source: Source, failed: int, guesses: list[Guess]) -> str:
    """Return the likeliest encoding of one byte per letter, by the text around the first byte that is not UTF-8."""
    with source.open() as stream:
        start = max(0, failed - _SAMPLE // 2)
        stream.read(start)
        around = stream.read(_SAMPLE)
    telling = b"\n".join(line for line in around.splitlines() if not line.isascii())
    western = next((name for name in _WESTERN if _reads_well(telling, name)), None)
    name = western or _by_statistics(telling, source)
    why = "its letters are those of Western Europe" if western else "the likeliest by its letters"
    evidence = f"byte 0x{around[failed - start]:02X} at {failed} is not UTF-8; {why}"
    guesses.append(Guess("encoding", name, evidence, "encoding", name))
    return name


def _reads_well(text: bytes, encoding: str) -> bool:
    """Return whether every letter beyond ASCII is one of Western Europe, and no capital stands within a word."""
    try:
        decoded = text.decode(encoding)
    except UnicodeDecodeError:
        return False
    if not all(letter < "\x80" or _is_western(letter) for letter in decoded):
        return False
    return not any(
        after > "\x80" and after.isupper() and before.islower()
        for before, after in pairwise(decoded)
    )


def _by_statistics(text: bytes, source: Source) -> str:
    try:
        import charset_normalizer
    except ImportError as error:
        raise MissingLibraryError(
            f"{source.name} is not UTF-8, and guessing its encoding needs charset-normalizer: "
            "pip install 'chemin[tables]', or pass encoding= (cp1252 is likely)"
        ) from error
    best = charset_normalizer.from_bytes(text).best()
    found = best.encoding if best is not None else _WESTERN[0]
    try:
        text.decode(found)
    except (UnicodeDecodeError, LookupError):
        return "latin-1"  # which reads any byte
    return str(found)


def _is_western(letter: str) -> bool:
    return (
        letter
        in "àâäæçéèêëîïôöœùûüÿñáíóúßåøãõìòÀÂÄÆÇÉÈÊËÎÏÔÖŒÙÛÜŸÑÁÍÓÚÅØÃÕ€°²³µ§«»’‘“”–—…·\u00a0º½¼±×£"
    )


def _checked(encoding: str, source: Source) -> str:
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise TableError(
            f"encoding is {encoding!r}, which Python does not know: pass 'utf-8' or 'cp1252'"
        ) from error
    if codecs.lookup(encoding).name != "utf-8":
        return encoding
    with source.open() as stream:
        return "utf-8-sig" if stream.read(3) == codecs.BOM_UTF8 else encoding


def _opened(source: Source, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(source.open(), encoding=encoding, newline="")


def _sample(source: Source, encoding: str) -> str:
    """Return the beginning of the text, up to the end of a line."""
    with _opened(source, encoding) as stream:
        (text,) = _decoded((stream.read(size) for size in [_SAMPLE]), source, encoding)
    if len(text) < _SAMPLE:
        return text
    end = max(text.rfind("\n"), text.rfind("\r"))
    return text[: end + 1] if end > 0 else text


def _dialect(
    sample: str, encoding: str, separator: str | None, quote: str | None, guesses: list[Guess]
) -> Dialect:
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1):
        raise TableError(f"separator is {separator!r}: pass one letter, such as ';' or '\\t'")
    if quote is not None and (not isinstance(quote, str) or len(quote) > 1):
        raise TableError(
            f"quote is {quote!r}: pass one letter, such as '\"', or '' if quotes mean nothing"
        )
    if separator is not None:
        return Dialect(encoding, separator, '"' if quote is None else quote)
    found, sign = _detected(sample)
    rows = [row for row in islice(_rows(sample, found, sign), 500) if row]
    if found == _UNUSED:
        guesses.append(
            Guess("separator", "none, one column", "no sign cuts the lines alike", "separator")
        )
    else:
        widths = [len(row) for row in rows]
        most = max(set(widths), key=widths.count)
        evidence = f"{most} cells in {widths.count(most)} of the first {len(widths)} rows"
        name = _NAMES.get(found, repr(found))
        guesses.append(Guess("separator", name, evidence, "separator", found))
    if quote is None and sign != '"':
        guesses.append(Guess("quote", repr(sign), "cells are wrapped in it", "quote", sign))
    return Dialect(encoding, found, sign if quote is None else quote)


def _detected(sample: str) -> tuple[str, str]:
    """Return separator and quote by CleverCSV, which weighs how regular the rows and how plain the cells are."""
    try:
        from clevercsv.detect import Detector
        from clevercsv.exceptions import Error, NoDetectionResult
    except ImportError as error:
        raise MissingLibraryError(
            "guessing the separator needs clevercsv: pip install 'chemin[tables]', or pass separator="
        ) from error
    try:
        found = Detector().detect(sample.replace("\0", ""), delimiters=list(SEPARATORS))
    except (Error, NoDetectionResult):
        found = None
    separator = (found.delimiter if found is not None else "") or _UNUSED
    quote = found.quotechar if found is not None and found.quotechar == "'" else '"'
    if separator in (" ", _UNUSED):  # words of one column also have spaces between them
        separator = _rather(sample, separator)
    if separator == "," and _is_one_column(sample):
        separator = _UNUSED
    return separator, quote


def _is_one_column(sample: str) -> bool:
    """Return whether a text is a name and decimal numbers below it, whose comma separates nothing."""
    first, *others = [line.strip() for line in sample.splitlines() if line.strip()]
    return "," not in first and bool(others) and all(_DECIMAL.fullmatch(line) for line in others)


def _rather(sample: str, found: str) -> str:
    """Return another separator if it cuts every line into as many cells, else the one that was found."""
    for other in (";", "\t", "|", ","):
        widths = {len(row) for row in _rows(sample, other, '"') if row}
        if len(widths) == 1 and widths.pop() > 1:
            return other
    even = len({len(row) for row in _rows(sample, found, '"') if row}) == 1
    return found if even else _UNUSED


def _rows(text: Any, separator: str, quote: str, strict: bool = False) -> Any:
    """Return the rows of a text, or of a stream of lines."""
    lines = io.StringIO(text, newline="") if isinstance(text, str) else text
    if separator == " ":
        lines = (re.sub(r"(?<=\S) +(?=\S)", " ", line).lstrip(" ") for line in lines)
    return csv.reader(
        lines,
        delimiter=separator,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        skipinitialspace=separator != " ",
        strict=strict and bool(quote),
    )


def _check_memory(
    source: Source, sample: str, dialect: Dialect, rows: int | None, memory: int
) -> None:
    """Raise before reading if the cells will not fit."""
    size = max(len(sample.encode(dialect.encoding, errors="replace")), 1)
    some = list(_rows(sample, dialect.separator, dialect.quote))
    cells = sum(map(len, some))
    total = cells * source.size / size
    if rows is not None:
        total = min(total, rows * cells / max(len(some), 1))
    need = int(total * _PER_CELL)
    if need > memory:
        fits = max(int(memory / _PER_CELL / (cells / max(len(some), 1))), 1)
        raise TableError(
            f"{source.name} has about {total / 1e6:.3g} million cells, which need {need / GIB:.3g} GiB, and "
            f"{memory / GIB:.3g} GiB are allowed: pass rows={fits} for its beginning, save it as Parquet and "
            "pass columns= for some of its columns, or a larger memory= (in GiB)"
        )


def _cells(
    source: Source, dialect: Dialect, rows: int | None, guesses: list[Guess], skip: int
) -> Cut:
    """Return the rows of a file; quotes that do not pair are read in the way that leaves the lines most alike."""
    try:
        try:
            return _cut(source, dialect, rows, skip, strict=True)
        except csv.Error as error:
            reason = str(error)
        with_quotes = _cut(source, dialect, rows, skip)
        without = _cut(source, replace(dialect, quote=""), rows, skip)
    except csv.Error as error:
        raise TableError(
            f"{source.name} cannot be cut into cells ({error}): check separator= and quote=, or pass quote='' if "
            "quotes mean nothing in it"
        ) from error
    chosen = min(with_quotes, without, key=lambda cut: (cut.uneven, -len(cut.cells)))
    sign = dialect.quote if chosen is with_quotes else ""
    evidence = f"quotes do not pair ({reason}), and {chosen.uneven} lines differ so"
    guesses.append(Guess("quote", repr(sign) if sign else "none", evidence, "quote", sign))
    return chosen


@dataclass(frozen=True, eq=False)
class Cut:
    """The rows of a file that are not empty, and the numbers of their last lines."""

    cells: list[list[str]]
    lines: list[int]

    @property
    def uneven(self) -> int:
        """How many rows have another number of cells than most."""
        widths = Counter(map(len, self.cells))
        return len(self.cells) - max(widths.values(), default=0)


def _cut(
    source: Source, dialect: Dialect, rows: int | None, skip: int, strict: bool = False
) -> Cut:
    most = None if rows is None else rows + _PREAMBLE
    cells: list[list[str]] = []
    lines: list[int] = []
    known: dict[str, str] = {}  # equal cells are held once
    before = csv.field_size_limit(_LONGEST)
    try:
        with _opened(source, dialect.encoding) as stream:
            reader = _rows(islice(stream, skip, None), dialect.separator, dialect.quote, strict)
            for row in _decoded(islice(reader, most), source, dialect.encoding):
                if any(cell.strip() for cell in row):
                    cells.append([known.setdefault(cell, cell) for cell in row])
                    lines.append(reader.line_num + skip)
                if len(known) > _MOST_HELD:
                    known.clear()
    finally:
        csv.field_size_limit(before)
    return Cut(cells, lines)


def _decoded(pieces: Iterator[Any], source: Source, encoding: str) -> Iterator[Any]:
    """Hand on what is read, and say of bytes that cannot be decoded what to do."""
    try:
        yield from pieces
    except UnicodeError as error:
        place = getattr(error, "start", "?")
        raise TableError(
            f"{source.name} cannot be decoded as {encoding} (byte {place}): leave encoding= out to let it be guessed, "
            "or pass another one such as 'cp1252'"
        ) from error
    except OSError as error:
        raise TableError(
            f"{source.name} cannot be read to its end ({error}): fetch or save it again"
        ) from error
