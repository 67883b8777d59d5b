"""Draws of networks from the posterior distribution."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.checks import JOBS
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.files.writing import whole_file
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .averages.average import NetworkAverage
from .averages.averaging import Averaging
from .diagnostics import ess, rank_ess, rank_rhat, split_rhat, standard_error
from .features import Arcs, Present, Relation, parent_rules, relation_of
from .source import Source
from .summaries import ArcProbabilities

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

Bools = NDArray[np.bool_]

#: What a probability can be asked for: what is to be there, or a function.
Feature = Present | Callable[[DAG], float]

_AT_A_TIME = 512  # draws whose matrices are looked at together
_FORMAT = 1


class Estimate(NamedTuple):
    """The posterior probability, or mean, of a feature, estimated from draws.

    Attributes:
        probability: The estimate.
        error: Its Monte Carlo standard error.
        ess: The effective sample size; not a number if all draws agree.
        rhat: The split R-hat; not a number if all draws agree.
    """

    probability: float
    error: float
    ess: float
    rhat: float


@dataclass(frozen=True)
class Settings:
    """How draws were made.

    Attributes:
        values: The arguments by name, as text, so that a file can hold them.
    """

    values: Mapping[str, str]

    def __str__(self) -> str:
        """The score and the prior, and what rules networks out."""
        said = [self.values[name] for name in ("score", "prior") if name in self.values]
        if self.values.get("max_indegree", "None") != "None":
            said.append(f"max_indegree={self.values['max_indegree']}")
        if self.values.get("knowledge", repr(Knowledge())) != repr(Knowledge()):
            said.append(self.values["knowledge"])
        return ", ".join(said)

    def refuse_others(self, others: Settings) -> None:
        """Raise `InputError` unless the other settings are the same."""
        for name, value in self.values.items():
            if others.values.get(name) != value:
                raise InputError(
                    f"resume: the draws were made with {name}={value}, not {name}={others.values.get(name)}: pass the "
                    "same arguments, or sample again without resume"
                )


@dataclass(frozen=True, eq=False, repr=False)
class Draws(Averaging, ArcProbabilities):
    """DAGs drawn from their posterior by several Markov chains, as `sample_posterior` returns them.

    ``arcs[u, v]`` is the share of the draws with the arc from u to v, by positions in `names`. It estimates P(u -> v |
    data), with the standard error ``arc_errors[u, v]``. `draws` is a sequence of DAGs: ``draws[chain, i]`` is one, and
    iterating yields all of them.

    Attributes:
        names: The variables.
        settings: How the draws were made.
        log_posterior: The score plus the log prior of each draw, [chain, draw]. The constant that would make it a
            probability is unknown.
        parents: The parent sets, as bits: chain, draw, variable in the order of `core_names`, word.
        core_names: The variables in the order of the core.
        places: Where the chains are: chain, temperature, variable.
        seconds: How long it took.
        stopped: Why it ended: "draws", "precision", "time" or "interrupt".

    See also:
        `sample_posterior`, `join_draws`, docs/posterior-sampling.md
    """

    arcs: Floats = field(init=False)
    settings: Settings
    log_posterior: Floats
    parents: Words  # sets, as bits: chain, draw, variable in the order `core_names`, word
    core_names: tuple[str, ...]
    places: NDArray[np.int32]  # where the chains are: chain, temperature, variable
    seconds: float
    stopped: str
    _source: Source | None = field(default=None, repr=False)  # None if they were read from a file without it

    def __post_init__(self) -> None:
        object.__setattr__(self, "arcs", self._mean(lambda matrices: matrices))
        super().__post_init__()

    @property
    def knowledge(self) -> Knowledge | None:
        """The knowledge that the sampler used; None if the draws were read from a file."""
        return None if self._source is None else self._source.knowledge

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
        """The DAG with the highest posterior probability among the draws."""
        chain, i = np.unravel_index(int(self.log_posterior.argmax()), self.log_posterior.shape)
        return self[int(chain), int(i)]

    def _matrices(self, parents: Words) -> Bools:
        """Adjacency matrices [draw, from, to] from sets of parents [draw, variable, word]."""
        n = len(self.names)
        octets = parents.astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=-1, count=n, bitorder="little").astype(bool)  # draw, to, from
        order = self._order
        return np.ascontiguousarray(bits[:, order][:, :, order].transpose(0, 2, 1))

    def _chunks(self) -> Iterator[Bools]:
        flat = self.parents.reshape(len(self), *self.parents.shape[2:])
        for start in range(0, len(self), _AT_A_TIME):
            yield self._matrices(flat[start : start + _AT_A_TIME])

    @cached_property
    def _order(self) -> list[int]:
        at = {name: i for i, name in enumerate(self.core_names)}
        return [at[name] for name in self.names]

    # ---- probabilities

    @cached_property
    def ancestors(self) -> Floats:
        """``ancestors[u, v]`` is P(there is a path from u to v); 0 on the diagonal."""
        return _fixed(self._mean(_closed))

    def _mean(self, feature: Callable[[Bools], Bools]) -> Floats:
        n = len(self.names)
        total = np.zeros((n, n))
        for chunk in self._chunks():
            total += feature(chunk).sum(axis=0)
        return total / max(1, len(self))

    def probability(
        self, present: Feature = (), absent: Arcs = (), parents: Mapping[str, Iterable[str]] | None = None
    ) -> float:
        """Estimate the probability that the graph has all arcs of `present`, none of `absent`, and these parents.

        Args:
            present: Arcs, such as ``("A", "B")`` or ``"A -> B"``; ``"A -- B"`` is an arc in either direction, and ``"A
                ~> B"`` a path. For a function of a DAG, the result is its posterior mean.
            absent: Arcs that the graph does not have.
            parents: All parents of some variables, by variable.
        """
        return float(self.series(present, absent, parents).mean())

    def estimate(
        self, present: Feature = (), absent: Arcs = (), parents: Mapping[str, Iterable[str]] | None = None
    ) -> Estimate:
        """The same, with its Monte Carlo standard error, effective sample size and split R-hat."""
        values = self.series(present, absent, parents)
        return Estimate(
            float(values.mean()), float(standard_error(values)), float(ess(values)), float(split_rhat(values))
        )

    def series(
        self, present: Feature = (), absent: Arcs = (), parents: Mapping[str, Iterable[str]] | None = None
    ) -> Floats:
        """The feature in each draw, [chain, draw]: 1 if it is there and 0 if not, or what the function gives."""
        if callable(present):
            if absent or parents:
                raise InputError(f"present={present!r}: a function must be given alone: leave out absent and parents")
            values = np.array([float(present(dag)) for dag in self])
        else:
            relation = relation_of(present, self.names)
            arcs: Any = () if relation is not None else present
            n = len(self.names)
            rules = [_as_matrix(own) for own in parent_rules(self.names, range(n), arcs, absent, parents)]
            found = [_with_rules(chunk, *rules) & self._related(chunk, relation) for chunk in self._chunks()]
            values = np.concatenate(found).astype(np.float64)
        return values.reshape(self.log_posterior.shape)

    def _related(self, matrices: Bools, relation: Relation | None) -> Bools:
        """Which of the adjacency matrices have the relation."""
        if relation is None:
            return np.ones(len(matrices), dtype=bool)
        i, j = self.names.index(relation.source), self.names.index(relation.target)
        if relation.kind == "~>":
            return np.asarray(_closed(matrices)[:, i, j])
        forward = matrices[:, i, j]
        return np.asarray(forward | matrices[:, j, i] if relation.kind == "--" else forward)

    # ---- answers of the networks

    @property
    def source(self) -> Source:
        """The data and the settings that the draws were made from."""
        if self._source is None:
            raise InputError(
                "data: the draws were read from a file, which has no data to fit parameters to: pass it to "
                "Draws.load(path, data=...)"
            )
        return self._source

    def average(
        self,
        networks: int | None = None,
        *,
        group: str | None = None,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> NetworkAverage:
        """Return the drawn networks with parameters fitted to the data, to answer queries together.

        The average is kept, so a second query finds all parameters.

        Args:
            networks: Use only this many of the draws, spread evenly over each chain; all if None. Consecutive draws are
                similar, so a part of them is nearly as informative.
            group: The group whose parameters to use, if the score is `BHD`.
            seed: Not used here; the exact posterior needs it to draw networks.
            jobs: Number of threads, for data with missing values, where EM fits the parameters of each network.
            progress: Not used here, as the seed.
        """
        del seed, progress
        kept = self._kept()
        key = ("average", networks, group)
        if key not in kept:
            kept[key] = NetworkAverage(self, networks, group=group, jobs=JOBS("jobs", jobs))
        found: NetworkAverage = kept[key]
        return found

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
        """The effective sample size of each arc, [from, to]; `nan` if all draws agree on it."""
        return _fixed(self._of_arcs(ess))

    @cached_property
    def arc_rhat(self) -> Floats:
        """The split R-hat of each arc, [from, to]; `nan` if all draws agree on it."""
        return _fixed(self._of_arcs(split_rhat))

    @cached_property
    def arc_errors(self) -> Floats:
        """The Monte Carlo standard error of each arc's probability, [from, to]; 0 if all draws agree on it."""
        p = self.arcs
        with np.errstate(invalid="ignore"):
            return _fixed(np.nan_to_num(np.sqrt(p * (1.0 - p) / self.arc_ess)))

    def _of_arcs(self, statistic: Callable[[Bools], Floats]) -> Floats:
        """A statistic of the series of every arc that some draws have and others do not."""
        n = len(self.names)
        found = np.full((n, n), np.nan)
        chunks = np.concatenate(list(self._chunks()))
        rows, columns = np.nonzero((self.arcs > 0) & (self.arcs < 1))
        for start in range(0, len(rows), 64):
            i, j = rows[start : start + 64], columns[start : start + 64]
            found[i, j] = statistic(chunks[:, i, j].reshape(*self.log_posterior.shape, len(i)))
        return found

    def uncertain_arcs(self, least: float = 0.05, most: float = 0.95) -> Bools:
        """Which arcs have a probability between these two, [from, to]."""
        return (self.arcs > least) & (self.arcs < most)

    @property
    def worst_rhat(self) -> float:
        """The largest split R-hat of the log posterior and of every arc of a probability between 0.05 and 0.95.

        `nan` if all draws are the same, or there are under four of each chain.
        """
        found = np.append(self.arc_rhat[self.uncertain_arcs()], self.rhat)
        return float(np.max(found[~np.isnan(found)], initial=-np.inf)) if not np.isnan(found).all() else np.nan

    # ---- files

    def save(self, path: str | Path) -> Path:
        """Write the draws to a file that `Draws.load` reads, to analyse or resume them later."""
        target = Path(path)
        head = {
            "format": _FORMAT,
            "names": self.names,
            "core_names": self.core_names,
            "settings": dict(self.settings.values),
            "seconds": self.seconds,
            "stopped": self.stopped,
        }
        with whole_file(target) as draft, draft.open("wb") as file:
            np.savez_compressed(
                file,
                head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8),
                log_posterior=self.log_posterior,
                parents=self.parents,
                places=self.places,
            )
        return target

    @classmethod
    def load(cls, path: str | Path, data: Data | Any = None, score: Score | None = None) -> Draws:
        """Read draws from a file that `save` wrote.

        Args:
            path: The file.
            data: The data that the draws were made from. Queries and predictions need it; the file does not contain it.
            score: The score, if it was not the default.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                head = json.loads(file["head"].tobytes())
                arrays = {name: file[name] for name in ("log_posterior", "parents", "places")}
        except (ValueError, KeyError, OSError) as error:
            raise InputError(
                f"path {str(path)!r}: this is not a file of draws ({error}): write one with Draws.save"
            ) from None
        if head.get("format") != _FORMAT:
            raise InputError(
                f"path {str(path)!r}: the file has format {head.get('format')}, and this version reads {_FORMAT}: "
                "update veridag"
            )
        made = Settings(head["settings"])
        return cls(
            _source=None if data is None else Source.of_file(Data.of(data), score, tuple(head["names"]), made.values),
            names=tuple(head["names"]),
            core_names=tuple(head["core_names"]),
            settings=made,
            seconds=float(head["seconds"]),
            stopped=str(head["stopped"]),
            **arrays,
        )

    # ---- to look at

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        head, rows = super()._table()
        at = {name: i for i, name in enumerate(self.names)}
        errors = [self.arc_errors[at[pair.source], at[pair.target]] for pair in self.pairs]
        return (*head, "error"), [(*row, f"{error:.3f}") for row, error in zip(rows, errors, strict=True)]

    def __repr__(self) -> str:
        return (
            f"<Draws: {self.per_chain} DAGs from each of {self.chains} chains, effective sample size {self.ess:.0f}, "
            f"split R-hat at most {self.worst_rhat:.3f}; {self.settings}>"
        )


def _closed(matrices: Bools) -> Bools:
    """The transitive closures of adjacency matrices."""
    reach = matrices.copy()
    for k in range(reach.shape[1]):
        reach |= reach[:, :, k, np.newaxis] & reach[:, np.newaxis, k, :]
    return reach


def _as_matrix(parents: list[int]) -> Bools:
    """Sets of parents, as bits, as a matrix [from, to]."""
    n = len(parents)
    return np.array([[bool(own >> u & 1) for own in parents] for u in range(n)], dtype=bool).reshape(n, n)


def _with_rules(matrices: Bools, wanted: Bools, unwanted: Bools) -> Bools:
    """Which of the adjacency matrices have all wanted arcs and no unwanted one."""
    return np.asarray((matrices[:, wanted]).all(axis=1) & ~(matrices[:, unwanted]).any(axis=1))


def _fixed(values: Floats) -> Floats:
    values.flags.writeable = False
    return values
