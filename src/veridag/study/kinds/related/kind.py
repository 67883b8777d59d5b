"""Related data sets: one structure learned from all of them, by a hierarchical score and by pooling.

The simulation of Azzimonti, Corani and Scutari (2020), section 4. For every combination of numbers of nodes N, data
sets |F|, states and arcs per node c there are `structures` random DAGs; each has `parameter_sets` sets of parameters
of each kind (hier, iid, id), and from each of these `samples` times |F| data sets of n_f rows are drawn. In scenario
(a) all data sets have the same structure; in (b), N_F of them lack N_A arcs. Structures are the same for both
scenarios and all kinds of parameters; parameters are the same for all n_f.

A cell is one set of parameters; a row of it is one n_f. All learners and all equivalent sample sizes have the same
samples. The columns of a learner end in its label, such as BHD, and are sums over the `samples`:

- `shd_BHD`: the structural Hamming distance between the CPDAGs; `tp_BHD` and `fp_BHD`: the arcs of the CPDAGs (an edge
  without direction is one thing, an arc another), because BDeu and BIC cannot tell members of a class apart. The truth
  is the main structure, with all arcs. `figures.means` has what follows from these three.
- `ess` is the equivalent sample size s, given to every learner whose score has one.
- `iid`: "ess" (default) or "cells", how the Dirichlet distribution of iid and id parameters is scaled; see `related`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from veridag.graph import Matrix
from veridag.search import Algorithm
from veridag.search.result import Result
from veridag.simulate.related_data import GroupSampler, related
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.kinds._labels import short_labels
from veridag.study.kinds._parameters import has_parameter, read_learner, with_parameter
from veridag.study.shared import Shared

from .figures import draw_all

if TYPE_CHECKING:
    import polars as pl

_KEYS = (
    "scenarios",
    "nodes",
    "groups",
    "states",
    "arcs_per_node",
    "parameters",
    "iid",
    "changed_groups",
    "removed_arcs",
    "rows",
    "ess",
    "structures",
    "parameter_sets",
    "samples",
    "learners",
    "baseline",
)


class Related(Kind):
    """The kind of study that compares learners on simulated related data sets."""

    name = "related"
    revision = 2

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """The grid, and the further grids of `also`, whose keys replace those of the first.

        The first set of parameters of everything comes first, then the second: an unfinished study is one with fewer
        sets of parameters.
        """
        found = [settings for part in grids(spec, _KEYS) for settings in _grid(part)]
        yield from sorted(found, key=lambda settings: cast(int, settings["parameter_set"]))

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Draw the samples of one set of parameters, and let every learner learn from each."""
        s: Mapping[str, Any] = settings
        main = related(
            s["nodes"],
            s["groups"],
            states=s["states"],
            arcs_per_node=s["arcs_per_node"],
            parameters=s["parameters"],
            iid=s.get("iid", "ess"),
            rows=1,
            changed_groups=s["changed_groups"],
            removed_arcs=s["removed_arcs"],
            seed=_structure_seed(s),
            parameter_seed=s["parameter_set"],
        )
        sampler, truth = GroupSampler(main.networks), main.dag.cpdag().adjacency
        learners = {spec: _with_ess(read_learner(spec), s["ess"]) for spec in s["learners"]}
        names = [f"{measure}_{label}" for label in short_labels(list(learners)).values() for measure in _MEASURES]
        rows: list[Row] = []
        for n in map(int, s["row_counts"]):
            sums: list[float] = [0] * len(names)
            for sample in range(s["samples"]):
                data = sampler.draw(n, _sample_seed(s, n, sample))
                measured = [value for own in learners.values() for value in _measure(truth, own.learn(data))]
                sums = [x + y for x, y in zip(sums, measured, strict=True)]
            rows.append({"rows": n, **dict(zip(names, sums, strict=True))})
        return rows

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Figures 2 to 5 of the paper, the distances themselves, and what the equivalent sample size does."""
        yield from draw_all(rows, spec.texts("learners"), spec.text("baseline"), spec.numbers("ess")[0])

    def memory(self, settings: Settings) -> int:
        """The rows as codes and as the core's table."""
        s: Mapping[str, Any] = settings
        return 4 * int(s["nodes"]) * int(s["groups"]) * max(map(int, s["row_counts"]))

    def effort(self, settings: Settings) -> float:
        """About the families that a search asks for, with the cells that each has in all data sets."""
        s: Mapping[str, Any] = settings
        return float(s["samples"] * len(s["row_counts"]) * s["nodes"] ** 2 * (40 + s["groups"] * s["states"] ** 2))


def _grid(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    learners = _checked_learners(spec)
    repeated: dict[str, Value | tuple[str, ...]] = {
        "row_counts": tuple(map(str, spec.counts("rows"))),
        "samples": spec.count("samples"),
        "learners": learners,
    }
    spec.text("baseline", among=learners)
    if spec.text("iid", "ess", among=("ess", "cells")) == "cells":
        repeated["iid"] = "cells"  # cells of the default have no such key, and keep theirs
    for nodes, groups, states, arcs, structure, (changed, removed), parameters, one, ess in product(
        spec.counts("nodes", least=2),
        spec.counts("groups"),
        spec.counts("states", least=2),
        spec.numbers("arcs_per_node"),
        range(spec.count("structures")),
        _changes(spec),
        _kinds_of_parameters(spec),
        range(spec.count("parameter_sets")),
        spec.numbers("ess"),
    ):
        _check_possible(spec, nodes, groups, arcs, changed, removed)
        yield {
            "scenario": "b" if changed else "a",
            "nodes": nodes,
            "groups": groups,
            "states": states,
            "arcs_per_node": arcs,
            "parameters": parameters,
            "changed_groups": changed,
            "removed_arcs": removed,
            "ess": ess,
            "structure": structure,
            "parameter_set": one,
            "study_seed": spec.seed,
            **repeated,
        }


def _checked_learners(spec: Spec) -> tuple[str, ...]:
    learners = spec.texts("learners")
    for learner in learners:
        read_learner(learner)
    return learners


def _kinds_of_parameters(spec: Spec) -> tuple[str, ...]:
    kinds = spec.texts("parameters")
    for kind in kinds:
        if kind not in ("hier", "iid", "id"):
            raise spec.mistake("parameters", kind, "give 'hier', 'iid' or 'id'")
    return kinds


def _changes(spec: Spec) -> list[tuple[int, int]]:
    """The pairs (N_F, N_A): (0, 0) for scenario (a), all combinations for (b)."""
    found: list[tuple[int, int]] = []
    for scenario in spec.texts("scenarios"):
        if scenario == "a":
            found.append((0, 0))
        elif scenario == "b":
            found += product(spec.counts("changed_groups"), spec.counts("removed_arcs"))
        else:
            raise spec.mistake("scenarios", scenario, "give 'a' (one structure), 'b' (some lack arcs), or both")
    return found


def _check_possible(spec: Spec, nodes: int, groups: int, arcs: float, changed: int, removed: int) -> None:
    if not 0 <= round(arcs * nodes) <= nodes * (nodes - 1) // 2:
        most = (nodes - 1) / 2
        raise spec.mistake("arcs_per_node", arcs, f"with {nodes} nodes give a number from 0 to {most:g}")
    if changed > groups:
        raise spec.mistake("changed_groups", changed, f"give no more than the {groups} groups there are")
    if removed > round(arcs * nodes):
        raise spec.mistake("removed_arcs", removed, f"give no more than the {round(arcs * nodes)} arcs there are")


def _structure_seed(s: Mapping[str, Any]) -> int:
    """The same for all that has the same structure: both scenarios, all parameters, rows and learners."""
    return derive_seed(s["study_seed"], s["nodes"], s["groups"], s["states"], s["arcs_per_node"], s["structure"])


def _sample_seed(s: Mapping[str, Any], rows: int, sample: int) -> int:
    """The same for all that has the same networks, whatever is learned from them."""
    networks = (s["changed_groups"], s["removed_arcs"], s["parameters"], s.get("iid", "ess"), s["parameter_set"])
    return derive_seed("sample", _structure_seed(s), *networks, rows, sample)


def _with_ess(learner: Algorithm, ess: float) -> Algorithm:
    return with_parameter(learner, "ess", ess) if has_parameter(learner, "ess") else learner


#: What is measured of one learner on one sample.
_MEASURES = ("shd", "tp", "fp", "seconds")


def _measure(truth: Matrix, result: Result) -> tuple[float, ...]:
    """What `metrics.shd` and the arcs of `metrics.confusion` say; quicker, since a study does so millions of times."""
    found = result.cpdag.adjacency
    differs = truth != found
    differs |= differs.T
    joined = found | found.T
    tp = int((joined & ~differs).sum()) // 2
    return int(differs.sum()) // 2, tp, int(joined.sum()) // 2 - tp, result.seconds


KIND = Related()
