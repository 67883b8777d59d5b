"""The command line, a file for each group of commands; they import what they need when they run, so that help is quick.

What a command does is done by the folders below: here words become arguments, and results become text and files.
"""

from . import (
    assess,
    best_networks,
    bootstrap,
    compare,
    convert,
    describe,
    fit,
    learn,
    networks,
    posterior,
    predict,
    report,
    score,
    score_table,
    study,
)
from .app import app, main

__all__ = [
    "app",
    "assess",
    "best_networks",
    "bootstrap",
    "compare",
    "completion",
    "convert",
    "describe",
    "fit",
    "learn",
    "main",
    "networks",
    "posterior",
    "predict",
    "report",
    "score",
    "score_table",
    "study",
]
