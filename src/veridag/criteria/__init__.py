"""What decides between structures: scores, structure priors and tests of independence, and how they are bound to data.

A formula sees one family or one pair of variables and never the whole data; how structures are searched does not belong
here.
"""
