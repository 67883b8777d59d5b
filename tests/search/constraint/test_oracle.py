"""Against what an independent implementation learned from the same data; see tests/oracle/README.md."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import oracle
import veridag as vd
from naive.constraint import pairs
from veridag.data import Column, Data

KNOWN = oracle.load("constraint")
OBSERVED = oracle.load("observed")
SAMPLES = oracle.load("families")
LEARNERS = {
    "pc.stable": vd.PCStable,
    "gs": vd.GrowShrink,
    "inter.iamb": vd.InterIAMB,
    "mmhc": vd.MMHC,
    "rsmax2": lambda test: vd.RSMAX2(vd.SIHitonPC(test), vd.HillClimbing()),
    "h2pc": vd.H2PC,
}
#: How much further from the truth than the reference a result is, where that is more than 2, and why.
EXPLAINED = {
    # The same pairs are joined; the reference directs almost none of them, and on 300 rows every direction is a guess.
    ("insurance", "inter.iamb"): 8,
    # Other pairs, three of 46 with H2PC, and a DAG of higher score.
    ("ecoli70", "mmhc"): 3,
    ("ecoli70", "h2pc"): 4,
}


@cache
def sample(network: str) -> Data:
    columns = []
    for name, column in SAMPLES[network]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(name, np.array(column)))
        else:
            columns.append(Column.discrete(name, np.array([int(c, 36) for c in column["codes"]]), column["states"]))
    return Data(columns)


def learn(network: str, name: str) -> vd.Result:
    data = sample(network)
    return LEARNERS[name](vd.G2() if data.kind == "discrete" else vd.StudentT()).learn(data)


@pytest.mark.parametrize("network", KNOWN)
def test_pc_stable_joins_the_pairs_that_the_reference_joins(network):
    assert pairs(learn(network, "pc.stable").graph) == {
        frozenset(p) for p in KNOWN[network]["learned"]["pc.stable"]["pairs"]
    }


@pytest.mark.parametrize("network", OBSERVED)
@pytest.mark.parametrize(("name", "test"), [("gsq", vd.G2(df="observed")), ("chisq", vd.X2(df="observed"))])
def test_with_observed_degrees_of_freedom_the_pairs_are_those_of_another_reference(network, name, test):
    known = {frozenset(p) for p in OBSERVED[network][name]["pairs"]}
    found = pairs(vd.PCStable(test).learn(sample(network)).graph)
    # Of 300 rows, the other takes sets of three and more for separators that have fewer rows than cells.
    assert found == known if network != "insurance" else found > known and len(found - known) <= 2


@pytest.mark.parametrize("network", ["asia", "child", "insurance"])
def test_inter_iamb_joins_the_pairs_that_the_reference_joins(network):
    known = KNOWN[network]["learned"]["inter.iamb"]["pairs"]
    assert pairs(learn(network, "inter.iamb").graph) == {frozenset(p) for p in known}


@pytest.mark.parametrize("network", KNOWN)
@pytest.mark.parametrize("name", LEARNERS)
def test_no_result_is_further_from_the_truth_than_the_references_by_more_than_two(network, name):
    truth = vd.DAG.from_arcs([tuple(arc) for arc in KNOWN[network]["true_arcs"]], sample(network).names)
    worse = vd.shd(truth, learn(network, name).graph) - KNOWN[network]["learned"][name]["shd"]
    assert worse <= EXPLAINED.get((network, name), 2)
