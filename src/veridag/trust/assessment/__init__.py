"""The assessment of what can be learned from a table: which learner to take, how good a choice that is, and how likely
each arc is.

`evidence` collects what there is, `chances` turns it into chances by a model that a study has calibrated, and
`recommending` chooses by them. Learners and their comparison do not belong here.
"""
