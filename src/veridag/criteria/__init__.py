"""What decides between structures: scores, structure priors and tests of independence, and how they are bound to data.

A formula sees the counts of one family; how structures are searched does not belong here.
"""
