"""How work is run: many pieces in threads, processes or on a Dask cluster, jobs in processes, and how much memory.

Nothing here knows what the pieces are about.
"""
