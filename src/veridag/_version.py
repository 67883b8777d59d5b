"""The version, which stands in pyproject.toml alone."""

from importlib.metadata import version

__version__ = version("veridag")
