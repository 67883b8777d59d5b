"""A test of intersection-validation: its partial Hamming distances next to the distances to a known truth.

The experiments of Viinikka (2019), section 4. From each network, data sets of all `sizes` are sampled, `repetitions`
of each, independent of each other. A data set of N rows is a whole run of intersection-validation with N as the
*intersection point*: the agreement graph is what all learners find alike on all N rows, and for each smaller size s
the learners learn from `subsamples` subsamples. A file of real data is one such run, with the sizes N/2, N/4, ...
down to the first of at most 100, and without what needs a truth.

Cells with part "full" are about a data set as a whole; their rows have in the column `what`

- "learner": for each learner the SHD to the truth, the cross-entropy of the truth and the learned network with mean
  posterior parameters (ess = 1, by sampling), and its estimate by cross-validation, `validation_loss`; both in nats
  for a row;
- "agreement": the size of the agreement graph, its joined pairs (`connected_pairs`) and those agreed to be apart, the
  mean SHD between the graphs it is made of, and its errors: `missing`, `spurious` and `misoriented`. The first
  repetition has the agreement graph itself, as DOT on one line in `graph`.

Cells with part "subsamples" are about subsamples of one size; their rows have

- "phd": for each learner the mean PHD to the agreement over the subsamples; and `phd_error_free`, the PHD between
  what the learner finds on the independent data set of that size and repetition, and the truth on the pairs of the
  agreement graph (section 4.4);
- "pair": the mean PHD of `learner` to the agreement of it and one `other` alone (section 4.6).

What is made of them is in `measures`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from veridag.checks import is_integer
from veridag.data import read
from veridag.graph import PDAG, PartialGraph
from veridag.metrics import phd, phd_parts, shd
from veridag.network.reference import load
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, fingerprint
from veridag.study.kinds._parameters import read_learner
from veridag.study.shared import Shared
from veridag.trust.cross_validation import cross_validate
from veridag.trust.subsampling import default_sizes, subsample

from .data import Learned, Source
from .figures import draw_all

if TYPE_CHECKING:
    import polars as pl

_KEYS = (
    "networks",
    "data",
    "sizes",
    "points",
    "repetitions",
    "subsamples",
    "learners",
    "scores",
    "ways",
    "folds",
    "cross_entropy_rows",
    "pairs",
    "max_indegree",
)


class Intersection(Kind):
    """The kind of study that compares intersection-validation with what is known of the truth."""

    name = "intersection"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """For every data set one cell for the whole, and one for each size of subsamples."""
        spec.allow(*_KEYS)
        networks, files = spec.texts("networks", ()), spec.paths("data", ())
        if not networks and not files:
            raise spec.mistake("data", [], "give files of discrete data with --data, or networks in the study file")
        if spec.count("subsamples") < 2:
            raise spec.mistake("subsamples", 1, "give at least 2")
        for series, learners in _series(spec):
            for name in networks:
                yield from _network_cells(spec, name, series, learners)
            for path in files:
                yield from _file_cells(spec, path, series, learners)

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Do one cell."""
        source = Source(settings, shared)
        return _whole(source, seed) if settings["part"] == "full" else _subsamples(source, seed)

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Figures 7 to 20 and tables 2 and 3 of the thesis, as far as there are rows for them; see the file's notes."""
        yield from draw_all(rows)

    def shares(self, settings: Settings) -> Hashable:
        """A data set and what is learned from all of it."""
        return settings["source"], settings["digest"], settings["score"], settings["point"], settings["repetition"]

    def sort(self, settings: Settings) -> Hashable:
        """Networks differ more than anything else."""
        return settings["source"], settings["score"], settings["part"]

    def effort(self, settings: Settings) -> float:
        """Learning grows with the rows, but has a part that does not."""
        size = settings["size"]
        assert isinstance(size, int)
        return 500.0 + size


def _series(spec: Spec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The name of each series of experiments, and the learners that are compared in it.

    With `ways`, a table of labels and specs, a way of learning is a series, and its learners differ in the score. Else
    a score is a series, and `learners` has all that it is compared with. Either has {score} where the score goes.
    """
    scores, ways = spec.texts("scores", ("",)), spec.grid.get("ways")
    if ways is None:
        series = {score: [learner.replace("{score}", score) for learner in spec.texts("learners")] for score in scores}
    elif isinstance(ways, Mapping) and all(isinstance(way, str) for way in ways.values()):
        series = {str(name): [way.replace("{score}", score) for score in scores] for name, way in ways.items()}
    else:
        raise spec.mistake("ways", ways, 'give a table of labels and specs, such as tabu = "tabu(score={score})"')
    for name, learners in series.items():
        for learner in learners:
            read_learner(learner)
        if len(set(learners)) < 2:
            raise spec.mistake("learners", learners, "give at least two that differ: an agreement needs two")
        yield name, tuple(learners)


def _network_cells(
    spec: Spec, name: str, score: str, learners: tuple[str, ...]
) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    load(name)
    sizes = sorted(spec.counts("sizes"))
    points = spec.counts("points", tuple(sizes[1:]))
    odd = [point for point in points if point not in sizes]
    if odd:
        raise spec.mistake("points", odd[0], f"give points that are among the sizes {sizes}")
    common = _common(spec, name, score, learners)
    for repetition in range(spec.count("repetitions")):
        for point in sizes:
            own = {**common, "digest": "", "point": point, "repetition": repetition}
            yield {**own, "part": "full", "size": point}
            if point in points:
                yield from ({**own, "part": "subsamples", "size": size} for size in sizes if size < point)


def _file_cells(
    spec: Spec, path: Path, score: str, learners: tuple[str, ...]
) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    rows = read(path).n
    name = path.name.split(".")[0]
    if rows < 4:
        raise spec.mistake("data", str(path), f"it has only {rows} rows, too few for subsamples")
    own = {**_common(spec, name, score, learners), "digest": fingerprint(path), "point": rows, "repetition": 0}
    own["path"] = str(path)
    yield {**own, "part": "full", "size": rows}
    yield from ({**own, "part": "subsamples", "size": size} for size in default_sizes(rows))


def _common(spec: Spec, name: str, score: str, learners: tuple[str, ...]) -> dict[str, Value | tuple[str, ...]]:
    return {
        "source": name,
        "score": score,
        "learners": learners,
        "max_indegree": _max_indegree(spec, name),
        "subsamples": spec.count("subsamples"),
        "folds": spec.count("folds", 0, least=0),
        "cross_entropy_rows": spec.count("cross_entropy_rows", 0, least=0),
        "pairs": bool(spec.grid.get("pairs", True)),
        "study_seed": spec.seed,
    }


def _max_indegree(spec: Spec, name: str) -> int | None:
    """The bound for one source: the table's entry of that name, or that of `other`; None leaves the learners alone."""
    table = spec.grid.get("max_indegree", {})
    if not isinstance(table, Mapping):
        raise spec.mistake(
            "max_indegree", table, "give a table of data set names and numbers, with `other` for the rest"
        )
    value = table.get(name, table.get("other"))
    if value is not None and not (is_integer(value) and value >= 1):
        raise spec.mistake("max_indegree", value, "give integers of at least 1")
    return value


def _whole(source: Source, seed: int) -> list[Row]:
    """The learners on all of a data set."""
    s = source.settings
    data, found = source.data(s["point"]), source.learned(s["point"])
    truth = None if source.network is None else source.network.dag.cpdag()
    rows: list[Row] = []
    for spec, learned in found.items():
        ce = source.cross_entropy(learned, data)
        cv = cross_validate(data, source.learners[spec], s["folds"], 1.0, seed=seed) if s["folds"] >= 2 else None
        rows.append(
            {
                "what": "learner",
                "learner": spec,
                "shd": None if truth is None else shd(truth, learned.graph),
                "cross_entropy": None if ce is None else float(ce),
                "validation_loss": None if cv is None else float(cv),
                "arcs": len(learned.graph.arcs) + len(learned.graph.edges),
                "calls": learned.calls,
                "seconds": learned.seconds,
            }
        )
    return [*rows, _quality([learned.graph for learned in found.values()], truth, shown=s["repetition"] == 0)]


def _quality(graphs: Sequence[PDAG], truth: PDAG | None, shown: bool) -> Row:
    """What the agreement graph is like, and its errors (sections 4.3 and 4.5); where `shown`, with the graph itself."""
    agreement = PartialGraph.agreement(graphs)
    joined = np.triu(agreement.adjacency | agreement.adjacency.T)
    assert agreement.determined is not None
    agreed = int(np.triu(agreement.determined, 1).sum())
    errors = None if truth is None else phd_parts(truth, agreement)
    return {
        "what": "agreement",
        "variables": len(agreement.names),
        "agreement_size": agreement.size,
        "connected_pairs": int(joined.sum()),
        "apart_pairs": agreed - int(joined.sum()),
        "mean_pairwise_shd": float(np.mean([shd(a, b) for a, b in combinations(graphs, 2)])),
        "missing": None if errors is None else errors.missing,
        "spurious": None if errors is None else errors.spurious,
        "misoriented": None if errors is None else errors.misoriented,
        "graph": agreement.to_dot().replace("\n", " ") if shown else None,
    }


def _subsamples(source: Source, seed: int) -> list[Row]:
    """The learners on subsamples of one size, against the agreement on all of the data set."""
    s = source.settings
    data, whole = source.data(s["point"]), source.learned(s["point"])
    graphs: dict[str, list[PDAG]] = {spec: [] for spec in source.learners}
    seconds = dict.fromkeys(source.learners, 0.0)
    for i in range(s["subsamples"]):
        part = subsample(data, s["size"], seed, i)
        for spec, learner in source.learners.items():
            found = Learned.of(learner.learn(part))
            graphs[spec].append(found.graph)
            seconds[spec] += found.seconds
    agreement = PartialGraph.agreement(learned.graph for learned in whole.values())
    rows = [_distance(source, spec, agreement, graphs[spec], seconds[spec]) for spec in graphs]
    return rows + (_pairs(whole, graphs) if s["pairs"] and len(graphs) > 2 else [])


def _distance(source: Source, spec: str, agreement: PartialGraph, graphs: Sequence[PDAG], seconds: float) -> Row:
    distances = [phd(agreement, graph) for graph in graphs]
    network = source.network
    clean = None
    if network is not None:
        independent = source.learned(source.settings["size"])[spec].graph
        clean = phd(agreement.project(network.dag.cpdag()), independent)
    return {
        "what": "phd",
        "learner": spec,
        "phd": float(np.mean(distances)),
        "phd_se": float(np.std(distances, ddof=1) / np.sqrt(len(distances))),
        "phd_error_free": clean,
        "seconds": seconds,
    }


def _pairs(whole: Mapping[str, Learned], graphs: Mapping[str, Sequence[PDAG]]) -> list[Row]:
    rows: list[Row] = []
    for a, b in combinations(whole, 2):
        agreement = PartialGraph.agreement([whole[a].graph, whole[b].graph])
        for one, other in ((a, b), (b, a)):
            mean = float(np.mean([phd(agreement, graph) for graph in graphs[one]]))
            rows.append({"what": "pair", "learner": one, "other": other, "phd": mean})
    return rows


KIND = Intersection()
