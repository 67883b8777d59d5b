"""Mutants: small mistakes in decisive lines, each with the test that notices it.

`core.toml` and `python.toml` are the tables. `make mutants` makes one mistake at a time in a copy and runs its test.
A mutant that survives means that a test is missing.
"""
