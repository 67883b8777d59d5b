"""Learning from interventions by definition: rows are left out of a table before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable

from naive import graphs
from veridag.data import Data


def rows_without(data: Data, names: Iterable[str]) -> Data:
    """A table of the rows in which none of these variables was set, read anew."""
    unwanted = set(names)
    frame = data.to_pandas()
    kept = [i for i in range(data.nrows) if data.targets is None or not unwanted & set(data.targets[i])]
    frame = frame.drop(columns="targets", errors="ignore").iloc[kept]
    role = {"weights": "weight"} if data.weights is not None else {}
    role |= {"group": "group"} if data.group is not None else {}
    return Data.from_frame(frame, kinds=dict(data.kinds), **role)


def local(score: object, child: str, parents: Iterable[str], data: Data) -> float:
    """Cooper and Yoo (1999): the score of a family from the rows in which the child was not set."""
    return score.local(child, list(parents), rows_without(data, [child]))


def interventional_class(n: int, dag: graphs.Arcs, targets: Iterable[frozenset[int]]) -> tuple[graphs.Arcs, ...]:
    """Hauser and Buhlmann (2012), theorem 10: the DAGs with the same skeleton and v-structures, and with the same
    skeleton once the arcs into each target are removed."""
    sets = list(targets)

    def cut(arcs: graphs.Arcs) -> list[object]:
        return [graphs.skeleton(frozenset((a, b) for a, b in arcs if b not in target)) for target in sets]

    members = graphs.equivalence_classes(n)[graphs.equivalence_class_key(dag)]
    return tuple(other for other in members if cut(other) == cut(dag))
