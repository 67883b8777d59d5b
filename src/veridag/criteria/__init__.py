"""Criteria that compare structures: scores, structure priors and independence tests, and their application to data.

A formula sees one family or one pair of variables, never the whole data. Searching structures does not belong here.
"""
