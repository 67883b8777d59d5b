"""Learning algorithms, one a file: each takes any score and prior, or any test, that fits the data."""

from .base import Algorithm
from .best_networks import RankedNetwork, best_networks
from .exact import Exact, solve
from .ges import GES
from .greedy import HillClimbing, Tabu
from .grow_shrink import GrowShrink
from .h2pc import H2PC
from .hpc import HPC
from .inter_iamb import InterIAMB
from .local import markov_blanket, neighbours
from .mmhc import MMHC
from .mmpc import MMPC
from .order_annealing import OrderAnnealing
from .pc_stable import PCStable
from .rsmax2 import RSMAX2
from .si_hiton_pc import SIHitonPC
from .space_penalty import SearchSpacePenalty

__all__ = [
    "GES",
    "H2PC",
    "HPC",
    "MMHC",
    "MMPC",
    "RSMAX2",
    "Algorithm",
    "Exact",
    "GrowShrink",
    "HillClimbing",
    "InterIAMB",
    "OrderAnnealing",
    "PCStable",
    "RankedNetwork",
    "SIHitonPC",
    "SearchSpacePenalty",
    "Tabu",
    "best_networks",
    "markov_blanket",
    "neighbours",
    "solve",
]
