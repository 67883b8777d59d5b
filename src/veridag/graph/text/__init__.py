"""The text forms of graphs, one per file: modelstring, DOT and JSON.

They use names and pairs, and no graph class.
"""

from .dot import read_dot, write_dot
from .json import NETWORK_FORMAT, read_json, write_json
from .modelstring import read_modelstring, write_modelstring

__all__ = [
    "NETWORK_FORMAT",
    "read_dot",
    "read_json",
    "read_modelstring",
    "write_dot",
    "write_json",
    "write_modelstring",
]
