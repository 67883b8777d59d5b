"""Files of random networks: what a peer writes is read here, and what is written here a peer reads."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import veridag as vd

from . import inputs
from .comparing import Random, compares, same
from .inference import in_pgmpy, in_pyagrum


def same_network(ours: vd.Network, theirs: vd.Network, tolerance: float) -> None:
    """Complain if two networks have other arcs, states or probabilities."""
    assert set(ours.dag.arcs) == set(theirs.dag.arcs)
    assert set(ours.names) == set(theirs.names)
    for v in ours.names:
        assert set(ours.states[v]) == set(theirs.states[v])
        table, other = ours.table(v), theirs.table(v)
        names = (*table.parents, v)
        moved = np.transpose(other.probabilities, [(*other.parents, v).index(u) for u in names])
        order = [[theirs.states[u].index(s) for s in ours.states[u]] for u in names]
        same(table.probabilities, moved[np.ix_(*order)], tolerance)


def from_pgmpy(model: Any) -> vd.Network:
    states = {cpd.variable: tuple(map(str, cpd.state_names[cpd.variable])) for cpd in model.get_cpds()}
    return vd.Network(
        {cpd.variable: vd.Table(tuple(cpd.variables[1:]), np.moveaxis(cpd.values, 0, -1)) for cpd in model.get_cpds()},
        states,
    )


def from_pyagrum(model: Any) -> vd.Network:
    cpds = {}
    for v in model.names():
        axes = tuple(reversed(model.cpt(v).names))
        array = np.moveaxis(np.asarray(model.cpt(v).toarray()), axes.index(v), -1)
        cpds[v] = vd.Table(tuple(u for u in axes if u != v), array)
    return vd.Network(cpds, {v: tuple(model.variable(v).labels()) for v in model.names()})


@compares("pyAgrum", "BIF, XMLBIF and NET files, written there and read here, and the other way", 40)
def files_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    network = inputs.network(random)
    with TemporaryDirectory() as folder:
        # pyAgrum rounds probabilities to single precision, or writes few digits.
        for ending in ("bif", "bifxml", "net"):
            path = Path(folder) / f"theirs.{ending}"
            gum.saveBN(in_pyagrum(network), str(path))
            same_network(network, vd.read_network(path), 2e-6)
        for ending in ("bif", "bifxml", "net"):
            path = network.write(Path(folder) / f"ours.{ending}")
            same_network(network, from_pyagrum(gum.loadBN(str(path))), 2e-6)
    return None


@compares("pgmpy", "XMLBIF and NET files, written there and read here, and the other way", 20)
def files_of_pgmpy(random: Random) -> str | None:
    from pgmpy.readwrite import NETReader, NETWriter, XMLBIFReader, XMLBIFWriter

    network = inputs.network(random)
    with TemporaryDirectory() as folder:
        for ending, reader, writer in (("bifxml", XMLBIFReader, XMLBIFWriter), ("net", NETReader, NETWriter)):
            theirs = Path(folder) / f"theirs.{ending}"
            made = writer(in_pgmpy(network))
            (made.write if hasattr(made, "write") else made.write_net)(str(theirs))
            same_network(network, vd.read_network(theirs), 1e-6)
            ours = network.write(Path(folder) / f"ours.{ending}")
            same_network(network, from_pgmpy(reader(str(ours)).get_model()), 1e-6)
    return None


@compares("pgmpy", "BIF files, written there and read here, and the other way", 3)
def bif_of_pgmpy(random: Random) -> str | None:
    from pgmpy.readwrite import BIFReader, BIFWriter

    network = inputs.network(random, most=4)
    with TemporaryDirectory() as folder:
        theirs = Path(folder) / "theirs.bif"
        made = BIFWriter(in_pgmpy(network))
        (made.write if hasattr(made, "write") else made.write_bif)(str(theirs))
        same_network(network, vd.read_network(theirs), 1e-6)
        ours = network.write(Path(folder) / "ours.bif")
        same_network(network, from_pgmpy(BIFReader(str(ours)).get_model()), 1e-6)
    return None
