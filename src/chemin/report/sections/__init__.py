"""What does a report say? One file for each section: given a study and words, it returns a section."""

from chemin.report.blocks import Report, Section
from chemin.report.material import Material
from chemin.report.sections.again import again
from chemin.report.sections.cases import the_cases
from chemin.report.sections.compared import compared
from chemin.report.sections.data import the_data
from chemin.report.sections.look import a_look
from chemin.report.sections.model import a_model
from chemin.report.sections.short import in_short
from chemin.report.words import Words


def report_of(material: Material, words: Words) -> Report:
    """Return all that is said."""
    document = material.document
    found: list[Section | None] = [
        in_short(material, words),
        *(a_model(model, material, words) for model in document.models),
        the_cases(material, words),
        compared(material, words),
        a_look(material, words),
        the_data(material, words),
        again(material, words),
    ]
    title = words(
        "{name}: what tells {target}", target=document.data.target, name=document.data.name
    )
    return Report(words.language, title, tuple(section for section in found if section is not None))
