"""What is least, and who proves it? Dual programs, descents, penalties as constraints, exact combinatorial optima."""

from chemin.theory.optimisation.consensus import Consensus, max_consensus
from chemin.theory.optimisation.descent import Descent, contraction, descend, stochastic_descent
from chemin.theory.optimisation.groups import LeastInertia, least_inertia
from chemin.theory.optimisation.penalties import PenaltyMap, Prior, penalty_map, penalty_prior
from chemin.theory.optimisation.programs import KKT, QuadraticProgram, quadratic_program

__all__ = [
    "KKT",
    "Consensus",
    "Descent",
    "LeastInertia",
    "PenaltyMap",
    "Prior",
    "QuadraticProgram",
    "contraction",
    "descend",
    "least_inertia",
    "max_consensus",
    "penalty_map",
    "penalty_prior",
    "quadratic_program",
    "stochastic_descent",
]
