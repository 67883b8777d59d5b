"""Probabilities of arcs and edges, held against the truth: of those said to be p, how many are there?

A cell is one way to find probabilities on one sample of one network. All ways have the same rows of a sample. `how` is

- `exact`: the posterior over all DAGs; of networks with at most 20 variables.
- `sample`: draws from the posterior.
- `auto`: `exact` for at most 14 variables, else `sample`.
- `bootstrap`: shares of bootstrap samples, from which a learner finds the edge; a direction that it leaves open counts
  half either way.

With `choose`, a posterior has the equivalent sample size under which the best `network` is most probable, as
`choose_ess` finds it, or under which the data is, by the `evidence` of the exact posterior.

A cell gives a row for each of ten bins of probabilities: `pairs` are how many probabilities lie in it, `said` is their
sum, `true` how many of these are of what is true, and `squared` the sum of squared errors. Bins with nothing in them
have no row. Probabilities are those of

- `edges`: true if the true DAG joins the pair.
- `arcs`: true if the true DAG has the arc.
- `directions`: the same probabilities; true if the class of the true DAG has the arc in that direction, so that data
  can tell it.
- `compelled`: the share of draws whose class has the arc in that direction; true as before.

`chosen` is the score, and `agree` says whether the chains of draws do, by an R-hat of at most 1.1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.network import networks
from veridag.posteriors import Draws, Posterior, choose_ess, posterior, sample_posterior
from veridag.posteriors.sample_size import SIZES, with_size
from veridag.specs import parse
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.shared import Shared
from veridag.trust.bootstrap import bootstrap

from .counting import Floats, counted
from .truths import KINDS, RANDOM, TRUTH, compelled, kind_of, truth_of

if TYPE_CHECKING:
    import polars as pl

HOW = ("exact", "sample", "auto", "bootstrap")
CHOOSE = ("no", "network", "evidence")
MOST_FOR_EXACT = 20
MOST_FOR_AUTO = 14
#: Above this, the chains of draws do not agree.
MOST_RHAT = 1.1
#: So many draws are enough for classes.
_CLASSES = 200
_KEYS = ("networks", "data", "nodes", "arcs_per_node", "alpha", "coefficients", "sizes", "repetitions", "ways", "drawn")
_SAMPLE = (*TRUTH, "n")
_FIELDS = ("how", "score", "choose", "prior", "learner", "draws", "repeats", "max_indegree", "beyond")


class Calibration(Kind):
    """Networks x sample sizes x repetitions x ways to find probabilities."""

    name = "calibration"
    revision = 3

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each network, size, repetition and way of every grid."""
        ways_by_kind(spec)
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
        truth = truth_of(s)
        data = shared.get(("sample", *_of(s, _SAMPLE)), lambda: truth.sample(s["n"], derive_seed(*_of(s, _SAMPLE))))
        dag = truth.dag.reorder(data.names)
        in_class = compelled(dag, data)
        if s["how"] == "bootstrap":
            shares = bootstrap(data, parse(s["learner"], "algorithm"), s["repeats"], seed=seed)
            assert shares.names == data.names
            rows = counted(np.asarray(shares.strength * shares.direction), dag.adjacency, in_class)
            return [{**row, "chosen": None, "agree": None} for row in rows]
        found, score = _posterior(s, data, seed)
        assert found.names == data.names
        drawn = isinstance(found, Draws)
        said = _classes(found, data) if isinstance(found, Draws) else None
        agree = found.worst_rhat <= MOST_RHAT if isinstance(found, Draws) else None
        rows = counted(np.asarray(found.arcs), dag.adjacency, in_class, said)
        return [{**row, "chosen": repr(score), "agree": bool(agree) if drawn else None} for row in rows]

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Reliability diagrams, and the errors of each way, for each kind of data."""
        from .figures import draw_all

        yield from draw_all(rows, ways_by_kind(spec), spec.texts("drawn", []))

    def shares(self, settings: Settings) -> Hashable:
        """The sample."""
        return _of(settings, _SAMPLE)

    def sort(self, settings: Settings) -> Hashable:
        """The way, and the network."""
        return settings["data"], settings["network"], *(settings[name] for name in _FIELDS)

    def effort(self, settings: Settings) -> float:
        """Rows are counted for each family."""
        s: Mapping[str, Any] = settings
        return float(200 + s["n"])


def ways_by_kind(spec: Spec) -> dict[str, dict[str, dict[str, Value]]]:
    """The ways of all grids by kind of data and label."""
    found: dict[str, dict[str, dict[str, Value]]] = {}
    for part in grids(spec, _KEYS):
        own = found.setdefault(_kind(part), {})
        for label, way in ways_of(part).items():
            if own.setdefault(label, way) != way:
                raise spec.mistake(f"ways.{label}", way, "another grid has a different way of this name: rename one")
    for label in spec.texts("drawn", []):
        if not any(label in own for own in found.values()):
            raise spec.mistake("drawn", label, "give labels of ways")
    return found


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
        return way
    way |= {"score": _spec(own, "score", "score"), "prior": _spec(own, "prior", "prior", "fair")}
    way["choose"] = own.text("choose", "no", among=CHOOSE)
    if way["choose"] == "evidence" and how != "exact":
        raise own.mistake("choose", "evidence", 'draws do not give the evidence: set how = "exact", or "network"')
    way["max_indegree"] = own.count("max_indegree", 4)
    if how != "exact":
        way |= {"draws": own.count("draws", 250), "beyond": own.count("beyond", 2)}
    return way


def _spec(own: Spec, key: str, family: Any, default: str | None = None) -> str:
    text = own.text(key) if default is None else own.text(key, default)
    try:
        return repr(parse(text, family))
    except InputError as error:
        raise own.mistake(key, text, str(error)) from None


def _kind(spec: Spec) -> str:
    return spec.text("data", "discrete", among=KINDS)


def _samples(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    """The settings of the samples, those of one truth next to each other."""
    kind = _kind(spec)
    for network in spec.texts("networks"):
        if network != RANDOM and network not in networks.names():
            raise spec.mistake("networks", network, f"give names of reference networks, or {RANDOM}")
        if network != RANDOM and kind_of(network) != kind:
            raise spec.mistake("networks", network, f'it has {kind_of(network)} data: set data = "{kind_of(network)}"')
    effects = spec.numbers("coefficients", [0.5, 1.5])
    if len(effects) != 2 or not 0 <= effects[0] < effects[1]:
        raise spec.mistake("coefficients", list(effects), "give the smallest and the largest size, such as [0.5, 1.5]")
    for network, repetition, n in product(
        spec.texts("networks"), range(spec.count("repetitions")), spec.counts("sizes", least=2)
    ):
        made = network == RANDOM
        yield {
            "data": kind,
            "network": network,
            "nodes": spec.count("nodes", 12, least=2) if made else 0,
            "arcs_per_node": spec.number("arcs_per_node", 1.5) if made else 0.0,
            "alpha": spec.number("alpha", 1.0) if made and kind != "continuous" else 0.0,
            "weakest": effects[0] if made and kind != "discrete" else 0.0,
            "strongest": effects[1] if made and kind != "discrete" else 0.0,
            "repetition": repetition,
            "n": n,
            "seed": spec.seed,
        }


def _of(settings: Settings, names: tuple[str, ...]) -> tuple[Hashable, ...]:
    return tuple(settings[name] for name in names)


def _posterior(s: Mapping[str, Any], data: Data, seed: int) -> tuple[Posterior | Draws, Score]:
    """The posterior of a way, and its score."""
    score, prior, most = parse(s["score"], "score"), parse(s["prior"], "prior"), s["max_indegree"]
    if s["choose"] == "evidence":
        every = [
            (posterior(data, score=own, prior=prior, max_indegree=most, method="exact"), own)
            for own in (with_size(score, size, data) for size in SIZES)
        ]
        return max(every, key=lambda one: one[0].log_evidence)
    if s["choose"] == "network":
        score = choose_ess(data, score, prior, max_indegree=most)
    if s["how"] == "exact" or (s["how"] == "auto" and len(data.names) <= MOST_FOR_AUTO):
        return posterior(data, score=score, prior=prior, max_indegree=most, method="exact"), score
    limits: dict[str, Any] = {"max_indegree": most, "beyond": s["beyond"], "draws": s["draws"]}
    return sample_posterior(data, score=score, prior=prior, seed=seed, **limits), score


def _classes(draws: Draws, data: Data) -> Floats:
    """The share of draws, [u, v], whose class has the arc from u to v in that direction."""
    step = max(1, len(draws) // _CLASSES)
    some = [dag for i, dag in enumerate(draws) if i % step == 0]
    return np.asarray(np.mean([compelled(dag.reorder(data.names), data) for dag in some], axis=0))


KIND = Calibration()
