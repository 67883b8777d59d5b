"""How good predictions of one variable are on rows that were not used to make them.

The predictions themselves come from `veridag.network.prediction`.
"""

from .evaluating import cross_validate_prediction, evaluate_prediction
from .numbers import NumberScores
from .states import Calibration, CalibrationBin, PredictionScores, RocCurve

__all__ = [
    "Calibration",
    "CalibrationBin",
    "NumberScores",
    "PredictionScores",
    "RocCurve",
    "cross_validate_prediction",
    "evaluate_prediction",
]
