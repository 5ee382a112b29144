"""The loop's one source: compiled by Cython where a compiler was found, run as Python elsewhere.

``CHEMIN_PURE=1`` makes what was compiled be ignored.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

if os.environ.get("CHEMIN_PURE"):
    for _folder in __path__:
        sys.path_importer_cache[_folder] = FileFinder(_folder, (SourceFileLoader, SOURCE_SUFFIXES))
