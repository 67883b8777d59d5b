"""The command line, a file for each group of commands; they import what they need when they run, so that help is quick.

What a command does is done by the folders below: here words become arguments, and results become text and files.
"""

try:
    from . import (
        adjust,
        assess,
        best_networks,
        bootstrap,
        compare,
        convert,
        cross_validate,
        describe,
        differences,
        effect,
        fit,
        learn,
        networks,
        pooling,
        posterior,
        predict,
        report,
        score,
        score_table,
        simulate,
        study,
        web_app,
    )
    from .app import app, main
except KeyboardInterrupt:  # Ctrl-C while the program starts is no error to be traced
    raise SystemExit(130) from None

__all__ = [
    "adjust",
    "app",
    "assess",
    "best_networks",
    "bootstrap",
    "compare",
    "completion",
    "convert",
    "cross_validate",
    "describe",
    "differences",
    "effect",
    "fit",
    "learn",
    "main",
    "networks",
    "pooling",
    "posterior",
    "predict",
    "report",
    "score",
    "score_table",
    "simulate",
    "study",
    "web_app",
]
