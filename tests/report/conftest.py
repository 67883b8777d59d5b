"""Reports that several tests read."""

from __future__ import annotations

import pytest

import veridag as vd

LEARNERS = {
    "bic": vd.HillClimbing(score=vd.BIC()),
    "bdeu": vd.HillClimbing(score=vd.BDeu()),
    "aic": vd.HillClimbing(score=vd.AIC()),
}


@pytest.fixture(scope="session")
def asia() -> vd.Report:
    network = vd.networks.load("asia")
    data = network.sample(500, seed=1)
    return vd.make_report(
        data,
        LEARNERS,
        truth=network.dag,
        sizes=[200, 100],
        repeats=3,
        title="asia.csv",
        command="veridag report asia.csv",
    )


@pytest.fixture(scope="session")
def related() -> vd.Report:
    sample = vd.simulate.related(nodes=5, groups=3, states=2, rows=250, changed_groups=1, removed_arcs=2, seed=3)
    learners = {"bhd": vd.HillClimbing(score=vd.BHD()), "bhd, fair": vd.HillClimbing(score=vd.BHD(), prior=vd.Fair())}
    return vd.make_report(
        sample.data, learners, companions={"pooled": vd.HillClimbing(score=vd.BDeu())}, sizes=[300], repeats=3
    )
