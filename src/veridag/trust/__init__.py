"""What many results say together: intersection-validation, agreement, resampling, groups, and the default learner.

One search for one structure does not belong here.
"""
