"""What is a study asked to do? A recipe in TOML, with a closed set of keys.

Such as ``source = "patients.csv"``, ``target = "diagnostic"``, ``kernels = ["gaussian(1).on(âge, tension)"]``, and in a
table ``[read]`` the arguments of `chemin.read`: ``decimal = ","``.
"""

from __future__ import annotations

import json
import os
import re
import shlex
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
_OWN = ("source", "target", "memory")  # arguments that are keys of their own, or of the machine

READING_OPTIONS = {  # argument of `chemin.read` → option of the command line
    **{name: f"--{name}" for name in (
        "separator", "quote", "encoding", "header", "decimal", "thousands", "sheet", "member", "rows", "size",
        "missing", "memory", "target",
    )},
    "day_first": "--day-first",
    "columns": "--column",
    "types": "--type",
}  # fmt: skip
_OPTIONS = READING_OPTIONS | {"kernels": "--kernel", "random_state": "--seed"}
_REPEATED = ("kernels", "missing", "columns")
_NOT_SO = {"header": ["--header", "none"], "day_first": ["--month-first"]}  # where they are False


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
    except RecursionError:
        raise InvalidInputError(f"{place} is nested too deeply: it is no recipe") from None
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


def as_toml(recipe: Recipe) -> str:
    """Return a recipe as TOML, without what is as it is by default.

    Examples
    --------
    >>> print(as_toml(Recipe("iris", kernels=("gaussian(1)",), read={"rows": 90})))
    source = "iris"
    kernels = ["gaussian(1)"]
    <BLANKLINE>
    [read]
    rows = 90
    """
    told = _changed(recipe)
    given = told.pop("read", {})
    lines = [f"{name} = {_toml(value)}" for name, value in told.items()]
    if given:
        lines += [
            "",
            "[read]",
            *(f"{_key(name)} = {_toml(value)}" for name, value in given.items()),
        ]
    return "\n".join(lines)


def as_command(recipe: Recipe) -> str:
    """Return the command of a recipe; "" where only a file can say it.

    Examples
    --------
    >>> as_command(Recipe("a b.csv", "y", {"decimal": ",", "header": False}, folds=3))
    "chemin learn 'a b.csv' --target y --folds 3 --decimal , --header none"
    """
    told = _changed(recipe)
    given = told.pop("read", {})
    if any(isinstance(value, dict) for name, value in given.items() if name != "types"):
        return ""  # of single columns
    words = ["chemin", "learn", told.pop("source")]
    for name, value in (told | given).items():
        words += _words(name, value)
    return shlex.join(words)


def _words(name: str, value: Any) -> list[str]:
    """Return an argument as words of the command line."""
    flag = _OPTIONS.get(name, f"--{name}")
    if name in _REPEATED:
        return [word for one in _listed(value) for word in (flag, str(one))]
    if name == "types":
        return [word for one in value.items() for word in (flag, _typed(*one))]
    if isinstance(value, bool):
        return [flag] if value else _NOT_SO[name]
    if name == "size":
        return [flag, "x".join(map(str, value))]
    return [flag, ",".join(value) if isinstance(value, tuple) else str(value)]


def as_python(recipe: Recipe) -> str:
    """Return Python that makes the same study.

    Examples
    --------
    >>> print(as_python(Recipe("iris", folds=3)))
    from chemin.study import Recipe, learn
    <BLANKLINE>
    study = learn(Recipe(source='iris', folds=3), "the-study")
    print(study)
    model = study.model()  # predicts, from rows as the source has them
    """
    told = ", ".join(f"{name}={value!r}" for name, value in _changed(recipe).items())
    return (
        "from chemin.study import Recipe, learn\n\n"
        f'study = learn(Recipe({told}), "the-study")\n'
        "print(study)\n"
        "model = study.model()  # predicts, from rows as the source has them"
    )


def _changed(recipe: Recipe) -> dict[str, Any]:
    """Return what a recipe says that is not so by default."""
    plain = Recipe(recipe.source)
    told = {one.name: getattr(recipe, one.name) for one in fields(Recipe)}
    return {
        name: value
        for name, value in told.items()
        if name == "source" or value != getattr(plain, name)
    }


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _typed(name: str, type: Any) -> str:
    return f"{name}={type if isinstance(type, str) else ','.join(map(str, type))}"


def _toml(value: Any) -> str:
    """Return a value as TOML, whose strings are those of JSON but for the sign of deletion."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(name)} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)
