"""Network scores, one class per file, and the formulas that several of them share.

Each is the formula of a paper for one family. Sums over families and prior knowledge of a graph do not belong here.
"""

from .aic import AIC
from .bcg import BCG
from .bde import BDe
from .bdeu import BDeu
from .bds import BDs
from .bge import BGe
from .bhd import BHD
from .bic import BIC
from .complexity import log_complexity
from .custom import CustomScore
from .degenerate_gaussian import DegenerateGaussian
from .entropy import d_edf, d_ep, posterior_entropy
from .fnml import FNML
from .jeffreys import BDJeffreys
from .k2 import K2
from .loglik import LogLik
from .pnal import PNAL
from .qnml import QNML

__all__ = [
    "AIC",
    "BCG",
    "BHD",
    "BIC",
    "FNML",
    "K2",
    "PNAL",
    "QNML",
    "BDJeffreys",
    "BDe",
    "BDeu",
    "BDs",
    "BGe",
    "CustomScore",
    "DegenerateGaussian",
    "LogLik",
    "d_edf",
    "d_ep",
    "log_complexity",
    "posterior_entropy",
]
