"""Queries on the command line: evidence from text, and answers as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from veridag.errors import InputError

from .parsing import names_of, split

if TYPE_CHECKING:
    from veridag.network.query import JointGaussian, JointMixture, JointTable

EvidenceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        "-e",
        help="Evidence: the observed value of a variable, such as smoker=yes or age=40. Repeat for several variables.",
        metavar="NAME=VALUE",
    ),
]


DoOption = Annotated[
    list[str] | None,
    typer.Option(
        "--do",
        help="Intervention: the value that a variable is set to, such as smoker=no or dose=2.5. Repeat for several "
        "variables.",
        metavar="NAME=VALUE",
    ),
]


def evidence_of(given: list[str] | None, option: str = "evidence") -> dict[str, str | float]:
    """The evidence of several options, or what they set; a variable can have one value only."""
    known: dict[str, str | float] = {}
    for item in given or []:
        name, value = split(item, option, "NAME=STATE")
        if known.setdefault(name, value) != value:
            raise InputError(f"--{option}: {name!r} is given as {known[name]} and as {value}: give it once")
    return known


LikelihoodOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Uncertain evidence: the likelihood of the observation in each state, such as xray=yes:0.8,no:0.2. Repeat "
        "for several variables.",
        metavar="NAME=STATE:X,...",
    ),
]


def likelihood_of(given: list[str] | None) -> dict[str, dict[str, float]]:
    """Likelihoods by variable and state."""
    found: dict[str, dict[str, float]] = {}
    for item in given or []:
        name, listed = split(item, "likelihood", "NAME=STATE:NUMBER,STATE:NUMBER")
        if name in found:
            raise InputError(f"--likelihood: {name!r} is given twice: give it once")
        found[name] = {}
        for member in names_of([listed]):
            state, colon, number = member.rpartition(":")
            try:
                if not colon:
                    raise ValueError
                found[name][state] = float(number)
            except ValueError:
                raise InputError(
                    f"--likelihood takes a number for each state, as in {name}=yes:0.8,no:0.2, not {item!r}"
                ) from None
    return found


def answer_facts(answer: JointTable | JointGaussian | JointMixture) -> dict[str, object]:
    """An answer for JSON; the averages of a posterior have standard errors as well."""
    from veridag.network.query import JointGaussian, JointMixture
    from veridag.posteriors.averages import AveragedMixture, AveragedTable

    facts: dict[str, object] = {"variables": answer.names}
    if isinstance(answer, JointGaussian):
        facts |= {"mean": answer.mean.tolist(), "covariance": answer.covariance.tolist()}
    elif isinstance(answer, JointMixture):
        facts |= _mixture_facts(answer)
    else:
        facts |= {"distribution": _cells(answer.names, answer.to_dict())}
    facts |= {"evidence": dict(answer.evidence)}
    if answer.do:
        facts |= {"do": dict(answer.do)}
    if isinstance(answer, AveragedTable | AveragedMixture):
        facts |= {"networks": answer.networks, "errors": _without_nan(answer.errors.reshape(-1).tolist())}
    if isinstance(answer, AveragedMixture):
        facts |= {"mean_errors": _without_nan(answer.mean_errors.tolist())}
    return facts


def _without_nan(numbers: Sequence[float]) -> list[float | None]:
    """JSON has no NaN."""
    return [x if x == x else None for x in numbers]


def _cells(names: Sequence[str], table: Mapping[tuple[str, ...], float]) -> list[dict[str, object]]:
    return [{**dict(zip(names, states, strict=True)), "probability": p} for states, p in table.items()]


def _mixture_facts(answer: JointMixture) -> dict[str, object]:
    """The moments over all, and in each cell of the discrete variables; null in cells that are impossible."""
    facts: dict[str, object] = {
        "continuous": answer.continuous,
        "mean": answer.mean.tolist(),
        "covariance": answer.covariance.tolist(),
    }
    if not answer.discrete:
        return facts
    cells, k = _cells(answer.discrete, answer.table.to_dict()), len(answer.continuous)
    moments = zip(answer.means.reshape(-1, k).tolist(), answer.covariances.reshape(-1, k, k).tolist(), strict=True)
    for cell, (mean, covariance) in zip(cells, moments, strict=True):
        possible = cell["probability"] != 0
        cell |= {"mean": mean if possible else None, "covariance": covariance if possible else None}
    return {**facts, "distribution": cells}
