"""The input of a family's formula: counts, moments, and the counts of groups with what the groups share.

Nothing here knows about scores, priors or tests.
"""

from .discrete import MAX_CELLS, FamilyCounts, contingency_table, family_counts
from .embedding import embedded_scatter
from .family import Counts, Floats, check_family, check_variables
from .groups import GroupedCounts, grouped_counts
from .joint import JointCounts, count_partitions
from .moments import SINGULAR, FamilyMoments, family_moments, mean_vector, scatter_matrix
from .strata import FamilyStrata, family_strata

__all__ = [
    "MAX_CELLS",
    "SINGULAR",
    "Counts",
    "FamilyCounts",
    "FamilyMoments",
    "FamilyStrata",
    "Floats",
    "GroupedCounts",
    "JointCounts",
    "check_family",
    "check_variables",
    "contingency_table",
    "count_partitions",
    "embedded_scatter",
    "family_counts",
    "family_moments",
    "family_strata",
    "grouped_counts",
    "mean_vector",
    "scatter_matrix",
]
