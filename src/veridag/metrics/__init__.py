"""Measures of how far a learned graph is from another, one a file."""

from .shd import shd

__all__ = ["shd"]
