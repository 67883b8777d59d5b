"""Arcs, tiers and limits as the user gives them, checked and brought into one form."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from veridag.checks import is_integer
from veridag.errors import InputError, suggest
from veridag.graph.matrices import Arc

_LIMIT_RULE = "give an integer of at least 0 for all variables, or a dictionary {{name: number}}"
# A name in quotes may hold what looks like a comment; a # inside a name, as in item#1, starts none.
_QUOTED_OR_COMMENT = re.compile(r'((?:^|,)\s*"(?:[^"]|"")*")|(?<!\S)#.*')


def parse_arc(text: str) -> Arc:
    """``A:B`` or ``A->B`` as ``("A", "B")``; the second form is for names with a colon. Spaces around do not count."""
    sign = "->" if "->" in text else ":"
    ends = [end.strip() for end in text.split(sign)]
    if len(ends) != 2 or not all(ends):
        raise InputError(f"arc {text!r}: write it as FROM:TO, or as FROM->TO if a name has a colon")
    return ends[0], ends[1]


def checked_arcs(argument: str, arcs: object) -> tuple[Arc, ...]:
    """The arcs sorted, each once."""
    if isinstance(arcs, str | Mapping) or not isinstance(arcs, Iterable):
        raise InputError(f"{argument}={arcs!r}: give a list of arcs, each a pair (from, to)")
    checked = set()
    for arc in arcs:
        if not isinstance(arc, tuple | list) or len(arc) != 2:
            raise InputError(
                f"{argument}: {arc!r} is not an arc: give pairs (from, to), such as {argument}=[('A', 'B')]"
            )
        u, v = (_checked_name(f"{argument}: {arc!r}", name) for name in arc)
        if u == v:
            raise InputError(f"{argument}: {arc!r} leads from {u!r} to itself, which no DAG allows: remove it")
        checked.add((u, v))
    return tuple(sorted(checked))


def checked_tiers(tiers: object) -> tuple[tuple[str, ...], ...]:
    """The tiers in order, the names of each sorted."""
    if isinstance(tiers, str | Mapping | Set) or not isinstance(tiers, Iterable):  # a set has no order
        raise InputError(f"tiers={tiers!r}: give a list of tiers, each a list of names, the earliest first")
    checked: list[tuple[str, ...]] = []
    tier_of: dict[str, int] = {}
    for k, tier in enumerate(tiers, start=1):
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise InputError(
                f"tiers: tier {k} is {tier!r}: a tier is a list of names, such as tiers=[['A'], ['B', 'C']]"
            )
        names = [_checked_name(f"tiers: tier {k}", name) for name in tier]
        if not names:
            raise InputError(f"tiers: tier {k} is empty: remove it")
        for name in names:
            if name in tier_of:
                where = f"tier {k} twice" if tier_of[name] == k else f"tier {tier_of[name]} and in tier {k}"
                raise InputError(f"tiers: {name!r} is in {where}: keep it once")
            tier_of[name] = k
        checked.append(tuple(sorted(names)))
    return tuple(checked)


def checked_names(argument: str, names: object) -> tuple[str, ...]:
    """The names sorted, each once."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise InputError(f"{argument}={names!r}: give a list of names")
    return tuple(sorted({_checked_name(argument, name) for name in names}))


def checked_limits(limits: object) -> int | tuple[tuple[str | None, int], ...] | None:
    """One number for all variables, or sorted pairs of a name and its number."""
    if limits is None:
        return None
    if isinstance(limits, str) or not isinstance(limits, Iterable):
        return _checked_limit("max_indegree", limits)
    checked: dict[str | None, int] = {}
    for item in limits.items() if isinstance(limits, Mapping) else limits:
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise InputError(f"max_indegree: {item!r} is not of the form name: number: {_LIMIT_RULE}")
        name = None if item[0] is None else _checked_name("max_indegree", item[0])
        if name in checked:
            raise InputError(f"max_indegree: {name!r} is given more than once: keep one number for it")
        checked[name] = _checked_limit(f"max_indegree: {name!r}", item[1])
    if not checked:
        return None
    if list(checked) == [None]:
        return checked[None]
    return tuple(sorted(checked.items(), key=lambda item: (item[0] is not None, item[0] or "")))


def _checked_limit(argument: str, value: object) -> int:
    if not is_integer(value) or value < 0:
        raise InputError(f"{argument}={value!r}: {_LIMIT_RULE}")
    return int(value)


def _checked_name(argument: str, name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"{argument}: {name!r} is not a name: give the name of a variable, a non-empty string")
    return str(name)  # a numpy string has a repr that cannot be typed back in


def read_tiers(path: Path) -> list[list[str]]:
    """The tiers in a text file, as `Knowledge.read_tiers` describes it."""
    tiers: list[list[str]] = []
    line_of: dict[str, int] = {}
    for number, line in enumerate(_load(path).split("\n"), start=1):
        names = _names_of(_QUOTED_OR_COMMENT.sub(r"\1", line), f"{path}, line {number}")
        for name in names:
            if name in line_of:
                raise InputError(
                    f"{path}, line {number}: {name!r} is in line {line_of[name]} already: list each variable once"
                )
            line_of[name] = number
        tiers += [names] if names else []
    if not tiers:
        raise InputError(f"{path}: it has no tiers: write one per line, names separated by commas")
    return tiers


def _load(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError(f"{path}: no such file; {suggest(path.name, beside)}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: the text is not UTF-8: save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _names_of(line: str, where: str) -> list[str]:
    """The names between the commas; none of a blank line."""
    if not line.strip():
        return []
    try:
        names = [name.strip() for name in next(csv.reader([line.strip()], skipinitialspace=True, strict=True))]
    except csv.Error:
        raise InputError(f"{where}: the quotes do not match: put the whole name in double quotes") from None
    if not all(names):
        raise InputError(f"{where}: a name is missing before or after a comma: add it or remove the comma")
    return names
