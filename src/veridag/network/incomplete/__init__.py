"""Rows in which values are missing: how probable they are, how they are completed, and EM.

Reading tables with missing values and the search for a structure do not belong here.
"""
