"""The reference networks: all there, of the known sizes, and with the published numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from veridag.errors import InputError
from veridag.network import SUM_TOLERANCE
from veridag.network import reference as networks

# Nodes, arcs and parameters as the repository and the literature give them.
DISCRETE = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "barley": (48, 84, 114005),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "link": (724, 1125, 14211),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "munin1": (186, 273, 15622),
    "munin2": (1003, 1244, 69431),
    "munin3": (1041, 1306, 71059),
    "munin4": (1038, 1388, 80352),
    "pathfinder": (109, 195, 72079),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}
GAUSSIAN = {"arth150": (107, 150), "ecoli70": (46, 70), "magic-irri": (64, 102), "magic-niab": (44, 66)}
MIXED = {"clinic": (13, 20, 85)}  # made for veridag
SIZES = DISCRETE | {name: (n, arcs, 2 * n + arcs) for name, (n, arcs) in GAUSSIAN.items()} | MIXED


def test_the_list_of_names_is_complete_and_sorted() -> None:
    assert networks.names() == tuple(sorted(SIZES))


@pytest.mark.parametrize("name", SIZES)
def test_every_network_loads_with_the_known_size(name: str) -> None:
    network = networks.load(name)
    kind = "gaussian" if name in GAUSSIAN else "mixed" if name in MIXED else "discrete"
    assert network.name == name
    assert network.kind == kind
    assert (len(network.names), len(network.dag.arcs), network.nparams) == SIZES[name]
    assert networks.info(name) == (name, kind, *SIZES[name])
    assert len(network.dag.topological_order()) == len(network.names)


@pytest.mark.medium
@pytest.mark.parametrize("name", DISCRETE)
def test_every_distribution_sums_to_one_as_closely_as_published(name: str) -> None:
    network = networks.load(name)
    worst = max(np.abs(network.table(v).probabilities.sum(axis=-1) - 1).max() for v in network.names)
    assert worst <= min(SUM_TOLERANCE, 3.1e-7)


def test_numbers_of_asia() -> None:
    network = networks.load("asia")
    assert network.names == ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")
    assert network.states["asia"] == ("yes", "no")
    np.testing.assert_array_equal(network.table("tub").probabilities, [[0.05, 0.95], [0.01, 0.99]])
    assert network.table("dysp").parents == ("bronc", "either")
    dysp = [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]
    np.testing.assert_array_equal(network.table("dysp").probabilities, dysp)


def test_numbers_of_alarm() -> None:
    cvp = networks.load("alarm").table("CVP")
    assert cvp.parents == ("LVEDVOLUME",)
    np.testing.assert_array_equal(cvp.probabilities, [[0.95, 0.04, 0.01], [0.04, 0.95, 0.01], [0.01, 0.29, 0.7]])


def test_numbers_of_sachs() -> None:
    akt = networks.load("sachs").table("Akt")
    assert akt.parents == ("Erk", "PKA")
    np.testing.assert_array_equal(akt.probabilities[0, 0], [0.6721176592, 0.3277794919, 0.0001028489])
    np.testing.assert_array_equal(akt.probabilities[2, 0], [7.682262e-05, 1.183068e-01, 8.816163e-01])
    np.testing.assert_array_equal(akt.probabilities[0, 2], [0.9750859107, 0.0240549828, 0.0008591065])


def test_numbers_of_ecoli70() -> None:
    network = networks.load("ecoli70")
    atp = network.gaussian("atpD")
    assert atp.parents == ("sucA", "ygcE")
    assert (atp.intercept, *atp.coefficients, atp.sd) == (-0.0403, 0.2603, -0.7252, np.sqrt(0.4131))
    # The same network is published elsewhere with Normal(1.272988889, 0.7801025725), a mean and a standard deviation.
    assert network.gaussian("b1191").intercept == pytest.approx(1.272988889, abs=5e-5)
    assert network.gaussian("b1191").sd == pytest.approx(0.7801025725, abs=5e-5)


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    for name in ("alram", "ALARM"):
        with pytest.raises(InputError, match=f"'{name}': did you mean 'alarm'"):
            networks.load(name)
    with pytest.raises(InputError, match="no reference network 3"):
        networks.info(3)  # type: ignore[arg-type]


def test_the_files_are_small_and_each_has_its_line_of_provenance() -> None:
    folder = Path(networks.__file__).parent
    files = list(folder.glob("*.vdn"))
    assert {f.stem for f in files} == set(networks.names())
    assert sum(f.stat().st_size for f in files) <= 6_000_000
    provenance = (folder / "PROVENANCE.md").read_text("utf-8")
    first_cells = ",".join(line.split("|")[1] for line in provenance.splitlines() if line.startswith("|"))
    assert {cell.strip() for cell in first_cells.split(",")} >= set(networks.names())


def test_listing_the_networks_does_not_import_numpy() -> None:
    code = (
        "import sys; from veridag import networks; networks.info(networks.names()[0]); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
