"""``python -m veridag.cli`` is ``veridag``."""

from veridag.cli import main

main()
