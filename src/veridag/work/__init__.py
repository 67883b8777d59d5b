"""Running work: many pieces in threads, processes or on a Dask cluster, jobs in processes, and the available memory.

Nothing here knows what the pieces compute.
"""
