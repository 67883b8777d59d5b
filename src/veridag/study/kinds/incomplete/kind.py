"""Learners on data with missing values, held against the truth: what to do with missing values, and what they cost.

A cell is one learner on one sample of one network, with some of the values removed. All learners of a sample have the
same rows, the same missing values and the same truth. A learner gets them in one of these ways (`given`):

- `gaps`: as they are.
- `state`: missing values are a state of their own; of discrete data only.
- `complete rows`: only the rows without missing values. If fewer than two are left, the result is the empty graph.
- `whole`: before any value was removed, which is what the others are compared with.

`shd` is the structural Hamming distance between the CPDAGs, `arcs` the number of true arcs, `found` and `false` count
joined pairs that are joined in the truth or not, and `rows` is how many rows the learner had.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from veridag.data import Data
from veridag.graph import DAG
from veridag.metrics import shd_parts
from veridag.network import Network, networks
from veridag.simulate import (
    random_dag,
    random_gaussian_network,
    random_mixed_network,
    random_network,
    remove_values,
)
from veridag.simulate.gaps import Mechanism
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.kinds._parameters import learner_for, learner_table, whole_spec
from veridag.study.shared import Shared

if TYPE_CHECKING:
    import polars as pl

GIVEN = ("gaps", "state", "complete rows", "whole")
RANDOM = ("random discrete", "random continuous", "random mixed")
_KEYS = ("networks", "nodes", "arcs_per_node", "sizes", "shares", "mechanisms", "repetitions", "learners")
_TRUTH = ("seed", "network", "nodes", "arcs_per_node", "repetition")
_SAMPLE = (*_TRUTH, "n")
_GAPS = (*_SAMPLE, "share", "mechanism")


class Incomplete(Kind):
    """Networks x sample sizes x shares of missing values x mechanisms x repetitions x learners."""

    name = "incomplete"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each network, size, share, mechanism, repetition and learner of every grid."""
        for part in grids(spec, _KEYS):
            entries = entries_of(part).values()
            for sample in _samples(part):
                yield from ({**sample, **entry.settings} for entry in entries if entry.takes(sample))

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Remove values, learn once, and measure what was learned."""
        s: Mapping[str, Any] = settings
        truth = _truth(s)
        whole = shared.get(("sample", *_of(s, _SAMPLE)), lambda: truth.sample(s["n"], derive_seed(*_of(s, _SAMPLE))))
        data = shared.get(("gaps", *_of(s, _GAPS)), lambda: _with_gaps(whole, s))
        seen = _given(s["given"], data, whole)
        row: Row = {"rows": seen.n}
        if seen.n < 2:
            return [{**row, **measure(truth.dag, DAG.empty(data.names)), "calls": 0, "seconds_learning": 0.0}]
        result = learner_for(s["learner"], seen).learn(seen, None, seed)
        return [{**row, **measure(truth.dag, result.graph), "calls": result.calls, "seconds_learning": result.seconds}]

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Errors over the share of missing values, a figure for each mechanism and size."""
        from .figures import draw_all

        yield from draw_all(rows, {label: entry.settings for label, entry in entries_of(spec).items()})

    def shares(self, settings: Settings) -> Hashable:
        """The sample."""
        return _of(settings, _SAMPLE)

    def sort(self, settings: Settings) -> Hashable:
        """The learner, and what it is given."""
        return settings["network"], settings["given"], settings["learner"]

    def effort(self, settings: Settings) -> float:
        """Each row is read once for a pair of variables."""
        s: Mapping[str, Any] = settings
        return float(100 + s["n"] * (1 + 10 * s["share"] if s["given"] == "gaps" else 1))

    def memory(self, settings: Settings) -> int:
        """The samples with and without missing values, and the values drawn for them."""
        s: Mapping[str, Any] = settings
        return int(16 * 100 * s["n"] * 12)


@dataclass(frozen=True)
class Entry:
    """A learner of the study: what its cells say of it, and the networks that it is tried on."""

    settings: Mapping[str, Value]
    networks: tuple[str, ...] | None

    def takes(self, sample: Mapping[str, object]) -> bool:
        """Whether it is tried on this sample."""
        return self.networks is None or sample["network"] in self.networks


def entries_of(spec: Spec) -> dict[str, Entry]:
    """The learners by label, each with all its settings, so that the key of a cell tells what was done."""
    return {label: _entry(spec, label, given) for label, given in learner_table(spec).items()}


def _entry(spec: Spec, label: str, given: object) -> Entry:
    if not isinstance(given, str | Mapping):
        remedy = 'give a spec, such as "structural-em(boss(score=bdeu))", or {given = "state", learner = "default"}'
        raise spec.mistake(f"learners.{label}", given, remedy)
    table = {"learner": given} if isinstance(given, str) else given
    own = replace(spec, name=f"{spec.name}, learners.{label}", grid=table)
    own.allow("learner", "given", "networks")
    learner = whole_spec(spec, label, own.text("learner"))
    settings: dict[str, Value] = {"given": own.text("given", "gaps", among=GIVEN), "learner": learner}
    return Entry(settings, own.texts("networks") if "networks" in table else None)


def _samples(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    """The settings of the samples, those of one truth next to each other."""
    for network in spec.texts("networks"):
        if network not in (*RANDOM, *networks.names()):
            raise spec.mistake("networks", network, f"give names of reference networks, or {', '.join(RANDOM)}")
    for mechanism in spec.texts("mechanisms"):
        if mechanism not in get_args(Mechanism):
            raise spec.mistake("mechanisms", mechanism, f"give some of {', '.join(get_args(Mechanism))}")
    for share in spec.numbers("shares"):
        if not 0 <= share <= 0.6:
            raise spec.mistake("shares", share, "give shares from 0 to 0.6")
    for network, repetition, n, mechanism, share in product(
        spec.texts("networks"),
        range(spec.count("repetitions")),
        spec.counts("sizes", least=2),
        spec.texts("mechanisms"),
        spec.numbers("shares"),
    ):
        made = network in RANDOM
        yield {
            "network": network,
            "nodes": spec.count("nodes", 20, least=2) if made else 0,
            "arcs_per_node": spec.number("arcs_per_node", 1.5) if made else 0.0,
            "repetition": repetition,
            "n": n,
            "mechanism": mechanism,
            "share": share,
            "seed": spec.seed,
        }


def _of(settings: Settings, names: tuple[str, ...]) -> tuple[Hashable, ...]:
    return tuple(settings[name] for name in names)


def _truth(s: Mapping[str, Any]) -> Network:
    """A reference network, or a random one of this repetition."""
    if s["network"] not in RANDOM:
        return networks.load(s["network"])
    seed = derive_seed("truth", *_of(s, _TRUTH))
    dag = random_dag(s["nodes"], arcs_per_node=s["arcs_per_node"], max_indegree=3, seed=seed)
    if s["network"] == "random mixed":
        return random_mixed_network(dag, states=(2, 4), seed=seed)
    if s["network"] == "random discrete":
        return random_network(dag, states=(2, 4), seed=seed)
    return random_gaussian_network(dag, seed=seed)


def _with_gaps(whole: Data, s: Mapping[str, Any]) -> Data:
    return remove_values(whole, s["share"], mechanism=s["mechanism"], seed=derive_seed("gaps", *_of(s, _GAPS)))


def _given(how: str, data: Data, whole: Data) -> Data:
    if how == "whole":
        return whole
    if how == "complete rows":
        observed = np.logical_and.reduce([data.observed(name) for name in data.names])
        return whole.rows(np.flatnonzero(observed))
    if how == "gaps" or not data.incomplete:
        return data
    return Data.from_frame(data.to_polars(), states=data.states, missing="state")


def measure(truth: DAG, graph: Any) -> Row:
    """How far a graph is from the truth."""
    parts = shd_parts(truth, graph)
    return {
        "arcs": parts.arcs,
        "shd": parts.total,
        "found": parts.arcs - parts.missing,
        "false": parts.spurious,
    }


KIND = Incomplete()
