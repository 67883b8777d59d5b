"""The step "What if": what goes with what is seen, and effects of what is changed.

The page computes what goes with what by itself; where the network is too large for that, the server answers.
"""

from __future__ import annotations

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
from veridag.errors import InputError
from veridag.graph import PDAG
from veridag.network import Network
from veridag.network.query import JunctionTree
from veridag.progress import Interrupted
from veridag.trust.effects import Effect, PossibleEffects, effect, possible_effects

from .network_step import kept_of
from .pages import rendered
from .requests import body_of
from .results import Kept
from .worker import cores, read_table

#: Bootstrap samples of an effect, and seconds after which those that are done must do.
REPEATS, MOST_SECONDS = 200, 20.0


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
    )


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
    end = time.monotonic() + MOST_SECONDS

    def in_time(*told: object) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt

    estimator: Any = possible_effects if graph.obstacles(x, y) else effect
    try:
        found: Effect | PossibleEffects = estimator(data, graph, x, y, repeats=REPEATS, jobs=cores(), progress=in_time)
    except Interrupted as stop:
        found = stop.result
    return found


def answer(kept: Kept, table: Path, x: object, y: object) -> dict[str, Any]:
    """The words on an effect, as the library says them, and its table."""
    graph = kept.graph
    for name in (x, y):
        if name not in graph.names:
            raise InputError(f"There is no variable {name!r} in this network: choose one of the list.")
    if x == y:
        raise InputError("Choose two different variables.")
    data = _table(table, table.stat().st_mtime_ns)
    found = estimate(data, graph, str(x), str(y))  # type: ignore[arg-type]
    return {"sentence": found.sentence, "html": found._repr_html_()}


async def ask_effect(request: Request) -> Response:
    """The effect of one variable on another, by the graph of the run."""
    _, run, kept = kept_of(request)
    body = await body_of(request)
    table = kept.folder / run.asked.table

    def answered() -> dict[str, Any]:
        return answer(kept, table, body.get("x"), body.get("y"))

    return JSONResponse(await run_in_threadpool(answered))


_API = "/api/projects/{id}/runs/{number:int}"
routes = [
    Route("/project/{id}/runs/{number:int}/what-if", show),
    Route(f"{_API}/marginals", ask, methods=["POST"]),
    Route(f"{_API}/effect", ask_effect, methods=["POST"]),
]
