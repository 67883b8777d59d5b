"""Fuzzers: inputs made from a small corpus at random, for every reader, for specs and for knowledge.

The tests try a fixed number with fixed seeds, `make fuzz MINUTES=60` as many as there is time for.
"""
