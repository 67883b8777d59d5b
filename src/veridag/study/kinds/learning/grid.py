"""The grid of a study of learners: its parts, each networks x sizes x repetitions x learners, and their cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.errors import suggest
from veridag.graph import DAG
from veridag.network import reference as networks
from veridag.specs import parse
from veridag.study.kind import Spec, Value
from veridag.study.kinds._parameters import DEFAULT, learner_table, whole_spec

from .measures import MEASURES, NEEDS_TEST_SET
from .sources import FEWEST_VARIABLES, check_network, is_random, kind_of

_PART_KEYS = ("networks", "variables", "sizes", "relative_sizes", "repetitions", "learners", "measures", "test_rows")

#: What a spec says for the indegrees of the network that the data comes from.
TRUTH = "d=truth"

#: Orders of the columns that a learner is given: as the network has them, parents first, children first, and random.
COLUMNS = ("given", "topological", "reversed", "random")

_KINDS = {"discrete": "discrete", "gaussian": "continuous", "mixed": "mixed"}


@dataclass(frozen=True)
class Line:
    """A cell, and what a figure calls it: the learner's label, and the sample size relative to the parameters.

    `relative` is None of random networks.
    """

    settings: dict[str, Value | tuple[str, ...]]
    label: str
    relative: float | None


@dataclass(frozen=True)
class Learner:
    """An entry of `learners`: its label, its spec with all settings, and the order of the columns it is given."""

    label: str
    spec: str
    columns: str


@dataclass(frozen=True)
class Part:
    """One grid of a study; `variables` is the range of random networks."""

    name: str
    networks: tuple[str, ...]
    variables: tuple[int, int] | None
    sizes: tuple[int, ...]
    relative_sizes: tuple[float, ...]
    repetitions: int
    learners: tuple[Learner, ...]
    measures: tuple[str, ...]
    test_rows: int | None
    seed: int

    def lines(self) -> Iterator[Line]:
        """All cells, those that share a sample next to each other."""
        for network in self.networks:
            for n, relative in self._sizes(network):
                for repetition in range(self.repetitions):
                    for learner in self.learners:
                        yield Line(self._settings(network, n, repetition, learner), learner.label, relative)

    def _settings(self, network: str, n: int, repetition: int, learner: Learner) -> dict[str, Value | tuple[str, ...]]:
        columns = {} if learner.columns == COLUMNS[0] else {"columns": learner.columns}
        own = dict(zip(("fewest", "most"), self.variables or (), strict=False)) if is_random(network) else {}
        return {
            "network": network,
            **own,
            "n": n,
            "repetition": repetition,
            "learner": learner.spec,
            "measures": self.measures,
            "test_rows": self.test_rows,
            "seed": self.seed,
            **columns,
        }

    def _sizes(self, network: str) -> Iterator[tuple[int, float | None]]:
        """Sample sizes, and n / |Theta|: as given, or as it comes out. There are two rows at least."""
        if is_random(network):
            yield from ((n, None) for n in self.sizes)
            return
        parameters = networks.info(network).parameters
        for n in self.sizes:
            yield n, n / parameters
        for relative in self.relative_sizes:
            yield max(2, round(relative * parameters)), relative


def parts(spec: Spec) -> list[Part]:
    """The parts of a study: those of `parts`, each with the grid's own keys under it, or the grid as the only one."""
    spec.allow(*_PART_KEYS, "parts", "figures")
    own = {key: value for key, value in spec.grid.items() if key not in ("parts", "figures")}
    tables = spec.grid.get("parts", {"": {}})
    if not isinstance(tables, Mapping) or not all(isinstance(table, Mapping) for table in tables.values()):
        raise spec.mistake("parts", tables, "give a table for each part, [grid.parts.NAME]")
    found = []
    for name, table in tables.items():
        within = replace(spec, name=f"{spec.name}, part {name}" if name else spec.name, grid={**own, **table})
        found.append(_part(within, name))
    return found


def _part(spec: Spec, name: str) -> Part:
    spec.allow(*_PART_KEYS)
    sizes, relative = spec.counts("sizes", [], least=2), spec.numbers("relative_sizes", [])
    if not sizes and not relative:
        raise spec.mistake("sizes", [], "give sample sizes in sizes, or relative to the parameters in relative_sizes")
    for value in relative:
        if not value > 0:
            raise spec.mistake("relative_sizes", value, "give numbers above 0")
    measures = spec.texts("measures", ["shd"])
    for item in measures:
        if item not in MEASURES:
            raise spec.mistake("measures", item, suggest(item, MEASURES))
    needs_test_set = any(item in NEEDS_TEST_SET for item in measures)
    test_rows = spec.count("test_rows", 10_000) if needs_test_set else None
    chosen = spec.texts("networks")
    learners = _learners(spec)
    for network in chosen:
        _check_network(spec, network, learners)
    repetitions = spec.count("repetitions")
    canonical = tuple(sorted(measures))
    variables = _variables(spec, chosen, relative)
    return Part(name, chosen, variables, sizes, relative, repetitions, learners, canonical, test_rows, spec.seed)


def _variables(spec: Spec, chosen: Sequence[str], relative: Sequence[float]) -> tuple[int, int] | None:
    """The fewest and the most variables of random networks, if there are such networks."""
    network = next(filter(is_random, chosen), None)
    if network is None:
        return None
    if relative:
        raise spec.mistake(
            "relative_sizes", relative[0], f"give sizes: the parameters of {network} are not known before"
        )
    found = spec.counts("variables", least=FEWEST_VARIABLES)
    if len(found) != 2 or found[0] > found[1]:
        raise spec.mistake("variables", list(found), "give the fewest and the most, such as [10, 30]")
    return found[0], found[1]


def _learners(spec: Spec) -> tuple[Learner, ...]:
    """The entries of `learners`; specs have all their settings, so that the key of a cell tells what was done."""
    found = []
    for label, given in learner_table(spec).items():
        if not isinstance(given, str | Mapping):
            raise spec.mistake(f"learners.{label}", given, 'give a spec, such as "tabu(score=bic)", or a table')
        table = given if isinstance(given, Mapping) else {"spec": given}
        within = replace(spec, name=f"{spec.name}: learners.{label}", grid=table)
        within.allow("spec", "columns")
        text, columns = within.text("spec"), within.text("columns", COLUMNS[0], among=COLUMNS)
        whole = whole_spec(spec, label, text.replace(TRUTH, "d=0"))
        found.append(Learner(label, whole.replace("d=0", TRUTH) if TRUTH in text else whole, columns))
    return tuple(found)


def _check_network(spec: Spec, network: str, learners: tuple[Learner, ...]) -> None:
    check_network(spec, network)
    kind = kind_of(network)
    for learner in learners:
        if learner.spec == DEFAULT:
            continue
        for criterion in _criteria(parse(learner.spec.replace(TRUTH, "d=0"), "algorithm")):
            if not criterion.handles(_KINDS[kind]):
                raise spec.mistake(
                    "networks",
                    network,
                    f"it is {kind}, but learners.{learner.label} has {criterion!r}: put it into another part",
                )


def _criteria(value: object) -> Iterator[Any]:
    """The scores and tests inside a learner."""
    if isinstance(value, Score | Test):
        yield value
    if is_dataclass(value):
        for field in fields(value):
            yield from _criteria(getattr(value, field.name))


def with_truth(learner: str, dag: DAG) -> str:
    """A spec with the indegrees of the network that the data comes from, where it asks for them."""
    if TRUTH not in learner:
        return learner
    indegrees = ", ".join(f'["{name}", {len(dag.parents(name))}]' for name in dag.names)
    return learner.replace(TRUTH, f"d=[{indegrees}]")
