"""Hypothesis strategies and settings that several tests share."""

from __future__ import annotations

from hypothesis import settings

#: A fifth of the examples, for laws of which one takes long, or which are tried with many learners or scores.
few = settings(max_examples=max(2, settings().max_examples // 5))

#: Five times as many, for texts and bytes that are damaged at random: an example is quick, and few find anything.
many = settings(max_examples=5 * settings().max_examples)
