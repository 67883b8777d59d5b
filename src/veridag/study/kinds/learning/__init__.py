"""Studies of learners on data sampled from networks, held against the truth: the kind that most are.

What belongs to every kind of study, such as plans and stores, lives in `veridag.study`; `kind` makes the cells.
"""

from .kind import KIND

__all__ = ["KIND"]
