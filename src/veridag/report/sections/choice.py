"""How the network was chosen: the learners, the chances by which one is recommended, and how well that was tested."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import floor, isnan

from veridag.criteria.priors import Uniform
from veridag.report.comparison import overall_distances
from veridag.report.content import Report
from veridag.report.directions import draws_one_way
from veridag.report.stages import LOSS_OF
from veridag.search import Algorithm, StructuralEM
from veridag.trust.assessment.chances import ROWS, VARIABLES
from veridag.trust.assessment.levels import HitRate, Level, rates
from veridag.trust.averages import Imputed, ModelAverage
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
    imputed: bool = False

    @classmethod
    def of(cls, algorithm: Algorithm) -> Criterion:
        """Those of an algorithm that has any; within structural EM or imputation, of the one that searches."""
        if isinstance(algorithm, StructuralEM):
            return replace(cls.of(algorithm.algorithm), em=True)
        if isinstance(algorithm, Imputed):
            return replace(cls.of(algorithm.average), imputed=True)
        if isinstance(algorithm, ModelAverage):
            kinds = {cls.of(each).search for each in algorithm.averages}
            return cls(kinds.pop() if len(kinds) == 1 else "ModelAverage", None, None, None)
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
    """The first by intersection-validation: its distance and those of others, and how often it is clearly closer."""

    first: str
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
class View:
    """Which learner was taken, and by what; how often that was right on known networks, by level.

    `rows` and `variables` are those of the tables that were tested, from and to. `words` are those of the labels that
    have to be explained. `one_way` learners draw no arrow from measurements to categories, in a table that has both.
    """

    learner: str
    is_unanimous: bool
    criterion: Criterion
    expected: float
    level: Level
    within_one: float
    is_calibrated: bool
    rates: dict[Level, HitRate]
    is_default: bool
    rows: tuple[int, int]
    variables: tuple[int, int]
    stopped: Stopped | None
    reason: Reason | None
    learners: int
    joined: int
    apart: float
    companions: list[str]
    words: frozenset[str]
    one_way: int


def view(report: Report) -> View:
    """How the recommended learner was chosen."""
    assessment, validation = report.assessment, report.validation
    trust = validation.trust
    labels = " ".join(learner.label for learner in validation.learners)
    return View(
        learner=assessment.recommended,
        is_unanimous=assessment.recommendation.apart == 0,
        criterion=Criterion.of(assessment.learner.algorithm),
        expected=assessment.expected[assessment.recommended],
        level=assessment.level,
        within_one=floor(100 * assessment.within_one) / 100,  # 0.899 is not high, and is not 90 %
        is_calibrated=report.data.n >= ROWS[0],
        rates=rates(),
        is_default=report.default_learners,
        rows=ROWS,
        variables=VARIABLES,
        stopped=_stopped(report) if validation.interrupted or assessment.interrupted or report.cut_short else None,
        reason=_reason(validation) if validation.is_ranking and not trust.is_unanimous else None,
        learners=len(validation.ranked),
        joined=trust.connected_pairs,
        apart=trust.mean_pairwise_shd,
        companions=[learner.label for learner in validation.companions],
        words=frozenset(re.findall(r"[^\W_]+", labels)),
        one_way=_one_way(report),
    )


def _one_way(report: Report) -> int:
    if report.data.kind != "mixed":
        return 0
    criteria = [learner.algorithm.criterion for learner in report.validation.ranked]
    return sum(map(draws_one_way, criteria))


def _reason(validation: Validation) -> Reason:
    best, *others = validation.ranking
    overall = overall_distances(validation)
    known = {label: Distance(label, overall[label]) for label in others if not isnan(overall[label])}
    of_best = [c for c in validation.comparisons if best in (c.a, c.b)]
    return Reason(
        first=best,
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
