# The public names, one a line; __init__.py reads this file to know where each lives.
from . import networks as networks
from .data import Data as Data
from .data import read as read
from .errors import InputError as InputError
from .formats import read_network as read_network
from .graph import DAG as DAG
from .graph import PDAG as PDAG
from .graph import InvalidGraph as InvalidGraph
from .graph import PartialGraph as PartialGraph
from .network import LinearGaussian as LinearGaussian
from .network import Network as Network
from .network import Table as Table

__version__: str
