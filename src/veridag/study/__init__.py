"""Studies: experiments written down in a file, run on all cores or a cluster, resumable, with tables and figures.

What one kind of study measures lives in `kinds/`, and the methods that are studied live in the folders below.
"""
