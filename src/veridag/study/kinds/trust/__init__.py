"""Studies of what an assessment says: are its chances of arcs right, and is the recommended learner the one to take?

Known networks of several designs live here too. What follows from the evidence is in `veridag.trust.assessment`.
"""

from .kind import KIND

__all__ = ["KIND"]
