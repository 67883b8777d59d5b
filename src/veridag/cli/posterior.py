"""The command that says how probable each arc is given the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from veridag.display import spreadsheet
from veridag.errors import InputError, suggest

from .answers import EvidenceOption, answer_facts, evidence_of
from .app import command
from .completion import spec_names
from .learners import parse_knowledge, parse_memory
from .options import (
    DaskOption,
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    MaxIndegreeOption,
    MemoryLimitOption,
    ProcessesOption,
    RequireOption,
    SeedOption,
    TiersOption,
    executor_for,
    takes_data,
)
from .outputs import MOST_ARCS, check_figure, check_one_pipe, check_path, whole, write_text
from .progress_bar import kept, progress_bar
from .terminal import echo, note, say

if TYPE_CHECKING:
    from veridag.criteria.scores.base import Score
    from veridag.data import Data
    from veridag.posteriors import AveragedMixture, AveragedTable, Draws, Posterior
    from veridag.posteriors.posterior import PosteriorPlan

#: Pairs that are less probably joined are not printed; a file has more of them.
_LEAST_PRINTED = 0.05

#: Above this, chains do not agree.
_MOST_RHAT = 1.01

_APPROXIMATE = (
    "values are missing, so the score is pnal. It is not a marginal likelihood, and the probabilities are "
    "approximate; --missing drop leaves out rows instead"
)


@command(
    "posterior",
    "veridag posterior cases.csv",
    "veridag posterior cases.csv --jobs 2 -o pairs.csv --figure posterior.svg",
    "veridag posterior cases.csv --method sample --draws 500 --seed 1 --json",
    "veridag posterior cases.csv --query cancer -e smoker=yes --networks 200",
)
@takes_data
def probabilities_of_arcs(
    source: DataSource,
    score: Annotated[
        str | None,
        typer.Option(
            help="Score, such as 'bdeu(ess=5)'. Default: bdeu, or bge for continuous and bcg for mixed data, each with "
            "the equivalent sample size of the highest evidence; bhd for groups; pnal if values are missing.",
            metavar="SPEC",
            autocompletion=spec_names("score"),
        ),
    ] = None,
    prior: Annotated[
        str,
        typer.Option(
            help="Structure prior, such as 'edge(beta=0.05)'.",
            metavar="SPEC",
            autocompletion=spec_names("prior"),
        ),
    ] = "fair",
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    method: Annotated[
        Literal["auto", "exact", "sample"],
        typer.Option(
            help="exact: sum over all DAGs, for up to 22 columns. sample: draw DAGs. auto: exact for up to 20 columns "
            "if it takes a few minutes at most and fits into memory, otherwise sample."
        ),
    ] = "auto",
    draws: Annotated[
        int | None,
        typer.Option(help="Draws of each chain. Default: 1000, unless --minutes or --precision stops the sampling."),
    ] = None,
    chains: Annotated[int, typer.Option(help="Number of Markov chains.")] = 4,
    minutes: Annotated[float | None, typer.Option(help="Stop drawing after this many minutes.")] = None,
    precision: Annotated[
        float | None,
        typer.Option(help="Stop drawing once all probabilities have a standard error of at most this, such as 0.01."),
    ] = None,
    temperatures: Annotated[
        int,
        typer.Option(
            help="Number of temperatures (parallel tempering): each chain swaps states with hotter ones. Use it if the "
            "chains do not agree. Takes that many times longer."
        ),
    ] = 1,
    query: Annotated[
        list[str] | None,
        typer.Option(
            help="Print the distribution of this variable, averaged over networks, instead of the pairs. Repeat for a "
            "joint distribution.",
            metavar="VARIABLE",
        ),
    ] = None,
    evidence: EvidenceOption = None,
    networks: Annotated[
        int | None,
        typer.Option(help="With --query: use only this many of the draws, which is faster. Default: all.", metavar="N"),
    ] = None,
    memory_limit: MemoryLimitOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the probabilities of all pairs to this file, .csv.", metavar="FILE"),
    ] = None,
    figure: Annotated[
        str | None, typer.Option(help="Plot the probabilities to this file, .svg or .png.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how probable each arc is, given the data.

    Sums the probabilities over all networks, or estimates them from networks drawn from the posterior if there are too
    many. For each pair of columns, the more probable direction comes first; joined is the probability of an arc in
    either direction. Ctrl-C keeps the draws so far and exits with code 130. With --query, prints the average answer of
    networks with parameters, given --evidence.
    """
    from veridag.posteriors import posterior
    from veridag.posteriors.posterior import plan_posterior
    from veridag.specs import parse
    from veridag.trust.constants import isolating_constants

    check_path(output, (".csv",))
    check_figure(figure)
    check_one_pipe(output=output, figure=figure)
    named = None if score is None else parse(score, "score")
    structure, limit = parse(prior, "prior"), parse_memory(memory_limit)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    data = source.read()
    known = isolating_constants(data, known) or known
    if named is None and data.incomplete:
        note(_APPROXIMATE)
    asked = _Question.of(data, named, source.in_effect.rules.group, query, evidence, networks)
    threads = executor.local_threads
    plan = plan_posterior(data, named, max_indegree, method, minutes=minutes, jobs=threads, memory_limit=limit)
    say(str(plan))
    given = {"--draws": draws, "--precision": precision, "--temperatures": temperatures if temperatures != 1 else None}
    unused = [flag for flag, value in given.items() if value is not None]
    if plan.method == "exact" and method == "auto" and unused:
        note(f"{' and '.join(unused)}: the posterior is exact and has no draws: leave it out, or use --method sample")
    keeps = "the draws so far" if plan.method == "sample" else ""
    with progress_bar("posterior", keeps=keeps) as progress, kept() as stopped:
        found = posterior(
            data,
            score=named,
            prior=structure,
            max_indegree=max_indegree,
            knowledge=known,
            method=method,
            draws=draws,
            minutes=minutes,
            precision=precision,
            chains=chains,
            temperatures=temperatures,
            seed=seed,
            jobs=executor,
            progress=progress,
            memory_limit=limit,
        )
    found = stopped[0] if stopped else found
    if output is not None:
        write_text(_pairs_csv(found), output)
    if figure is not None:
        from veridag.figures import posterior_figure

        with whole(figure, ".svg") as draft:
            posterior_figure(draft, found)
    piped = "-" in (output, figure)
    answer = None if asked is None else asked.put_to(found, seed)
    if as_json:
        facts = _facts(found, plan, data) | ({} if answer is None else {"answer": answer_facts(answer)})
        echo(json.dumps(facts, indent=1), err=piped)
    else:
        if answer is not None:
            echo(repr(answer), err=piped)
        _report(found, piped or answer is not None)
    if stopped:
        raise typer.Exit(130)


@dataclass(frozen=True)
class _Question:
    """What is asked of the networks of the posterior."""

    targets: tuple[str, ...]
    evidence: Mapping[str, str | float]
    networks: int | None
    group: str | None

    @classmethod
    def of(
        cls,
        data: Data,
        score: Score | None,
        column: str | None,
        query: list[str] | None,
        evidence: list[str] | None,
        networks: int | None,
    ) -> _Question | None:
        """The question, checked before anything is computed; evidence can name the group, by the column of groups."""
        from veridag.criteria.scores import BHD
        from veridag.network.query import Asked
        from veridag.trust.defaults import has_groups

        known = evidence_of(evidence)
        if not query:
            if known or networks is not None:
                flag = "--evidence" if known else "--networks"
                raise InputError(f"{flag}: there is no query: name a variable with --query")
            return None
        group = None
        takes_groups = isinstance(score, BHD) if score is not None else has_groups(data)
        if takes_groups and column is not None:
            if column not in known:
                raise InputError(
                    "--query: each group has its own parameters: name a group with --evidence, such as "
                    f"{data.groups[0]!r} for {column!r}"
                )
            group = str(known.pop(column))
            if group not in data.groups:
                raise InputError(f"--evidence: {column!r} has no group {group!r}: {suggest(group, data.groups)}")
        asked = Asked.of(data.names, data.states, query, known)
        return cls(asked.targets, dict(asked.given), networks, group)

    def put_to(self, found: Posterior | Draws, seed: int) -> AveragedTable | AveragedMixture:
        """The answer; the exact posterior draws networks first."""
        with progress_bar("query") as progress:
            return found.query(
                self.targets, self.evidence, networks=self.networks, group=self.group, seed=seed, progress=progress
            )


def _pairs_csv(found: Posterior | Draws) -> str:
    head = ("source", "target", "forward", "backward", "joined")
    return spreadsheet([head, *((*pair, pair.joined) for pair in found.pairs)])


def _facts(found: Posterior | Draws, plan: PosteriorPlan, data: Data) -> dict[str, Any]:
    """All of it for JSON, which has no NaN: where draws do not tell, there is null."""
    from veridag.posteriors import Draws

    if isinstance(found, Draws):
        own: dict[str, Any] = {
            "draws": found.per_chain,
            "chains": found.chains,
            "rhat": _finite(found.rhat),
            "worst_rhat": _finite(found.worst_rhat),
            "ess": _finite(found.ess),
            "largest_error": float(found.arc_errors.max(initial=0.0)),
            "seconds": round(found.seconds, 6),
            "stopped": found.stopped,
        }
    else:
        own = {"log_sum": found.log_sum, "error_bound": found.error_bound}
    return {
        "method": plan.method,
        "settings": str(found.settings),
        "expected": {"bytes": plan.cost.bytes, "seconds": plan.cost.seconds} if plan.method == "exact" else None,
        **own,
        "variables": list(found.names),
        "pairs": [
            {
                "source": pair.source,
                "target": pair.target,
                "forward": pair.probability,
                "backward": pair.reverse,
                "joined": pair.joined,
            }
            for pair in found.pairs
        ],
        "median_network": [list(arc) for arc in found.median_network().arcs],
        "notes": list(data.notes),
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _report(found: Posterior | Draws, piped: bool) -> None:
    """The table on standard output, unless that is taken, and what it is beside it."""
    from veridag.posteriors import Draws

    likely = [pair for pair in found.pairs if pair.joined >= _LEAST_PRINTED]
    if not piped:
        shown = likely[:MOST_ARCS]
        width = max((len(f"{pair.source} -> {pair.target}") for pair in shown), default=4)
        echo(f"{'pair':{width}}  forward  backward  joined")
        for pair in shown:
            arc = f"{pair.source} -> {pair.target}"
            echo(f"{arc:{width}}  {pair.probability:7.3f}  {pair.reverse:8.3f}  {pair.joined:6.3f}")
        if len(likely) > len(shown):
            echo(f"... and {len(likely) - len(shown)} more: -o FILE or --json gives all", err=True)
    n = len(found.names)
    say(f"{len(likely)} of {n * (n - 1) // 2} pairs are joined with a probability of {_LEAST_PRINTED} or more")
    if isinstance(found, Draws):
        ended = {"interrupt": ", stopped by Ctrl-C", "time": ", stopped by --minutes"}.get(found.stopped, "")
        say(
            f"sampled: {found.per_chain} draws of each of {found.chains} chains in {found.seconds:.1f} s{ended}; split "
            f"R-hat at most {found.worst_rhat:.3f}, effective sample size {found.ess:.0f}, standard errors at most "
            f"{found.arc_errors.max(initial=0.0):.3f}"
        )
        if not found.worst_rhat <= _MOST_RHAT:
            note(f"the chains have not converged to {_MOST_RHAT}: raise --draws or --minutes")
    else:
        say(f"exact: each probability is within {found.error_bound:.0e}")
    say(f"settings: {found.settings}")
