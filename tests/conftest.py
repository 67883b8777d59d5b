"""What holds for all tests."""

from __future__ import annotations

import signal

# A program that was started in the background may have been told to ignore interrupts, and with it all that it starts.
# The tests of interrupts would then wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
