"""Studies of intersection-validation itself: its results compared with the distances to a known truth.

The method lives in `veridag.trust`; here are its experiments, and `kind` describes the cells and their rows.
"""

from .kind import KIND

__all__ = ["KIND"]
