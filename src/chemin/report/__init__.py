"""A study, as a page or as Markdown: sections of blocks are made of it once, and written down in either form.

As JSON it is its own document.
"""

from chemin.report.facts import json
from chemin.report.markdown import markdown
from chemin.report.page import html
from chemin.report.words import check_language

__all__ = ["check_language", "html", "json", "markdown"]
