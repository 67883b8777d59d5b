"""Studies of gridded anomalies: fields, learners with matching criteria on them, and maps of what they found.

Nothing here is about data without coordinates; `kind` describes the cells and their rows.
"""

from .kind import KIND

__all__ = ["KIND"]
