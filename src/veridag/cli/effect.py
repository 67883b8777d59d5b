"""The command that estimates a causal effect."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veridag.errors import InputError

from .app import command
from .inputs import check_one_input, load_any
from .learners import parse_knowledge
from .options import (
    DaskOption,
    DataSource,
    ForbidOption,
    JobsOption,
    JsonOption,
    ProcessesOption,
    RequireOption,
    SeedOption,
    TiersOption,
    executor_for,
    takes_data,
)
from .parsing import names_of, split
from .progress_bar import kept, progress_bar
from .terminal import echo, note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veridag.data import Data
    from veridag.graph import DAG, PDAG
    from veridag.graph.knowledge import Knowledge
    from veridag.trust.effects import AveragedEffect, Effect, PossibleEffects


@command(
    "effect",
    "veridag effect cases.csv smoker cancer",
    "veridag effect cases.csv smoker cancer -g graph.json --value no --value yes",
    "veridag effect cases.csv smoker cancer -g graph.json --given hospital=A",
    "veridag effect cases.csv smoker cancer --average --repeats 20",
)
@takes_data
def estimate_effect(
    source: DataSource,
    x: Annotated[str, typer.Argument(help="The cause: the variable you set.", metavar="X")],
    y: Annotated[str, typer.Argument(help="The outcome.", metavar="Y")],
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            "-g",
            help="The causal graph: a file, a reference network, or a modelstring such as '[A][B|A]'. Default: learn "
            "one.",
            metavar="GRAPH",
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare two values of X, as in --value no --value yes: first the baseline. Default: each state "
            "against the first; for a continuous X, one unit more.",
            metavar="VALUE",
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            help="The state of Y, such as yes. Default: the last of two states, otherwise all.", metavar="STATE"
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            help="Estimate the effect among rows with this value of a variable that X does not affect, such as "
            "hospital=A. Repeat for several variables.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    adjustment: Annotated[
        str,
        typer.Option(
            help="What to adjust for: optimal, parents, or names separated by commas.", metavar="optimal|parents|A,B"
        ),
    ] = "optimal",
    average: Annotated[
        bool, typer.Option("--average", help="Average the effect over graphs learned from bootstrap samples.")
    ] = False,
    require: RequireOption = None,
    forbid: ForbidOption = None,
    tiers: TiersOption = None,
    repeats: Annotated[int, typer.Option("--repeats", "-r", help="Number of bootstrap samples.")] = 200,
    level: Annotated[float, typer.Option(help="Coverage of the intervals, between 0 and 1.")] = 0.95,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    processes: ProcessesOption = False,
    dask: DaskOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate the causal effect of one variable on another.

    The graph determines what to adjust for. It must have all common causes: data alone cannot show that. Without
    --graph, learns a graph from the same rows with the default learner. If edges without direction matter, the effect
    is not identified: the command shows all possible effects, and the edges that would decide between them. --average
    shows the distribution of the effect over many graphs instead.

    Ctrl-C keeps the repeats done so far and exits with code 130.
    """
    from veridag.checks import Integer
    from veridag.trust.effects.effect import LEVEL
    from veridag.trust.effects.question import Question

    check_one_input(source.path, graph or "")
    values = _two(value)
    conditions = dict(split(item, "given", "NAME=VALUE") for item in given or [])
    sets = adjustment if adjustment in ("optimal", "parents") else names_of([adjustment])
    Integer(1 if average else 0)("repeats", repeats)
    LEVEL("level", level)
    known, executor = parse_knowledge(require, forbid, tiers), executor_for(jobs, processes, dask)
    if graph is not None and (average or require or forbid or tiers):
        raise InputError("--graph: the graph is used as it is: leave out --average, --require, --forbid and --tiers")
    if average and (conditions or sets != "optimal"):
        raise InputError("--average adjusts for the optimal set of each graph: leave out --given and --adjustment")
    common: Any = {"values": values, "outcome": outcome, "repeats": repeats, "level": level, "seed": seed}
    common["jobs"] = executor
    chosen, states = (None, {}) if graph is None else _causal_graph(graph)
    data = _ordered(source.read(None if chosen is None else chosen.names, optional=True), states, source)
    Question.of(data, chosen, x, y, values, outcome, conditions)  # complains before anything is learned
    found: Effect | PossibleEffects | AveragedEffect
    with kept() as stopped:
        if average:
            found = _averaged(data, x, y, known, common)
        else:
            chosen = _learned(data, known, seed, executor.local_threads) if chosen is None else chosen
            found = _estimated(data, chosen, x, y, conditions, sets, common)
    found = stopped[0] if stopped else found
    echo(json.dumps(effect_facts(found), indent=1) if as_json else str(found))
    if stopped:
        raise typer.Exit(130)


def _two(value: list[str] | None) -> tuple[str, str] | None:
    if not value:
        return None
    if len(value) != 2:
        raise InputError(f"--value {' --value '.join(value)}: give two values, first the baseline")
    return value[0], value[1]


def _causal_graph(name: str) -> tuple[DAG | PDAG, Mapping[str, Sequence[str]]]:
    """The graph, and the states of its variables in order if it is that of a network."""
    from veridag.graph import DAG, PDAG
    from veridag.network import Network

    content = load_any(name)
    if isinstance(content, Network):
        return content.dag, content.states
    if not isinstance(content, DAG | PDAG):
        raise InputError(
            f"--graph {name}: it is a {type(content).__name__}, but this command needs a DAG or a PDAG: give another "
            "graph"
        )
    return content, {}


def _ordered(data: Data, states: Mapping[str, Sequence[str]], source: DataSource) -> Data:
    """The data with the states in the order that a network has them, unless --states or another state speaks."""
    from dataclasses import replace

    import numpy as np

    said = source.in_effect.states or {}
    columns = list(data.columns)
    for k, column in enumerate(columns):
        order = [s for s in states.get(column.name, ()) if s in column.states]
        if column.name not in said and len(order) == len(column.states) and tuple(order) != column.states:
            place = np.array([order.index(s) for s in column.states], column.values.dtype)
            columns[k] = replace(column, values=place[column.values], states=tuple(order))
    return replace(data, columns=tuple(columns))


def _learned(data: Data, known: Knowledge, seed: int, jobs: int) -> DAG | PDAG:
    """The class of the network that is learned by default, directed by what is known."""
    from veridag.progress import Interrupted
    from veridag.trust.averages.average import oriented
    from veridag.trust.defaults import default_learner
    from veridag.trust.effects.sources import ruled_out
    from veridag.trust.learning import learn

    with progress_bar("search") as progress:
        try:
            result = learn(data, known, seed, progress, jobs=jobs)
        except Interrupted as stop:
            raise KeyboardInterrupt from stop  # a graph is no answer
    note(
        "the graph was learned from the same rows, and the interval treats it as known: --average includes that "
        "uncertainty"
    )
    for text in ruled_out(data, default_learner(data, knowledge=known).criterion):
        note(text)
    return oriented(result.graph, known, result.targets)


def _estimated(
    data: Data,
    graph: DAG | PDAG,
    x: str,
    y: str,
    given: dict[str, str],
    adjustment: str | tuple[str, ...],
    common: dict[str, Any],
) -> Effect | PossibleEffects:
    from veridag.graph import PDAG
    from veridag.trust.effects import effect, possible_effects

    with progress_bar("bootstrap", keeps="the finished repeats") as progress:
        is_open = isinstance(graph, PDAG) and bool(graph.obstacles(x, y))
        if is_open and not given and isinstance(adjustment, str):
            method: Any = "optimal" if adjustment == "optimal" else "local"
            possible: PossibleEffects = possible_effects(data, graph, x, y, method=method, **common, progress=progress)
            return possible
        return effect(data, graph, x, y, given=given, adjustment=adjustment, **common, progress=progress)


def _averaged(data: Data, x: str, y: str, known: Knowledge, common: dict[str, Any]) -> AveragedEffect:
    from veridag.trust.effects import averaged_effect

    with progress_bar("bootstrap", keeps="the finished repeats") as progress:
        return averaged_effect(data, x, y, knowledge=known, **common, progress=progress)


def effect_facts(found: Effect | PossibleEffects | AveragedEffect) -> dict[str, Any]:
    """What was found, for programs."""
    from veridag.trust.effects import Effect, PossibleEffects

    facts: dict[str, Any] = {
        "x": found.question.x,
        "y": found.question.y,
        "given": dict(found.question.given),
        "sentence": found.sentence,
    }
    if isinstance(found, Effect):
        facts |= _effect_facts(found)
    elif isinstance(found, PossibleEffects):
        facts |= _possible_facts(found)
    else:
        facts |= {
            "kind": "averaged",
            "contrast": _contrast_facts(found),
            "graphs": found.graphs,
            **{
                name: _finite(getattr(found, name))
                for name in ("mean", "low", "high", "any_effect", "positive", "negative", "directions")
            },
        }
    return {**facts, "level": found.level, "seed": found.seed, "notes": list(found.notes)}


def _effect_facts(found: Effect) -> dict[str, Any]:
    from veridag.trust.effects.results import contrast_facts

    return {
        "kind": "effect",
        "adjustment": None if found.adjustment is None else list(found.adjustment),
        "contrasts": [{k: _finite(v) for k, v in contrast_facts(c).items()} for c in found.contrasts],
        "levels": [{"set_to": one.value, "outcome": one.outcome, **one.estimate._asdict()} for one in found.levels],
        "observations": found.n,
        "repeats": found.repeats,
    }


def _possible_facts(found: PossibleEffects) -> dict[str, Any]:
    from veridag.trust.effects.possible_results import effect_facts as facts_of

    return {
        "kind": "possible",
        "method": found.method,
        "contrast": _contrast_facts(found),
        "effects": [{k: _finite(v) for k, v in facts_of(e).items()} for e in found.effects],
        "bounds": list(found.bounds),
        "class_size": found.class_size,
        "exists": found.exists,
        "sign": found.sign,
        "settled_by": [list(edge) for edge in found.settled_by],
        "observations": found.n,
        "repeats": found.repeats,
    }


def _contrast_facts(found: PossibleEffects | AveragedEffect) -> dict[str, Any]:
    own = found.contrast
    return {"baseline": own.baseline, "value": own.value, "outcome": own.outcome}


def _finite(value: Any) -> Any:
    """JSON has neither NaN nor infinity."""
    return None if isinstance(value, float) and not isfinite(value) else value
