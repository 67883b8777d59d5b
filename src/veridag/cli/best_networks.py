"""The command that lists the best networks of a table with few columns, not only one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .app import command
from .learners import parse_knowledge, parse_learner, parse_memory
from .options import (
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    MaxIndegreeOption,
    MaybePriorOption,
    MaybeScoreOption,
    MemoryLimitOption,
    RequireOption,
    TiersOption,
    takes_data,
)
from .outputs import arc_lines
from .progress_bar import progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.graph import DAG, PDAG
    from veridag.search import RankedNetwork


@command(
    "best-networks",
    "veridag best-networks cases.csv",
    "veridag best-networks cases.csv -k 100 --classes --json",
)
@takes_data
def list_best_networks(
    source: DataSource,
    number: Annotated[int, typer.Option("--number", "-k", help="Number of networks to list.", metavar="K")] = 10,
    classes: Annotated[bool, typer.Option("--classes", help="List equivalence classes instead of networks.")] = False,
    score: MaybeScoreOption = None,
    prior: MaybePriorOption = None,
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    memory_limit: MemoryLimitOption = None,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """List the networks with the highest scores.

    Uses exact search, for tables of at most 20 columns. With little data, many networks are nearly as good as the best
    one: the list shows how they differ. The arcs of the best network are printed first. The probabilities are relative
    to the networks in the list. The default score and prior are those of `veridag learn`.
    """
    from veridag.search import BOSS, StructuralEM, Tabu, best_networks
    from veridag.trust.constants import isolating_constants

    choose = parse_learner(None, None, score, prior, max_indegree)
    known, limit = parse_knowledge(require, forbid, tiers), parse_memory(memory_limit)
    data = source.read()
    known = isolating_constants(data, known) or known
    learner = choose(data, known)
    if isinstance(learner, StructuralEM):  # the score inside it refuses gaps, and says what does not
        learner = learner.algorithm
    assert isinstance(learner, BOSS | Tabu)  # as the default is
    with progress_bar("best networks") as progress:
        found = best_networks(
            data,
            learner.score,
            learner.prior,
            learner.max_indegree,
            known,
            k=number,
            classes=classes,
            jobs=jobs,
            progress=progress,
            memory_limit=limit,
        )
    graphs: list[DAG | PDAG] = [known.orient(best.cpdag) if classes else best.dag for best in found]
    if as_json:
        rows = [_facts(best, graph) for best, graph in zip(found, graphs, strict=True)]
        settings = {"score": repr(learner.score), "prior": repr(learner.prior), "max_indegree": learner.max_indegree}
        facts = {"rows": data.n, "classes": classes, **settings, "networks": rows, "notes": list(data.notes)}
        echo(json.dumps(facts, indent=1))
        return
    _print(found, graphs)
    what = "equivalence classes" if classes else "networks"
    parents = f"at most {learner.max_indegree} parents"
    say(f"the {len(found)} best {what} on {data.n} rows; {learner.score}, {learner.prior}, {parents}")


def _facts(best: RankedNetwork, graph: DAG | PDAG) -> dict[str, object]:
    return {
        "score": best.score,
        "probability": best.probability,
        "arcs": [list(arc) for arc in graph.arcs],
        "edges": [list(edge) for edge in graph.edges],
    }


def _print(found: tuple[RankedNetwork, ...], graphs: list[DAG | PDAG]) -> None:
    """The arcs of the best network, and then how each differs from it."""
    echo("\n".join(arc_lines(graphs[0])))
    echo(f"\nrank  {'score':>16}  probability  difference from the first")
    for rank, (best, graph) in enumerate(zip(found, graphs, strict=True), start=1):
        difference = ", ".join(_differences(graphs[0], graph))
        echo(f"{rank:4}  {best.score:16.6f}  {best.probability:11.4f}  {difference}".rstrip())


def _differences(first: DAG | PDAG, other: DAG | PDAG) -> list[str]:
    """What is joined otherwise: with A -> B, without A -> B, or A -> B instead of B -> A."""
    before, after = _by_pair(first), _by_pair(other)
    changes = []
    for pair in sorted(before.keys() | after.keys(), key=sorted):
        old, new = before.get(pair), after.get(pair)
        if old != new:
            turned = f"{new} instead of {old}"
            changes.append(f"with {new}" if old is None else f"without {old}" if new is None else turned)
    return changes


def _by_pair(graph: DAG | PDAG) -> dict[frozenset[str], str]:
    return dict(zip(map(frozenset, (*graph.arcs, *graph.edges)), arc_lines(graph), strict=True))
