"""One variable predicted from the rest of each row, many rows at a time.

Answers to single questions live in `query`, and how good a prediction is in `veridag.trust.prediction`.
"""

from .predicting import predict
from .result import Prediction

__all__ = ["Prediction", "predict"]
