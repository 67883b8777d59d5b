"""What the network expects of other variables once something is known of a case, computed in the page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from veridag.data import Data
from veridag.network import Network
from veridag.report.compiling import MOST_ENTRIES, MOST_NUMBERS, Compiled, compiled
from veridag.report.content import Report
from veridag.report.rendering import thousands


@dataclass(frozen=True)
class View:
    """What the script computes with, as `facts`; None if the network is too large or there is none.

    `command` asks the same on the command line. A mixed network has so many `continuous` variables, of which nothing
    can be chosen; they are `followed` unless the network would be too large with them. `why_not` says why there are no
    parameters, if that is known.
    """

    fitted: bool
    facts: Mapping[str, Any] | None = None
    kind: str = ""
    continuous: int = 0
    followed: bool = False
    has_groups: bool = False
    command: str = ""
    entries: str = ""
    numbers: int = 0
    most_entries: int = MOST_ENTRIES
    most_numbers: int = MOST_NUMBERS
    why_not: str | None = None


def view(report: Report) -> View:
    """The recommended network, ready to be asked."""
    return replace(view_of(report.network, report.data), why_not=report.missing.get("network"))


def view_of(network: Network | None, data: Data) -> View:
    """A network that was fitted to this data, ready to be asked."""
    if network is None or not network.names:
        return View(False)
    made: Compiled = compiled(network)
    facts = None if made.facts is None else made.facts | {"rows": float(data.n)}
    continuous = 0 if network.is_gaussian else len(network.names) - len(network.states)
    return View(
        True,
        facts,
        network.kind,
        continuous,
        bool(made.facts and made.facts.get("mixtures")),
        data.group is not None,
        _command(network),
        _size(made.entries),
        made.numbers,
    )


def _size(entries: int) -> str:
    """A number of entries that may have hundreds of digits."""
    return thousands(entries) if entries < 10**9 else f"more than 10^{len(str(entries)) - 1}"


def _command(network: Network) -> str:
    """A query of the downloaded network, of two variables that are linked if there are any."""
    child = next((v for v in network.names if network.cpds[v].parents), network.names[-1])
    given = next(iter(network.cpds[child].parents), network.names[0])
    value = network.states[given][0] if given in network.states else "0"
    file = "network.bif" if network.kind == "discrete" else "network.json"
    return shlex.join(["veridag", "query", file, child, "-e", f"{given}={value}"])
