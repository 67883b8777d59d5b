"""Measures of a graph, and of how far a learned graph or network is from another, one a file.

A metric takes graphs, networks or data and no learner; what many learners say together lives in `veridag.trust`.
"""

from .arc_count import arc_count
from .confusion import Confusion, Counts, confusion
from .cross_entropy import Estimate, cross_entropy, kl_divergence, log_loss
from .hamming import hamming
from .nparams import nparams
from .phd import phd
from .phd_parts import phd_parts
from .scaled_shd import scaled_shd
from .shd import shd
from .shd_parts import ScaledErrors, StructuralErrors, shd_parts
from .sid import SidBounds, sid
from .skeleton_phd import skeleton_phd
from .unshielded_v_structures import unshielded_v_structures

__all__ = [
    "Confusion",
    "Counts",
    "Estimate",
    "ScaledErrors",
    "SidBounds",
    "StructuralErrors",
    "arc_count",
    "confusion",
    "cross_entropy",
    "hamming",
    "kl_divergence",
    "log_loss",
    "nparams",
    "phd",
    "phd_parts",
    "scaled_shd",
    "shd",
    "shd_parts",
    "sid",
    "skeleton_phd",
    "unshielded_v_structures",
]
