"""Rows in which values are missing: how probable they are, how they are completed, and EM.

Reading tables with gaps does not belong here, nor does the search for a structure.
"""
