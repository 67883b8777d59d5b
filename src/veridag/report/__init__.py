"""One web page on one data set: which learner to trust, what it found, and what is contested."""

from .content import Report, make_report

__all__ = ["Report", "make_report"]
