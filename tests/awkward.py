"""One table, written in as many ways as people write tables."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np

NAMES = ["identifiant", "âge", "taille", "revenu", "entrée", "sexe", "note"]
TYPES = {
    "identifiant": "identifier",
    "âge": "number",
    "taille": "number",
    "revenu": "number",
    "entrée": "date",
    "sexe": "category",
    "note": "category",
}
ROWS = 36
AGE = [float(20 + i) if i % 7 else None for i in range(ROWS)]
SIZE = [round(1.5 + i / 100, 2) for i in range(ROWS)]
INCOME = [round(1234.56 * (i + 1), 2) for i in range(ROWS)]
DAY = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(ROWS)]
SEX = ["F" if i % 2 else "H" for i in range(ROWS)]
NOTES = ["café, crème", 'dit "non"', "ligne un\nligne deux", None]
NOTE = [NOTES[i % 4] for i in range(ROWS)]
DATES = {
    "iso": "{2}-{1}-{0}",
    "day first": "{0}/{1}/{2}",
    "month first": "{1}/{0}/{2}",
    "points": "{0}.{1}.{2}",
}


@dataclass(frozen=True)
class Style:
    """How the table is written."""

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    preamble: str = ""
    quoting: int = csv.QUOTE_MINIMAL
    dates: str = "iso"
    missing: str = ""
    line: str = "\n"
    footer: str = ""

    def number(self, value: float) -> str:
        """Return a number as it is written here."""
        text = f"{value:,.2f}"
        return text.translate({ord(","): self.thousands, ord("."): self.decimal})

    def written(self) -> bytes:
        """Return the table as a file."""
        stream = io.StringIO(newline="")
        writer = csv.writer(
            stream, delimiter=self.separator, quoting=self.quoting, lineterminator=self.line
        )
        writer.writerow(NAMES)
        for i in range(ROWS):
            year, month, day = DAY[i].split("-")
            age = self.missing if AGE[i] is None else int(AGE[i])
            note = self.missing if NOTE[i] is None else NOTE[i]
            date = DATES[self.dates].format(day, month, year)
            numbers = [self.number(SIZE[i]), self.number(INCOME[i])]
            writer.writerow([f"P{i:03d}", age, *numbers, date, SEX[i], note])
        return (self.preamble + stream.getvalue() + self.footer).encode(self.encoding)


PLAIN = Style()
FRENCH = Style(separator=";", decimal=",", dates="day first")
PREAMBLE = "Export du 12/03/2026\nService : cardiologie\n\n"
STYLES = {
    "plain": PLAIN,
    "french": FRENCH,
    "french of Windows": replace(FRENCH, encoding="cp1252"),
    "french of Excel": replace(FRENCH, encoding="utf-8-sig", line="\r\n"),
    "french of old Macs": replace(FRENCH, encoding="mac_roman"),
    "french of DOS": replace(FRENCH, encoding="cp850", line="\r\n"),
    "latin 1": replace(PLAIN, encoding="iso-8859-1"),
    "UTF-16": replace(PLAIN, encoding="utf-16"),
    "UTF-16 without a mark": replace(FRENCH, encoding="utf-16-le"),
    "UTF-16, big end first": replace(FRENCH, encoding="utf-16-be"),
    "UTF-32": replace(FRENCH, encoding="utf-32"),
    "tabs": replace(PLAIN, separator="\t"),
    "tabs and decimal commas": replace(FRENCH, separator="\t"),
    "bars": replace(PLAIN, separator="|"),
    "commas everywhere": replace(PLAIN, decimal=","),
    "english thousands": replace(PLAIN, thousands=","),
    "english thousands, semicolons": replace(PLAIN, separator=";", thousands=","),
    "german thousands": replace(FRENCH, thousands=".", dates="points"),
    "swiss thousands": replace(PLAIN, separator=";", thousands="'", dates="points"),
    "thousands by a space": replace(FRENCH, thousands=" "),
    "thousands by a hard space": replace(FRENCH, thousands="\u00a0", encoding="cp1252"),
    "thousands by a narrow space": replace(FRENCH, thousands="\u202f"),
    "month first": replace(PLAIN, dates="month first"),
    "preamble": replace(PLAIN, preamble=PREAMBLE),
    "preamble, french": replace(FRENCH, preamble=PREAMBLE, encoding="cp1252"),
    "preamble that is padded": replace(FRENCH, preamble="Export;;;;;;\nService;cardiologie;;;;;\n"),
    "what Excel says of itself": replace(FRENCH, preamble="sep=;\n"),
    "all cells quoted": replace(PLAIN, quoting=csv.QUOTE_ALL),
    "all cells quoted, french": replace(FRENCH, quoting=csv.QUOTE_ALL, line="\r\n"),
    "texts quoted": replace(FRENCH, quoting=csv.QUOTE_NONNUMERIC),
    "NA": replace(PLAIN, missing="NA"),
    "question marks": replace(FRENCH, missing="?"),
    "#N/A": replace(FRENCH, missing="#N/A", encoding="cp1252"),
    "null": replace(PLAIN, missing="null", separator="\t"),
    "empty lines at the end": replace(PLAIN, footer="\n\n\n"),
    "lines of old Macs": replace(PLAIN, line="\r", quoting=csv.QUOTE_ALL),
    "everything at once": Style(
        "cp1252", ";", ",", "\u00a0", PREAMBLE, csv.QUOTE_ALL, "day first", "NA", "\r\n", "\r\n"
    ),
}


def check_table(table) -> None:
    """Assert that a table is the one that all styles write."""
    assert table.names == NAMES
    assert table.types == TYPES
    np.testing.assert_array_equal(
        table["âge"].values, [np.nan if age is None else age for age in AGE]
    )
    np.testing.assert_array_equal(table["taille"].values, SIZE)
    np.testing.assert_array_equal(table["revenu"].values, INCOME)
    assert [str(day)[:10] for day in table["entrée"].values] == DAY
    assert table["sexe"].values.tolist() == SEX
    notes = [None if note is None else note.replace("\r\n", "\n") for note in table["note"].values]
    assert notes == NOTE
    assert table["identifiant"].values.tolist() == [f"P{i:03d}" for i in range(ROWS)]
