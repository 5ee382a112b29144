"""A study, as a page or as Markdown: sections of blocks are made of it once, and written down in either form."""

from chemin.report.markdown import markdown
from chemin.report.page import html
from chemin.report.words import LANGUAGES

__all__ = ["LANGUAGES", "html", "markdown"]
