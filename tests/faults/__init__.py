"""Faults at every step: system calls that fail, memory that runs out, processes that are killed.

`system_calls.cpp` is preloaded into a process of its own, which runs `studies` or `writers`: these do their work again
and again, each time with the fault one step later, until the work is done before its turn comes.
"""
