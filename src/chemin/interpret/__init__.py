"""Why does a model decide so? Its active terms, their history along the path, and the terms of one decision."""

from chemin.interpret.explanation import Explanation, explain
from chemin.interpret.items import Couple, Variable
from chemin.interpret.reading import Reading, read
from chemin.interpret.reports import couples, history, kernel_shares, prototypes, variables

__all__ = [
    "Couple",
    "Explanation",
    "Reading",
    "Variable",
    "couples",
    "explain",
    "history",
    "kernel_shares",
    "prototypes",
    "read",
    "variables",
]
