"""How does a network learn, and what from? Dense layers for tables, convolutions for images, and networks one can open.

PyTorch is imported when a network is made: pip install "chemin[deep]".
"""

from chemin.models.networks.augmentation import Augmentation
from chemin.models.networks.autoencoder import AutoEncoder
from chemin.models.networks.cnn import ConvolutionalClassifier
from chemin.models.networks.history import TrainingHistory
from chemin.models.networks.logic import LogicNetwork, compile_formula
from chemin.models.networks.mlp import NetworkClassifier, NetworkRegressor
from chemin.models.networks.trace import GradientTrace, trace_gradients
from chemin.models.networks.training import Training, train
from chemin.models.networks.transfer import FineTunedClassifier, ImageFeatures, make_transfer
from chemin.models.networks.vgg import LayerTable, layer_table, vgg, vgg16
from chemin.models.networks.weights import load_weights, save_weights

__all__ = [
    "Augmentation",
    "AutoEncoder",
    "ConvolutionalClassifier",
    "FineTunedClassifier",
    "GradientTrace",
    "ImageFeatures",
    "LayerTable",
    "LogicNetwork",
    "NetworkClassifier",
    "NetworkRegressor",
    "Training",
    "TrainingHistory",
    "compile_formula",
    "layer_table",
    "load_weights",
    "make_transfer",
    "save_weights",
    "trace_gradients",
    "train",
    "vgg",
    "vgg16",
]
