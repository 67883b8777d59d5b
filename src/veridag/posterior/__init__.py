"""The posterior distribution over network structures: draws from it, and how far to trust them.

One best structure does not belong here, nor what resampled data says.
"""
