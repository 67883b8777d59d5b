"""Reports that several tests read, and what runs the scripts of the page."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import veridag as vd

NODE = shutil.which("node")


@pytest.fixture(scope="session")
def javascript(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """Runs the body of a function in Node, or else in Chromium, and gives what it returns, a value of JSON."""

    def in_node(body: str) -> Any:
        assert NODE is not None
        script = f"process.stdout.write(JSON.stringify((() => {{ {body} }})()))"
        return json.loads(subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, check=True).stdout)

    if NODE is not None:
        return in_node
    page = request.getfixturevalue("browser").new_page()
    return lambda body: page.evaluate(f"() => {{ {body} }}")


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
