"""Draws of networks from the posterior distribution."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.display import ROWS, aligned, paragraph, table
from veridag.errors import InputError, suggest
from veridag.graph import DAG

from .diagnostics import ess, rank_ess, rank_rhat, split_rhat, standard_error

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

#: What a probability can be asked for: an arc as a pair, a text such as "A -> B", "A -- B" or "A ~> B", or a function.
Feature = tuple[str, str] | str | Callable[[DAG], float]

_HEAD = ("from", "to", "probability", "error")
_AT_A_TIME = 512  # draws whose matrices are looked at together
_FORMAT = 1


class Estimate(NamedTuple):
    """The posterior probability, or mean, of a feature: with its Monte Carlo standard error, effective sample size and
    split R-hat. The latter two are NaN if all draws agree."""

    probability: float
    error: float
    ess: float
    rhat: float


@dataclass(frozen=True)
class Settings:
    """How draws were made. The values are as they are typed, so that a file can hold them."""

    values: Mapping[str, str]

    def refuse_others(self, others: Settings) -> None:
        """Raise `InputError` unless the other settings are the same."""
        for name, value in self.values.items():
            if others.values.get(name) != value:
                raise InputError(
                    f"resume: the draws were made with {name}={value}, not {name}={others.values.get(name)}: pass the "
                    "same arguments, or sample anew"
                )


@dataclass(frozen=True, eq=False, repr=False)
class Draws:
    """Draws of DAGs from their posterior distribution, by several Markov chains: what `sample_posterior` returns.

    `log_posterior` has the score plus the logarithm of the prior of each draw, [chain, draw]; the constant that would
    make it a probability is unknown. `draws` is a sequence of DAGs: ``draws[chain, i]`` is one, and iterating yields
    all of them. `settings` says how they were made, and `seconds` how long it took. `stopped` is ``"draws"``,
    ``"precision"``, ``"time"`` or ``"interrupt"``.
    """

    names: tuple[str, ...]
    log_posterior: Floats
    parents: Words  # sets, as bits: chain, draw, variable in the order `core_names`, word
    core_names: tuple[str, ...]
    places: NDArray[np.int32]  # where the chains are: chain, temperature, variable
    settings: Settings
    seconds: float
    stopped: str

    @property
    def chains(self) -> int:
        """The number of chains."""
        return int(self.log_posterior.shape[0])

    @property
    def per_chain(self) -> int:
        """The number of draws of each chain."""
        return int(self.log_posterior.shape[1])

    def __len__(self) -> int:
        return int(self.log_posterior.size)

    # ---- networks

    def __getitem__(self, place: tuple[int, int]) -> DAG:
        """The DAG at ``draws[chain, i]``."""
        chain, i = place
        return DAG(self.names, self._matrices(self.parents[chain, i][np.newaxis])[0])

    def __iter__(self) -> Iterator[DAG]:
        for chunk in self._chunks():
            for matrix in chunk:
                yield DAG(self.names, matrix)

    @property
    def best(self) -> DAG:
        """The DAG of the highest posterior probability that was drawn."""
        chain, i = np.unravel_index(int(self.log_posterior.argmax()), self.log_posterior.shape)
        return self[int(chain), int(i)]

    def _matrices(self, parents: Words) -> NDArray[np.bool_]:
        """Adjacency matrices [draw, from, to] from sets of parents [draw, variable, word]."""
        n = len(self.names)
        octets = parents.astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=-1, count=n, bitorder="little").astype(bool)  # draw, to, from
        order = self._order
        return np.ascontiguousarray(bits[:, order][:, :, order].transpose(0, 2, 1))

    def _chunks(self) -> Iterator[NDArray[np.bool_]]:
        flat = self.parents.reshape(len(self), *self.parents.shape[2:])
        for start in range(0, len(self), _AT_A_TIME):
            yield self._matrices(flat[start : start + _AT_A_TIME])

    @cached_property
    def _order(self) -> list[int]:
        at = {name: i for i, name in enumerate(self.core_names)}
        return [at[name] for name in self.names]

    # ---- probabilities

    @cached_property
    def arcs(self) -> Floats:
        """The posterior probability of each arc, [from, to]: the share of the draws that have it."""
        return _fixed(self._mean(lambda m: m))

    @cached_property
    def edges(self) -> Floats:
        """The posterior probability that two variables are joined, in either direction."""
        return _fixed(self.arcs + self.arcs.T)

    @cached_property
    def ancestors(self) -> Floats:
        """The posterior probability that there is a directed path, [from, to]."""
        return _fixed(self._mean(_closed))

    def _mean(self, feature: Callable[[NDArray[np.bool_]], NDArray[np.bool_]]) -> Floats:
        n = len(self.names)
        total = np.zeros((n, n))
        for chunk in self._chunks():
            total += feature(chunk).sum(axis=0)
        return total / max(1, len(self))

    def probability(self, feature: Feature) -> float:
        """The posterior probability of a feature, or the posterior mean of a number that a function gives for a DAG.

        ``("A", "B")`` and ``"A -> B"`` are arcs, ``"A -- B"`` is an arc in either direction, and ``"A ~> B"`` is a
        directed path.
        """
        return float(self.series(feature).mean())

    def estimate(self, feature: Feature) -> Estimate:
        """The same, with its Monte Carlo standard error, effective sample size and split R-hat."""
        values = self.series(feature)
        return Estimate(
            float(values.mean()), float(standard_error(values)), float(ess(values)), float(split_rhat(values))
        )

    def series(self, feature: Feature) -> Floats:
        """The feature in each draw, [chain, draw]."""
        if callable(feature):
            values = np.array([float(feature(dag)) for dag in self])
        else:
            values = self._series(*_parsed(feature))
        return values.reshape(self.log_posterior.shape)

    def _series(self, a: str, kind: str, b: str) -> Floats:
        for name in (a, b):
            if name not in self.names:
                raise InputError(f"feature: there is no variable {name!r}: {suggest(name, self.names)}")
        i, j = self.names.index(a), self.names.index(b)
        found = []
        for chunk in self._chunks():
            if kind == "~>":
                found.append(_closed(chunk)[:, i, j])
            elif kind == "--":
                found.append(chunk[:, i, j] | chunk[:, j, i])
            else:
                found.append(chunk[:, i, j])
        return np.concatenate(found).astype(np.float64)

    # ---- how far to trust them

    @cached_property
    def ess(self) -> float:
        """The effective sample size of the log posterior, after rank normalisation."""
        return rank_ess(self.log_posterior)

    @cached_property
    def rhat(self) -> float:
        """The rank-normalised split R-hat of the log posterior."""
        return rank_rhat(self.log_posterior)

    @cached_property
    def arc_ess(self) -> Floats:
        """The effective sample size of each arc, [from, to]; NaN if all draws agree on it."""
        return _fixed(self._of_arcs(ess))

    @cached_property
    def arc_rhat(self) -> Floats:
        """The split R-hat of each arc, [from, to]; NaN if all draws agree on it."""
        return _fixed(self._of_arcs(split_rhat))

    @cached_property
    def arc_errors(self) -> Floats:
        """The Monte Carlo standard error of each arc's probability, [from, to]; 0 if all draws agree on it."""
        p = self.arcs
        with np.errstate(invalid="ignore"):
            return _fixed(np.nan_to_num(np.sqrt(p * (1.0 - p) / self.arc_ess)))

    def _of_arcs(self, statistic: Callable[[NDArray[np.bool_]], Floats]) -> Floats:
        """A statistic of the series of every arc that some draws have and others do not."""
        n = len(self.names)
        found = np.full((n, n), np.nan)
        chunks = np.concatenate(list(self._chunks()))
        rows, columns = np.nonzero((self.arcs > 0) & (self.arcs < 1))
        for start in range(0, len(rows), 64):
            i, j = rows[start : start + 64], columns[start : start + 64]
            found[i, j] = statistic(chunks[:, i, j].reshape(*self.log_posterior.shape, len(i)))
        return found

    def uncertain_arcs(self, least: float = 0.05, most: float = 0.95) -> NDArray[np.bool_]:
        """Which arcs have a probability between these two, [from, to]."""
        return (self.arcs > least) & (self.arcs < most)

    @property
    def worst_rhat(self) -> float:
        """The largest split R-hat of the log posterior and of every arc of a probability between 0.05 and 0.95.

        NaN if all draws are the same, or there are under four of each chain.
        """
        found = np.append(self.arc_rhat[self.uncertain_arcs()], self.rhat)
        return float(np.max(found[~np.isnan(found)], initial=-np.inf)) if not np.isnan(found).all() else np.nan

    # ---- files

    def save(self, path: str | Path) -> Path:
        """Write the draws to a file, from which `Draws.load` reads them, to look at or to go on with."""
        target = Path(path)
        head = {
            "format": _FORMAT,
            "names": self.names,
            "core_names": self.core_names,
            "settings": dict(self.settings.values),
            "seconds": self.seconds,
            "stopped": self.stopped,
        }
        part = target.with_name(target.name + ".part")
        with part.open("wb") as file:
            np.savez_compressed(
                file,
                head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
                log_posterior=self.log_posterior,
                parents=self.parents,
                places=self.places,
            )
        os.replace(part, target)
        return target

    @classmethod
    def load(cls, path: str | Path) -> Draws:
        """The draws in a file that `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                head = json.loads(file["head"].tobytes())
                arrays = {name: file[name] for name in ("log_posterior", "parents", "places")}
        except (ValueError, KeyError, OSError) as error:
            raise InputError(f"path {str(path)!r}: this is no file of draws ({error}): Draws.save writes one") from None
        if head.get("format") != _FORMAT:
            raise InputError(
                f"path {str(path)!r}: the file has format {head.get('format')}, and {_FORMAT} is known here"
            )
        return cls(
            tuple(head["names"]),
            core_names=tuple(head["core_names"]),
            settings=Settings(head["settings"]),
            seconds=float(head["seconds"]),
            stopped=str(head["stopped"]),
            **arrays,
        )

    # ---- to look at

    def _rows(self) -> list[tuple[str, str, str, str]]:
        order = np.argwhere(self.arcs > 0.005).tolist()
        order.sort(key=lambda arc: (-self.arcs[arc[0], arc[1]], arc))
        return [
            (self.names[i], self.names[j], f"{self.arcs[i, j]:.3f}", f"{self.arc_errors[i, j]:.3f}") for i, j in order
        ]

    def __str__(self) -> str:
        rows = self._rows()
        left = f"... and {len(rows) - ROWS} more" if len(rows) > ROWS else ""
        lines = [repr(self).strip("<>"), aligned([_HEAD, *rows[:ROWS]]), left]
        return "\n".join(line for line in lines if line)

    def _repr_html_(self) -> str:
        return paragraph(repr(self).strip("<>")) + table(_HEAD, self._rows())

    def __repr__(self) -> str:
        return (
            f"<Draws: {self.per_chain} DAGs from each of {self.chains} chains, effective sample size {self.ess:.0f}, "
            f"split R-hat at most {self.worst_rhat:.3f}>"
        )


def _closed(matrices: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The transitive closures of adjacency matrices."""
    reach = matrices.copy()
    for k in range(reach.shape[1]):
        reach |= reach[:, :, k, np.newaxis] & reach[:, np.newaxis, k, :]
    return reach


def _parsed(feature: Any) -> tuple[str, str, str]:
    if isinstance(feature, tuple) and len(feature) == 2 and all(isinstance(name, str) for name in feature):
        return feature[0], "->", feature[1]
    if isinstance(feature, str):
        for kind in ("->", "--", "~>"):
            a, found, b = (part.strip() for part in feature.partition(f" {kind} "))
            if found:
                return a, kind, b
    raise InputError(
        f"feature={feature!r} must be an arc such as ('A', 'B'), a text such as 'A -> B', 'A -- B' or 'A ~> B', or a "
        "function of a DAG"
    )


def _fixed(values: Floats) -> Floats:
    values.flags.writeable = False
    return values
