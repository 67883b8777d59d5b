"""Where the program `veridag` starts: imports take a moment, and Ctrl-C meanwhile is no error to be traced."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from veridag.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
