"""The command that learns a network structure."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import command
from .inputs import load_truth, title_of
from .learners import parse_knowledge, parse_learner
from .options import (
    DaskOption,
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    MaxIndegreeOption,
    MaybeAlgorithmOption,
    MaybePriorOption,
    MaybeScoreOption,
    MaybeTestOption,
    ProcessesOption,
    RequireOption,
    SeedOption,
    TiersOption,
    TimeLimitOption,
    TruthOption,
    executor_for,
    takes_data,
)
from .outputs import (
    GRAPH_SUFFIXES,
    check_one_pipe,
    check_path,
    names_network,
    network_suffixes,
    print_arcs,
    write_drawing,
    write_graph,
    write_network,
    write_networks,
)
from .progress_bar import describe_gap, finite, kept, progress_bar
from .terminal import detail, echo, say

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph import DAG, PDAG
    from veridag.graph.knowledge import Knowledge
    from veridag.search import Algorithm
    from veridag.search.result import Result


@command(
    "learn",
    "veridag learn cases.csv",
    "veridag learn cases.csv -o graph.json --draw graph.svg",
    "veridag learn cases.csv --require smoker:cancer --tiers tiers.txt",
    'veridag learn cases.csv --algorithm pc-stable --test "x2(df=observed)"',
    'veridag learn cases.csv --score "bdeu(ess=5)" --prior edge -o net.bif',
    "veridag learn cases.csv -o - | veridag draw - -o graph.svg",
)
@takes_data
def learn(
    source: DataSource,
    algorithm: MaybeAlgorithmOption = None,
    test: MaybeTestOption = None,
    score: MaybeScoreOption = None,
    prior: MaybePriorOption = None,
    max_indegree: MaxIndegreeOption = None,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    time_limit: TimeLimitOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the graph to this file, such as graph.json or graph.dot; - is JSON to standard output. A "
            "network file, such as net.bif, has a direction for every arc, and parameters: posterior means with "
            "ess 1. With --group, one file for each group, partially pooled.",
            metavar="FILE",
        ),
    ] = None,
    draw: Annotated[str | None, typer.Option(help="Draw the graph to this file, .svg.", metavar="FILE")] = None,
    truth: TruthOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn a network structure from a table.

    Prints one arc per line: A -> B, or A - B if the data does not determine the direction. With -o, writes them to a
    file instead. A summary goes to standard error. If you name hill climbing, tabu search, annealing or exact search,
    the result is one of the networks that fit equally well, and the summary shows how many of its arcs could be
    reversed.

    The default learner depends on the data, and the summary names it: BOSS, a search over orders of the variables, with
    the score BDeu and the fair prior; BGe for continuous data and BCG for mixed data; tabu search with BHD for groups,
    and tabu search for more than 500 columns.

    Ctrl-C stops the search, keeps the best network so far, and exits with code 130.
    """
    from veridag.trust.constants import constants_note, isolating_constants

    choose = parse_learner(algorithm, test, score, prior, max_indegree, time_limit)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    check_path(output, (*GRAPH_SUFFIXES, *network_suffixes()))
    check_path(draw, (".svg",))
    check_one_pipe(output=output, draw=draw)
    true_graph = None if truth is None else load_truth(truth)
    data = source.read()
    learner = choose(data, known)
    is_network = names_network(output)
    if is_network:
        _rehearse_fit(data, str(output), learner)
    with progress_bar("search", keeps="the best so far") as progress, kept() as stopped:
        effective = isolating_constants(data, known)
        result = learner.learn(data, knowledge=effective, seed=seed, jobs=executor, progress=progress)
    result = stopped[0] if stopped else result
    result = replace(result, notes=(*result.notes, *constants_note(data, known)))
    if is_network and not result.valid:
        raise InputError(f"{output!r}: the learned graph cannot be a network ({result.unmet}): write it as .json")
    graph = _directed(result, known)
    if is_network:
        _write_fitted(result.dag, graph, data, str(output))
    elif output is not None:
        write_graph(graph, output)
    if draw is not None:
        write_drawing(graph, draw, title_of(source.path))
    distance = None if true_graph is None else _distance(true_graph, result.graph)
    if as_json:
        facts = {**_facts(result, graph, data), "spec": learner.label, "shd": distance}
        echo(json.dumps(facts, indent=1), err="-" in (output, draw))
    else:
        if output is None and draw != "-":
            print_arcs(graph)
        spec = _choice(learner, data) if algorithm is None else f"learner: {learner.label}"
        lines = [*_summary(result, graph, data, learner), spec, *_doubts(result)]
        if is_network and graph.edges:
            lines.append(
                "edges without direction were directed for the network file, in one of the ways that fit equally well"
            )
        if true_graph is not None:
            arcs = len(true_graph.skeleton().edges)
            lines.append(f"structural Hamming distance {distance} to the truth, which has {arcs} arcs")
        say("\n".join(lines))
        detail(result.settings)
    if stopped:
        raise typer.Exit(130)


def _distance(truth: DAG | PDAG, found: DAG | PDAG) -> int:
    from veridag.metrics import shd

    return shd(truth, found)


def _directed(result: Result, known: Knowledge) -> DAG | PDAG:
    """The graph that was learned; of a class with a member that obeys what is known, directed by that too."""
    from veridag.graph import DAG
    from veridag.graph.knowledge import Knowledge

    if isinstance(result.graph, DAG) or result.member is None or known == Knowledge():
        return result.graph
    return known.orient(result.graph)


def _choice(learner: Algorithm, data: Data) -> str:
    """The spec of the learner that was chosen, and why it was chosen."""
    from veridag.criteria.scores import BHD
    from veridag.criteria.scores.base import Score
    from veridag.trust.defaults import against_boss

    score = learner.criterion
    assert isinstance(score, Score)  # as the default has
    reasons = [reason for reason in [against_boss(data, score)] if reason]
    reasons += ["values are missing"] if data.incomplete else []
    if data.group is not None and not isinstance(score, BHD):
        reasons.append("with the groups pooled")
    why = f" ({', '.join(reasons)})" if reasons else ""
    return f'chosen for {data.kind} data{why}: --algorithm "{learner.label}"'


def _rehearse_fit(data: Data, output: str, learner: Algorithm) -> None:
    """Fail before learning if the result cannot be fitted or written."""
    criterion = learner.criterion
    if data.kind == "mixed" and criterion is not None and criterion.both_directions:
        raise InputError(
            f"--output {output} needs parameters, but {type(criterion).__name__} can find arcs from continuous to "
            "discrete variables, which have none: write the graph to a .json file, or use --discretize"
        )
    from io import BytesIO

    from veridag.graph import DAG
    from veridag.network.fitting import fit
    from veridag.network.formats import SUFFIXES, write_network

    format = SUFFIXES[Path(output.removesuffix(".gz")).suffix.lower()]
    whole = replace(data, group=None, groups=())  # of which the groups are parts
    write_network(fit(DAG.empty(data.names), whole), BytesIO(), format=format)


def _write_fitted(dag: DAG, graph: DAG | PDAG, data: Data, output: str) -> None:
    """The network with its parameters; if it has none, the graph, so that what was learned is not lost."""
    from veridag.network import Network
    from veridag.network.fitting import fit
    from veridag.trust.defaults import default_pooling

    try:
        network = fit(dag, data, method=default_pooling(data)) if data.group is not None else fit(dag, data)
    except InputError as error:
        instead = Path(output).with_suffix(".json")
        if instead.exists():
            raise
        write_graph(graph, str(instead))
        raise InputError(f"{error}. The graph without parameters was written to {instead}") from None
    if not isinstance(network, Network):
        write_networks(network, output)
        return
    write_network(network, output)
    say(f"{network.nparams} parameters, posterior means with ess 1, written to {output}")


def _facts(result: Result, graph: DAG | PDAG, data: Data) -> dict[str, Any]:
    """All that is known of a result, for programs. `arcs` has a direction for all, if there is any DAG."""
    return {
        "variables": len(data.names),
        "rows": data.n,
        "arcs": [list(arc) for arc in (result.dag if result.valid else result.graph).arcs],
        "edges": [list(edge) for edge in graph.edges],
        "valid": result.valid,
        "conflicts": [list(arc) for arc in result.conflicts],
        "overruled": [list(structure) for structure in result.overruled],
        "notes": [*data.notes, *result.notes],
        "bin_edges": {name: list(edges) for name, edges in data.bin_edges.items()},
        "score": result.score,
        "seconds": round(result.seconds, 6),
        "steps": result.steps,
        "calls": result.calls,
        "distinct_calls": result.distinct_calls,
        "optimal": result.optimal,
        "gap": finite(result.gap),
        "interrupted": result.interrupted,
        "seed": result.seed,
        "settings": result.settings,
    }


def _turnable(result: Result, learner: Algorithm) -> int:
    """The number of arcs of a DAG that have no direction in its class; none with a score that tells members apart."""
    from veridag.graph import DAG

    score = getattr(learner, "score", None)
    if not isinstance(result.graph, DAG) or score is None or not score.equivalent:
        return 0
    return len(result.cpdag.edges)


def _summary(result: Result, graph: DAG | PDAG, data: Data, learner: Algorithm) -> list[str]:
    """What was found and how, in lines that fit a terminal."""
    calls = f"{result.calls} evaluation{'s' * (result.calls != 1)} ({result.distinct_calls} distinct)"
    state = "stopped after" if result.interrupted else "learned in"
    lines = [
        f"{_counted_arcs(graph)} among {len(data.names)} variables, {state} {result.seconds:.3f} s, seed {result.seed}"
    ]
    if graph.edges:
        lines.append(f"{len(graph.edges)} without direction: both fit the data equally well")
    elif turnable := _turnable(result, learner):
        lines.append(f"{turnable} could be reversed and fit equally well")
    lines.append(calls if result.score is None else f"score {result.score:.6f}, {result.steps} moves, {calls}")
    return [*lines, describe_gap(result)] if result.gap is not None else lines


def _counted_arcs(graph: DAG | PDAG) -> str:
    arcs = len(graph.skeleton().edges)
    return "1 arc" if arcs == 1 else f"{arcs} arcs"


def _doubts(result: Result) -> list[str]:
    """What a result of tests that contradict each other has to say."""
    lines = list(result.notes)
    if result.overruled:
        lines.append(
            f"{len(result.overruled)} v-structures were dropped for stronger ones or for required and forbidden arcs"
        )
    if not result.valid:
        among = f": see {', '.join(' - '.join(pair) for pair in result.conflicts[:5])}" if result.conflicts else ""
        lines.append(f"the graph is invalid, {result.unmet or 'no DAG has these arcs and v-structures'}{among}")
    return lines
