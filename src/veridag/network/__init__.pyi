from . import reference as networks
from .network import Network
from .parameters import LinearGaussian, Table
from .validity import SUM_TOLERANCE

__all__ = ["SUM_TOLERANCE", "LinearGaussian", "Network", "Table", "networks"]
