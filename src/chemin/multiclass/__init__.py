"""How do binary machines tell K classes apart? Four schemes around any binary classifier of scikit-learn.

All four are one ternary code: a K × L matrix of −1, 0, +1 whose column l says what machine l separates.

* `OneVsRest`: K machines, each class against all others.
* `OneVsOne`: K(K − 1)/2 machines, each pair of classes; the others are left out.
* `ECOC`: any code, random, exhaustive or given, decoded by the nearest row.
* `ClassTree`: K − 1 machines on the inner nodes of a tree of classes; about log₂ K are asked per prediction.
"""

from chemin.multiclass.base import Multiclass
from chemin.multiclass.ecoc import ECOC
from chemin.multiclass.one_vs_one import OneVsOne
from chemin.multiclass.one_vs_rest import OneVsRest
from chemin.multiclass.tree import ClassTree

__all__ = ["ECOC", "ClassTree", "Multiclass", "OneVsOne", "OneVsRest"]
