"""Every reader of files, and of specs, as a function of bytes. Nothing but InputError may come out of them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from io import BytesIO

import veridag as vd
from veridag.criteria.score_table import read_table
from veridag.graph.files import parse_graph
from veridag.specs import parse

from .mutation import mutated, seeds


def _network(format: str) -> Callable[[bytes], object]:
    return lambda content: vd.read_network(BytesIO(content), format=format)


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda content: read(content.decode("utf-8", "replace"))


def _spec(text: str) -> object:
    family = "algorithm" if "(" in text else "score"
    return parse(text, family)


#: Readers by the ending of their files in the corpus.
READERS: dict[str, Callable[[bytes], object]] = {
    ".bif": _network("bif"),
    ".xml": _network("xmlbif"),
    ".net": _network("net"),
    ".dsc": _network("dsc"),
    ".network.json": _network("json"),
    ".graph.json": _text(lambda text: parse_graph(text, "json")),
    ".dot": _text(lambda text: parse_graph(text, "dot")),
    ".modelstring": _text(vd.DAG.from_modelstring),
    ".jkl": lambda content: read_table(BytesIO(content), format="jkl"),
    ".pss": lambda content: read_table(BytesIO(content), format="pss"),
    ".csv": lambda content: vd.read(BytesIO(content)),
    ".strict.csv": lambda content: vd.read(BytesIO(content), strict=True),
    ".spec": _text(_spec),
}


def attack(ending: str, seed: int) -> tuple[bytes, BaseException | None]:
    """One damaged file given to its reader, and what came out that must not."""
    own = seeds(".csv" if ending == ".strict.csv" else ending)
    chance = random.Random(f"{ending} {seed}")
    content = mutated(chance.choice(own), own, chance)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            READERS[ending](content)
    except vd.InputError:
        pass
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return content, error
    return content, None
