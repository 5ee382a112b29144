"""What is a support vector machine, and is this one solved? Hard margins, kinds of rows, proofs, mixes of kernels."""

from chemin.models.svm.hard_margin import HardMarginSVC, Infeasibility
from chemin.models.svm.machines import kkt_report
from chemin.models.svm.multiple_kernels import KernelMix, MultipleKernelSVC
from chemin.models.svm.optimality import Condition, KKTReport
from chemin.models.svm.supports import SupportTable, support_table

__all__ = [
    "Condition",
    "HardMarginSVC",
    "Infeasibility",
    "KKTReport",
    "KernelMix",
    "MultipleKernelSVC",
    "SupportTable",
    "kkt_report",
    "support_table",
]
