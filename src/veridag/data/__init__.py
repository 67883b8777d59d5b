"""Tables that are ready to learn from: columns and their kinds, coded, checked and immutable.

Data frames and files end here, in `reading`; nothing here knows of graphs or scores.
"""

from .columns import Array, Column, Kind
from .reading import MISSING_VALUES
from .table import Data, DataWarning, Description, read

__all__ = ["MISSING_VALUES", "Array", "Column", "Data", "DataWarning", "Description", "Kind", "read"]
