"""Hypothesis strategies and settings that several tests share."""

from __future__ import annotations

from hypothesis import settings

#: A fifth of the examples, for laws of which one takes long, or which are tried with many learners or scores.
few = settings(max_examples=max(2, settings().max_examples // 5))
