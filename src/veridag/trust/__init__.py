"""What many results say together: intersection-validation, agreement, resampling, groups, bins in turns with networks,
and the default learner.

One search for one structure does not belong here.
"""
