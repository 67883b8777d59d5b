"""The reference networks that the literature compares structure learners on, and one with mixed variables of our own.

PROVENANCE.md, next to this file, says where each comes from. Listing them reads one small index and needs no numpy;
`load` reads the network itself. No other data or networks belong here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from veridag.errors import InputError, suggest

if TYPE_CHECKING:
    from veridag.network.network import Network

_FOLDER = Path(__file__).parent


class Info(NamedTuple):
    """The kind and size of a reference network, known without loading it.

    Attributes:
        name: The name.
        kind: "discrete", "gaussian" or "mixed".
        nodes: Number of variables.
        arcs: Number of arcs.
        parameters: Number of free parameters.
    """

    name: str
    #: "discrete", "gaussian" or "mixed"
    kind: str
    nodes: int
    arcs: int
    #: free parameters, as `Network.nparams` counts them
    parameters: int


def names() -> tuple[str, ...]:
    """The names of the reference networks, in alphabetical order."""
    return tuple(sorted(_index()))


def info(name: str) -> Info:
    """Return the kind and size of a reference network.

    Args:
        name: The name of the network, such as "alarm".

    See also:
        `networks.load`, docs/networks.md
    """
    if not isinstance(name, str) or name not in names():
        near = suggest(str(name).lower(), names())
        raise InputError(f"name: there is no reference network {name!r}: {near}")
    return _index()[name]


def load(name: str) -> Network:
    """Load a reference network, such as ``load("alarm")``.

    Args:
        name: The name of the network; `networks.names` lists them.

    See also:
        `Network`, docs/networks.md
    """
    path = _FOLDER / f"{info(name).name}.vdn"
    from . import compact

    return compact.read(path.read_bytes(), path.name)


@cache
def _index() -> dict[str, Info]:
    _, *lines = (_FOLDER / "index.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: Info(name, kind, int(n), int(arcs), int(size)) for name, kind, n, arcs, size in rows}
