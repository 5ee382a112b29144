"""Which model is meant, and how are rows read for it? What predict and explain share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chemin.cli.options import Reading
from chemin.exceptions import InvalidInputError
from chemin.persistence import load
from chemin.study import Study, read_study
from chemin.tables import Prepare, Table
from chemin.tables.notes import listed

_SUFFIX = ".skops"


@dataclass(frozen=True, eq=False)
class Asked:
    """A model, and the study it comes from if there is one."""

    model: Any
    study: Study | None

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
        """Read rows as the model takes them: columns have the types that it has learned."""
        if self.prepare is None:
            return reading.table(source)
        first = reading.table(source, rows=1, types=None)
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
        return reading.table(source, types=types | reading.given.get("types", {}))


def asked_for(model: str, which: str | None) -> Asked:
    """Return a model: of a study, or of a file that `chemin.save` has written."""
    if model.endswith(_SUFFIX):
        if which is not None:
            raise InvalidInputError(f"--model {which}: {model} is one model, not a study")
        return Asked(load(model), _study_around(Path(model)))
    study = read_study(model)
    names = [one.name for one in study.document.models]
    if which is not None and which not in names:
        raise InvalidInputError(f"--model {which!r}: the study has {' and '.join(names)}")
    return Asked(study.model(which or ""), study)


def _study_around(file: Path) -> Study | None:
    """Return the study that a model is part of, if it is."""
    folder = file.resolve().parent.parent
    return read_study(folder) if (folder / "study.json").is_file() else None
