"""Series of experiments compared, such as ways of learning: how well the PHDs of each follow its SHDs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .measures import direction, pearson, spearman

Floats = NDArray[np.float64]

_DRAWS = 100
_MEASURES = ("alike", "pearson", "spearman")


def by_series(rows: pl.DataFrame) -> pl.DataFrame:
    """For each source, and for all of them together, what `rankings` and `similarity` find of each series.

    `alike` is the share of pairs ranked alike; `pearson` and `spearman` are means over points and sizes. Columns that
    end in `_se` are standard errors from bootstrap draws of the repetitions, the same for all series. Those with
    `_more` say how much more it is than in the first series. Sources that a series has not yet are left out.
    """
    names = rows["score"].unique().sort().to_list()
    there = rows.filter(what="phd").group_by("source").agg(pl.col("score").n_unique())
    sources = there.filter(score=len(names))["source"].sort().to_list()
    lines = []
    for chosen in [*([source] for source in sources), *([sources] if len(sources) > 1 else [])]:
        repetitions = rows.filter(pl.col("source").is_in(chosen))["repetition"].unique().sort().to_list()
        weights = _weights(len(repetitions))
        found = {}
        for name in names:
            every = [d for source in chosen for d in _distances(rows.filter(source=source, score=name), repetitions)]
            found[name] = np.array([_measured(every, weight) for weight in weights])
        for name, values in found.items():
            own = {"source": chosen[0] if len(chosen) == 1 else "all", "score": name, "repetitions": len(repetitions)}
            for k, measure in enumerate(_MEASURES):
                more = values[:, k] - found[names[0]][:, k]
                own |= {measure: values[0, k], f"{measure}_se": _error(values[1:, k])}
                own |= {f"{measure}_more": more[0], f"{measure}_more_se": _error(more[1:])}
            lines.append(own)
    return pl.DataFrame(lines).fill_nan(None)


def _weights(repetitions: int) -> Floats:
    """How often each repetition counts: once in the first line, then in each bootstrap draw."""
    drawn = np.random.default_rng(0).multinomial(repetitions, [1 / repetitions] * repetitions, _DRAWS)
    return np.vstack([np.ones(repetitions), drawn])


def _error(values: Floats) -> float:
    return float(np.nanstd(values, ddof=1)) if np.isfinite(values).sum() > 1 else np.nan


def _distances(rows: pl.DataFrame, repetitions: Sequence[int]) -> list[tuple[Floats, Floats]]:
    """The SHDs and PHDs of each point and size: matrices with a row a repetition and a column a learner."""
    shd = _matrices(rows.filter(what="learner"), ["size"], "shd", repetitions)
    phd = _matrices(rows.filter(what="phd"), ["size", "point"], "phd", repetitions)
    return [(shd[key[:1]], matrix) for key, matrix in phd.items() if key[:1] in shd]


def _matrices(
    rows: pl.DataFrame, by: Sequence[str], value: str, repetitions: Sequence[int]
) -> dict[tuple[int, ...], Floats]:
    learners = sorted(rows["learner"].unique().to_list())
    found: dict[tuple[int, ...], Floats] = {}
    for repetition, learner, distance, *key in rows.select("repetition", "learner", value, *by).iter_rows():
        matrix = found.setdefault(tuple(key), np.full((len(repetitions), len(learners)), np.nan))
        matrix[repetitions.index(repetition), learners.index(learner)] = distance
    return found


def _measured(every: Sequence[tuple[Floats, Floats]], weight: Floats) -> tuple[float, ...]:
    """The share of pairs ranked alike, and the mean correlations, with repetitions weighted."""
    alike, correlations = [], []
    for shd, phd in every:
        x, y = _mean(shd, weight), _mean(phd, weight)
        if not np.isfinite(x + y).all():
            continue  # no repetition that was drawn has it
        i, j = np.triu_indices(len(x), 1)
        alike.append(direction(x, i, j) == direction(y, i, j))
        correlations.append((pearson(y, x), spearman(y, x)))
    table = np.ma.masked_invalid(np.array(correlations, dtype=np.float64))  # None becomes NaN
    return float(np.mean(alike)), *(float(mean) for mean in table.mean(axis=0).filled(np.nan))


def _mean(table: Floats, weight: Floats) -> Floats:
    """The weighted mean of each column over the repetitions that are there; NaN of none."""
    there = weight[:, None] * np.isfinite(table)
    total = there.sum(axis=0)
    return np.asarray((there * np.nan_to_num(table)).sum(axis=0) / np.where(total > 0, total, np.nan))
