"""In which words? English sentences stand where they are said; their French is in one catalogue.

A sentence is a template with names in braces. What fills them comes from the study: names, labels and sentences of the
library, which stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from chemin.exceptions import InvalidInputError
from chemin.report.french import NOUNS, REASONS, SENTENCES, TERMS
from chemin.report.french_findings import FINDINGS
from chemin.results import figures
from chemin.study.document import FindingFacts

ENGLISH, FRENCH = "en", "fr"
LANGUAGES = (ENGLISH, FRENCH)
_THIN = "\u202f"  # space before a per cent sign
_SMALL = 1e-3
_HIGH_SIGN = re.compile(
    r" (?=[;:?!%])"
)  # before which French puts a space that no line is broken at


def check_language(language: str) -> None:
    """Raise unless there are words for it."""
    if language not in LANGUAGES:
        raise InvalidInputError(f"language is {language!r}: pass one of {', '.join(LANGUAGES)}")


class Words:
    """What is said in a language.

    Parameters
    ----------
    language : str
        "en" or "fr".
    more : mapping, optional
        French sentences and words by their English, beside those of the report.

    Examples
    --------
    >>> words = Words("fr")
    >>> words("The data"), words.number(0.125), words.count(2, "row")
    ('Les données', '0,125', '2 lignes')
    >>> Words("en").percent(0.0351)
    '3.5\u202f%'
    """

    def __init__(self, language: str, more: Mapping[str, str] | None = None) -> None:
        check_language(language)
        self.language = language
        self._french = SENTENCES if more is None else {**SENTENCES, **more}

    def __call__(self, sentence: str, **values: Any) -> str:
        """Return a sentence with its values."""
        template = sentence if self.language == ENGLISH else _bound(self._french[sentence])
        return template.format(**values)

    def number(self, value: float | None, form: str = ".4g") -> str:
        """Return a number; nothing for None."""
        if value is None:
            return ""
        return self._marked(figures(value, form))

    def percent(self, share: float | None) -> str:
        """Return a share in per cent."""
        return "" if share is None else f"{self._marked(f'{100.0 * share:.1f}')}{_THIN}%"

    def count(self, number: int, noun: str) -> str:
        """Return a count and what is counted, a noun in the singular."""
        if self.language == ENGLISH:
            return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
        one, more = NOUNS[noun]
        return f"{number} {one if number < 2 else more}"

    def tiny(self, value: float) -> str:
        """Return a number that is nearly nothing, such as a gap."""
        return self._marked(f"{value:.0e}" if value < _SMALL else f"{value:.2g}")

    def term(self, name: str) -> str:
        """Return one of the library's words, such as the name of a measure."""
        if self.language == ENGLISH:
            return name
        return TERMS.get(name) or self._french.get(name, name)

    def reason(self, told: str) -> str:
        """Return why a row was chosen; what follows the words of the library is a class."""
        if self.language == ENGLISH:
            return told
        for begin, french in REASONS.items():
            if told.startswith(begin):
                return french + told.removeprefix(begin)
        return told

    def finding(self, found: FindingFacts) -> tuple[str, str]:
        """Return what was found, and what to do about it."""
        told = (found.what, found.remedy)
        return told if self.language == ENGLISH else FINDINGS.get(found.code, told)

    def _marked(self, number: str) -> str:
        return number.replace(".", ",") if self.language == FRENCH else number


def _bound(french: str) -> str:
    """Return a French sentence whose signs stay with the words before them."""
    return _HIGH_SIGN.sub("\u00a0", french)
