"""How do facts become JSON and come back? By their types, so that a file that is not a study is refused by name."""

from __future__ import annotations

from typing import Any, TypeVar

from chemin.exceptions import InvalidInputError, MissingLibraryError

T = TypeVar("T")
_TOLD = 3  # things wrong that are named


def to_json(value: Any, kind: Any = None) -> bytes:
    """Return facts as JSON: two spaces deep, names in the order of the class; ``kind`` where that is a generic one.

    Examples
    --------
    >>> from chemin.study.document import ColumnFacts
    >>> print(to_json(ColumnFacts("age", "number", "31 to 84")).decode())
    {
      "name": "age",
      "type": "number",
      "told": "31 to 84"
    }
    """
    return bytes(_adapter(kind or type(value)).dump_json(value, indent=2))


def from_json(kind: type[T], text: bytes | str, where: str) -> T:
    """Return the facts of that kind which JSON holds; ``where`` is what the file is called in an error.

    Examples
    --------
    >>> from chemin.study.document import ColumnFacts
    >>> from_json(ColumnFacts, '{"name": "age", "type": "number", "told": 3}', "part.json")
    Traceback (most recent call last):
    ...
    chemin.exceptions.InvalidInputError: part.json is not what it should be: told: Input should be a valid string
    """
    return _checked(where, lambda: _adapter(kind).validate_json(text))


def from_values(kind: type[T], values: Any, where: str) -> T:
    """Return the facts of that kind which a dict holds, lists standing for tuples."""
    return _checked(where, lambda: _adapter(kind).validate_python(values))


def _checked(where: str, read: Any) -> Any:
    from pydantic import ValidationError

    try:
        return read()
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}".removeprefix(": ")
            for one in error.errors(include_url=False, include_input=False)
        ]
        more = f" and {len(wrong) - _TOLD} more" * (len(wrong) > _TOLD)
        told = "; ".join(wrong[:_TOLD])
        raise InvalidInputError(f"{where} is not what it should be: {told}{more}") from None


def _adapter(kind: Any) -> Any:
    try:
        from pydantic import TypeAdapter
    except ImportError as error:
        raise MissingLibraryError("studies need pydantic: pip install 'chemin[cli]'") from error
    return TypeAdapter(kind)
