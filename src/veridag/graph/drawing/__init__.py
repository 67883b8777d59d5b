"""Drawings of graphs as SVG, with the standard library alone."""

from .layout import Layout, layered
from .svg import Style, svg

__all__ = ["Layout", "Style", "layered", "svg"]
