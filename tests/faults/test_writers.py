"""Writers survive a fault at every step: each file is the old one or the new one as a whole."""

from __future__ import annotations

import pytest

#: One for each way to make the content of a file; tests/files has all of them with the fault at one step.
SEVERAL = ["bif.gz", "json", "csv", "parquet", "dot", "svg", "settings", "report", "draws", "study export"]


@pytest.mark.parametrize(
    "names", [pytest.param(["json"], marks=pytest.mark.medium), pytest.param(SEVERAL, marks=pytest.mark.slow)]
)
def test_a_writer_survives_a_fault_at_every_step(faults, names):
    made = faults("writers", *names)
    assert made.keys() == set(names)
    for counted in made.values():
        assert counted.keys() >= {"write fails", "flush fails", "rename fails", "any change of a file kills"}
    assert sum(sum(counted.values()) for counted in made.values()) >= 30 * len(names)
