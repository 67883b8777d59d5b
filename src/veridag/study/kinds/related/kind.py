"""Related data sets: one structure learned from all of them, by a hierarchical score and by pooling.

The simulation of Azzimonti, Corani and Scutari (2020), section 4. For every combination of numbers of nodes N, data
sets |F|, states and arcs per node c there are `structures` random DAGs; each has `parameter_sets` sets of parameters
of each kind (hier, iid, id), and from each of these `samples` times |F| data sets of n_f rows are drawn. In scenario
(a) all data sets have the same structure; in (b), N_F of them lack N_A arcs. Structures are the same for both
scenarios and all kinds of parameters; parameters are the same for all n_f.

A cell is one set of parameters at one n_f; a row of it is one learner on one sample.

- `shd` is the structural Hamming distance between the CPDAGs; `tp`, `fp` and `fn` count the arcs of the CPDAGs (an
  edge without direction is one thing, an arc another), because BDeu and BIC cannot tell members of a class apart;
  `joined_tp`, `joined_fp` and `joined_fn` count joined pairs, whatever the direction. The truth is the main
  structure, with all arcs.
- `shd_gain`, `fp_gain` and so on are those of the baseline less those of the learner, `tp_gain` and `joined_tp_gain`
  the other way round: all are positive where the learner is better than the baseline on the same sample, as in the
  paper.
- `ess` is the equivalent sample size s, given to every learner whose score has one.
- `iid`: "ess" (default) or "cells", how the Dirichlet distribution of iid and id parameters is scaled; see `related`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from veridag.graph import DAG
from veridag.metrics import confusion, shd
from veridag.search import Algorithm
from veridag.simulate.related_data import related, sample_groups
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
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

#: What is counted, and whether more of it is better.
_MEASURES = {"shd": -1, "tp": 1, "fp": -1, "fn": -1, "joined_tp": 1, "joined_fp": -1, "joined_fn": -1}


class Related(Kind):
    """The kind of study that compares learners on simulated related data sets."""

    name = "related"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """The grid, and the further grids of `also`, whose keys replace those of the first; none is there twice."""
        seen = set()
        for part in grids(spec, _KEYS):
            for settings in _grid(part):
                content = tuple(settings.items())
                if content not in seen:
                    seen.add(content)
                    yield settings

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
        learners = {spec: _with_ess(read_learner(spec), s["ess"]) for spec in s["learners"]}
        rows: list[Row] = []
        for sample in range(s["samples"]):
            data = sample_groups(main.networks, s["rows"], derive_seed(seed, sample))
            measured = {spec: _measure(main.dag, learner, data) for spec, learner in learners.items()}
            rows += [_compared(spec, sample, found, measured[s["baseline"]]) for spec, found in measured.items()]
        return rows

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Figures 2 to 5 of the paper, the distances themselves, and what the equivalent sample size does."""
        yield from draw_all(rows, spec.text("baseline"), spec.numbers("ess")[0])

    def memory(self, settings: Settings) -> int:
        """The rows as codes and as the core's table."""
        s: Mapping[str, Any] = settings
        return int(4 * s["nodes"] * s["groups"] * s["rows"])


def _grid(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    learners = _checked_learners(spec)
    repeated: dict[str, Value | tuple[str, ...]] = {
        "samples": spec.count("samples"),
        "learners": learners,
        "baseline": spec.text("baseline", among=learners),
    }
    if spec.text("iid", "ess", among=("ess", "cells")) == "cells":
        repeated["iid"] = "cells"  # cells of the default have no such key, and keep theirs
    for nodes, groups, states, arcs, structure, (changed, removed), parameters, one, rows, ess in product(
        spec.counts("nodes", least=2),
        spec.counts("groups"),
        spec.counts("states", least=2),
        spec.numbers("arcs_per_node"),
        range(spec.count("structures")),
        _changes(spec),
        _kinds_of_parameters(spec),
        range(spec.count("parameter_sets")),
        spec.counts("rows"),
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
            "rows": rows,
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


def _with_ess(learner: Algorithm, ess: float) -> Algorithm:
    return with_parameter(learner, "ess", ess) if has_parameter(learner, "ess") else learner


def _measure(truth: DAG, learner: Algorithm, data: Any) -> Row:
    result = learner.learn(data)
    counts = confusion(truth.cpdag(), result.cpdag)
    arcs, joined = counts.arcs, counts.adjacencies
    return {
        "shd": shd(truth, result.graph),
        "tp": arcs.tp,
        "fp": arcs.fp,
        "fn": arcs.fn,
        "joined_tp": joined.tp,
        "joined_fp": joined.fp,
        "joined_fn": joined.fn,
        "calls": result.calls,
        "seconds": result.seconds,
    }


def _compared(spec: str, sample: int, found: Row, baseline: Row) -> Row:
    gains: dict[str, Any] = {}
    for measure, better in _MEASURES.items():
        gains[f"{measure}_gain"] = better * (found[measure] - baseline[measure])  # type: ignore[operator] # both are numbers
    return {"learner": spec, "sample": sample, **found, **gains}


KIND = Related()
