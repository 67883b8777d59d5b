"""Causal effects from data: in a known graph, over the DAGs of a class, and over many graphs.

A graph says what to adjust for; the estimates and their bootstrap intervals are made from the rows.
"""

from .effect import effect
from .possible import possible_effects
from .possible_results import PossibleEffect, PossibleEffects
from .results import Contrast, Effect, Estimated, Level

__all__ = [
    "Contrast",
    "Effect",
    "Estimated",
    "Level",
    "PossibleEffect",
    "PossibleEffects",
    "effect",
    "possible_effects",
]
