"""What is a risk made of, and how small can it be? Bayes' rule, conditional means, bias, variance, fluctuation."""

from chemin.theory.risk.bayes import BayesRule, bayes_rule, gaussian_bayes_risk
from chemin.theory.risk.decomposition import (
    BiasVariance,
    RegressionLaw,
    bias_variance,
    bias_variance_resampled,
)
from chemin.theory.risk.fluctuation import (
    BiasFluctuation,
    bias_fluctuation,
    bias_fluctuation_resampled,
)
from chemin.theory.risk.losses import (
    ResidualLosses,
    residual_losses,
)
from chemin.theory.risk.no_free_lunch import NoFreeLunch, no_free_lunch
from chemin.theory.risk.regression import (
    GaussianConditional,
    OptimalRegressor,
    gaussian_conditional,
    optimal_regressor,
)
from chemin.theory.risk.surface import (
    RiskSurface,
    risk_surface,
)

__all__ = [
    "BayesRule",
    "BiasFluctuation",
    "BiasVariance",
    "GaussianConditional",
    "NoFreeLunch",
    "OptimalRegressor",
    "RegressionLaw",
    "ResidualLosses",
    "RiskSurface",
    "bayes_rule",
    "bias_fluctuation",
    "bias_fluctuation_resampled",
    "bias_variance",
    "bias_variance_resampled",
    "gaussian_bayes_risk",
    "gaussian_conditional",
    "no_free_lunch",
    "optimal_regressor",
    "residual_losses",
    "risk_surface",
]
