"""What is minimised."""

from chemin.problems.drsvm import Problem

__all__ = ["Problem"]
