"""Which class makes this row the likeliest? Bayes' rule, with densities column by column or of all columns together."""

from chemin.models.bayes.joint import BayesClassifier
from chemin.models.bayes.log_odds import LogOdds
from chemin.models.bayes.marginals import Marginal
from chemin.models.bayes.naive import NaiveBayes

__all__ = ["BayesClassifier", "LogOdds", "Marginal", "NaiveBayes"]
