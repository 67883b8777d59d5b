"""What is known before the data is seen: arcs that must or must not be there, an order in time, few parents.

One `Knowledge` serves every algorithm. It speaks of variables by name and holds no data; `bind` turns it into matrices
over the variables of the data. How an algorithm obeys it does not belong here.
"""

from .bound import BoundKnowledge
from .knowledge import Knowledge
from .parsing import parse_arc

__all__ = ["BoundKnowledge", "Knowledge", "parse_arc"]
