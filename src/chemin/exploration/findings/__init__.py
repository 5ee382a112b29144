"""What should be known before anything is learned? Findings with codes, evidence and remedies."""

from chemin.exploration.findings.checks import CODES, check
from chemin.exploration.findings.finding import Check, Evidence, Finding, Findings

__all__ = ["CODES", "Check", "Evidence", "Finding", "Findings", "check"]
