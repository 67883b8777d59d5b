"""Structure priors: one class a file, each a value that is bound to variables (and rows) when it is evaluated."""

from .castelo_siebes import CasteloSiebes
from .data_size import DataSize
from .edge import Edge
from .factorial import Factorial
from .fair import Fair
from .indegree import IndegreeAtMost, IndegreeEquals
from .marginal_uniform import MarginalUniform
from .uniform import Uniform
from .variable_selection import VariableSelection

__all__ = [
    "CasteloSiebes",
    "DataSize",
    "Edge",
    "Factorial",
    "Fair",
    "IndegreeAtMost",
    "IndegreeEquals",
    "MarginalUniform",
    "Uniform",
    "VariableSelection",
]
