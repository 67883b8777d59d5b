"""Learners on data with interventions, held against the truth: what is gained by saying what was set.

The data are tables with a column of conditions, and `conditions` says what was set in each, as in ``"pma=PKC"``; rows
of other conditions are left out. The truth is that of a reference network. Without data, experiments on `networks` are
simulated, one that only observes and one for each of `set`, with `sizes` rows in all.

A cell is one learner on one data set, which it gets in one of these ways (`given`):

- `targets`: all rows, with what was set in each.
- `ignored`: all rows, as if nothing had been set.
- `observed`: only the rows in which nothing was set.

The graph that is measured is the class that the learner leaves: with targets, the interventional one (Hauser and
Buhlmann 2012). `arcs` are those of the truth. `right` counts those of them that it directs as the truth does, `wrong`
those that it directs against it, `open` those that it joins without a direction, and `false` pairs that the truth does
not join.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.data import Data, TableSettings
from veridag.data.files import load as load_table
from veridag.data.targets import Targets
from veridag.graph import DAG, PDAG
from veridag.network import networks
from veridag.simulate.experiments import experiments
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed, fingerprint
from veridag.study.kinds._parameters import read_learner
from veridag.study.shared import Shared

if TYPE_CHECKING:
    import polars as pl

GIVEN = ("targets", "ignored", "observed")
_KEYS = ("data", "condition", "conditions", "truth", "networks", "set", "sizes", "repetitions", "learners")
_SOURCE = ("source", "fingerprint", "n", "repetition", "set", "conditions", "study_seed")


class Interventions(Kind):
    """Data sets, given or simulated, x learners x what they know of interventions."""

    name = "interventions"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each data set, learner and kind of information."""
        spec.allow(*_KEYS)
        learners = spec.texts("learners")
        for learner in learners:
            read_learner(learner)
        for source in _sources(spec):
            for learner, given in product(learners, GIVEN):
                yield {**source, "learner": learner, "given": given, "study_seed": spec.seed}

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Learn once, and count the arcs of the truth."""
        s: Mapping[str, Any] = settings
        data = shared.get(tuple(s[key] for key in _SOURCE), lambda: _data(s))
        given = _given(data, s["given"])
        result = read_learner(s["learner"]).learn(given, None, seed)
        truth = networks.load(s["truth"]).dag
        return [{"rows": given.n, **counted(truth, result.cpdag), "seconds_learning": result.seconds}]

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Arcs of the truth that were found, by learner and by what it knows."""
        from .figures import draw_all

        yield from draw_all(rows, spec.texts("learners"))

    def shares(self, settings: Settings) -> Hashable:
        """The data set."""
        return tuple(settings[key] for key in _SOURCE)


def _sources(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    for path in spec.paths("data", ()):
        truth = spec.text("truth", among=networks.names())
        conditions = spec.texts("conditions")
        _targets_of(spec, conditions)
        yield {
            "source": path.name.split(".")[0],
            "path": str(path),
            "fingerprint": fingerprint(path),
            "condition": spec.text("condition"),
            "conditions": conditions,
            "truth": truth,
            "set": (),
            "n": 0,
            "repetition": 0,
        }
    for name in spec.texts("networks", ()):
        if name not in networks.names():
            raise spec.mistake("networks", name, "give names of reference networks")
        for n, repetition in product(spec.counts("sizes", least=10), range(spec.count("repetitions"))):
            yield {
                "source": name,
                "path": "",
                "fingerprint": "",
                "condition": "",
                "conditions": (),
                "truth": name,
                "set": spec.texts("set"),
                "n": n,
                "repetition": repetition,
            }


def _targets_of(spec: Spec | None, conditions: tuple[str, ...]) -> dict[str, list[str]]:
    """What was set in each condition, from texts such as "pma=PKC" and "control="."""
    found = {}
    for text in conditions:
        name, equals, names = text.partition("=")
        if spec is not None and not equals:
            raise spec.mistake("conditions", text, "give what was set, as in 'drug=A;B', or 'control=' for nothing")
        found[name] = [each for each in names.split(";") if each]
    return found


def _data(s: Mapping[str, Any]) -> Data:
    if not s["path"]:
        sets = [None, *s["set"]]
        seed = derive_seed("experiments", s["source"], s["n"], s["repetition"], s["study_seed"])
        sizes = [len(part) for part in np.array_split(np.arange(s["n"]), len(sets))]
        return experiments(networks.load(s["source"]), sets, sizes, seed)
    told = _targets_of(None, s["conditions"])
    whole = load_table(s["path"], TableSettings(group=s["condition"])).data
    kept = whole.rows(np.isin(np.array(whole.groups)[whole.group], list(told)))
    assert kept.group is not None
    targets = Targets.of_rows(told[kept.groups[k]] for k in kept.group.tolist())
    return replace(kept, group=None, groups=(), targets=targets)


def _given(data: Data, how: str) -> Data:
    if how == "targets":
        return data
    return data.not_set(data.names) if how == "observed" else replace(data, targets=None)


def counted(truth: DAG, found: PDAG) -> Row:
    """The arcs of the truth by what a class of graphs says of them, and pairs that it joins beyond."""
    arcs, edges = set(found.arcs), {frozenset(edge) for edge in found.edges}
    right = sum(arc in arcs for arc in truth.arcs)
    wrong = sum((v, u) in arcs for u, v in truth.arcs)
    undirected = sum(frozenset(arc) in edges for arc in truth.arcs)
    return {
        "arcs": len(truth.arcs),
        "right": right,
        "wrong": wrong,
        "open": undirected,
        "false": len(arcs) + len(edges) - right - wrong - undirected,
    }


KIND = Interventions()
