"""Where a cell of an intersection-validation study gets its data from, and what the learners make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veridag.data import Data, read
from veridag.graph import PDAG
from veridag.metrics import Estimate, cross_entropy
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.network.reference import load
from veridag.search import Algorithm
from veridag.search.result import Result
from veridag.study.kind import derive_seed
from veridag.study.kinds._parameters import read_learner, with_parameter
from veridag.study.shared import Shared


@dataclass(frozen=True)
class Learned:
    """What one learner found on a data set: its graph, and what it took."""

    graph: PDAG
    calls: int
    seconds: float
    dag: Any  # None where the graph stands for no DAG

    @classmethod
    def of(cls, result: Result) -> Learned:
        """A result without what is not needed further."""
        return cls(result.cpdag, result.calls, result.seconds, result.dag if result.valid else None)


class Source:
    """The data of one cell: sampled from a network, or a file; with the learners to be compared."""

    def __init__(self, settings: Mapping[str, Any], shared: Shared) -> None:
        self.settings, self.shared = settings, shared
        self.learners: dict[str, Algorithm] = {spec: self._learner(spec) for spec in settings["learners"]}

    def _learner(self, spec: str) -> Algorithm:
        learner, most = read_learner(spec), self.settings["max_indegree"]
        return learner if most is None else with_parameter(learner, "max_indegree", most)

    @property
    def network(self) -> Network | None:
        """The network that the data is sampled from; None for a file."""
        if self.settings["digest"]:
            return None
        return load(self.settings["source"])

    def data(self, size: int) -> Data:
        """The data set of this size: independent of all others from a network, or the file's."""
        s = self.settings
        if s["digest"]:
            return self.shared.get(("file", s["digest"]), lambda: read(Path(s["path"])))
        key = ("sample", s["source"], size, s["repetition"], s["study_seed"])
        network = load(s["source"])
        return self.shared.get(key, lambda: network.sample(size, seed=derive_seed(*key)))

    def learned(self, size: int) -> dict[str, Learned]:
        """What every learner finds on all of the data set of this size; cells of the same data set share it."""
        s = self.settings
        key = (
            "learned",
            s["source"],
            s["digest"],
            size,
            s["repetition"],
            s["study_seed"],
            tuple(self.learners),
            s["max_indegree"],
        )
        return self.shared.get(key, lambda: self._learn(self.data(size)), lambda found: 50_000 * len(found))

    def _learn(self, data: Data) -> dict[str, Learned]:
        return {spec: Learned.of(learner.learn(data)) for spec, learner in self.learners.items()}

    def cross_entropy(self, found: Learned, data: Data) -> Estimate | None:
        """That of the true distribution and the learned one, with mean posterior parameters and ess = 1."""
        network, rows = self.network, self.settings["cross_entropy_rows"]
        if network is None or found.dag is None or rows == 0:
            return None
        fitted = fit(found.dag, data, 1.0)
        assert isinstance(fitted, Network)
        return cross_entropy(network, fitted, rows, seed=self.settings["study_seed"])
