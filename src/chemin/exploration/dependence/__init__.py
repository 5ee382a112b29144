"""Which columns go together, and which series foretell which?"""

from chemin.exploration.dependence.associations import Dependence, dependence
from chemin.exploration.dependence.granger import Granger, granger

__all__ = ["Dependence", "Granger", "dependence", "granger"]
