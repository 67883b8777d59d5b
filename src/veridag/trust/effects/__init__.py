"""Causal effects from data: in a known graph, over the DAGs of a class, and over many graphs.

A graph says what to adjust for; the estimates and their bootstrap intervals are made from the rows.
"""

from .averaged import averaged_effect
from .averaged_results import AveragedEffect
from .effect import effect
from .joint import PossibleJointEffect, PossibleJointEffects
from .possible import possible_effects
from .possible_results import PossibleEffect, PossibleEffects
from .results import Contrast, Effect, Estimated, Level

__all__ = [
    "AveragedEffect",
    "Contrast",
    "Effect",
    "Estimated",
    "Level",
    "PossibleEffect",
    "PossibleEffects",
    "PossibleJointEffect",
    "PossibleJointEffects",
    "averaged_effect",
    "effect",
    "possible_effects",
]
