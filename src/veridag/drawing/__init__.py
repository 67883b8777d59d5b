"""Drawings of graphs as SVG, with the standard library alone."""

from veridag.drawing.layout import Layout, layered
from veridag.drawing.svg import Style, svg

__all__ = ["Layout", "Style", "layered", "svg"]
