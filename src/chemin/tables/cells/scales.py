"""Do some words have an order? Known scales, stages and grades with a number, and ranges such as "18-25"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chemin.validation import simplified

_SCALES = tuple(
    tuple(tuple(word.split("/")) for word in scale.split())
    for scale in (
        "none/aucun/aucune/absent/absente mild/leger/legere/minime moderate/modere/moderee severe "
        "critical/critique",
        "very_low/tres_faible/tres_bas low/faible/bas/basse medium/moderate/moyen/moyenne/modere/normal "
        "high/fort/forte/eleve/elevee/haut/haute very_high/tres_fort/tres_eleve/tres_haut",
        "never/jamais rarely/rarement sometimes/parfois often/souvent always/toujours",
        "tiny/minuscule small/petit/petite medium/moyen/moyenne large/grand/grande huge/enorme",
        "xxs xs s m l xl xxl xxxl",
        "very_poor/tres_mauvais poor/bad/mauvais/mauvaise fair/passable/average/moyen good/bon/bonne "
        "very_good/tres_bon/tres_bonne excellent/excellente",
        "first/premier/premiere second/deuxieme third/troisieme",
        "primary/primaire secondary/secondaire tertiary/tertiaire/superieur",
    )
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_STAGE = re.compile(r"(?P<word>[a-z]+)[ _-]?(?P<number>\d{1,2}|[ivx]{1,4})(?P<letter>[a-d]?)")
_RANGE = re.compile(
    r"\D{0,6}(?P<from>\d+(?:[.,]\d+)?)\s*(?:-|–|à|a|to|et|\.\.)\s*(?P<to>\d+(?:[.,]\d+)?)\D{0,8}"
)
_OPEN = re.compile(r"(?P<sign><=?|≤|moins de|under|>=?|≥|plus de|over)\s*(?P<limit>\d+)\D{0,8}")
_MORE = re.compile(r"(?P<limit>\d+)\s*(?:\+|et plus|ans et plus|or more)")


def order_of(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the words in their order if they have one that is known, else None.

    Examples
    --------
    >>> order_of(["fort", "faible", "moyen"]), order_of(["stade III", "stade I", "stade II"])
    (('faible', 'moyen', 'fort'), ('stade I', 'stade II', 'stade III'))
    >>> order_of(["65 et plus", "18-25", "26-64"])
    ('18-25', '26-64', '65 et plus')
    >>> order_of(["Brest", "Lyon"]) is None
    True
    """
    if len(words) < 3:
        return None  # the order of two words changes nothing
    keys = {word: simplified(word) for word in words}
    if len(set(keys.values())) < len(words):
        return None
    for rank in (_on_scale, _by_stage, _by_range):
        ranks = rank(list(keys.values()))
        if ranks is not None and len(set(ranks)) == len(ranks):
            return tuple(word for _, word in sorted(zip(ranks, words, strict=True)))
    return None


def _on_scale(words: list[str]) -> list[float] | None:
    wanted = [re.sub(r"[ -]+", "_", word) for word in words]
    for scale in _SCALES:
        rank = {name: float(place) for place, names in enumerate(scale) for name in names}
        if all(word in rank for word in wanted):
            return [rank[word] for word in wanted]
    return None


def _by_stage(words: list[str]) -> list[float] | None:
    found = [_STAGE.fullmatch(word) for word in words]
    if not all(found):
        if all(word in _ROMAN for word in words):
            return [float(_ROMAN.index(word)) for word in words]
        return None
    stages = [match for match in found if match]
    if len({match["word"] for match in stages}) != 1 or stages[0]["word"] not in _STAGES:
        return None
    ranks = []
    for match in stages:
        number = match["number"]
        if not number.isdigit() and number not in _ROMAN:
            return None
        value = int(number) if number.isdigit() else _ROMAN.index(number) + 1
        ranks.append(value + 0.1 * (ord(match["letter"]) - ord("a") + 1 if match["letter"] else 0))
    return ranks


_STAGES = (
    "stade",
    "stage",
    "grade",
    "niveau",
    "level",
    "class",
    "classe",
    "rang",
    "rank",
    "t",
    "n",
    "g",
)


def _by_range(words: list[str]) -> list[float] | None:
    ranks = []
    for word in words:
        inside, below, above = _RANGE.fullmatch(word), _OPEN.fullmatch(word), _MORE.fullmatch(word)
        if inside:
            low, high = (float(inside[end].replace(",", ".")) for end in ("from", "to"))
            if low >= high:
                return None
            ranks.append(low)
        elif above:
            ranks.append(float(above["limit"]))
        elif below and below["sign"] in ("<", "<=", "≤", "moins de", "under"):
            ranks.append(-1.0)
        elif below:
            ranks.append(float(below["limit"]) + 0.5)
        else:
            return None
    return ranks if any(_RANGE.fullmatch(word) for word in words) else None
