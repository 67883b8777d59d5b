"""What the commands that compare learners share: their options, and the numbers of a comparison for programs."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .inputs import load_truth

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph import DAG, PDAG
    from veridag.search import Algorithm
    from veridag.trust.validation import Validation

AlgorithmsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        help="A learner to compare, such as 'tabu(score=bdeu)'. Repeat for each learner; at least two. Default: a set "
        "for the kind of data.",
        metavar="SPEC",
    ),
]
CompanionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--companion",
        help="A learner to show for comparison, such as pc-stable. It is not ranked and does not change the agreement "
        "of the others. Repeat for several.",
        metavar="SPEC",
    ),
]
SizesOption = Annotated[
    str | None,
    typer.Option(
        help="Subsample sizes, separated by commas, such as 500,100. Default: N/2, N/4 and so on, down to the first of "
        "at most 100.",
        metavar="A,B",
    ),
]
RepeatsOption = Annotated[int, typer.Option(help="Number of subsamples of each size.")]
MinutesOption = Annotated[
    float | None, typer.Option(help="Stop after this many minutes and show the results so far.", metavar="M")
]


def parse_learners(specs: list[str] | None) -> dict[str, Algorithm] | None:
    """The learners by what the user called them."""
    from veridag.specs import parse

    if not specs:
        return None
    if len(specs) == 1:
        raise InputError(f"--algorithm {specs[0]}: give at least two learners to compare, or none for the default set")
    twice = [spec for spec in specs if specs.count(spec) > 1]
    if twice:
        raise InputError(f"--algorithm {twice[0]} is given twice: give each learner once")
    return {spec: parse(spec, "algorithm") for spec in specs}


def parse_companions(specs: list[str] | None) -> dict[str, Algorithm] | None:
    """The learners shown for comparison, in the same way."""
    from veridag.specs import parse

    return None if not specs else {spec: parse(spec, "algorithm") for spec in specs}


def take_gaps(learners: dict[str, Algorithm] | None, data: Data) -> dict[str, Algorithm] | None:
    """The learners that were named, as they take the data's missing values."""
    from veridag.trust.defaults import taking_gaps

    if learners is None or not data.incomplete:
        return learners
    return {label: taking_gaps(learner, data) for label, learner in learners.items()}


def parse_minutes(minutes: float | None) -> float | None:
    """The minutes in seconds."""
    if minutes is not None and not 0 < minutes < math.inf:
        raise InputError(f"--minutes {minutes} must be a number above 0, such as 5")
    return None if minutes is None else 60 * minutes


def time_left(seconds: float | None, began: float) -> float | None:
    """What reading the table has left of the time; enough for an error to say that it is too little."""
    return None if seconds is None else max(0.1, seconds - (time.monotonic() - began))


def parse_truth(name: str | None) -> DAG | PDAG | None:
    """The structure of a known network, if one is named."""
    return None if name is None else load_truth(name)


def parse_sizes(text: str | None) -> list[int] | None:
    """Subsample sizes from words."""
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--sizes takes integers separated by commas, such as 500,100, not {text!r}") from None


def validation_facts(found: Validation) -> dict[str, Any]:
    """All numbers of a validation, for programs; what is not there is null."""
    trust = found.trust
    return {
        "n": found.n,
        "seed": found.seed,
        "compare": found.compare,
        "known": None if found.knowledge is None else found.knowledge.describe(),
        "interrupted": found.interrupted,
        "ranking": list(found.ranking),
        "curves": [{key: _number(value) for key, value in row.items()} for row in found.rows()],
        "learners": [
            {
                "label": learner.label,
                "companion": learner.companion,
                "settings": repr(learner.algorithm),
                "error": learner.error,
                "arcs": None if learner.result is None else [list(arc) for arc in learner.cpdag.arcs],
                "edges": None if learner.result is None else [list(edge) for edge in learner.cpdag.edges],
                "score": None if learner.result is None else learner.result.score,
                "seconds": None if learner.result is None else learner.result.seconds,
                "calls": None if learner.result is None else learner.result.calls,
                "shd": found.distance_to_truth(learner),
            }
            for learner in found.learners
        ],
        "comparisons": [vars(comparison) for comparison in found.comparisons],
        "features": [{"pair": list(f.pair), "agreed": f.agreed, "votes": dict(f.votes)} for f in found.features],
        "failures": [vars(failure) for failure in found.failures],
        "trust": {
            "agreement_size": trust.agreement_size,
            "connected_pairs": trust.connected_pairs,
            "mean_pairwise_shd": trust.mean_pairwise_shd,
            "deviations": [_number(d) for d in trust.deviations],
            "stability": trust.stability,
            "limiting": trust.limiting,
            "unanimous": trust.is_unanimous,
            "sentence": trust.sentence,
        },
    }


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
