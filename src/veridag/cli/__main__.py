"""``python -m veridag.cli`` is ``veridag``."""

from . import main

main()
