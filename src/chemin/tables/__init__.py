"""From a file to columns a model can use, and back to the user's variables: read, prepare, trace."""

from chemin.tables.notes import Guess, Loss
from chemin.tables.prepare.origins import Origin
from chemin.tables.prepare.transformer import Prepare
from chemin.tables.prepare.way_back import Piped, opened
from chemin.tables.reader import read
from chemin.tables.table import Table

__all__ = ["Guess", "Loss", "Origin", "Piped", "Prepare", "Table", "opened", "read"]
