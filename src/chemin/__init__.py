"""Chemin: from data to knowledge, by the exact and certified path of a sparse SVM."""

from chemin.path.certificate import Certificate, certify
from chemin.path.result import Path
from chemin.path.svm import svm_path

__all__ = ["Certificate", "Path", "certify", "svm_path"]
__version__ = "0.1.0"
