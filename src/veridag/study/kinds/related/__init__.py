"""Studies of related data sets: one structure learned from all of them, by a hierarchical score and by pooling.

The simulation of such data lives in `veridag.simulate`; `kind` describes the cells and their rows.
"""

from .kind import KIND

__all__ = ["KIND"]
