"""The path of a model, to be moved on in a browser: what a page carries of it, and the scripts that compute with it."""

from chemin.report.explorer.carried import page_data
from chemin.report.explorer.scripts import script

__all__ = ["page_data", "script"]
