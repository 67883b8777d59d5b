"""veridag learns the structure of Bayesian networks, and tells which learner to trust on your data.

The public names are listed once, in ``__init__.pyi``, and loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
