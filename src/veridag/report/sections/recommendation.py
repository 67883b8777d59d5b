"""Which learner to trust, why, and how far: the first thing that a reader sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan

from veridag.criteria.priors import Uniform
from veridag.graph import PartialGraph
from veridag.report.comparison import overall_distances
from veridag.report.content import Report
from veridag.report.stages import LOSS_OF
from veridag.search import Algorithm, StructuralEM
from veridag.trust.validation import Validation

#: So many log-losses that there was no time for are counted instead of named.
MANY_LOSSES = 3


@dataclass(frozen=True)
class Criterion:
    """What a learner searches with, by the names of the classes; the uniform prior is none."""

    search: str
    test: str | None
    score: str | None
    prior: str | None
    em: bool = False

    @classmethod
    def of(cls, algorithm: Algorithm) -> Criterion:
        """Those of an algorithm that has any; within structural EM, of the one that searches."""
        if isinstance(algorithm, StructuralEM):
            return replace(cls.of(algorithm.algorithm), em=True)
        parts = {part: getattr(algorithm, part, None) for part in ("test", "score", "prior")}
        if isinstance(parts["prior"], Uniform):
            parts["prior"] = None
        names = {part: None if value is None else type(value).__name__ for part, value in parts.items()}
        return cls(type(algorithm).__name__, names["test"], names["score"], names["prior"])


@dataclass(frozen=True)
class Distance:
    """How far a learner is from what all agree on."""

    label: str
    pairs: float


@dataclass(frozen=True)
class Reason:
    """Why the recommended learner is: its distance and those of others, and how often it is clearly closer."""

    subsamples: int | None
    sizes: int
    best: float
    next: Distance | None
    last: Distance | None
    clear: int
    comparisons: int


@dataclass(frozen=True)
class Stopped:
    """What is missing because the work ended early."""

    subsamples: int
    asked: int
    unreached: list[int]
    late: list[str]
    parts: list[str]
    losses: int


@dataclass(frozen=True)
class Companions:
    """Who stands beside the ranking, what the agreement would be with them, and who is closer all the same."""

    labels: list[str]
    joined: int
    closer: list[Distance]


@dataclass(frozen=True)
class View:
    """Who comes first, and how far that can be trusted: `sentence` of the given `standing`."""

    learner: str
    is_ranking: bool
    is_unanimous: bool
    criterion: Criterion
    sentence: str
    standing: str
    stopped: Stopped | None
    reason: Reason | None
    learners: int
    agreed_share: float
    joined: int
    apart: float
    companions: Companions | None
    one_way: int  # learners that draw no arcs from measurements to categories, where the data has both


def view(report: Report) -> View:
    """Who comes first, why, and how far that can be trusted."""
    validation = report.validation
    trust = validation.trust
    if trust.is_unanimous:
        standing = "good" if trust.connected_pairs else "fair"
    elif not validation.is_ranking:
        standing = "poor"
    else:
        standing = "good" if trust.is_stable and trust.connected_pairs else "fair" if trust.is_wide else "poor"
    return View(
        learner=validation.ranking[0] if validation.is_ranking else validation.best.label,
        is_ranking=validation.is_ranking,
        is_unanimous=trust.is_unanimous,
        criterion=Criterion.of(validation.best.algorithm),
        sentence=trust.sentence,
        standing=standing,
        stopped=_stopped(report) if validation.interrupted or report.cut_short else None,
        reason=_reason(validation) if validation.is_ranking and not trust.is_unanimous else None,
        learners=len(validation.ranked),
        agreed_share=trust.agreement_size,
        joined=trust.connected_pairs,
        apart=trust.mean_pairwise_shd,
        companions=_companions(validation) if validation.companions else None,
        one_way=_one_way(report),
    )


def _one_way(report: Report) -> int:
    if report.data.kind != "mixed":
        return 0
    criteria = [learner.algorithm.criterion for learner in report.validation.ranked]
    return sum(criterion is not None and not criterion.both_directions for criterion in criteria)


def _reason(validation: Validation) -> Reason:
    best, *others = validation.ranking
    overall = overall_distances(validation)
    known = {label: Distance(label, overall[label]) for label in others if not isnan(overall[label])}
    of_best = [c for c in validation.comparisons if best in (c.a, c.b)]
    return Reason(
        subsamples=None if validation.interrupted else validation.repeats,
        sizes=sum(validation.reached),
        best=overall[best],
        next=known.get(others[0]),
        last=known.get(others[-1]) if len(others) > 1 else None,
        clear=sum(c.closer == best and not c.overlap for c in of_best),
        comparisons=len(of_best),
    )


def _stopped(report: Report) -> Stopped:
    validation = report.validation
    unreached = [size for size, there in zip(validation.sizes, validation.reached, strict=True) if not there]
    parts = [part for part in report.cut_short if part != "rest"]
    losses = [part for part in parts if part.startswith(LOSS_OF)]
    if len(losses) < MANY_LOSSES:
        losses = []
    return Stopped(
        subsamples=sum(validation.subsamples),
        asked=len(validation.sizes) * validation.repeats,
        unreached=unreached if validation.is_ranking else [],
        late=[learner.label for learner in validation.learners if learner.late],
        parts=[part for part in parts if part not in losses],
        losses=len(losses),
    )


def _companions(validation: Validation) -> Companions:
    graphs = [learner.cpdag for learner in validation.compared]
    if validation.compare == "adjacencies":
        graphs = [graph.skeleton() for graph in graphs]
    with_them = PartialGraph.agreement(graphs)
    labels = [learner.label for learner in validation.companions]
    overall = overall_distances(validation)
    closer = []
    if validation.is_ranking and not validation.trust.is_unanimous:
        best = overall[validation.ranking[0]]
        closer = [Distance(label, overall[label]) for label in labels if overall[label] < best]
    return Companions(labels, len(with_them.arcs) + len(with_them.edges), closer)
