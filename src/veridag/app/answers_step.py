"""The step "What if": what goes with what is seen, and effects of what is changed.

The page computes what goes with what by itself; where the network is too large for that, the server answers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from math import isfinite
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from veridag.data import Data
from veridag.errors import InputError, speaking_page
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.network import Network
from veridag.network.query import JunctionTree
from veridag.progress import Interrupted, Progress
from veridag.trust.effects import AveragedEffect, Effect, PossibleEffects, averaged_effect, effect, possible_effects

from .network_step import kept_of
from .pages import rendered
from .requests import body_of
from .results import Kept
from .worker import cores, read_table

#: Bootstrap samples of an effect, and seconds after which those that are done must do.
REPEATS, MOST_SECONDS = 200, 20.0
#: Networks that are learned again to see how sure it is that there is no path.
NETWORKS = 40
#: What an interval leaves out.
_TAKEN_AS_CERTAIN = (
    "This takes the links of the network, and the directions that are not open, as certain. The interval does not "
    "include doubts about them."
)
#: How measurements are cut into classes where the network has no parameters otherwise.
BINS = "quantile(4)"
_ARGUMENT = re.compile(r"^(?:x|y|data|graph|adjustment|given|values|outcome): ")


Answer = Callable[[Mapping[str, Any]], dict[str, Any] | None]


@lru_cache(maxsize=4)
def _asking(folder: Path, changed: int) -> Answer:
    """What answers about the network of a run, kept for the next question; `changed` is when its file was written."""
    del changed
    network = Kept(folder).network
    if network is None:
        raise InputError("This network has no parameters, so there is nothing to compute.")
    if network.is_gaussian:
        return partial(means_given, network)
    return partial(marginals_given, JunctionTree(network))


@lru_cache(maxsize=2)
def _table(path: Path, changed: int) -> Data:
    del changed
    return read_table(path)


def show(request: Request) -> Response:
    """The cards of "what if", and the question about effects."""
    _, run, kept = kept_of(request)
    facts, text = kept.facts, kept.part("what_if")
    told = None
    if facts["asked"] == "server":
        names = kept.drawn["names"]
        states = facts["states"]
        told = {"kind": facts["kind"], "names": names, "labels": [states[v] for v in names], "rows": facts["rows"]}
    return rendered(
        "what_if_step.html.j2",
        run=run,
        text=None if text is None else Markup(text),
        told=told,
        view={"kind": facts["kind"], "followed": False, "command": ""},
        names=kept.drawn["names"],
        blocking=blocking(kept.graph, facts["states"]) if facts["kind"] is None else [],
        bins=BINS,
    )


def blocking(graph: DAG | PDAG, states: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """The links because of which a network has no parameters: those from a measurement, without states, to a category.

    Where none has this direction for sure, those that may have it.
    """
    arcs = [(a, b) for a, b in graph.arcs if states[b] and not states[a]]
    edges = [(a, b) if states[b] else (b, a) for a, b in graph.edges if bool(states[a]) != bool(states[b])]
    return arcs or edges


def marginals_given(tree: JunctionTree, evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """The distribution of every variable with states, in the order of the names; None if the evidence is impossible."""
    log = tree.log_probability(evidence)
    if not isfinite(log):
        return None
    found = tree.marginals(evidence)
    return {"marginals": [found[name].tolist() for name in tree.network.names], "log": log}


def means_given(network: Network, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Mean and standard deviation of every variable, in the order of the names."""
    found = network.marginals(evidence)
    pairs: Any = [found[name] for name in network.names]
    return {"means": [pair.mean for pair in pairs], "sds": [pair.sd for pair in pairs]}


async def ask(request: Request) -> Response:
    """The answer of a network that is too large for the page."""
    _, _, kept = kept_of(request)
    evidence = (await body_of(request)).get("evidence")
    if not isinstance(evidence, dict) or not all(isinstance(x, str | int | float) for x in evidence.values()):
        raise InputError("What is known must be given as variables with their states or values.")

    def answered() -> dict[str, Any] | None:
        path = kept.folder / "network.json"
        return _asking(kept.folder, path.stat().st_mtime_ns if path.is_file() else 0)(evidence)

    return JSONResponse({"answer": await run_in_threadpool(answered)})


def estimate(data: Data, graph: PDAG, x: str, y: str) -> Effect | PossibleEffects:
    """The effect of x on y, or all that it can be where the graph leaves directions open that matter."""
    estimator: Any = possible_effects if graph.obstacles(x, y) else effect
    try:
        found: Effect | PossibleEffects = estimator(
            data, graph, x, y, repeats=REPEATS, jobs=cores(), progress=_in_time()
        )
    except Interrupted as stop:
        found = stop.result
    return found


def without_assumed(graph: DAG | PDAG, data: Data, known: Knowledge | None) -> DAG | PDAG:
    """The graph with directions open that come neither from the data nor from what is known.

    In mixed data, scores direct links from categories to measurements. An effect must not rest on that.
    """
    if data.kind != "mixed":
        return graph
    found = graph.cpdag()
    return found if known is None else known.orient(found)


def _in_time() -> Progress:
    """A progress callback that stops the work when its time is over."""
    end = time.monotonic() + MOST_SECONDS

    def told(*how_far: object) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt

    return told


def has_no_path(found: Effect | PossibleEffects) -> bool:
    """Whether the graph alone says that there is no effect."""
    return found.exists is False if isinstance(found, PossibleEffects) else found.adjustment is None


def how_sure(data: Data, known: Knowledge | None, x: str, y: str) -> str:
    """In how many networks that the data supports there is a path from x to y where the one that is shown has none."""
    averaged: AveragedEffect | None = None
    try:
        averaged = averaged_effect(data, x, y, knowledge=known, repeats=NETWORKS, jobs=cores(), progress=_in_time())
    except Interrupted as stop:
        averaged = stop.result
    except (KeyboardInterrupt, InputError):
        pass
    if averaged is None or not averaged.graphs:
        return "How sure that is takes too long to find out here: “Learn and assess” says how sure each link is."
    share = 100 * averaged.any_effect
    often = "none" if share == 0 else f"about {share:.0f} %" if share >= 1 else "fewer than 1 %"
    return (
        f"How sure is that? {averaged.graphs} networks were learned again, each from rows drawn at random from your "
        f"table: such a path leads from {x} to {y} in {often} of them."
    )


def answer(
    kept: Kept, table: Path, known: Knowledge | None, x: object, y: object, *, sure: bool = False
) -> dict[str, Any]:
    """The words on an effect, as the library says them on a page, and its table; or how sure it is that there is none.

    `no_path` says that this can be asked.
    """
    graph = kept.graph
    for name in (x, y):
        if name not in graph.names:
            raise InputError(f"There is no variable {name!r} in this network: choose one of the list.")
    if x == y:
        raise InputError("Choose two different variables.")
    data = _table(table, table.stat().st_mtime_ns)
    x, y = str(x), str(y)
    with speaking_page():
        if sure:
            return {"sentence": how_sure(data, known, x, y)}
        try:
            found = estimate(data, without_assumed(graph, data, known), x, y)  # type: ignore[arg-type]
        except InputError as error:
            said = _ARGUMENT.sub("", str(error))
            raise InputError(f"{said[:1].upper()}{said[1:]}.") from None
        no_path = has_no_path(found)
        sentence = found.sentence if no_path else f"{found.sentence} {_TAKEN_AS_CERTAIN}"
        return {"sentence": sentence, "html": found._repr_html_(), "no_path": no_path}


async def ask_effect(request: Request) -> Response:
    """The effect of one variable on another, by the graph of the run."""
    _, run, kept = kept_of(request)
    body = await body_of(request)
    table = kept.folder / run.asked.table

    def answered() -> dict[str, Any]:
        x, y, sure = body.get("x"), body.get("y"), body.get("how_sure") is True
        return answer(kept, table, run.asked.knowledge, x, y, sure=sure)

    return JSONResponse(await run_in_threadpool(answered))


_API = "/api/projects/{id}/runs/{number:int}"
routes = [
    Route("/project/{id}/runs/{number:int}/what-if", show),
    Route(f"{_API}/marginals", ask, methods=["POST"]),
    Route(f"{_API}/effect", ask_effect, methods=["POST"]),
]
