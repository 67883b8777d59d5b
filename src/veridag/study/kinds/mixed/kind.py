"""Learners on mixed data, held against the truth: which score, test and search, and whether to discretize first.

A cell is one learner on one sample of one random truth. The truth of a repetition is the same for all learners and
sample sizes, and a learner that discretizes first has the same rows as one that does not.

- `shd` is the structural Hamming distance between the CPDAGs, `arcs` the number of true arcs.
- `found` and `false` count joined pairs that are joined in the truth or not. Of those found, `right` have the direction
  of the true DAG in the graph that the learner gives, `wrong` the opposite one, and the rest none.
- With `tiers`, the learner knows that no arc leads from a continuous to a discrete variable, as scores of
  conditional Gaussian networks imply.
- `gain` is by how much the log loss of a fresh row falls below that of the empty graph, if a conditional Gaussian
  network of the learned class is fitted to the data before it was discretized; empty if the class has none.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from veridag.criteria.directions import with_directions
from veridag.data import Data
from veridag.data.discretization import parse_method
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.kinds._parameters import learner_table, named_learner, read_learner
from veridag.study.shared import Shared
from veridag.trust.discretizing import discretize

from .measures import directions, measure
from .truths import MAX_INDEGREE, MECHANISMS, Setting, Truth, random_truth

if TYPE_CHECKING:
    import polars as pl

_KEYS = (
    "mechanisms",
    "nodes",
    "continuous",
    "strength",
    "arcs_per_node",
    "sizes",
    "repetitions",
    "test_rows",
    "learners",
    "figures",
)
#: What tells truths and samples apart.
_TRUTH = ("seed", "mechanism", "nodes", "continuous", "strength", "arcs_per_node", "repetition")
_SAMPLE = (*_TRUTH, "n")


class Mixed(Kind):
    """Truths x sample sizes x repetitions x learners, some of them on discretized data."""

    name = "mixed"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each mechanism, setting of the truth, size, repetition and learner of every grid."""
        from .figures import check

        check(spec, tuple(entries_of(spec)))
        for part in grids(spec, _KEYS):
            entries = entries_of(part).values()
            for sample in _samples(part):
                for entry in entries:
                    if entry.takes(cast(int, sample["nodes"]), cast(int, sample["n"])):
                        yield {**sample, **entry.settings}

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Learn once, after discretization if there is any, and measure what was learned."""
        s: Mapping[str, Any] = settings
        truth = _truth(s)
        data = shared.get(("sample", *_of(s, _SAMPLE)), lambda: _sample(truth, s, "sample", s["n"]))
        test = None
        if s["test_rows"]:
            key = ("test", s["test_rows"], *_of(s, _TRUTH))
            test = shared.get(key, lambda: _sample(truth, s, "test", s["test_rows"]))
        seen = data
        if s["discretize"] is not None:
            key = ("discretized", s["discretize"], *_of(s, _SAMPLE))
            seen = shared.get(key, lambda: discretize(data, s["discretize"]))
        learner = read_learner(s["learner"])
        known = with_directions(Knowledge(), data, "the study") if s["tiers"] else None
        result = learner.learn(seen, known, seed)
        return [measure(truth.dag, result, directions(learner, seen, known), data, test)]

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Errors over the sample size for each list of learners in `figures`, and what the truths' settings do."""
        from .figures import draw_all

        yield from draw_all(spec, rows, {label: entry.settings for label, entry in entries_of(spec).items()})

    def shares(self, settings: Settings) -> Hashable:
        """The sample."""
        return _of(settings, _SAMPLE)

    def sort(self, settings: Settings) -> Hashable:
        """The learner, and what it is given."""
        return settings["discretize"], settings["tiers"], settings["learner"]

    def effort(self, settings: Settings) -> float:
        """Pairs of variables, each scored from the rows; and the test set."""
        s: Mapping[str, Any] = settings
        return float(s["nodes"] ** 2 * (1 + s["n"] / 500) + 0.1 * s["nodes"] * s["test_rows"])

    def memory(self, settings: Settings) -> int:
        """The sample and the test set, each with the core's copy."""
        s: Mapping[str, Any] = settings
        return int(16 * s["nodes"] * (s["n"] + s["test_rows"]))


@dataclass(frozen=True)
class Entry:
    """A learner of the study: what its cells say of it, and the most variables and rows that it is tried on."""

    settings: Mapping[str, Value]
    most_nodes: int | None
    most_rows: int | None

    def takes(self, nodes: int, rows: int) -> bool:
        """Whether it is tried on a sample of this size."""
        fits = self.most_nodes is None or nodes <= self.most_nodes
        return fits and (self.most_rows is None or rows <= self.most_rows)


def entries_of(spec: Spec) -> dict[str, Entry]:
    """The learners by label, each with all its settings, so that the key of a cell tells what was done."""
    return {label: _entry(spec, label, given) for label, given in learner_table(spec).items()}


def _entry(spec: Spec, label: str, given: object) -> Entry:
    if not isinstance(given, str | Mapping):
        remedy = (
            'give a spec, such as "boss(score=bcg)", or {discretize = "hartemink(3)", learner = "boss(score=bdeu)"}'
        )
        raise spec.mistake(f"learners.{label}", given, remedy)
    table = {"learner": given} if isinstance(given, str) else given
    own = replace(spec, name=f"{spec.name}, learners.{label}", grid=table)
    own.allow("learner", "discretize", "tiers", "most_nodes", "most_rows")
    method, tiers = own.text("discretize", ""), table.get("tiers", False)
    if not isinstance(tiers, bool):
        raise own.mistake("tiers", tiers, "give true or false")
    if method:
        try:
            parse_method(method)
        except InputError as error:
            raise own.mistake("discretize", method, str(error)) from None
    learner = repr(named_learner(spec, label, own.text("learner")))
    nodes, rows = (own.count(key) if key in table else None for key in ("most_nodes", "most_rows"))
    return Entry({"discretize": method or None, "tiers": tiers, "learner": learner}, nodes, rows)


def _samples(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    """The settings of the samples, those of one truth next to each other."""
    repetitions, test_rows = spec.count("repetitions"), spec.count("test_rows", 1000, least=0)
    for mechanism in spec.texts("mechanisms"):
        if mechanism not in MECHANISMS:
            raise spec.mistake("mechanisms", mechanism, f"give some of {', '.join(MECHANISMS)}")
    for mechanism, nodes, share, strength, arcs, repetition, n in product(
        spec.texts("mechanisms"),
        spec.counts("nodes", least=2),
        spec.numbers("continuous"),
        spec.numbers("strength"),
        spec.numbers("arcs_per_node"),
        range(repetitions),
        spec.counts("sizes", least=2),
    ):
        _check_possible(spec, nodes, share, strength, arcs)
        yield {
            "mechanism": mechanism,
            "nodes": nodes,
            "continuous": share,
            "strength": strength,
            "arcs_per_node": arcs,
            "repetition": repetition,
            "n": n,
            "test_rows": test_rows,
            "seed": spec.seed,
        }


def _check_possible(spec: Spec, nodes: int, share: float, strength: float, arcs: float) -> None:
    if not 0 < round(share * nodes) < nodes:
        raise spec.mistake("continuous", share, f"give a share that leaves variables of both kinds among {nodes}")
    if strength < 0:
        raise spec.mistake("strength", strength, "give numbers from 0 up")
    most = sum(min(t, MAX_INDEGREE) for t in range(nodes)) / nodes
    if not 0 < arcs <= most:
        raise spec.mistake("arcs_per_node", arcs, f"with {nodes} variables give a number above 0, {most:g} at most")


def _of(settings: Settings, names: tuple[str, ...]) -> tuple[Hashable, ...]:
    return tuple(settings[name] for name in names)


def _truth(s: Mapping[str, Any]) -> Truth:
    """Made again for each cell, in milliseconds. The DAG depends on nodes, arcs and repetition alone."""
    setting = Setting(s["mechanism"], s["nodes"], s["continuous"], s["strength"], s["arcs_per_node"])
    return random_truth(setting, derive_seed("truth", s["seed"], s["nodes"], s["arcs_per_node"], s["repetition"]))


def _sample(truth: Truth, s: Mapping[str, Any], what: str, n: int) -> Data:
    return truth.sample(n, derive_seed(what, n, *_of(s, _TRUTH)))


KIND = Mixed()
