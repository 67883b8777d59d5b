"""What the quick run finds: the network of the default learner, without a word on how sure it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import PDAG
from veridag.graph.drawing import svg
from veridag.graph.knowledge import Knowledge
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.progress import Interrupted, Progress
from veridag.report.directions import Directions, draws_one_way
from veridag.report.lines import MOST_DRAWN, MOST_WIDTH
from veridag.report.script_data import described_variables
from veridag.search.result import Result
from veridag.trust.assessment.words import count
from veridag.trust.averages.average import oriented
from veridag.trust.defaults import usual_score
from veridag.trust.learning import learn


@dataclass(frozen=True)
class Learned:
    """The graph of one learner, directed as far as the data and what is known allow, and its fitted network.

    `why_not` says why there are no parameters, where there are none. `directions` are those known or assumed.
    """

    title: str
    data: Data
    result: Result
    graph: PDAG
    network: Network | None
    why_not: str
    seconds: float
    directions: Directions

    @property
    def assumes(self) -> bool:
        """Whether directions are drawn that are assumed."""
        return any(self.directions.is_assumed(a, b) for a, b in self.graph.arcs)

    @property
    def headline(self) -> str:
        """What was found, in one sentence."""
        number = len(self.graph.skeleton().edges)
        links = count(number, "link") if number else "no links"
        early = " It was stopped before its end." if self.result.interrupted else ""
        return f"The default learner found {links} among {count(len(self.data.names), 'variable')}.{early}"


def learn_only(
    data: Data, title: str, known: Knowledge | None, seed: int, jobs: int, progress: Progress | None
) -> Learned:
    """Learn with the default learner, and fit. An interrupt carries what was found by then."""
    start = time.perf_counter()
    try:
        return _fitted(data, title, learn(data, known, seed, progress, jobs=jobs), known, start)
    except Interrupted as stop:
        stop.result = _fitted(data, title, stop.result, known, start)
        raise


def _fitted(data: Data, title: str, result: Result, known: Knowledge | None, start: float) -> Learned:
    network, why_not = None, ""
    graph = oriented(result.graph, known or Knowledge(), result.targets)
    directions = Directions.on(data, known, draws_one_way(usual_score(data, known)), graph, graph)
    try:
        if not result.valid:
            raise InputError(f"the graph that was learned is no network ({result.unmet})")
        network = fit(result.dag, replace(data, group=None, groups=()))
    except InputError as error:
        why_not = str(error)
    return Learned(title, data, result, graph, network, why_not, time.perf_counter() - start, directions)


def drawing_of(found: Learned) -> Markup:
    """The network as a picture; of very many links, the first."""
    at = {name: i for i, name in enumerate(found.data.names)}
    links = _links(found)[:MOST_DRAWN]
    pairs = {kind: [(at[a], at[b]) for a, b, directed in links if directed == kind] for kind in (True, False)}
    assumed = {(at[a], at[b]) for a, b, directed in links if directed and found.directions.is_assumed(a, b)}
    classes = {pair: f"likely{' assumed' if pair in assumed else ''}" for pair in (*pairs[True], *pairs[False])}
    return Markup(svg(found.data.names, pairs[True], pairs[False], arc_classes=classes, most_width=MOST_WIDTH))


def script_data(found: Learned) -> dict[str, Any]:
    """What the page's script knows; see `veridag.report.script_data`. No learners were compared."""
    at = {name: i for i, name in enumerate(found.data.names)}
    links = []
    for a, b, directed in _links(found):
        asked = found.directions.possible_cause(a, b) if directed else None
        way = "assumed" if directed and found.directions.is_assumed(a, b) else ""
        links.append(
            {
                "from": at[a],
                "to": at[b],
                "directed": directed,
                "standing": "likely",
                "said": "",
                "chance": "",
                "found": 1,
                "way": way,
                "cause": None if asked is None else at[asked[0]],
            }
        )
    variables = described_variables(found.data.names, found.graph, found.network)
    return {"names": found.data.names, "learners": 0, "start": len(links), "links": links, "variables": variables}


def link_rows(found: Learned) -> list[dict[str, Any]]:
    """The links as a table."""
    return [{"a": a, "b": b, "directed": directed} for a, b, directed in _links(found)]


def _links(found: Learned) -> list[tuple[str, str, bool]]:
    return [*((a, b, True) for a, b in found.graph.arcs), *((a, b, False) for a, b in found.graph.edges)]
