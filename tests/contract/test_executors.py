"""Whatever learns many networks gives the same result, bit for bit, wherever the pieces are done."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import veridag as vd
from clusters import NEEDS_DASK
from veridag.posteriors import Draws
from veridag.report.content import make_report
from veridag.work.pieces import OpenExecutor
from veridag.work.sending import PROTOCOL, Sending, as_bytes, reply_to, unpacked

DATA = vd.networks.load("asia").sample(300, seed=5)
GROUPS = vd.simulate.related(nodes=4, groups=3, states=2, rows=60, seed=2).data
ARCS = vd.DAG.from_arcs([*zip(GROUPS.names, GROUPS.names[1:], strict=False)], GROUPS.names)
GAUSSIAN = vd.random_gaussian_network(vd.random_dag(4, arcs=4, seed=1), seed=2).sample(80, seed=3)
GRAPH = vd.networks.load("asia").dag
LEARNER = vd.HillClimbing()


class Packed(OpenExecutor):
    """Threads between which all goes as bytes, as it would between processes."""

    def __init__(self) -> None:
        self._sending = Sending()

    @property
    def local_threads(self) -> int:
        return 1

    def width(self) -> int:
        return 2

    @contextmanager
    def team(self, task: Any) -> Any:
        package = self._sending.packed(task)
        sent = pickle.dumps([self._sending.parcels[number].arrays for number in package.parcels], protocol=PROTOCOL)

        def do(piece: bytes, heartbeat: Any) -> Any:
            task = unpacked(package, pickle.loads(sent))
            pickle.dumps(task)  # a cluster sends it on after it was used, too
            return pickle.loads(as_bytes(reply_to(task, pickle.loads(piece), heartbeat)))

        with vd.Threads(2).team(do) as team:
            yield _Unpacking(team)


@dataclass
class _Unpacking:
    team: Any

    def room(self) -> int:
        return self.team.room()

    def give(self, number: int, piece: object) -> None:
        self.team.give(number, pickle.dumps(piece))

    def answers(self) -> Any:
        return [a.value.answer(a.number, {}) if a.error is None else a for a in self.team.answers()]

    def stop(self) -> None:
        self.team.stop()


def draws(found: Draws) -> Any:
    return found.parents, found.log_posterior, found.places


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "bootstrap": lambda **on: vd.bootstrap(DATA, LEARNER, 6, **on).direction,
    "cross_validate": lambda **on: vd.cross_validate(DATA, LEARNER, 3, **on).folds,
    "cross_validate in groups": lambda **on: vd.cross_validate(GROUPS, LEARNER, 3, **on).folds,
    "cross_validate_prediction": lambda **on: (
        vd.cross_validate_prediction(DATA, "bronc", LEARNER, 3, **on).probabilities
    ),
    "compare_pooling": lambda **on: str(vd.compare_pooling(vd.DAG.empty(GROUPS.names), GROUPS, 3, **on)),
    "intersection_validation": lambda **on: (
        vd.intersection_validation(DATA, [LEARNER, vd.HillClimbing(vd.BDeu())], [100, 50], 2, **on).distances
    ),
    "averaged": lambda **on: vd.Averaged(LEARNER, repeats=4).learn(DATA, **on).graph.adjacency,
    "model average": lambda **on: (
        vd.ModelAverage((vd.Averaged(LEARNER, repeats=3), vd.PosteriorMedian(draws=10, candidates=3)))
        .learn(DATA, **on)
        .graph.adjacency
    ),
    "effect": lambda **on: vd.effect(DATA, GRAPH, "smoke", "bronc", repeats=8, **on).contrasts,
    "possible_effects": lambda **on: (
        vd.possible_effects(DATA, GRAPH.cpdag(), "smoke", "bronc", repeats=8, **on).effects
    ),
    "joint effects": lambda **on: (
        vd.possible_effects(
            GAUSSIAN, vd.DAG.from_arcs([("X1", "X3"), ("X2", "X3")], GAUSSIAN.names), ["X1", "X2"], "X3",
            method="joint", repeats=8, **on,
        ).effects
    ),
    "averaged_effect": lambda **on: vd.averaged_effect(DATA, "smoke", "bronc", algorithm=LEARNER, repeats=5, **on).mean,
    "averaged_effect of graphs": lambda **on: vd.averaged_effect(DATA, "smoke", "bronc", [GRAPH] * 3, **on).mean,
    "group_differences": lambda **on: (
        vd.group_differences(ARCS, GROUPS, **on).evidence
    ),
    "sample_posterior": lambda **on: draws(
        vd.sample_posterior(DATA, draws=40, burn_in=10, chains=3, temperatures=2, seed=7, **on)
    ),
    "posterior": lambda **on: draws(vd.posterior(DATA, method="sample", draws=20, chains=2, **on)),
}  # fmt: skip

LONG: dict[str, Callable[[Any], Any]] = {
    "assess": lambda **on: vd.assess(DATA.select(["smoke", "bronc", "dysp"]), **on).chances.joined,
    "make_report": lambda **on: str(make_report(DATA.select(["smoke", "bronc", "dysp"]), **on).losses),
}


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b


@pytest.mark.parametrize("name", FUNCTIONS)
def test_threads_and_what_is_sent_as_bytes_give_the_same(name):
    call = FUNCTIONS[name]
    expected = call()
    assert same(call(jobs=2), expected)
    assert same(call(jobs=Packed()), expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FUNCTIONS, "assess"])
def test_processes_give_the_same(name):
    call = {**FUNCTIONS, **LONG}[name]
    assert same(call(jobs=vd.Processes(2)), call())


class TestCluster:
    pytestmark = NEEDS_DASK

    @pytest.mark.parametrize("name", [*FUNCTIONS, *LONG])
    def test_a_cluster_gives_the_same(self, name, address):
        call = {**FUNCTIONS, **LONG}[name]
        assert same(call(client=address), call())
