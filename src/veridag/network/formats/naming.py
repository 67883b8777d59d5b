"""Names that other programs can read, stored with the original ones.

pgmpy, pyAgrum and others cannot read a variable `sepal length (cm)` or a state `<=5.4` in most formats, however they
are quoted. A writer therefore writes safe names where it must, and keeps the true ones in fields that other programs
pass over: `NAME` and, for the states of a variable, `STATES`. The readers restore them, so that a network that was
written is read back bit for bit. A `Rule` says what is safe in a format; it was found by trying, and
``tests/network/formats/test_exchange.py`` tries it again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, unquote

from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, LinearGaussian, Table

#: The fields that hold the true name of a variable or of the network, and the true states of a variable.
NAME, STATES = "veridag_name", "veridag_states"

_SIGNS = {"<=": " le ", "≤": " le ", ">=": " ge ", "≥": " ge ", "<": " lt ", ">": " gt ", "%": " percent "}
_SIGN = re.compile("|".join(_SIGNS))
#: pgmpy takes these words for the start of a block, wherever they stand.
_BLOCK_WORDS = re.compile("variable|probability")


@dataclass(frozen=True)
class Rule:
    """What names others can read in a format.

    `variable` and `state` say whether a name is safe, by anything that counts as true; `reserved` are words that no
    name may be; `fold` says that some reader cannot tell names of variables apart that differ by case alone.
    """

    variable: Callable[[str], object]
    state: Callable[[str], object]
    reserved: frozenset[str] = field(default_factory=frozenset)
    fold: bool = False

    def takes_variable(self, name: str) -> bool:
        """Whether a variable may have the name."""
        return bool(self.variable(name)) and name not in self.reserved

    def takes_state(self, name: str) -> bool:
        """Whether a state may have the name."""
        return bool(self.state(name)) and name not in self.reserved


class TrueNames(NamedTuple):
    """What a file says of the true names of a variable; None where those in the file are the true ones."""

    name: str | None = None
    states: tuple[str, ...] | None = None


@dataclass(frozen=True)
class SafeNames:
    """The names that are written for the variables of a network and for their states, by the true variable."""

    names: dict[str, str]
    states: dict[str, tuple[str, ...]]

    def changed(self, network: Network) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The true and the safe name of every variable, and of every state, for which they differ."""
        pairs = (
            (true, safe) for v, own in self.states.items() for true, safe in zip(network.states[v], own, strict=True)
        )
        return [(true, safe) for true, safe in self.names.items() if true != safe], [(t, s) for t, s in pairs if t != s]


@dataclass(frozen=True)
class Renamed:
    """A network with safe names, and by these the true names of what was renamed."""

    network: Network
    names: dict[str, str] = field(default_factory=dict)
    states: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def fields(self, variable: str) -> list[tuple[str, str]]:
        """The fields to write with a variable, and their encoded values."""
        found = [(NAME, encode(self.names[variable]))] if variable in self.names else []
        if variable in self.states:
            found.append((STATES, ",".join(map(encode, self.states[variable]))))
        return found


def encode(text: str) -> str:
    """The text in letters, digits and ``_ . - ~ %`` alone."""
    plain = quote(text, safe="", errors="surrogatepass")
    return _BLOCK_WORDS.sub(lambda word: f"%{ord(word[0][0]):02X}{word[0][1:]}", plain)


def decode(text: str) -> str:
    """The text that `encode` wrote."""
    return unquote(text, errors="surrogatepass")


def true_names(fields: dict[str, str]) -> TrueNames:
    """What the fields of a variable in a file say."""
    name = decode(fields[NAME]) if NAME in fields else None
    states = tuple(map(decode, fields[STATES].split(","))) if STATES in fields else None
    return TrueNames(name, states)


def safe_names(network: Network, rule: Rule) -> SafeNames:
    """Names that the rule takes, each its own wherever that can be."""
    names = _safe(network.names, rule.takes_variable, "v", rule.fold)
    states = {v: tuple(_safe(own, rule.takes_state, "s")) for v, own in network.states.items()}
    return SafeNames(dict(zip(network.names, names, strict=True)), states)


def note(network: Network, rule: Rule) -> str | None:
    """What a user should know of the names that are changed in a file, if any are."""
    variables, states = safe_names(network, rule).changed(network)
    if not variables and not states:
        return None
    groups = ((variables, "variable"), (states, "state"))
    counts = " and ".join(f"{len(pairs)} {what}{'s' * (len(pairs) > 1)}" for pairs, what in groups if pairs)
    true, safe = [*variables, *states][0]
    return (
        f"names were changed so that other programs can read the file: those of {counts}, such as {true!r} to "
        f"{safe!r}; the original names are stored with them, and veridag restores them when it reads the file"
    )


def rename(network: Network, rule: Rule) -> Renamed:
    """The network with names that the rule takes; the same one if it takes all."""
    safe = safe_names(network, rule)
    if safe.changed(network) == ([], []):
        return Renamed(network)
    names = safe.names
    cpds = {names[v]: with_names(cpd, names) for v, cpd in network.cpds.items()}
    return Renamed(
        Network(cpds, {names[v]: own for v, own in safe.states.items()}, name=network.name),
        {new: true for true, new in names.items() if new != true},
        {names[v]: network.states[v] for v, own in safe.states.items() if own != network.states[v]},
    )


def with_names(cpd: CPD, names: Mapping[str, str]) -> CPD:
    """The same parameters with other names of the parents."""

    def renamed(parents: Iterable[str]) -> tuple[str, ...]:
        return tuple(names[p] for p in parents)

    if isinstance(cpd, Table):
        return Table(renamed(cpd.parents), cpd.probabilities)
    if isinstance(cpd, LinearGaussian):
        return LinearGaussian(renamed(cpd.parents), cpd.intercept, cpd.coefficients, cpd.sd)
    discrete, continuous = renamed(cpd.discrete), renamed(cpd.continuous)
    return ConditionalGaussian(discrete, continuous, cpd.intercepts, cpd.coefficients, cpd.sds)


def _safe(names: Iterable[str], taken_by_others: Callable[[str], bool], prefix: str, fold: bool = False) -> list[str]:
    """A name for each that others take, all different; its own wherever that can be."""

    def key(name: str) -> str:
        return name.casefold() if fold else name

    given = list(names)
    kept: dict[str, str] = {}
    for name in given:
        if taken_by_others(name):
            kept.setdefault(key(name), name)
    own, used = set(kept.values()), set(kept)
    made = []
    for name in given:
        if name in own:
            made.append(name)
            continue
        stem = _stem(name, taken_by_others, prefix)
        new, number = stem, 1
        while key(new) in used:
            number += 1
            new = f"{stem}_{number}"
        used.add(key(new))
        made.append(new)
    return made


def _stem(name: str, taken_by_others: Callable[[str], bool], prefix: str) -> str:
    """A readable name that others take and that resembles this one."""
    spelled = _SIGN.sub(lambda sign: _SIGNS[sign[0]], name)
    letters = "".join(c for c in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(c))
    dotted = re.sub(r"[^A-Za-z0-9_.-]+", "_", letters).strip("_")
    plain = re.sub(r"\W", "_", dotted, flags=re.ASCII)
    choices = [f"{start}{stem}" for stem in (dotted, plain) for start in ("", f"{prefix}_") if stem]
    return next((c for c in choices if taken_by_others(c)), f"{prefix}_1")
