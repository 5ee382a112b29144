"""Why does a model decide so? Its active terms, their history along the path, and the terms of one decision."""

from chemin.interpret.explanation import Explanation, explain
from chemin.interpret.items import Attribute, Couple, Variable
from chemin.interpret.machines import check_positive
from chemin.interpret.reading import Reading, read
from chemin.interpret.reports import (
    count_terms,
    couples,
    history,
    kernel_shares,
    prototypes,
    variables,
)
from chemin.interpret.summaries import Summary, summary

__all__ = [
    "Attribute",
    "Couple",
    "Explanation",
    "Reading",
    "Summary",
    "Variable",
    "check_positive",
    "count_terms",
    "couples",
    "explain",
    "history",
    "kernel_shares",
    "prototypes",
    "read",
    "summary",
    "variables",
]
