"""Studies of learners on mixed data: as it is and discretized first, from truths of several mechanisms.

What belongs to every kind of study, such as plans and stores, lives in `veridag.study`; `kind` makes the cells.
"""

from .kind import KIND

__all__ = ["KIND"]
