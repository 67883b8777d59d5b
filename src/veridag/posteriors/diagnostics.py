"""How far draws of Markov chains can be trusted: effective sample sizes, split R-hat, Monte Carlo standard errors.

The formulas are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021). Each chain is split in halves. Series
of zeros and ones, such as whether a draw has an arc, have the same R-hat before and after rank normalisation, so for
these there is one formula; of other numbers, ranks are used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def split(values: NDArray[np.generic]) -> Floats:
    """Both halves of each chain as chains of their own, [chain, draw, ...]; an odd draw in the middle is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, values.shape[1] - half :]]).astype(np.float64)


def split_rhat(values: NDArray[np.generic]) -> Floats:
    """R-hat of series [chain, draw, ...], plain: `nan` where all values are the same, or there are under four draws."""
    halves = split(values)
    draws = halves.shape[1]
    if draws < 2:
        return np.full(values.shape[2:], np.nan)
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ((draws - 1) / draws * within + between) / within
    return np.asarray(np.sqrt(np.where((within == 0) & (between == 0), np.nan, ratio)))


def rank_rhat(values: Floats) -> float:
    """The rank-normalised split R-hat of one series [chain, draw].

    It is the larger of that of the values and of that of their distances from the median.
    """
    folded = np.abs(values - np.median(values))
    return float(np.max([split_rhat(_normal_scores(series)) for series in (values, folded)]))


def rank_ess(values: Floats) -> float:
    """The effective sample size of one series [chain, draw] after rank normalisation ("bulk")."""
    return float(ess(_normal_scores(values)))


def ess(values: NDArray[np.generic]) -> Floats:
    """The effective sample size of series [chain, draw, ...]; `nan` where all values are the same.

    By the autocorrelations of the split chains, added up in pairs as long as these are positive, and not rising (Geyer
    1992). It is at most the number of draws times its logarithm to base 10.
    """
    halves = split(values)
    chains, draws = halves.shape[:2]
    if draws < 2:
        return np.full(values.shape[2:], np.nan)
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * draws, axis=1)
    power = (spectrum * spectrum.conj()).real
    covariance = np.fft.irfft(power, axis=1)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1)
    total = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1.0 - (within - covariance) / total
    rho[0] = 1.0
    pairs = rho[0 : 2 * (draws // 2) : 2] + rho[1 : 2 * (draws // 2) : 2]
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    sums = np.where(positive, np.minimum.accumulate(pairs, axis=0), 0.0).sum(axis=0)
    size = chains * draws
    found = size / np.maximum(2.0 * sums - 1.0, 1.0 / np.log10(max(size, 10)))
    return np.asarray(np.where(total > 0, found, np.nan))


def standard_error(values: NDArray[np.generic]) -> Floats:
    """The Monte Carlo standard error of the mean of series [chain, draw, ...].

    Where all values are the same it is 0: nothing was seen that would tell.
    """
    deviation = values.astype(np.float64).std(axis=(0, 1))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(deviation > 0, deviation / np.sqrt(ess(values)), 0.0))


def _normal_scores(values: Floats) -> Floats:
    """Ranks, ties by their mean, as quantiles of the normal distribution."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(values).reshape(values.shape)
    return np.asarray(ndtri((ranks - 0.375) / (values.size + 0.25)))
