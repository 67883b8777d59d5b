"""The DAGs of an equivalence class: how many there are, and how they direct the edges of a variable.

Nothing here lists the DAGs one by one, or knows about data.
"""

from .counting import class_size
from .planning import Experiment, ExperimentPlan, experiments

__all__ = ["Experiment", "ExperimentPlan", "class_size", "experiments"]
