"""The command line. Commands import what they need when they run, so that ``veridag --help`` answers at once."""

from . import bootstrap, convert, criteria, evaluate, exact, learn, networks, parameters, study, tables
from .app import app, main

__all__ = [
    "app",
    "bootstrap",
    "convert",
    "criteria",
    "evaluate",
    "exact",
    "learn",
    "main",
    "networks",
    "parameters",
    "study",
    "tables",
]
