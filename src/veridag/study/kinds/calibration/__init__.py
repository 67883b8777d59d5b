"""Studies of whether probabilities of arcs and edges are worth what they say, on samples of networks that are known.

What belongs to every kind of study, such as plans and stores, lives in `veridag.study`; `kind` makes the cells.
"""

from .kind import KIND

__all__ = ["KIND"]
