"""Structure priors, one class per file, and the numbers of DAGs.

A prior sees the names of the variables and the number of rows, never the data itself.
"""

from .castelo_siebes import CasteloSiebes
from .data_size import DataSize
from .edge import Edge
from .factorial import Factorial
from .fair import Fair
from .indegree_at_most import IndegreeAtMost
from .indegree_equals import IndegreeEquals
from .marginal_uniform import MarginalUniform
from .mukherjee_speed import MukherjeeSpeed
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
    "MukherjeeSpeed",
    "Uniform",
    "VariableSelection",
]
