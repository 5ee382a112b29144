"""What does a report say? One file for each section: given a study and words, it returns a section."""

from chemin.report.blocks import Report, Section
from chemin.report.sections.again import again
from chemin.report.sections.cases import the_cases
from chemin.report.sections.compared import compared
from chemin.report.sections.data import the_data
from chemin.report.sections.look import a_look
from chemin.report.sections.model import a_model
from chemin.report.sections.short import in_short
from chemin.report.words import Words
from chemin.study import Study


def report_of(study: Study, language: str) -> Report:
    """Return all that is said of a study."""
    words = Words(language)
    document = study.document
    found: list[Section | None] = [
        in_short(study, words),
        *(a_model(model, study, words) for model in document.models),
        the_cases(study, words),
        compared(study, words),
        a_look(study, words),
        the_data(study, words),
        again(study, words),
    ]
    title = words(
        "{name}: what tells {target}", target=document.data.target, name=document.data.name
    )
    return Report(language, title, tuple(section for section in found if section is not None))
