"""Studies of data with interventions: what it is worth to say which variables were set.

Simulated experiments live in `veridag.simulate`; `kind` describes the cells and their rows.
"""

from .kind import KIND

__all__ = ["KIND"]
