"""How far is what was measured from what will be? Deviations, votes, capacity, and what training ends with."""

from chemin.theory.bounds.deviations import Deviation, finite_class, growth, hoeffding, vc_bound
from chemin.theory.bounds.rademacher import (
    Rademacher,
    rademacher_class,
    rademacher_kernel,
    rademacher_linear,
)
from chemin.theory.bounds.shattering import (
    Shattering,
    affine_fit,
    cover_count,
    is_separable,
    shattering,
    vc_dimension,
)
from chemin.theory.bounds.structural_risk import StructuralRisk, structural_risk
from chemin.theory.bounds.training import (
    BoostingBound,
    PerceptronBound,
    boosting_bound,
    boosting_rounds,
    perceptron_bound,
)
from chemin.theory.bounds.votes import MajorityVote, binomial_tail_bound, majority_vote

__all__ = [
    "BoostingBound",
    "Deviation",
    "MajorityVote",
    "PerceptronBound",
    "Rademacher",
    "Shattering",
    "StructuralRisk",
    "affine_fit",
    "binomial_tail_bound",
    "boosting_bound",
    "boosting_rounds",
    "cover_count",
    "finite_class",
    "growth",
    "hoeffding",
    "is_separable",
    "majority_vote",
    "perceptron_bound",
    "rademacher_class",
    "rademacher_kernel",
    "rademacher_linear",
    "shattering",
    "structural_risk",
    "vc_bound",
    "vc_dimension",
]
