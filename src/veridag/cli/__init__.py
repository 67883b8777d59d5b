"""The command line. Commands import what they need when they run, so that ``veridag --help`` answers at once."""

from . import criteria, evaluate, learn, networks
from .app import app, main

__all__ = ["app", "criteria", "evaluate", "learn", "main", "networks"]
