"""Learners on data sampled from networks, held against the truth: the kind of study that most are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from veridag.data import Data
from veridag.network import Network
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, content_key, derive_seed
from veridag.study.kinds._parameters import learner_for
from veridag.study.shared import Shared

from .grid import parts, with_truth
from .measures import Case, measure
from .sources import is_random, kind_of, load_network, network_key, variables_of
from .tables import sharing_tables

if TYPE_CHECKING:
    import polars as pl


class Learning(Kind):
    """Networks x sample sizes x repetitions x learners."""

    name = "learning"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each network, size, repetition and learner of every part; those of small samples come first.

        So the parts share samples, and a run that is stopped has whole networks and sizes of all parts.
        """
        from .figures import check

        found = parts(spec)
        check(spec, found)
        cells = [line.settings for part in found for line in part.lines()]
        yield from sorted(cells, key=lambda own: (_values(own), str(own["network"]), own["repetition"]))

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Learn once, and measure what was learned."""
        truth = shared.get(("network", *network_key(settings)), lambda: load_network(settings), _network_size)
        sample = shared.get(_data_key(settings), lambda: _sample(truth, settings))
        data = _with_columns(sample, truth, settings)
        learner = learner_for(with_truth(str(settings["learner"]), truth.dag), data)
        result = sharing_tables(learner, data, _data_key(settings), shared).learn(data, seed=seed)
        test = _test_set(truth, settings, shared)
        case = Case(truth, result, data, test)
        wanted = settings["measures"]
        assert isinstance(wanted, tuple)
        return [measure(case, wanted)]

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Those that the grid's `figures` asks for."""
        from .figures import draw

        def key(own: Settings) -> str:
            return content_key(self.name, own, spec.seed, self.revision)

        yield from draw(spec, rows, parts(spec), key)

    def labels(self, spec: Spec) -> Iterator[tuple[Settings, Mapping[str, str]]]:
        """The part and the label of the learner."""
        for part in parts(spec):
            name = {"part": part.name} if part.name else {}
            for line in part.lines():
                yield line.settings, {**name, "label": line.label}

    def shares(self, settings: Settings) -> Hashable:
        """The sample."""
        return _data_key(settings)

    def sort(self, settings: Settings) -> Hashable:
        """The learner."""
        return settings["learner"]

    def effort(self, settings: Settings) -> float:
        """About microseconds: to score what the learner asks for, and to measure on the test set."""
        _, nodes = variables_of(settings)
        exact = "Exact(" in str(settings["learner"])
        scoring = 0.4 * nodes * sum(comb(nodes - 1, d) for d in range(6)) if exact else 6.0 * nodes**2
        return float(scoring * (1 + _rows(settings) / 5000) + 0.15 * nodes * _test_rows(settings))

    def memory(self, settings: Settings) -> int:
        """The sample and the test set, each with the core's copy."""
        each = 1 if kind_of(str(settings["network"])) == "discrete" else 8
        return 2 * each * variables_of(settings)[1] * (_rows(settings) + _test_rows(settings))


def _rows(settings: Settings) -> int:
    n = settings["n"]
    assert isinstance(n, int)
    return n


def _test_rows(settings: Settings) -> int:
    rows = settings.get("test_rows")
    return rows if isinstance(rows, int) else 0


def _values(settings: Settings) -> int:
    return _rows(settings) * variables_of(settings)[1]


def _data_key(settings: Settings) -> tuple[Hashable, ...]:
    """What a sample follows from; of a random network also the range of its size."""
    sizes = () if not is_random(str(settings["network"])) else variables_of(settings)
    return ("sample", settings["seed"], settings["network"], settings["n"], settings["repetition"], *sizes)


def _sample(truth: Network, settings: Settings) -> Data:
    """All learners have the same rows: the seed knows nothing of the learner."""
    return truth.sample(_rows(settings), derive_seed(*_data_key(settings)))


def _with_columns(data: Data, truth: Network, settings: Settings) -> Data:
    """The columns in the order that the learner is to have; a random one goes with the sample."""
    order = settings.get("columns")
    if order is None:
        return data
    if order == "random":
        seed = derive_seed("columns", *_data_key(settings))
        return data.select(np.random.default_rng(seed).permutation(data.names).tolist())
    parents_first = truth.dag.topological_order()
    return data.select(parents_first if order == "topological" else reversed(parents_first))


def _test_set(truth: Network, settings: Settings, shared: Shared) -> Data | None:
    rows = _test_rows(settings)
    if not rows:
        return None
    key = ("test", settings["seed"], *network_key(settings), rows)
    return shared.get(key, lambda: truth.sample(rows, derive_seed(*key)))


def _network_size(network: Network) -> int:
    return 16 * network.nparams + 1000 * len(network.dag.names)


KIND = Learning()
