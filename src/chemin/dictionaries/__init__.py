"""Which columns, and where they live: the engine's only view of X."""

from chemin.dictionaries.base import Dictionary
from chemin.dictionaries.dense import DenseDictionary
from chemin.dictionaries.joined import JoinedDictionary
from chemin.dictionaries.kernel import KernelDictionary
from chemin.dictionaries.sparse import SparseDictionary

__all__ = [
    "DenseDictionary",
    "Dictionary",
    "JoinedDictionary",
    "KernelDictionary",
    "SparseDictionary",
]
