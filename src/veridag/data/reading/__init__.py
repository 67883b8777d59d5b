"""From files, frames and arrays to coded columns: every rule about types, states and missing values is here.

What is done with the data afterwards does not belong here.

Which kind a column gets, in this order:

1. ``states=`` names the column: discrete, with those states in that order.
2. ``kinds=`` names the column: that kind.
3. Categories declared by the frame (pandas ``Categorical``, polars ``Enum``, arrow dictionary): discrete, with the
   declared states in the declared order. A polars ``Categorical`` has no declaration and counts as text; so do the
   dictionary columns of an ``.arrow`` or ``.parquet`` file, unless polars wrote them as an ``Enum``.
4. Booleans: discrete, with the states ``False`` and ``True``.
5. Text: discrete, with the observed values as states, sorted (by number if all are numbers).
6. Integers: discrete in the same way, unless there are more than max(20, a tenth of the observations) different values.
7. Other numbers: continuous.

In a CSV file, a column has integers if every field is one in plain form (``0``, ``12``, ``-3``). It has other numbers
if every field is a number and at least one has a decimal point or an exponent. Otherwise it is text: ``01`` and ``+1``
are text, so that no two different fields become one state. Columns of text or integers in which every one of more than
ten observations differs are refused, since they are identifiers more often than variables.

Missing are nulls, `NaN` and, unless declared as states, the texts in ``MISSING_VALUES`` (``missing_values=`` as a list
replaces them, and by column adds to them; numbers are compared as numbers).
"""

from veridag.data.columns import MAX_STATES, Array, Column, Kind

from .absent import MissingRefused
from .blocks import number_blocks, table_of, wants_blocks
from .careful import Finding, careful, notes_of
from .coding import CodedColumns, check_weights, code_columns, numbers_of_levels, remarks, select_columns
from .files import naming, read_file, tables_of
from .formats import FileOptions
from .frames import read_array, read_frame
from .indicators import indicated
from .raw import Levels, Numbers, RawTable, Unusable
from .rules import MISSING_VALUES, Missing, Rules

__all__ = [
    "MAX_STATES",
    "MISSING_VALUES",
    "Array",
    "CodedColumns",
    "Column",
    "FileOptions",
    "Finding",
    "Kind",
    "Levels",
    "Missing",
    "MissingRefused",
    "Numbers",
    "RawTable",
    "Rules",
    "Unusable",
    "careful",
    "check_weights",
    "code_columns",
    "indicated",
    "naming",
    "notes_of",
    "number_blocks",
    "numbers_of_levels",
    "read_array",
    "read_file",
    "read_frame",
    "remarks",
    "select_columns",
    "table_of",
    "tables_of",
    "wants_blocks",
]
