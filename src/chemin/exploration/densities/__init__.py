"""Where are points, and how many? Densities by counting, by windows, by neighbours, by mixtures, by laws."""

from chemin.exploration.densities.columns import Densities, column_densities
from chemin.exploration.densities.density import Density
from chemin.exploration.densities.gaussians import (
    CovarianceRate,
    GaussianLaw,
    covariance_rate,
    fit_gaussian,
)
from chemin.exploration.densities.histograms import (
    BinSensitivity,
    Histogram,
    bin_sensitivity,
    histogram,
)
from chemin.exploration.densities.laws import Law, Laws, fit_laws
from chemin.exploration.densities.mixtures import Mixture, mixture
from chemin.exploration.densities.neighbours import NeighbourDensity, neighbour_density
from chemin.exploration.densities.parzen import Parzen, parzen

__all__ = [
    "BinSensitivity",
    "CovarianceRate",
    "Densities",
    "Density",
    "GaussianLaw",
    "Histogram",
    "Law",
    "Laws",
    "Mixture",
    "NeighbourDensity",
    "Parzen",
    "bin_sensitivity",
    "column_densities",
    "covariance_rate",
    "fit_gaussian",
    "fit_laws",
    "histogram",
    "mixture",
    "neighbour_density",
    "parzen",
]
