"""The exact posterior over DAGs of few variables, or over DAGs and orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.checks import PROGRESS, SEED
from veridag.criteria.priors.base import Prior, PriorTerms
from veridag.criteria.score_table import ScoreTable, score_table
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError, setting
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.work.memory import checked_limit, shown

from .averages.average import NetworkAverage
from .averages.averaging import Averaging
from .cost import ExactCost, posterior_cost
from .draws import Draws
from .families import MOST_CANDIDATES
from .features import Arcs, Present, parent_rules, relation_of
from .source import Source
from .summaries import ArcProbabilities

Floats = NDArray[np.float64]

#: No probability whose error may be larger is given out.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Averaging, ArcProbabilities):
    r"""The exact posterior over DAGs, as `posterior` returns it.

    With $A_v(U)$, the sum over the parent sets of v within U of exp(score) times prior,

    $$
    R(S) = \sum_{\emptyset \neq T \subseteq S} (-1)^{|T|+1} R(S \setminus T) \prod_{v \in T} A_v(S \setminus T)
    $$

    is the sum over all DAGs on S, by inclusion and exclusion over sinks, and

    $$
    H(D) = \sum_{\emptyset \neq T \subseteq D} (-1)^{|T|+1} H(D \setminus T) \prod_{v \in T} A_v(V \setminus D)
    $$

    that over DAGs on D whose variables can also have parents outside (Tian and He 2009). The terms of $H(D)$ whose T
    has v sum to $Q_v(D)$, the DAGs on D whose only source is v. So $R(V \setminus D) Q_v(D) / R(V)$ is the probability
    that D are v and its descendants. All other probabilities are sums of these; for ancestors compare Pensar et al.
    (2020). The sums alternate in sign and use 32 digits, so that cancellation stays far below the result.

    `log_evidence` is `log_sum` for a prior that sums to 1.

    Attributes:
        names: The variables.
        arcs: ``arcs[u, v]`` is P(u -> v | data), by positions in `names`.
        settings: The score and the prior.
        log_sum: The logarithm of the sum over all DAGs of exp(score) times prior, where the prior has the constant of
            its documentation.
        error_bound: No probability differs by more than this, due to rounding, from the one that the local scores
            imply. More than 1e-6 is refused.
        order_modular: Whether each DAG counts once for each order that fits it.
        jobs: Number of threads for further questions.
        source: The data and settings.

    See also:
        `posterior`, `Draws`, docs/posterior.md
    """

    settings: str
    log_sum: float
    error_bound: float
    order_modular: bool
    jobs: int
    source: Source = field(repr=False)
    _made: _core.ExactPosterior | None = field(repr=False)  # None after unpickling, until it is asked for
    _order: tuple[int, ...] = field(repr=False)  # the position in `names` of each variable of the core

    @property
    def _sums(self) -> _core.ExactPosterior:
        """The sums of the core, which do not go into a file: they are computed again if need be."""
        if self._made is None:
            families, terms = _families(self.source, self.jobs, None, None)
            object.__setattr__(self, "_made", _bound(families, terms, self.order_modular, self.jobs, None))
        assert self._made is not None
        return self._made

    @cached_property
    def ancestors(self) -> Floats:
        """``ancestors[u, v]`` is P(there is a path from u to v); 0 on the diagonal."""
        if self.order_modular:
            raise InputError(
                "order_modular=True: probabilities of ancestors need a prior over DAGs: set order_modular=False, for "
                f"at most {_core.MAX_DAG_SUM_VARIABLES} variables"
            )
        found = _placed(self._sums.ancestors(), self._order)
        found.flags.writeable = False
        return found

    @cached_property
    def log_evidence(self) -> float:
        """log P(data), averaged over all DAGs: the sum over DAGs of P(data | G) P(G), where P(G) sums to 1.

        P(G) is the prior among the DAGs that `max_indegree` and the knowledge allow. The first time, this takes up to
        half the time of the posterior, for the sum over DAGs of the prior alone.
        """
        return self.log_sum - self._sums.log_prior_sum(self.jobs, None)

    def probability(
        self,
        present: Present = (),
        absent: Arcs = (),
        parents: Mapping[str, Iterable[str]] | None = None,
        *,
        progress: Progress | None = None,
    ) -> float:
        """Compute the probability that the graph has all arcs of `present`, none of `absent`, and these parents.

        For example ``p.probability([("A", "B"), ("B", "C")])``, ``p.probability(absent=[("A", "B")])``, or, for all
        parents of some variables, ``p.probability(parents={"B": ["A"], "A": []})``. A contradiction has probability 0.
        Questions about the parents of one variable are quick. Those about several take up to half the time of the
        posterior: the answer is R(V) of the remaining parent sets, divided by that of all.

        Args:
            present: Arcs, such as ``("A", "B")`` or ``"A -> B"``; ``"A -- B"`` is an arc in either direction, and ``"A
                ~> B"`` a path, which must be given alone.
            absent: Arcs that the graph does not have.
            parents: All parents of some variables, by variable.
            progress: Progress callback, see `ProgressBar`.
        """
        PROGRESS("progress", progress)
        if callable(present):
            raise InputError(
                f"present={present!r}: the exact posterior takes arcs and strings such as 'A ~> B': for a function of "
                f"a DAG, draw networks with {setting('method', 'sample')}"
            )
        relation = relation_of(present, self.names)
        if relation is not None:
            u, v = relation.source, relation.target
            if relation.kind == "~>":
                if absent or parents:
                    raise InputError(f"present={present!r}: a path must be given alone: leave out absent and parents")
                return float(self.ancestors[self.names.index(u), self.names.index(v)])
            if relation.kind == "--":
                return sum(self.probability([arc], absent, parents, progress=progress) for arc in ((u, v), (v, u)))
        arcs: Any = present if relation is None else [relation[::2]]
        wanted, unwanted = parent_rules(self.names, self._order, arcs, absent, parents)
        total = (2 if self.order_modular else 3) ** len(self.names)

        def report(done: int, best: float, bound: float) -> None:
            del best, bound
            if progress is not None:
                progress("probability", done, total, {})

        return self._sums.probability(wanted, unwanted, self.jobs, report)

    def sample(self, draws: int | None = None, *, seed: int = 0, progress: Progress | None = None) -> Draws:
        """Draw networks from this posterior, as `sample_posterior` does.

        The score, the prior, the knowledge and the limit on parents are the same. The parents of a variable can be any
        set of up to 20 others, and with 22 variables also any small set beyond these.

        Args:
            draws: Draws of each of four chains; 1000 if None.
            seed: Seed of the random numbers. The same seed gives the same draws.
            progress: Progress callback, see `ProgressBar`.
        """
        if self.order_modular:
            raise InputError(
                "order_modular=True: networks can only be drawn from a posterior over DAGs: set order_modular=False, "
                f"for at most {_core.MAX_DAG_SUM_VARIABLES} variables, or {setting('method', 'sample')}"
            )
        from .sampled import sample_posterior

        made = self.source
        return sample_posterior(
            made.data,
            score=made.score,
            prior=made.prior,
            knowledge=made.knowledge,
            max_indegree=made.max_indegree,
            candidates=min(len(self.names) - 1, MOST_CANDIDATES),
            draws=draws,
            seed=seed,
            jobs=self.jobs,
            progress=progress,
        )

    def average(
        self,
        networks: int | None = None,
        *,
        group: str | None = None,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> NetworkAverage:
        """Return networks drawn from the posterior, with parameters fitted to the data, to answer queries together.

        The exact posterior has no networks. It draws some when you first ask for them, as `sample` does, and keeps
        them. So answers have a Monte Carlo error, unlike the probabilities of arcs.

        Args:
            networks, group: As in `Draws.average`.
            seed: Seed of the random numbers. The same seed gives the same networks.
            jobs: As in `Draws.average`.
            progress: Progress callback, see `ProgressBar`.
        """
        kept = self._kept()
        key = ("draws", SEED("seed", seed))
        if key not in kept:
            kept[key] = self.sample(seed=seed, progress=PROGRESS("progress", progress))
        drawn: Draws = kept[key]
        return drawn.average(networks, group=group, jobs=jobs)

    # ---- copies

    def __copy__(self) -> Posterior:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: object) -> Posterior:
        del memo
        return self

    def __getstate__(self) -> dict[str, Any]:
        if not self.order_modular:
            _ = self.ancestors  # so that they need no sums
        return {**super().__getstate__(), "_made": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for array in (self.arcs, *(state[name] for name in ("ancestors", "edges") if name in state)):
            array.flags.writeable = False


def exact_posterior(
    data: Data,
    score: Score,
    prior: Prior,
    max_indegree: int | None,
    knowledge: Knowledge | None,
    *,
    order_modular: bool,
    jobs: int,
    progress: Progress | None,
    memory_limit: float | None,
) -> Posterior:
    """The posterior of checked arguments."""
    n = len(data.names)
    cost = _checked_cost(n, max_indegree, order_modular, jobs, checked_limit(memory_limit))
    if progress is not None:
        progress(f"posterior over {n} variables, {cost}", 0, None, {})
    source = Source(data, score, prior, max_indegree, knowledge)
    families, terms = _families(source, jobs, progress, memory_limit)
    core = _bound(families, terms, order_modular, jobs, progress)
    if core.log_sum == -np.inf:
        raise InputError(f"prior={prior}: no DAG has a finite score: change the prior, the knowledge, or max_indegree")
    error = max(_error_bound(n, order_modular), core.residual)
    if not error <= TOLERANCE:
        raise InputError(
            f"data: the probabilities of {n} variables may have a rounding error of {error:.1g}, above {TOLERANCE:g}: "
            f"select fewer variables, or set {setting('order_modular', True)}"
        )
    place = tuple(data.names.index(name) for name in families.names)
    settings = ", ".join(
        [
            f"{score!r}, {prior!r}",
            *(() if max_indegree is None else (f"max_indegree={max_indegree}",)),
            *(() if knowledge is None or knowledge == Knowledge() else (repr(knowledge),)),
            *(("order_modular=True",) if order_modular else ()),
        ]
    )
    arcs = _placed(core.arcs(jobs), place)
    return Posterior(data.names, arcs, settings, core.log_sum, error, order_modular, jobs, source, core, place)


def _checked_cost(n: int, max_indegree: int | None, order_modular: bool, jobs: int, limit: int) -> ExactCost:
    """What it costs, unless there are too many variables, or too little memory."""
    most = _core.MAX_POSTERIOR_VARIABLES if order_modular else _core.MAX_DAG_SUM_VARIABLES
    cost = posterior_cost(n, max_indegree, order_modular=order_modular, jobs=jobs)
    if n > most:
        more = _core.MAX_POSTERIOR_VARIABLES
        remedy = "" if order_modular or n > more else f", set {setting('order_modular', True)}"
        raise InputError(
            f"data: it has {n} variables, and the exact posterior takes at most {most}; it would need {cost}: select "
            f"fewer{remedy}, or draw networks with {setting('method', 'sample')}"
        )
    if cost.bytes > limit:
        raise MemoryError(
            f"the posterior over {n} variables needs {cost}, above the limit of {shown(limit)}: lower max_indegree, "
            "select fewer variables, or raise memory_limit"
        )
    return cost


def _families(
    source: Source, jobs: int, progress: Progress | None, memory_limit: float | None
) -> tuple[ScoreTable, PriorTerms]:
    """The scores of all families, and the terms of the prior."""
    assert source.prior is not None
    ordered = source.data.in_data_order()  # so that the order of columns changes nothing, not even the last digit
    families = score_table(
        ordered,
        source.score,
        source.prior,
        source.max_indegree,
        source.knowledge,
        jobs,
        progress,
        memory_limit,
        dominated=True,
    )
    return families, source.prior.terms(ordered.names, source.data.n)


def _bound(
    families: ScoreTable, terms: PriorTerms, order_modular: bool, jobs: int, progress: Progress | None
) -> _core.ExactPosterior:
    """The sums of the core."""
    n = len(families.names)
    what, total = ("sums over orders", 2 * 2**n) if order_modular else ("sums over DAGs", 2 * 3**n)

    def report(done: int, best: float, bound: float) -> None:
        del best, bound
        if progress is not None:
            progress(what, done, total, {})

    try:
        return _core.ExactPosterior(
            n,
            families.offsets,
            families.scores,
            _log_priors(families, terms),
            families.parent_offsets,
            families.parents,
            order_modular,
            jobs,
            report,
        )
    except ValueError as error:
        raise InputError(f"score: {error}: use fewer rows, or another score") from error


def _log_priors(families: ScoreTable, terms: PriorTerms) -> Floats:
    """The prior's term of each family; a variable at a time, since there may be very many families."""
    found = np.empty(len(families))
    for v in range(len(families.names)):
        own = slice(int(families.offsets[v]), int(families.offsets[v + 1]))
        ends = families.parent_offsets[own.start : own.stop + 1]
        sizes = np.diff(ends)
        found[own] = terms.size[v, sizes]
        if terms.arc is not None:
            of_parents = terms.arc[families.parents[ends[0] : ends[-1]], v]
            found[own] += np.bincount(np.repeat(np.arange(len(sizes)), sizes), of_parents, minlength=len(sizes))
    return found


def _error_bound(n: int, order_modular: bool) -> float:
    """A bound on the rounding error of a probability, apart from that of the scores themselves."""
    unit = 2.0**-52
    if order_modular:  # n sums of n products of positive numbers, forwards, backwards and for the parents
        return 4.0 * (n + 4) * (n + 4) * unit
    return float(_core.dag_sum_error(n)) + (8 * n + 64) * unit


def _placed(matrix: Floats, order: tuple[int, ...]) -> Floats:
    """A matrix of the core with the variables where they belong."""
    placed = np.empty_like(matrix)
    placed[np.ix_(order, order)] = matrix
    return placed
