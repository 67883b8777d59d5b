"""``python -m veridag.cli`` is ``veridag``."""

from veridag.program import main

main()
