"""One web page on one data set: which learner to trust, what it found, and what is contested."""

from .content import Report, make_report
from .learners import default_companions, default_learners

__all__ = ["Report", "default_companions", "default_learners", "make_report"]
