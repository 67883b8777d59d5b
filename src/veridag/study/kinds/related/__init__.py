"""The related kind of study; see `kind`."""

from .kind import KIND

__all__ = ["KIND"]
