from . import reference as networks
from .network import SUM_TOLERANCE, LinearGaussian, Network, Table

__all__ = ["SUM_TOLERANCE", "LinearGaussian", "Network", "Table", "networks"]
