"""The graphs that an effect is averaged over, and what they say of directions that the model itself rules out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.posteriors import Posterior
from veridag.posteriors.draws import Draws
from veridag.trust.averages.average import oriented

Drawn = Draws | Posterior | Iterable[DAG | PDAG]
Source = Literal["bootstrap"] | Drawn

#: The one score that lets a continuous variable cause a discrete one, as settings name it.
_BOTH_DIRECTIONS = "DegenerateGaussian"


def ruled_out(data: Data, criterion: Score | Test | None) -> tuple[str, ...]:
    """A note on directions that the criterion rules out and that are open all the same, if there are any.

    In a conditional Gaussian model no arc leads from a continuous to a discrete variable. That is a property of the
    model, and no evidence of a direction: equivalent DAGs with the arc reversed fit the same independences.
    """
    if data.kind != "mixed" or criterion is None or criterion.both_directions:
        return ()
    return (_note(type(criterion).__name__),)


def _note(name: str) -> str:
    return (
        f"{name} rules out arcs from continuous to discrete variables; that is no evidence of a direction, so such "
        "arcs are open here unless knowledge directs them"
    )


def graphs_of(source: Drawn, data: Data, repeats: int, seed: int) -> tuple[list[DAG | PDAG], tuple[str, ...]]:
    """The graphs of a source, at most `repeats` of a posterior, and notes on them.

    If the score of a posterior rules out arcs from continuous to discrete variables, each draw stands for its class,
    directed by what the user knows.
    """
    if isinstance(source, Posterior):
        source = source.sample(repeats, seed=seed)
    if isinstance(source, Draws):
        kept = np.linspace(0, len(source) - 1, min(repeats, len(source))).round().astype(int)
        drawn: list[DAG | PDAG] = [source[int(k) // source.per_chain, int(k) % source.per_chain] for k in kept]
        score = source.settings.values.get("score", "")
        if data.kind != "mixed" or _BOTH_DIRECTIONS in score:
            return drawn, ()
        return _opened(drawn, data, source.knowledge), (_note(score.partition("(")[0]),)
    if not isinstance(source, Iterable):
        raise InputError(
            f"source: a {type(source).__name__} has no graphs: pass 'bootstrap', draws from a posterior, or graphs"
        )
    return _checked(list(source), data), ()


def _opened(graphs: list[DAG | PDAG], data: Data, known: Knowledge | None) -> list[DAG | PDAG]:
    return [oriented(graph, known or Knowledge(), data.target_sets) for graph in graphs]


def _checked(graphs: list[DAG | PDAG], data: Data) -> list[DAG | PDAG]:
    for graph in graphs:
        if not isinstance(graph, DAG | PDAG):
            raise InputError(f"source: it holds a {type(graph).__name__}, where a DAG or a PDAG is needed")
        if sorted(graph.names) != sorted(data.names):
            raise InputError("source: the graphs and the data have different variables: select() those of the graphs")
    if not graphs:
        raise InputError("source: there are no graphs in it")
    return graphs
