"""Which model is meant, and how are rows read for it? What predict and explain share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chemin.cli.options import Reading
from chemin.exceptions import InvalidInputError
from chemin.persistence import load
from chemin.study import Study, read_study
from chemin.tables import Prepare, Table
from chemin.tables.notes import listed

_SUFFIX = ".skops"
_MEANING = (
    "missing",
    "decimal",
    "thousands",
    "day_first",
    "size",
)  # arguments that say what cells mean
_OF_COLUMNS = ("types", "missing", "decimal", "day_first")  # arguments that may speak of columns


@dataclass(frozen=True, eq=False)
class Asked:
    """A model, and the study it comes from if there is one."""

    model: Any
    study: Study | None
    name: str

    @property
    def said(self) -> str:
        """Which model it is, in words."""
        others = [] if self.study is None else self.study.document.models
        more = " (--model names another)" if len(others) > 1 else ""
        return f"by the model {self.name}{more}"

    @property
    def prepare(self) -> Prepare | None:
        """What makes numbers of a table, if the model begins with it."""
        steps = getattr(self.model, "steps", None)
        first = steps[0][1] if steps else None
        return first if isinstance(first, Prepare) else None

    @property
    def target(self) -> str | None:
        """The column that is predicted, if that is known."""
        return None if self.study is None else self.study.document.data.target

    def read(self, source: str, reading: Reading) -> Table:
        """Read rows as the model takes them: columns have the types, and cells the meaning, that it has learned."""
        reading = replace(reading, given=self._meaning() | reading.given)
        if self.prepare is None:
            return reading.table(source)
        first = reading.table(source, rows=1, **dict.fromkeys(_OF_COLUMNS))
        needed = [field.name for field in self.prepare.fields_]
        absent = [
            name
            for name in needed
            if name not in first.names and name not in self.prepare.left_out_
        ]
        if absent:
            raise InvalidInputError(
                f"{source} has no column {listed(absent, 5)}, which the model looks at: its columns are "
                f"{listed(first.names, 8)}"
            )
        types = {
            field.name: list(field.levels) if field.type == "ordered" else field.type
            for field in self.prepare.fields_
            if field.name in first.names
        }
        own = {
            name: {column: one for column, one in value.items() if column in first.names}
            for name, value in reading.given.items()
            if isinstance(value, dict) and name != "types"
        }
        return reading.table(source, types=types | reading.given.get("types", {}), **own)

    def _meaning(self) -> dict[str, Any]:
        """Return what the cells of the study mean, as far as it was said or certain."""
        if self.study is None:
            return {}
        data, recipe = self.study.document.data, self.study.document.recipe
        meant: dict[str, Any] = {}
        for guess in data.guesses:
            if guess.argument == "day_first" and not guess.evidence.startswith("assumed"):
                meant["day_first"] = guess.value == "True"
        if data.image_shape is not None:
            meant["size"] = data.image_shape
        return meant | {name: value for name, value in recipe.read.items() if name in _MEANING}


def asked_for(model: str, which: str | None) -> Asked:
    """Return a model: of a study, or of a file that `chemin.save` has written."""
    if model.endswith(_SUFFIX):
        if which is not None:
            raise InvalidInputError(f"--model {which}: {model} is one model, not a study")
        return Asked(load(model), _study_around(Path(model)), Path(model).name)
    study = read_study(model)
    names = [one.name for one in study.document.models]
    if which is not None and which not in names:
        raise InvalidInputError(f"--model {which!r}: the study has {' and '.join(names)}")
    name = which or study.recommended
    return Asked(study.model(name), study, name)


def _study_around(file: Path) -> Study | None:
    """Return the study that a model is part of, if it is."""
    folder = file.resolve().parent.parent
    return read_study(folder) if (folder / "study.json").is_file() else None
