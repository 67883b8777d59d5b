"""Estimators for scikit-learn: `pip install 'veridag[sklearn]'`.

Learning, fitting and predicting are done by the folders below; here arrays become data, and probabilities arrays.
"""

from veridag.errors import import_optional

import_optional("sklearn", "veridag.sklearn", "sklearn")

from .classifier import BayesianNetworkClassifier  # noqa: E402 # the line above names what is missing

__all__ = ["BayesianNetworkClassifier"]
