"""Studies of what missing values cost a learner, from samples in which values were removed.

What belongs to every kind of study, such as plans and stores, lives in `veridag.study`; `kind` makes the cells.
"""

from .kind import KIND

__all__ = ["KIND"]
