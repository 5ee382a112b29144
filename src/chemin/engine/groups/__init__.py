"""What if columns are penalised by families? Groups of columns, nested or not, at any l1 and along all of them."""

from chemin.engine.groups.path import GroupedPath, grouped_path
from chemin.engine.groups.solve import GroupedSolutions, solve_groups

__all__ = ["GroupedPath", "GroupedSolutions", "grouped_path", "solve_groups"]
