"""One web page on one data set: which learner to trust, what it found, and what is contested.

Here lives what the page shows, the values in `sections/` and the words in `templates/`. Nothing is found out here that
other code could want: how learners are compared is in `trust/`, and how graphs are drawn in `graph/drawing/`.
"""

from .content import Report, make_report

__all__ = ["Report", "make_report"]
