"""Specs: scores, priors, tests, algorithms and metrics as text. Only this module turns text into objects, without eval.

A spec is the call as text, in lower case: ``bdeu``, ``bdeu(ess=10)``, ``score(bic, prior=fair)``. A parameter that is
itself a score, prior or test is a nested spec. Names are those of the classes in any spelling: ``marginal-uniform``,
``marginal_uniform`` and ``MarginalUniform`` are the same. A prior network is given by its file or as a reference
network: ``bde(ess=10, network="expert.bif")``. A metric is a function, given by its name alone: ``shd``,
``scaled-shd``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

from veridag.criteria.independence import Test
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.errors import InputError, suggest
from veridag.network import Network, networks
from veridag.network.formats import read_network
from veridag.search import Algorithm

Family = Literal["score", "prior", "test", "algorithm", "metric"]

#: Where the members of each family live, and what they are subclasses of; metrics are functions.
FAMILIES: dict[Family, tuple[tuple[str, ...], type]] = {
    "score": (("veridag.criteria.scores",), Score),
    "prior": (("veridag.criteria.priors",), Prior),
    "test": (("veridag.criteria.independence",), Test),
    "algorithm": (("veridag.search", "veridag.trust.averages"), Algorithm),
    "metric": (("veridag.metrics",), FunctionType),
}

#: Parameters that hold a member of a family under another name than the family's.
ROLES: dict[str, Family] = {
    "restrict": "algorithm",
    "maximize": "algorithm",
    "averages": "algorithm",
    "average": "algorithm",
    "dirichlet": "score",
    "gaussian": "score",
}

#: Shorter names for what is said often.
ALIASES = {
    "jeffreys": "bdjeffreys",
    "score": "scoretest",
    "mu": "marginaluniform",
    "vsp": "variableselection",
    "dg": "degenerategaussian",
    "dg2": "degenerateg2",
}

_TOKEN = re.compile(
    r"""\s+ | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?+(?![\w.]))
      | "(?P<double>(?:[^"\\]|\\.)*+)" | '(?P<single>(?:[^'\\]|\\.)*+)'
      | (?P<word>[A-Za-z_][\w-]*) | (?P<sign>[()=,\[\]])""",
    re.VERBOSE,
)
#: What a backslash stands before in a quoted text, as the repr of a text writes it. Others are part of a path.
_ESCAPED = re.compile(r"""\\(['"\\])""")
#: How deep brackets may be nested; what is sensible needs three or four.
MAX_DEPTH = 20
#: How long a number may be; that of the longest exact float below one has 767 digits.
MAX_DIGITS = 800

#: What ends a list of values; the repr of a tuple has parentheses.
_CLOSING = {"[": "]", "(": ")"}

_WORDS = {"true": True, "false": False, "none": None}


@cache
def members(family: Family) -> dict[str, Any]:
    """The classes or functions of a family, by name in lower case with hyphens, in alphabetical order."""
    modules, base = FAMILIES[family]
    homes = [import_module(module) for module in modules]
    public = [getattr(home, name) for home in homes for name in home.__all__]
    found: list[Any] = [m for m in public if isinstance(m, type) and issubclass(m, base) and m is not base]
    if base is FunctionType:
        found = [m for m in public if isinstance(m, FunctionType)]
    return dict(sorted((spell(member.__name__), member) for member in found))


def spell(name: str) -> str:
    """MarginalUniform -> marginal-uniform, FisherZ -> fisher-z, BDeu -> bdeu, scaled_shd -> scaled-shd."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{3})", "-", name).replace("_", "-").lower()


def parse(spec: str, family: Family) -> Any:
    """Convert a spec such as ``"bdeu(ess=10)"`` into the score, prior, test, algorithm or metric that it describes.

    A spec is the call as text, in lower case. Parameters can be specs too, as in
    ``"tabu(score=bic(gamma=0.5), prior=fair)"``.

    Args:
        spec: The text.
        family: What it describes.

    Raises:
        InputError: If there is no such name or parameter. The message suggests the nearest one.

    See also:
        `learn`, docs/choosing.md
    """
    if family not in FAMILIES:
        raise InputError(f"family={family!r}: {suggest(str(family), FAMILIES)}")
    if not isinstance(spec, str):
        raise InputError(f"spec={spec!r}: a {family} is given as a string, such as {next(iter(members(family)))!r}")
    reader = _Reader(spec, family)
    value = reader.call(family)
    reader.expect_end()
    return value


def _squash(name: str) -> str:
    plain = re.sub(r"[-_]", "", name).lower()
    return ALIASES.get(plain, plain)


def _nearest(name: str, family: Family) -> str:
    near = get_close_matches(name.lower(), members(family))
    swapped = [known for known in near if sorted(known) == sorted(name.lower())]  # bdue is bdeu rather than bde
    guess = f"did you mean {(swapped or near)[0]!r}? " if near else ""
    return f"{guess}{'There' if guess else 'there'} are {', '.join(members(family))}"


class _Reader:
    """Reads one spec from left to right."""

    def __init__(self, spec: str, family: Family) -> None:
        self.spec, self.family = spec, family
        self.tokens = list(self._tokens())
        self.at = 0
        self._check_depth()

    def _tokens(self) -> Iterator[tuple[str, str]]:
        position = 0
        while position < len(self.spec):
            match = _TOKEN.match(self.spec, position)
            if match is None:
                quotes = " (names of files and other texts need quotes)" if self.spec[position] in "./\\:~" else ""
                raise self.mistake(f"{self.spec[position:][:15]!r} cannot be read{quotes}")
            if match.lastgroup is not None:
                text, is_quoted = match[match.lastgroup], match.lastgroup in ("double", "single")
                yield ("text", _ESCAPED.sub(r"\1", text)) if is_quoted else (match.lastgroup, text)
            position = match.end()

    def _check_depth(self) -> None:
        depth = 0
        for kind, text in self.tokens:
            if kind == "sign":
                depth += (text in "([") - (text in ")]")
            if depth > MAX_DEPTH:
                raise self.mistake(f"brackets are nested more than {MAX_DEPTH} deep")

    def mistake(self, what: str) -> InputError:
        shown = self.spec if len(self.spec) <= 100 else f"{self.spec[:97]}..."
        return InputError(f"{self.family} {shown!r}: {what}")

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def expect_end(self) -> None:
        if self.peek()[0] != "end":
            raise self.mistake(f"{self.peek()[1]!r} is unexpected: remove it")

    def call(self, family: Family) -> Any:
        """A name, with or without arguments."""
        kind, name = self.take()
        if kind != "word":
            raise self.mistake(f"give the name of a {family} first, such as {next(iter(members(family)))!r}")
        known = {_squash(spelled): cls for spelled, cls in members(family).items()}
        if _squash(name) not in known:
            raise self.mistake(f"there is no {family} {name!r}; {_nearest(name, family)}")
        cls = known[_squash(name)]
        if isinstance(cls, FunctionType):  # a metric, which takes graphs and no settings
            return cls
        return self.build(cls, self.arguments(cls) if self.peek() == ("sign", "(") else {})

    def build(self, cls: type, arguments: dict[str, Any]) -> Any:
        for field in fields(cls):
            if field.default is MISSING and field.default_factory is MISSING and field.name not in arguments:
                raise self.mistake(f"{spell(cls.__name__)} needs {field.name}: {spell(cls.__name__)}({field.name}=...)")
        try:
            return cls(**arguments)
        except InputError as error:
            prefix = f"{self.family} "
            raise (error if str(error).startswith(prefix) else self.mistake(str(error))) from None

    def arguments(self, cls: type) -> dict[str, Any]:
        """What stands between parentheses; values without a name fill the parameters in order."""
        self.take()
        names = [field.name for field in fields(cls)]
        found: dict[str, Any] = {}
        while self.peek() != ("sign", ")"):
            name = self.parameter(names, found)
            if name in found:
                raise self.mistake(f"{name} is given twice")
            found[name] = self.value(name)
            if self.peek() == ("sign", ","):
                self.take()
            elif self.peek() != ("sign", ")"):
                raise self.mistake("the closing parenthesis is missing")
        self.take()
        return found

    def parameter(self, names: list[str], found: dict[str, Any]) -> str:
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ("end", "")
        if self.peek()[0] == "word" and following == ("sign", "="):
            name = self.take()[1].replace("-", "_")
            self.take()
            if name not in names:
                raise self.mistake(f"there is no parameter {name!r}: {suggest(name, names)}")
            return name
        if len(found) >= len(names):
            raise self.mistake(f"there are more values than the parameters {', '.join(names) or '(none)'}")
        return names[len(found)]

    def value(self, parameter: str) -> Any:
        kind, text = self.peek()
        if kind == "number":
            self.take()
            if len(text) > MAX_DIGITS:
                raise self.mistake(
                    f"{parameter} has a number of {len(text)} characters: at most {MAX_DIGITS} are allowed"
                )
            return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
        if kind == "text":
            return self.named_network() if parameter == "network" else self.take()[1]
        if kind == "sign" and text in _CLOSING:
            return self.sequence(parameter)
        if kind != "word":
            raise self.mistake(f"a value for {parameter} is missing")
        if text.lower() in _WORDS:
            self.take()
            return _WORDS[text.lower()]
        if parameter == "network":
            return self.named_network()
        family = ROLES.get(parameter, parameter)
        if family in FAMILIES:
            return self.call(family)
        return self.take()[1]  # a word that is a value itself, as in df=adjusted

    def named_network(self) -> Network:
        """A reference network, or the network of a file."""
        name = self.take()[1]
        if name in networks.names():
            return networks.load(name)
        if not Path(name).suffix:
            raise self.mistake(
                f"there is no reference network {name!r}: name a file with its ending, such as 'expert.bif', or one of "
                f"{', '.join(networks.names())}"
            )
        return read_network(name)

    def sequence(self, parameter: str) -> tuple[Any, ...]:
        closing = _CLOSING[self.take()[1]]
        items = []
        while self.peek() != ("sign", closing):
            if self.peek()[0] == "end":
                raise self.mistake("the closing bracket is missing")
            items.append(self.value(parameter))
            if self.peek() == ("sign", ","):
                self.take()
        self.take()
        return tuple(items)
