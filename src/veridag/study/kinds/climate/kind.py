"""Networks of gridded anomalies: what six learners with matching criteria make of complex data.

The case study of Scutari, Graafland and Gutierrez (2019), section 5. Each learner has BIC_gamma as its score, its
test, or both, for values of gamma from 0 to 50: log L - |Theta| (log(n) / 2 + gamma log N). The data are CSV files
with a row a month and one column a grid box, whose latitude and longitude are in the columns' names (lat+05_lon-125)
or in a table of coordinates; without data, fields are simulated, one for each of `simulated_km`. With `annual_cycle`
"remove", the mean of each calendar month over the years `climatology` is subtracted; `month` is the column of months,
such as 1981-01. The rest, the anomalies, is taken in units of each box's standard deviation, which changes no
structure.

A cell is one learner at one gamma on one permutation of the columns of one field. The order of columns matters
only to learners with ties="columns"; the others have permutation 0 alone. The first row of a cell (`what`
is "network") has

- `valid`: whether the graph stands for a DAG. A learner's *parameter range* is where it does on all permutations;
- `calls` of the criterion, and `calls_published` as R bnlearn would count them;
- `log_likelihood` with parameters of maximum likelihood, and `arcs`;
- `relative_v_structures`: unshielded v-structures over adjacent pairs of arcs;
- `long_range_arcs`: those longer than `long_range_km`, along a great circle between the centres of the boxes.

On the first permutation at gammas in `map_gammas` there follow all arcs ("arc") and, if the graph is valid, the
spread of evidence ("box"): for each box i the *marginal* probability of a warm anomaly P(X_i >= `warm`), the
*conditional* one P(X_i >= `warm` | X_e = `evidence_value`) for one box e, and the *difference*, conditional less
marginal. If the graph is not valid, there follow the pairs that are joined ("edge") and where their directions
conflict.

A cell with part "field" has the mean of each box over the climatology, and its anomaly in `map_month` ("map"). A table
of anomalies has no means; they are then taken from the column `means` of the table of coordinates, if it is there.

Cells with part "baseline" have the mean share of unshielded v-structures in DAGs drawn uniformly among those with N
variables and so many arcs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed, fingerprint
from veridag.study.kinds._parameters import read_learner, with_parameter
from veridag.study.shared import Shared

from .field import Field, simulated_field
from .figures import draw_all
from .measures import (
    arc_rows,
    box_names,
    conflict_rows,
    describe,
    evidence_rows,
    likelihood_fit,
    permuted,
    random_v_structures,
)
from .source import Source, is_coordinates, read_field

if TYPE_CHECKING:
    import polars as pl

_KEYS = (
    "data",
    "ignore",
    "month",
    "annual_cycle",
    "climatology",
    "map_month",
    "means",
    "simulated_step",
    "simulated_months",
    "simulated_km",
    "learners",
    "gammas",
    "permutations",
    "map_gammas",
    "long_range_km",
    "evidence_lat",
    "evidence_lon",
    "evidence_value",
    "warm",
    "baseline_arcs",
    "baseline_draws",
)


class Climate(Kind):
    """The kind of study that learns networks of gridded anomalies."""

    name = "climate"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """Maps of every field, every learner at every gamma on every permutation, then baselines of v-structures."""
        spec.allow(*_KEYS)
        learners, gammas, maps = spec.texts("learners"), spec.numbers("gammas"), spec.numbers("map_gammas", ())
        _check(spec, learners, gammas, maps)
        shown = {key: spec.number(key) for key in ("evidence_lat", "evidence_lon", "evidence_value", "warm")}
        ordered = {learner for learner in learners if _heeds_order(read_learner(learner))}
        sizes: dict[int, None] = {}
        for source in _sources(spec):
            sizes[len(_field(source, Shared(0)).names)] = None
            yield from _maps(spec, source)
            common = {**source, "long_range_km": spec.number("long_range_km"), "part": "network"}
            for permutation in range(spec.count("permutations")):
                for gamma in gammas:
                    on_map = permutation == 0 and gamma in maps
                    own = {"gamma": gamma, "permutation": permutation, "map": on_map, **(shown if on_map else {})}
                    on_this = learners if permutation == 0 else [each for each in learners if each in ordered]
                    yield from ({**common, **own, "learner": learner} for learner in on_this)
        for boxes in sizes:
            yield from _baseline(spec, boxes)

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Do one cell."""
        s: Mapping[str, Any] = settings
        if s["part"] == "baseline":
            return [random_v_structures(s["boxes"], s["baseline_arcs"], s["draws"], seed)]
        if s["part"] == "field":
            return _source(s).maps(s["map_month"], s.get("means"))
        field = _field(s, shared)
        data, boxes = permuted(field, s["permutation"], s["study_seed"]), box_names(field)
        result = with_parameter(read_learner(s["learner"]), "gamma", s["gamma"]).learn(data)
        dag = result.dag.reorder(boxes) if result.valid else None
        network = None if dag is None else likelihood_fit(dag, data)
        measured: Row = {
            "what": "network",
            "valid": result.valid,
            "calls": result.calls,
            "calls_published": result.calls_published,
            "seconds": result.seconds,
            "log_likelihood": None if network is None else float(network.log_likelihood(data)),
            **describe(dag or result.graph.reorder(boxes), field, s["long_range_km"]),
        }
        rows = [measured]
        if s["map"]:
            rows += conflict_rows(result, field) if dag is None else arc_rows(dag, field)
        if s["map"] and network is not None:
            box = field.nearest(s["evidence_lat"], s["evidence_lon"])
            rows += evidence_rows(network, field, box, s["evidence_value"], s["warm"])
        return rows

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Figures 5 to 8 of the paper, and the parameter ranges, for each field."""
        yield from draw_all(rows, spec.texts("learners"))

    def shares(self, settings: Settings) -> Hashable:
        """The field is quick to read: any worker can do any cell."""
        del settings
        return None

    def sort(self, settings: Settings) -> Hashable:
        """A learner takes much longer for some gammas than for others."""
        of = ("part", "data", "learner", "gamma", "boxes", "baseline_arcs")
        return tuple(settings.get(key) for key in of)


def _check(spec: Spec, learners: tuple[str, ...], gammas: tuple[float, ...], maps: tuple[float, ...]) -> None:
    for learner in learners:
        with_parameter(read_learner(learner), "gamma", 0.0)
    for gamma in gammas:
        if gamma < 0:
            raise spec.mistake("gammas", gamma, "give numbers of at least 0")
    for gamma in maps:
        if gamma not in gammas:
            raise spec.mistake("map_gammas", gamma, f"give values that are among the gammas {list(gammas)}")


def _baseline(spec: Spec, boxes: int) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    draws = spec.count("baseline_draws", 10, least=2)
    most = boxes * (boxes - 1) // 2
    for arcs in spec.counts("baseline_arcs", (), least=2):
        if arcs > most:
            raise spec.mistake("baseline_arcs", arcs, f"with {boxes} boxes give at most {most}")
        yield {"part": "baseline", "boxes": boxes, "baseline_arcs": arcs, "draws": draws}


def _sources(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    """Where the fields come from: tables, perhaps with one of coordinates, or simulations."""
    files = spec.paths("data", ())
    if not files:
        yield from _simulations(spec)
        return
    tables = [path for path in files if not is_coordinates(path)]
    places = [path for path in files if is_coordinates(path)]
    if not tables or len(places) > 1:
        given = [str(path) for path in files]
        raise spec.mistake("data", given, "give tables of values, and at most one with columns lat and lon")
    names = [path.name.split(".")[0] for path in tables]
    for name, table in zip(names, tables, strict=True):
        if names.count(name) > 1:
            raise spec.mistake("data", str(table), f"two tables are called {name!r}; rename one")
        found: dict[str, Value | tuple[str, ...]] = {
            "data": name,
            "digest": fingerprint(table),
            "path": str(table),
            "ignore": spec.texts("ignore", ()),
            "month": spec.text("month", ""),
            "study_seed": spec.seed,
            **_cycle(spec),
        }
        if places:
            found |= {"digest_coordinates": fingerprint(places[0]), "path_coordinates": str(places[0])}
        yield found


def _cycle(spec: Spec) -> dict[str, Value]:
    """What becomes of the annual cycle, and the years over which it is taken if that is said."""
    choice = spec.text("annual_cycle", "keep", among=("remove", "keep"))
    years = spec.counts("climatology", ())
    if choice == "keep" or not years:
        return {"annual_cycle": choice}
    if len(years) != 2 or years[0] > years[1]:
        raise spec.mistake("climatology", list(years), "give the first and the last year, such as [1981, 2010]")
    return {"annual_cycle": choice, "climatology_first": years[0], "climatology_last": years[1]}


def _maps(spec: Spec, source: dict[str, Value | tuple[str, ...]]) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    if source.get("annual_cycle") != "remove" or "map_month" not in spec.grid:
        return
    own = {"part": "field", "map_month": spec.text("map_month"), "means": spec.text("means", "")}
    _source({**source, **own}).maps(own["map_month"], own["means"])
    yield {**source, **own}


def _simulations(spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
    if "simulated_step" not in spec.grid:
        raise spec.mistake("data", [], "give a CSV of gridded values with --data")
    step = spec.number("simulated_step")
    if not 5 <= step <= 60 or 180 % step:
        raise spec.mistake("simulated_step", step, "give a number of degrees from 5 to 60 that divides 180")
    months = spec.count("simulated_months", least=3)
    for km in spec.numbers("simulated_km"):
        if not 100 <= km <= 20_000:
            raise spec.mistake("simulated_km", km, "give lengths from 100 to 20000 km")
        own = {"simulated_step": step, "simulated_months": months, "simulated_km": km}
        yield {"data": f"simulated-{km:g}km", **own, "study_seed": spec.seed}


def _field(s: Mapping[str, Any], shared: Shared) -> Field:
    if "path" not in s:
        seed = derive_seed(s["study_seed"], "field")
        how = (s["simulated_step"], s["simulated_months"], s["simulated_km"], seed)
        return shared.get(("simulated", *how), lambda: simulated_field(*how))
    source = _source(s)
    cycle = tuple(s.get(key) for key in ("annual_cycle", "climatology_first", "climatology_last"))
    key: Hashable = ("field", s["digest"], s.get("digest_coordinates"), s["ignore"], s["month"], cycle)
    return shared.get(key, lambda: read_field(source))


def _source(s: Mapping[str, Any]) -> Source:
    return Source(
        Path(s["path"]),
        Path(s["path_coordinates"]) if "path_coordinates" in s else None,
        tuple(s["ignore"]),
        s["month"] or None,
        s["annual_cycle"] == "remove",
        (s["climatology_first"], s["climatology_last"]) if "climatology_first" in s else None,
    )


def _heeds_order(learner: object) -> bool:
    """Whether what is learned depends on the order of columns: whether some search breaks ties by it."""
    if not is_dataclass(learner):
        return False
    values = {own.name: getattr(learner, own.name) for own in fields(learner)}
    return values.get("ties") == "columns" or any(_heeds_order(value) for value in values.values())


KIND = Climate()
