"""Probabilities of arcs and edges, held against the truth: of those said to be p, how many are there?

A cell is one way to find probabilities on one sample of one network. All ways have the same rows of a sample. `how` is

- `exact`: the posterior over all DAGs; of networks with at most 20 variables.
- `sample`: draws from the posterior.
- `bootstrap`: shares of bootstrap samples, from which a learner finds the edge; a direction that it leaves open counts
  half either way.

A cell gives a row for each of ten bins of probabilities, of `edges` and of `arcs`: `pairs` are how many probabilities
lie in it, `said` is their sum, `true` how many of these are in the true DAG, and `squared` the sum of squared errors.
Bins with nothing in them have no row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.network import Network, networks
from veridag.posteriors import posterior, sample_posterior
from veridag.simulate import random_dag, random_network
from veridag.specs import parse
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.shared import Shared
from veridag.trust.bootstrap import bootstrap

if TYPE_CHECKING:
    import polars as pl

HOW = ("exact", "sample", "bootstrap")
RANDOM = "random"
BINS = 10
MOST_FOR_EXACT = 20
_KEYS = ("networks", "nodes", "arcs_per_node", "alpha", "sizes", "repetitions", "ways")
_TRUTH = ("seed", "network", "nodes", "arcs_per_node", "alpha", "repetition")
_SAMPLE = (*_TRUTH, "n")
_FIELDS = ("how", "score", "prior", "learner", "draws", "repeats", "max_indegree")

Floats = NDArray[np.float64]


class Calibration(Kind):
    """Networks x sample sizes x repetitions x ways to find probabilities."""

    name = "calibration"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each network, size, repetition and way of every grid."""
        for part in grids(spec, _KEYS):
            ways = ways_of(part).values()
            for sample in _samples(part):
                variables = sample["nodes"] or len(networks.load(str(sample["network"])).names)
                for way in ways:
                    if way["how"] != "exact" or int(str(variables)) <= MOST_FOR_EXACT:
                        yield {**sample, **way}

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Find the probabilities once, and count how many are true."""
        s: Mapping[str, Any] = settings
        truth = _truth(s)
        data = shared.get(("sample", *_of(s, _SAMPLE)), lambda: truth.sample(s["n"], derive_seed(*_of(s, _SAMPLE))))
        arcs = _probabilities(s, data, seed)
        return counted(arcs, truth.dag.reorder(data.names))

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Reliability diagrams, and the errors of each way."""
        from .figures import draw_all

        yield from draw_all(rows, ways_of(spec))

    def shares(self, settings: Settings) -> Hashable:
        """The sample."""
        return _of(settings, _SAMPLE)

    def sort(self, settings: Settings) -> Hashable:
        """The way, and the network."""
        return settings["network"], *(settings[name] for name in _FIELDS)

    def effort(self, settings: Settings) -> float:
        """Rows are counted for each family."""
        s: Mapping[str, Any] = settings
        return float(200 + s["n"])


def counted(arcs: Floats, truth: DAG) -> list[Row]:
    """The rows of a cell, from the probabilities of arcs and the true DAG, with the variables in the same order."""
    true = truth.adjacency
    upper = np.triu_indices(len(truth.names), 1)
    outside = ~np.eye(len(truth.names), dtype=bool)
    rows: list[Row] = []
    for what, said, there in (
        ("edges", np.minimum(arcs + arcs.T, 1.0)[upper], (true | true.T)[upper]),
        ("arcs", arcs[outside], true[outside]),
    ):
        which = np.minimum((said * BINS).astype(int), BINS - 1)
        for k in range(BINS):
            inside = which == k
            if inside.any():
                error = said[inside] - there[inside]
                rows.append(
                    {
                        "what": what,
                        "bin": k,
                        "pairs": int(inside.sum()),
                        "said": float(said[inside].sum()),
                        "true": int(there[inside].sum()),
                        "squared": float((error**2).sum()),
                    }
                )
    return rows


def ways_of(spec: Spec) -> dict[str, dict[str, Value]]:
    """The ways by label, each with all its settings, so that the key of a cell tells what was done."""
    given = spec.grid.get("ways")
    if not isinstance(given, Mapping) or not given:
        raise spec.mistake("ways", given, 'give a table of labels, such as BDeu = {how = "exact", score = "bdeu"}')
    return {label: _way(spec, label, way) for label, way in given.items()}


def _way(spec: Spec, label: str, given: object) -> dict[str, Value]:
    if not isinstance(given, Mapping):
        raise spec.mistake(f"ways.{label}", given, 'give a table, such as {how = "exact", score = "bdeu(ess=1)"}')
    own = replace(spec, name=f"{spec.name}, ways.{label}", grid=given)
    own.allow(*_FIELDS)
    how = own.text("how", among=HOW)
    way: dict[str, Value] = dict.fromkeys(_FIELDS)
    way["how"] = how
    if how == "bootstrap":
        way["learner"] = _spec(own, "learner", "algorithm")
        way["repeats"] = own.count("repeats", 100)
    else:
        way |= {"score": _spec(own, "score", "score"), "prior": _spec(own, "prior", "prior", "fair")}
        way["max_indegree"] = own.count("max_indegree", 4)
        way["draws"] = own.count("draws", 500) if how == "sample" else None
    return way


def _spec(own: Spec, key: str, family: Any, default: str | None = None) -> str:
    text = own.text(key) if default is None else own.text(key, default)
    try:
        return repr(parse(text, family))
    except InputError as error:
        raise own.mistake(key, text, str(error)) from None


def _samples(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    """The settings of the samples, those of one truth next to each other."""
    for network in spec.texts("networks"):
        if network != RANDOM and network not in networks.names():
            raise spec.mistake("networks", network, f"give names of reference networks, or {RANDOM}")
    for network, repetition, n in product(
        spec.texts("networks"), range(spec.count("repetitions")), spec.counts("sizes", least=2)
    ):
        made = network == RANDOM
        yield {
            "network": network,
            "nodes": spec.count("nodes", 12, least=2) if made else 0,
            "arcs_per_node": spec.number("arcs_per_node", 1.5) if made else 0.0,
            "alpha": spec.number("alpha", 1.0) if made else 0.0,
            "repetition": repetition,
            "n": n,
            "seed": spec.seed,
        }


def _of(settings: Settings, names: tuple[str, ...]) -> tuple[Hashable, ...]:
    return tuple(settings[name] for name in names)


def _truth(s: Mapping[str, Any]) -> Network:
    if s["network"] != RANDOM:
        return networks.load(s["network"])
    seed = derive_seed("truth", *_of(s, _TRUTH))
    dag = random_dag(s["nodes"], arcs_per_node=s["arcs_per_node"], max_indegree=3, seed=seed)
    return random_network(dag, states=(2, 4), alpha=s["alpha"], seed=seed)


def _probabilities(s: Mapping[str, Any], data: Data, seed: int) -> Floats:
    """P(u -> v), [u, v], with the variables in the order of the data."""
    if s["how"] == "bootstrap":
        found = bootstrap(data, parse(s["learner"], "algorithm"), s["repeats"], seed=seed)
        assert found.names == data.names
        return np.asarray(found.strength * found.direction)
    given: dict[str, Any] = {"score": parse(s["score"], "score"), "prior": parse(s["prior"], "prior")}
    if s["how"] == "exact":
        exact = posterior(data, **given, max_indegree=s["max_indegree"], method="exact")
        assert exact.names == data.names
        return np.asarray(exact.arcs)
    draws = sample_posterior(data, **given, max_indegree=s["max_indegree"], draws=s["draws"], seed=seed)
    assert draws.names == data.names
    return np.asarray(draws.arcs)


KIND = Calibration()
