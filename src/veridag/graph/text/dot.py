"""DOT, the language of Graphviz, as far as it says which nodes are joined."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from veridag.checks import TEXT
from veridag.errors import InputError

Pair = tuple[str, str]

_DOT_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | \#[^\n]* | /\*(?:.*?\*/|(?P<open>))  # white space and comments
      | (?P<op> -> | -- | [{}\[\];,=:+] )
      | "(?P<quoted>(?:\\.|[^"\\])*)"
      | (?P<bare> [^\s{}\[\];,=:"\-]+ (?: -(?![->]) [^\s{}\[\];,=:"\-]* )* )""",
    re.VERBOSE | re.DOTALL,
)


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write_dot(names: Iterable[str], arcs: Iterable[Pair], edges: Iterable[Pair], undetermined: Iterable[Pair]) -> str:
    """A digraph: arcs as they are, undirected edges with ``dir=none``, undetermined pairs dashed as well."""
    lines = [f"  {_quote(name)};" for name in names]
    lines += [f"  {_quote(a)} -> {_quote(b)};" for a, b in arcs]
    lines += [f"  {_quote(a)} -> {_quote(b)} [dir=none];" for a, b in edges]
    lines += [f"  {_quote(a)} -> {_quote(b)} [dir=none, style=dashed];" for a, b in undetermined]
    return "\n".join(["digraph {", *lines, "}", ""])


def read_dot(text: str) -> tuple[list[str], list[Pair], list[Pair], list[Pair]]:
    """Names, arcs, undirected edges and undetermined (dashed) pairs of a DOT graph without subgraphs."""
    return _DotReader(TEXT("text", text)).read()


class _DotReader:
    """Statements of the part of DOT that says which nodes are joined; positions, colours and labels are ignored."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_dot_tokens(text))
        self.at = 0
        self.names: dict[str, None] = {}
        self.arcs: list[Pair] = []
        self.edges: list[Pair] = []
        self.undetermined: list[Pair] = []

    def read(self) -> tuple[list[str], list[Pair], list[Pair], list[Pair]]:
        if self.peek()[1].lower() == "strict":
            self.take()
        kind = self.take()[1].lower()
        if kind not in ("digraph", "graph"):
            raise InputError(f"a DOT text starts with 'digraph' or 'graph', not with {kind!r}")
        if self.peek() != ("op", "{"):
            self.take()
        self.expect("{")
        while self.peek() != ("op", "}"):
            self.statement()
        return list(self.names), self.arcs, self.edges, self.undetermined

    def peek(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise InputError("the DOT text ends before its closing brace")
        return self.tokens[self.at]

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, operator: str) -> None:
        token = self.take()
        if token != ("op", operator):
            raise InputError(f"the DOT text has {token[1]!r} where {operator!r} was expected")

    def name(self) -> str:
        kind, value = self.take()
        if kind == "op" or value == "subgraph":
            raise InputError(f"the DOT text has {value!r} where a node was expected (subgraphs are not supported)")
        if self.peek() == ("op", ":"):
            raise InputError(f"the DOT text gives node {value!r} a port, which is not supported: remove it")
        if self.peek() == ("op", "+"):
            raise InputError(
                f"the DOT text joins {value!r} to another text by '+', which is not supported: write one string"
            )
        return value

    def statement(self) -> None:
        if self.peek() in (("op", ";"), ("op", ",")):
            self.take()
            return
        chain = [self.name()]
        if self.peek() == ("op", "="):  # a graph attribute such as rankdir=LR
            self.take()
            self.take()
            return
        operators = []
        while self.peek() in (("op", "->"), ("op", "--")):
            operators.append(self.take()[1])
            chain.append(self.name())
        attributes = self.attributes()
        if not operators and chain[0] in ("node", "edge", "graph") and attributes is not None:
            return
        self.names.update(dict.fromkeys(chain))
        self.join(chain, operators, attributes or {})

    def attributes(self) -> dict[str, str] | None:
        if self.peek() != ("op", "["):
            return None
        self.take()
        found = {}
        while self.peek() != ("op", "]"):
            key = self.take()[1]
            if self.peek() == ("op", "="):
                self.take()
                found[key] = self.take()[1]
        self.take()
        return found

    def join(self, chain: list[str], operators: list[str], attributes: dict[str, str]) -> None:
        for (a, b), operator in zip(itertools.pairwise(chain), operators, strict=True):
            if attributes.get("style") == "dashed" and (operator == "--" or attributes.get("dir") == "none"):
                self.undetermined.append((a, b))
            elif operator == "--" or attributes.get("dir") in ("none", "both"):
                self.edges.append((a, b))
            else:
                self.arcs.append((b, a) if attributes.get("dir") == "back" else (a, b))


def _dot_tokens(text: str) -> Iterable[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _DOT_TOKEN.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            raise InputError(f"the DOT text cannot be read at line {line}: {text[position:][:20]!r}")
        if match["open"] is not None:
            line = text.count("\n", 0, position) + 1
            raise InputError(f"the DOT text has a comment that starts in line {line} and is not closed: add */")
        if match["op"]:
            yield "op", match["op"]
        elif match["quoted"] is not None:
            yield "name", re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL)
        elif match["bare"]:
            yield "name", match["bare"]
        position = match.end()
