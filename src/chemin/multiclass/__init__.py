"""How do binary machines tell K classes apart? Four schemes around any binary classifier of scikit-learn.

All four are one ternary code: a K × L matrix of −1, 0, +1 whose column l says what machine l separates.

* `OneVsRest`: K machines, each class against all others.
* `OneVsOne`: K(K − 1)/2 machines, each pair of classes; the others are left out.
* `ECOC`: any code, random, exhaustive or given, decoded by the nearest row.
* `ClassTree`: machines on the inner nodes of a tree of classes, K − 1 if it is binary, of which a prediction asks about
  log₂ K. Nodes may have more branches, and a class several leaves.
"""

from chemin.multiclass.base import Multiclass
from chemin.multiclass.ecoc import ECOC
from chemin.multiclass.one_vs_one import OneVsOne
from chemin.multiclass.one_vs_rest import OneVsRest
from chemin.multiclass.tree import ClassTree

__all__ = ["ECOC", "ClassTree", "Multiclass", "OneVsOne", "OneVsRest"]
