"""What other programs read in the files that veridag writes; needs the packages of the extra `bench`."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import veridag as vd
from strategies.networks import SIGNS, WORDS
from veridag.network import Network, Table
from veridag.network.formats import bif, net, read_network, write_network, xmlbif
from veridag.network.formats.naming import safe_names

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

FORMATS = {"bif": bif, "xmlbif": xmlbif, "net": net}
#: After what people have in their tables, and the words that have a meaning in some format.
HOSTILE = (
    r"""
sepal length (cm)|Größe|<=5.4|(1.5,2.5]|>2.5|5.4|-1|0.5|1e3|1.5_to_2.5|up_to_1.5|0-5|<5|>= 50%|a,b|n/a|it's|100%|?
node|lymph node|my_node|data|states|data=0.5|states = ("a")|net|potential|variable|my variable|probability|property
table|default|network|type|discrete|unknown|true|label|name|title|A|a|a b|a_b|a-b|a.b|é|中|x{y}|x;y|"quoted"|#1|$|C&A
back\slash|//|/* x */|<script>alert(1)</script>|2nd|007|+1|1.|.5|-|--|_|__|-x|1007_s_at|e|E|e1|1e|1E5x|end.
""".strip()
    .replace("\n", "|")
    .split("|")
)


class Read(NamedTuple):
    """A table as another program has read it, the child's axis last."""

    states: tuple[str, ...]
    parents: tuple[str, ...]
    probabilities: NDArray[np.float64]


def read_by_pgmpy(path: Path, format: str) -> dict[str, Read]:
    readwrite = pytest.importorskip("pgmpy.readwrite")
    reader = {"bif": "BIFReader", "xmlbif": "XMLBIFReader", "net": "NETReader"}[format]
    model = getattr(readwrite, reader)(str(path)).get_model()
    found = {}
    for cpd in model.get_cpds():
        parents = tuple(cpd.variables[1:])
        found[cpd.variable] = Read(
            tuple(cpd.state_names[cpd.variable]), parents, np.moveaxis(np.asarray(cpd.values), 0, -1)
        )
    return found


def read_by_pyagrum(path: Path, format: str) -> dict[str, Read]:
    pyagrum = pytest.importorskip("pyagrum")
    del format
    model = pyagrum.loadBN(str(path))
    found = {}
    for name in model.names():
        cpt = model.cpt(name)
        axes = tuple(reversed(cpt.names))  # the axes of the array, the child's last
        found[name] = Read(tuple(model.variable(name).labels()), axes[:-1], np.asarray(cpt.toarray()))
    return found


READERS: dict[str, Callable[[Path, str], dict[str, Read]]] = {"pgmpy": read_by_pgmpy, "pyagrum": read_by_pyagrum}


def random_network(seed: int) -> Network:
    """Up to five variables with two to four states each, named by what is hard to read."""
    choose = random.Random(seed)
    hostile = list(dict.fromkeys(["", *HOSTILE, *SIGNS, *WORDS]))
    signs = [chr(code) for code in range(32, 127)]

    def names(number: int, empty: bool) -> list[str]:
        odd = ["".join(choose.choices(signs, k=choose.randint(1, 5))) for _ in range(number)]
        found = choose.sample([n for n in dict.fromkeys([*hostile, *odd]) if n or empty], number)
        return choose.sample(list(dict.fromkeys([*odd[: number // 2], *found])), number)

    variables = names(choose.randint(2, 5), empty=False)
    states = {v: names(choose.randint(2, 4), empty=True) for v in variables}
    rng = np.random.default_rng(seed)
    cpds = {}
    for i, v in enumerate(variables):
        parents = tuple(choose.sample(variables[:i], min(i, choose.randint(0, 3))))
        cpds[v] = Table(parents, rng.dirichlet(np.ones(len(states[v])), size=[len(states[p]) for p in parents]))
    return Network(cpds, states, name=choose.choice(hostile))


def check(network: Network, module: ModuleType, read: dict[str, Read]) -> None:
    safe = safe_names(network, module.RULE)
    assert set(read) == set(safe.names.values())
    for variable in network.names:
        table, found = network.table(variable), read[safe.names[variable]]
        parents = [safe.names[p] for p in table.parents]
        assert found.states == safe.states[variable]
        assert sorted(found.parents) == sorted(parents)
        order = [found.parents.index(p) for p in parents]
        theirs = np.transpose(found.probabilities, [*order, len(order)])
        assert np.allclose(theirs, table.probabilities, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("format", FORMATS)
def test_others_read_what_is_written_whatever_the_names(format: str, reader: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{'bifxml' if format == 'xmlbif' else format}"
    slow = (reader, format) == ("pgmpy", "bif")  # three seconds a file, however small
    for seed in range(20 if slow else 150):
        network = random_network(seed)
        write_network(network, path)
        try:
            check(network, FORMATS[format], READERS[reader](path, format))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{path.read_text('utf-8')}") from error
        assert read_network(path) == network


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["asia", "child", "insurance"])
def test_others_read_reference_networks(format: str, reader: str, name: str, tmp_path: Path) -> None:
    network, path = vd.networks.load(name), tmp_path / f"x.{'bifxml' if format == 'xmlbif' else format}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vd.NetworkWarning)
        network.write(path)
    check(network, FORMATS[format], READERS[reader](path, format))
