"""Causal effects from a graph: adjustment sets, instruments, front-door sets, and whether directions matter.

Variables are column numbers here. `DAG` and `PDAG` have the methods that accept names. Parameters and data do not
belong here.
"""

from .adjustment import (
    adjustment_sets,
    back_door_sets,
    is_adjustment_set,
    is_back_door_set,
    minimal_adjustment_sets,
    optimal_adjustment,
)
from .amenability import NotAmenable, obstacles
from .front_door import is_front_door_set, minimal_front_door_sets
from .instruments import Instrument, conditional_instruments
from .question import MOST, Question, at_most

__all__ = [
    "MOST",
    "Instrument",
    "NotAmenable",
    "Question",
    "adjustment_sets",
    "at_most",
    "back_door_sets",
    "conditional_instruments",
    "is_adjustment_set",
    "is_back_door_set",
    "is_front_door_set",
    "minimal_adjustment_sets",
    "minimal_front_door_sets",
    "obstacles",
    "optimal_adjustment",
]
