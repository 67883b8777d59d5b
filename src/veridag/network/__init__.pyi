from . import reference as networks
from .network import Network
from .parameters import CPD, ConditionalGaussian, LinearGaussian, Table
from .validity import SUM_TOLERANCE

__all__ = ["CPD", "SUM_TOLERANCE", "ConditionalGaussian", "LinearGaussian", "Network", "Table", "networks"]
