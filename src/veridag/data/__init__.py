"""Data that is ready to learn from: columns and their kinds, coded, checked and immutable.

Data frames and files are converted in `reading`. Nothing here knows about graphs or scores.
"""

from .annual_cycle import anomalies
from .columns import Array, Column, Kind
from .data import Data
from .describe import Description
from .files import read, read_moments
from .inspection import Inspection, inspect
from .missingness import MissingPattern
from .moments import MomentData
from .partitions import read_partitions
from .preparing import DataWarning
from .reading import MISSING_VALUES
from .settings import TableSettings

__all__ = [
    "MISSING_VALUES",
    "Array",
    "Column",
    "Data",
    "DataWarning",
    "Description",
    "Inspection",
    "Kind",
    "MissingPattern",
    "MomentData",
    "TableSettings",
    "anomalies",
    "inspect",
    "read",
    "read_moments",
    "read_partitions",
]
