"""What the formula of a family sees: counts, moments, and the counts of groups with what the groups share.

Nothing here knows of scores, priors or tests.
"""

from .discrete import MAX_CELLS, FamilyCounts, contingency_table, family_counts
from .family import Counts, Floats, check_family
from .groups import GroupedCounts, grouped_counts
from .moments import SINGULAR, FamilyMoments, family_moments, mean_vector, scatter_matrix

__all__ = [
    "MAX_CELLS",
    "SINGULAR",
    "Counts",
    "FamilyCounts",
    "FamilyMoments",
    "Floats",
    "GroupedCounts",
    "check_family",
    "contingency_table",
    "family_counts",
    "family_moments",
    "grouped_counts",
    "mean_vector",
    "scatter_matrix",
]
