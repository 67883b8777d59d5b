"""Slow, obvious versions of things, written from the definitions alone: the oracles for the fast ones."""
