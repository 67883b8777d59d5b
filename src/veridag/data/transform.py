"""Skewed continuous columns on another scale: logarithms, or normal scores of the ranks."""

from __future__ import annotations

import numpy as np

from veridag.errors import InputError, setting

from .columns import Array, Column, frozen

TRANSFORMS = ("log", "rank")


def transformed(column: Column, weights: Array | None, method: str) -> tuple[Column, str]:
    """A continuous column on another scale, and the note that says which; missing values stay missing."""
    there = column.present()
    changed, note = _logarithms(there) if method == "log" else _normal_scores(there, column.present_among(weights))
    return changed.spread_over(column.observed), note


def _logarithms(column: Column) -> tuple[Column, str]:
    smallest = float(column.values.min())
    if smallest <= 0:
        raise InputError(
            f"{setting('transform', {column.name: 'log'})}: a logarithm needs positive values, and the smallest is "
            f"{smallest:g}: use {setting('transform', {column.name: 'rank'})}"
        )
    values = frozen(np.log(column.values))
    return Column.continuous(column.name, values, "logarithm"), f"took the logarithm of {column.name!r}"


def _normal_scores(column: Column, weights: Array | None) -> tuple[Column, str]:
    """The normal quantile of (rank - 1/2) / n; equal values have the middle of their ranks, and so the same score."""
    from scipy.special import ndtri

    distinct, codes = np.unique(column.values, return_inverse=True)
    counts = np.bincount(codes, weights=weights, minlength=len(distinct))
    upper = np.cumsum(counts)
    share = np.clip((upper - counts / 2) / upper[-1], 0.5 / upper[-1], 1 - 0.5 / upper[-1])
    values = frozen(ndtri(share)[codes])
    return Column.continuous(
        column.name, values, "normal scores of the ranks"
    ), f"took normal scores of {column.name!r}"
