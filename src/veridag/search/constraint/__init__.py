"""Constraint-based algorithms, which use independence tests; one per file.

Hybrid algorithms, which also use a score, are one folder up.
"""

from .grow_shrink import GrowShrink
from .hpc import HPC
from .inter_iamb import InterIAMB
from .local import markov_blanket, neighbours
from .mmpc import MMPC
from .pc_stable import PCStable
from .si_hiton_pc import SIHitonPC

__all__ = ["HPC", "MMPC", "GrowShrink", "InterIAMB", "PCStable", "SIHitonPC", "markov_blanket", "neighbours"]
