"""What is learned from errors alone, row after row? Rosenblatt's rule, for two classes, several, or a kernel."""

from chemin.models.perceptrons.kernel import KernelPerceptron
from chemin.models.perceptrons.multiclass import MulticlassPerceptron
from chemin.models.perceptrons.novikoff import Novikoff
from chemin.models.perceptrons.rosenblatt import RosenblattPerceptron

__all__ = ["KernelPerceptron", "MulticlassPerceptron", "Novikoff", "RosenblattPerceptron"]
