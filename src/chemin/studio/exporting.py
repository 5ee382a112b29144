"""How does a study leave the studio? As report, folder, model, script, recipe or command, which all give the same."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from chemin.exceptions import InvalidInputError
from chemin.report import html
from chemin.study import Recipe, Study
from chemin.study.recipe import as_command, as_python, as_toml

FORMS = ("report", "study", "model", "script", "recipe", "command")


@dataclass(frozen=True)
class Exported:
    """A file to be kept."""

    name: str
    kind: str
    content: bytes


def exported(
    what: str, study: Study, recipe: Recipe, name: str, language: str, model: str = ""
) -> Exported:
    """Return a study as a file.

    Parameters
    ----------
    what : str
        One of FORMS.
    study, recipe
        What was learned, and what was asked.
    name : str
        What the file is called, without its suffix.
    language : {"en", "fr"}
        Of a report.
    model : str
        Which model; the recommended one by default.
    """
    match what:
        case "report":
            return Exported(f"{name}.html", "text/html", html(study, language).encode())
        case "study":
            return Exported(f"{name}-study.zip", "application/zip", _packed(study, f"{name}-study"))
        case "model":
            facts = study.document.model(model or study.recommended)
            content = (study.folder / "models" / f"{facts.name}.skops").read_bytes()
            return Exported(f"{name}-{facts.name}.skops", "application/octet-stream", content)
        case "script":
            text = as_python(recipe).replace('"the-study"', repr(f"{name}-study"))
            return Exported(f"{name}.py", "text/x-python", f"{text}\n".encode())
        case "recipe":
            return Exported(f"{name}.toml", "application/toml", f"{as_toml(recipe)}\n".encode())
        case "command":
            text = as_command(recipe) or f"chemin learn {name}.toml"
            return Exported(
                f"{name}.sh", "text/x-shellscript", f"{text} --out {name}-study\n".encode()
            )
    raise InvalidInputError(f"{what!r} cannot be exported: pass one of {', '.join(FORMS)}")


def _packed(study: Study, folder: str) -> bytes:
    """Return a study as a zip archive, the same bytes for the same study."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in sorted(study.folder.rglob("*")):
            if place.is_file() and not place.name.startswith("."):
                entry = zipfile.ZipInfo(f"{folder}/{place.relative_to(study.folder).as_posix()}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, place.read_bytes())
    return stream.getvalue()
