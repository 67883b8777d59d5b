"""A graph as a JSON object: its kind, its variables and its pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from veridag.errors import InputError

Pair = tuple[str, str]

#: What the field "format" of a network with parameters says in JSON; the JSON of a graph has no such field.
NETWORK_FORMAT = "veridag network"


def write_json(kind: str, names: Sequence[str], **pairs: Sequence[Pair]) -> str:
    """A JSON object with the kind of the graph, its variables in order, and its pairs by kind."""
    lists = {key: [list(pair) for pair in values] for key, values in pairs.items()}
    return json.dumps({"kind": kind, "variables": list(names), **lists}, ensure_ascii=False, indent=1) + "\n"


def read_json(text: str) -> tuple[str, list[str], dict[str, list[Pair]]]:
    """The kind of a graph, its variables, and its pairs by kind, as `write_json` writes them."""
    try:
        content = json.loads(text)
        if isinstance(content, dict) and content.get("format") == NETWORK_FORMAT:
            raise InputError(
                "the JSON holds a network with parameters, not a graph alone:"
                " read it with vd.read_network, and take its .dag"
            )
        names = [str(name) for name in content["variables"]]
        pairs = {key: [(str(a), str(b)) for a, b in content.get(key, [])] for key in ("arcs", "edges", "undetermined")}
        return str(content["kind"]), names, pairs
    except json.JSONDecodeError as error:
        raise InputError(f"the graph is not JSON: {error.msg} in line {error.lineno}") from None
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InputError(
            'the JSON is not a graph: it needs "kind", "variables" and lists of pairs "arcs", "edges", "undetermined"'
        ) from None
