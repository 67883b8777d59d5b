"""Drawings of graphs as SVG: layers, crossings, placement, routing and the picture, using only the standard library.

It uses names and pairs, and no graph class.
"""

from .layout import Layout, layered
from .svg import Style, svg

__all__ = ["Layout", "Style", "layered", "svg"]
