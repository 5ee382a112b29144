"""What is a study asked to do? A recipe in TOML, with a closed set of keys.

Such as ``source = "patients.csv"``, ``target = "diagnostic"``, ``kernels = ["gaussian(1).on(âge, tension)"]``, and in a
table ``[read]`` the arguments of `chemin.read`: ``decimal = ","``.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import fields, replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

from chemin.exceptions import InvalidInputError
from chemin.study.codec import from_values
from chemin.study.document import Recipe
from chemin.tables import read

_SUFFIX = ".toml"
_LARGEST = 2**20  # bytes of a recipe
_OWN = (
    "source",
    "target",
    "memory",
)  # arguments of chemin.read that are keys of their own, or of the machine


def read_recipe(file: str | os.PathLike[str], **changes: Any) -> Recipe:
    r"""Read a recipe.

    Parameters
    ----------
    file : path
        A TOML file. Its keys are the attributes of `Recipe`; the table ``[read]`` holds arguments of `chemin.read`.
    **changes
        Attributes that take the place of those in the file.

    Returns
    -------
    Recipe
        A source that is a relative path is looked for beside the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "recipe.toml"
    ...     size = place.write_text('source = "iris"\nfolds = 4')
    ...     read_recipe(place, cases=2).folds
    4
    """
    place = Path(file)
    try:
        if place.stat().st_size > _LARGEST:
            raise InvalidInputError(f"{place} is larger than {_LARGEST} bytes: it is no recipe")
        found = tomllib.loads(place.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidInputError(f"{place} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{place} is not TOML: {error}") from error
    _check_keys(place, found)
    source = found.get("source")
    if isinstance(source, str) and (place.parent / source).exists():
        found["source"] = str(place.parent / source)
    recipe = from_values(Recipe, found | changes, str(place))
    check_reading(recipe.read, str(place))
    return recipe


def from_options(source: str, asked: dict[str, Any], reading: dict[str, Any]) -> Recipe:
    """Return the recipe of a command: that of a file ``source.toml``, or one for a source, with what was asked."""
    if source.endswith(_SUFFIX):
        recipe = read_recipe(source, **asked)
        return replace(recipe, read=recipe.read | reading)
    return from_values(Recipe, {"source": source, "read": reading} | asked, "the command")


def check_reading(given: dict[str, Any], where: str) -> None:
    """Raise if there is an argument that `chemin.read` does not have."""
    known = [name for name in signature(read).parameters if name not in _OWN]
    for name in given:
        if name not in known:
            raise InvalidInputError(f"{where}: [read] has {name!r}{_nearest(name, known)}")


def _check_keys(place: Path, found: dict[str, Any]) -> None:
    known = [one.name for one in fields(Recipe)]
    for name in found:
        if name not in known:
            raise InvalidInputError(f"{place} has {name!r}{_nearest(name, known)}")


def _nearest(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f": did you mean {close[0]!r}?" if close else f": pass one of {', '.join(known)}"
