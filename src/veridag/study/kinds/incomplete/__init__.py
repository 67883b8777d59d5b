"""Studies of what missing values cost a learner."""

from .kind import KIND

__all__ = ["KIND"]
