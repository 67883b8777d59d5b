"""Data that is ready to learn from: columns and their kinds, coded, checked and immutable.

Data frames and files end here, in `reading`; nothing here knows of graphs or scores.
"""

from .columns import Array, Column, Kind
from .data import Data, DataWarning
from .describe import Description
from .files import read
from .reading import MISSING_VALUES

__all__ = ["MISSING_VALUES", "Array", "Column", "Data", "DataWarning", "Description", "Kind", "read"]
