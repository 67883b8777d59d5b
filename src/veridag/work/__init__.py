"""How work is run: many pieces in threads, jobs in processes, a Dask cluster, and how much memory there is for it.

Nothing here knows what the pieces are about.
"""
