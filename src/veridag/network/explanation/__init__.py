"""Why an answer is what it is: the most probable explanation, which evidence and which parameters matter.

The answers themselves come from `veridag.network.query` and `prediction`.
"""

from .contributions import Explanation, Finding, explain
from .marginal_map import marginal_map
from .most_probable import MostProbable, most_probable
from .sensitivity import ParameterSensitivity, Sensitivity, sensitivity

__all__ = [
    "Explanation",
    "Finding",
    "MostProbable",
    "ParameterSensitivity",
    "Sensitivity",
    "explain",
    "marginal_map",
    "most_probable",
    "sensitivity",
]
