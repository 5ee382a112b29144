"""From a file to a study: what was asked, found, learned and explained, as one document that can be kept and sent."""

from chemin.study.document import Document, Recipe
from chemin.study.recipe import read_recipe
from chemin.study.run import Listener, learn
from chemin.study.study import Study, read_study

__all__ = ["Document", "Listener", "Recipe", "Study", "learn", "read_recipe", "read_study"]
