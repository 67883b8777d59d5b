"""Score tables: for every variable the useful parent sets with their local scores; and their files.

Searching a table for the best network does not belong here.
"""

from .files import TABLE_SUFFIXES, read_table, write_table
from .table import ScoreTable, score_table

__all__ = ["TABLE_SUFFIXES", "ScoreTable", "read_table", "score_table", "write_table"]
