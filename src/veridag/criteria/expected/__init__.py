"""What a score is expected to be once a network has filled in missing values: the E-step of structural EM.

Each way of taking the expectation has a file. A search maximises the expected score as it does any other.
"""

from .averaged import AveragedScore
from .choice import expected_score
from .exact import ExpectedScore

__all__ = ["AveragedScore", "ExpectedScore", "expected_score"]
