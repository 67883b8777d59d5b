"""Tests of conditional independence, one class per file, and the statistics of a pair of variables that they use.

Each is the formula of a paper for one pair. Choosing the pairs to test belongs to the search.
"""

from .base import Test
from .degenerate_g2 import DegenerateG2
from .fisher_z import FisherZ
from .g2 import G2
from .pairs import PairCounts, PairMoments, pair_counts, pair_moments
from .score_test import ScoreTest
from .strata import PairStrata, pair_strata
from .student_t import StudentT
from .testing import test
from .x2 import X2

__all__ = [
    "G2",
    "X2",
    "DegenerateG2",
    "FisherZ",
    "PairCounts",
    "PairMoments",
    "PairStrata",
    "ScoreTest",
    "StudentT",
    "Test",
    "pair_counts",
    "pair_moments",
    "pair_strata",
    "test",
]
