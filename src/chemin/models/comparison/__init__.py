"""Which model for these data? All of them on the same splits."""

from chemin.models.comparison.entry import compare
from chemin.models.comparison.result import Comparison, Row

__all__ = ["Comparison", "Row", "compare"]
