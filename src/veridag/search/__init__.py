"""Structure learning algorithms, one per file. Each accepts any score and prior, or any test, for the kind of data.

Each returns one result. Comparing or combining several results, and the formulas of scores, do not belong here.
"""

from veridag.search.constraint.grow_shrink import GrowShrink
from veridag.search.constraint.hpc import HPC
from veridag.search.constraint.inter_iamb import InterIAMB
from veridag.search.constraint.local import markov_blanket, neighbours
from veridag.search.constraint.mmpc import MMPC
from veridag.search.constraint.pc_stable import PCStable
from veridag.search.constraint.si_hiton_pc import SIHitonPC
from veridag.search.exact.best_networks import RankedNetwork, best_networks
from veridag.search.exact.exact import Exact, solve

from .base import Algorithm
from .boss import BOSS
from .ges import GES
from .h2pc import H2PC
from .hill_climbing import HillClimbing
from .mmhc import MMHC
from .order_annealing import OrderAnnealing
from .rsmax2 import RSMAX2
from .space_penalty import SearchSpacePenalty
from .structural_em import StructuralEM
from .tabu import Tabu

__all__ = [
    "BOSS",
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
    "StructuralEM",
    "Tabu",
    "best_networks",
    "markov_blanket",
    "neighbours",
    "solve",
]
