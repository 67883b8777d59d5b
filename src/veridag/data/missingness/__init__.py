"""The pattern of missing values: how many there are, in which variables together, and what they depend on.

Nothing here changes data or fills in values.
"""

from .counting import missing_pattern
from .pattern import Combination, Dependence, MissingPattern, MissingTogether
from .words import cells, heading, percent

__all__ = [
    "Combination",
    "Dependence",
    "MissingPattern",
    "MissingTogether",
    "cells",
    "heading",
    "missing_pattern",
    "percent",
]
