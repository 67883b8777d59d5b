"""The expected score of incomplete data once a network has filled in missing values: the E-step of structural EM.

Each way of computing the expectation has a file. A search maximises the expected score like any other.
"""

from .averaged import AveragedScore
from .choice import expected_score
from .exact import ExpectedScore

__all__ = ["AveragedScore", "ExpectedScore", "expected_score"]
