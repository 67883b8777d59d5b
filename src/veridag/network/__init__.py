"""A graph with parameters: fitting them to data, queries, file formats and the reference networks.

How a structure is found or judged does not belong here.
"""

import lazy_loader

from . import reference as networks  # noqa: F401 -- vd.networks; small, so that listing them does not load numpy

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
