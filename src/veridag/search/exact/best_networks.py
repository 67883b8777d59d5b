"""The best networks of a small problem, not only one: DAGs, or classes of equivalent DAGs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from veridag import _core
from veridag.checks import Integer
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior, PriorTerms
from veridag.criteria.score_table import ScoreTable, score_table
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.display import drawing, paragraph
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.work.memory import checked_limit, shown

from .search import graph_of

Targets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class RankedNetwork:
    """One of the best networks, or one of the best equivalence classes, as `best_networks` returns them.

    Attributes:
        dag: The network. For a class, a member that satisfies the knowledge.
        score: Its score including the log prior, as a natural logarithm.
        probability: Its share among the networks or classes returned with it: exp(score) divided by the sum of
            exp(score) over all of them. A class counts once, whatever its number of members.
        targets: Sets of variables that were set together in the data. With interventions, a class contains the
            networks that they do not distinguish.

    See also:
        `best_networks`, docs/exact.md
    """

    dag: DAG
    score: float
    probability: float
    targets: Targets = ()

    @cached_property
    def cpdag(self) -> PDAG:
        """The class of equivalent DAGs."""
        return self.dag.interventional_cpdag(self.targets)

    def __repr__(self) -> str:
        arcs = f"{len(self.dag.arcs)} arcs"
        return f"<RankedNetwork: {arcs}, score {self.score:.8g}, probability {self.probability:.3g}>"

    def _repr_html_(self) -> str:
        return paragraph(repr(self).strip("<>")) + drawing(self.dag.to_svg, len(self.dag.names))


def best_networks(
    data: Data | Any,
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    *,
    k: int = 10,
    classes: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    memory_limit: float | None = None,
) -> tuple[RankedNetwork, ...]:
    """Find the k networks with the highest scores, best first, for up to 20 variables.

    The method is dynamic programming over all sets of variables (Tian, He and Ram 2010). Networks with the same
    score, up to rounding, come in an order that depends neither on the order of the columns nor on `jobs`.

    Args:
        data: The table: a `Data` or a data frame.
        score: The score to maximise; BIC if None.
        prior: The structure prior; uniform if None.
        max_indegree: Most parents of a variable; no bound if None.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        k: How many networks to return; fewer are returned if no more exist.
        classes: Return the k best equivalence classes, each with one member, instead of networks. The score and the
            prior must give equivalent networks the same value. A class is included if one of its members satisfies
            the knowledge.
        jobs: Number of threads.
        progress: Progress callback, see `ProgressBar`. It starts again for each stage.
        memory_limit: Most memory to use, in bytes; three quarters of the free memory if None. The search needs about
            16 bytes x k x 2^variables, and several times as much with `classes`.

    Returns:
        The networks or classes with their scores and probabilities.

    Raises:
        InputError: If there are more than 20 variables, or no network has a finite score.
        MemoryError: If the search would need more than `memory_limit`.

    See also:
        `solve`, `Exact`, `RankedNetwork`, docs/exact.md
    """
    data = Data.of(data)
    score = BIC() if score is None else score
    prior = Uniform() if prior is None else prior
    SCORE("score", score)
    PRIOR("prior", prior)
    k = Integer(1, 2**31 - 1)("k", k)
    if len(data.names) > _core.MAX_K_BEST_VARIABLES:
        raise InputError(
            f"data: it has {len(data.names)} variables, and best_networks takes at most {_core.MAX_K_BEST_VARIABLES}: "
            "select fewer, or use Exact for one best network"
        )
    if classes:
        _check_equivalence(score, prior, data)
    search = _Search(k, checked_limit(memory_limit), progress, data.target_sets)
    search.require(len(data.names), k)
    search.table = score_table(
        data.in_data_order(), score, prior, max_indegree, knowledge, jobs, progress, memory_limit, dominated=True
    )
    found = search.best_classes() if classes else list(search.best(k))
    if not found:
        raise InputError(f"prior={prior}: no DAG has a finite score: change the prior, the knowledge, or max_indegree")
    weights = np.exp([value - found[0][1] for _, value in found])
    shares = (weights / weights.sum()).tolist()
    return tuple(
        RankedNetwork(dag.reorder(data.names), value, share, data.target_sets)
        for (dag, value), share in zip(found, shares, strict=True)
    )


class _Search:
    """One search for the k best networks of a table."""

    table: ScoreTable

    def __init__(self, k: int, memory_limit: int, progress: Progress | None, targets: Targets = ()) -> None:
        self.k, self.memory_limit, self.progress, self.targets = k, memory_limit, progress, targets

    def require(self, variables: int, number: int) -> None:
        """Raise `MemoryError` if so many networks are too many."""
        needed = _core.k_best_bytes(variables, min(number, 2**60))
        if needed > self.memory_limit or number > _core.MAX_K_BEST:
            raise MemoryError(
                f"k={self.k}: the {number} best networks over {variables} variables need about {shown(needed)}, and at "
                f"most {_core.MAX_K_BEST} networks in {shown(self.memory_limit)} are allowed: lower k, or raise "
                "memory_limit"
            )

    def best(self, number: int) -> Iterator[tuple[DAG, float]]:
        """So many networks and their scores, the best first."""
        table, n = self.table, len(self.table.names)
        self.require(n, number)
        core = _core.Candidates(n, table.offsets, table.scores, table.parent_offsets, table.parents)
        found = core.k_best(number, self._report)
        if found.interrupted or not found.finished:
            raise KeyboardInterrupt("the best networks are not found yet")
        for choice, score in zip(found.choices, found.scores, strict=True):
            yield graph_of(table, choice), score  # refuses cycles

    def best_classes(self) -> list[tuple[DAG, float]]:
        """A member of each of the k best classes, and its score.

        A class that is better than one of the best networks is among them with all its members, so the first k classes
        that come up are the best. How many networks that takes is not known in advance.
        """
        number = 4 * self.k
        while True:
            members: dict[PDAG, tuple[DAG, float]] = {}
            networks = 0
            for dag, score in self.best(number):
                networks += 1
                members.setdefault(dag.interventional_cpdag(self.targets), (dag, score))
                if len(members) == self.k:
                    return list(members.values())
            if networks < number:  # these are all there are
                return list(members.values())
            number *= 2

    def _report(self, done: int, best: float, bound: float) -> bool:
        """What the core calls now and then: never a reason to stop."""
        del best, bound
        if self.progress is not None:
            self.progress("best networks", done, 2 ** len(self.table.names), {})
        return False


def _check_equivalence(score: Score, prior: Prior, data: Data) -> None:
    if not score.equivalent:
        raise InputError(
            f"classes=True: {score} does not give equivalent networks the same score: use one that does, such as "
            "BDeu() or BIC(), or classes=False"
        )
    if not _is_equivalent(prior.terms(data.names, data.n)):
        raise InputError(
            f"classes=True: {prior} does not give equivalent networks the same probability: use one that does, such as "
            "Uniform() or Fair(), or classes=False"
        )


def _is_equivalent(terms: PriorTerms) -> bool:
    """Whether nothing changes when an arc u -> v is turned whose ends have the same s other parents.

    Such turns lead from a DAG to every equivalent one (Chickering 1995, theorem 2).
    """
    before = terms.size[:, None, :-1] + terms.size[None, :, 1:]  # [u, v, s]
    if terms.arc is not None:
        before = before + terms.arc[:, :, None]
    return np.allclose(before, before.swapaxes(0, 1), rtol=0.0, atol=1e-9)
