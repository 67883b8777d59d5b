"""Background knowledge: required and forbidden arcs, tiers, and limits on the number of parents.

All algorithms accept the same `Knowledge`. It refers to variables by name and contains no data; `bind` converts it to
matrices over the variables of the data. How an algorithm satisfies it does not belong here.
"""

from .bound import BoundKnowledge
from .knowledge import Knowledge
from .parsing import parse_arc

__all__ = ["BoundKnowledge", "Knowledge", "parse_arc"]
