"""Messages of the library in the words of the command line: options where Python has arguments.

The library names the wrong argument and what to call instead. A user of the command line has options:
`max_indegree=-1` becomes `--max-indegree -1`, and a remedy that is a call in Python becomes the option that does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

#: Arguments of the library that have another name on the command line; the others have the same.
_OTHER_NAMES = {
    "k": "number",
    "required": "require",
    "forbidden": "forbid",
    "algorithms": "algorithm",
    "companions": "companion",
    "dag": "graph",
    "kinds": "kind",
    "values": "value",
}

#: Remedies that are Python, and what to do instead on the command line.
_REMEDIES = {
    r"in group= when reading": "with --group",
    r"score all as one with BDeu": "score all as one with --score bdeu",
    r"pass method='hierarchical', 'separate' or 'pooled', or fit each of data\.by_group\(\)": (
        "give --method hierarchical, separate or pooled"
    ),
    r"use method='(\w+)' for": r"use --method \1 for",
    r"use method='(integer|dynamic)'": r'use --algorithm "exact(method=\1)"',
    r"use method='(\w+)'": r"use --method \1",
    r"such as (\w+)\(\) or (\w+)\(\), or classes=False": r"such as \1 or \2, or leave out --classes",
    r"^classes=True: ": "--classes: ",
    r"select fewer, or use Exact for one best network": (
        "choose fewer columns, or use `veridag learn --algorithm exact` for one best network"
    ),
    r"and best_networks takes": "and best-networks takes",
    r"pass rows, such as rows=data\.n": "give --rows",
    r"^rows=None: ": "",
    r"possible_effects\(data, graph, .*\) shows what the effect can be": (
        "leave out --given and name no set with --adjustment to see what the effect can be"
    ),
    r"possible_effects shows what it can be": "leave out --adjustment to see what the effect can be",
    r"force an arc with Knowledge\(required=\[\(from, to\)\]\)": "force an arc with --require",
    r": pass start=, a DAG that (they|the prior) allows?": ": choose another prior",
    r"; or pass format=": "",
    r": pass the file's own encoding, such as encoding='[^']*'": ": save the file as UTF-8",
    r"pass encoding=, or save the file as UTF-8": "save the file as UTF-8",
    r"such as (\w+)\(\) or (\w+)\(([\d.]+)\)$": r"such as \1 or \2(\3)",
    r"; a PDAG's extension\(\) is one": "",
    r"^(path|data|name|targets): ": "",
    r"^(score|prior|test|algorithm) '([^']*)': ": r"--\1 \2: ",
    r"use IndegreeAtMost\((\d+)\)": r'use --prior "indegree-at-most(\1)"',
    r"\. Give more time, fewer": ". Give more time with --minutes, fewer",
    r": use data\.select": ": leave it out",
    r" with data\.rows\(\)": " of the table",
    r", or None$": ", or leave it out",
    r"kinds=\{'([^']*)': '([^']*)'\}": r"--kind \1=\2",
    r": read it with vd\.read_graph, and fit parameters to data": (
        ": `veridag fit DATA --graph FILE -o net.bif` gives it parameters"
    ),
    r"use data\.discretize\(\) or data\.select\(\)": "use --discretize or --columns",
    r"discretize\(\) the continuous ones, or select\(\) those of one kind": (
        "cut the continuous ones with --discretize 'quantile(3)', or choose those of one kind with --columns"
    ),
    r"discretize\(\) the continuous ones": "cut the continuous ones with --discretize 'quantile(3)'",
    r"use DegenerateGaussian, or discretize the data": (
        "use the score degenerategaussian, or cut the continuous columns with --discretize 'quantile(3)'"
    ),
    r"take the posterior of another score, such as BCG\(\), or cut '.*' into classes": (
        "use --score bcg, or cut the continuous columns with --discretize 'quantile(3)'"
    ),
    r"discretize\(\) first": "cut the columns with --discretize 'quantile(3)'",
    r"give a dictionary \{name: indegree\}, or use": "use",
    r"^start: a variable has (\d+) parents?, but max_indegree is (\d+)": (
        r"--require gives a variable more parents than --max-indegree allows, \1 and not \2"
    ),
    r"such as (\w+)\(\)$": r"such as \1",
}

#: Remedies for which not every command has an option, with that option; the others leave them out.
_IF_THERE = {
    r"; or give --from or --to": "--from",
    r", or raise memory_limit": "--memory-limit",
    r",( or)? set --order-modular": "--order-modular",
}

#: Arguments that remedies name without a value, as in "raise memory_limit".
_BARE = re.compile(r"\b(?P<before>raise|lower|larger|smaller|with|or(?= \w+_)) (?P<name>\w+)")

_VALUE = r"('[^']*'|\"[^\"]*\"|[^\s:,;]+)"

_flags: dict[str, str] = {}


def set_flags(parameters: Iterable[tuple[str, str]]) -> None:
    """The options of the command that runs: parameter and flag, such as ("max_indegree", "--max-indegree")."""
    _flags.clear()
    _flags.update(parameters)


def in_flags(message: str) -> str:
    """A message of the library as the running command would say it."""
    return reworded(message, _flags)


def reworded(message: str, flags: Mapping[str, str]) -> str:
    """A message with the flags of a command, by the names of its parameters, in place of Python's arguments."""
    for remedy, instead in _REMEDIES.items():
        message = re.sub(remedy, instead, message)
    for remedy, flag in _IF_THERE.items():
        if flag not in flags.values():
            message = re.sub(remedy, "", message)
    known = {name: flag for name, flag in flags.items() if flag.startswith("--")}
    known |= {name: flags[own] for name, own in _OTHER_NAMES.items() if flags.get(own, "").startswith("--")}
    start = r"(?:^|(?<=: )|(?<=; )|(?<= or )|(?<= and )|(?<=such as ))"
    for name, flag in known.items():
        given = re.compile(rf"{start}{name}={_VALUE}")
        while found := given.search(message):
            message = f"{message[: found.start()]}{flag} {_plain(found[1])}{message[found.end() :]}"
        message = re.sub(rf"(?<![\w-]){name}=(?=[\s:,;]|$)", flag, message)
    message = _BARE.sub(lambda found: f"{found['before']} {known.get(found['name'], found['name'])}", message)
    return _with_flags_first(message, known)


def _plain(value: str) -> str:
    """A value as it was typed, without Python's quotes, unless it is empty or has blanks."""
    inner = value[1:-1] if value[0] in "'\"" else value
    return inner if inner and " " not in inner else value


def _with_flags_first(message: str, known: Mapping[str, str]) -> str:
    """`required, tiers: the arc ...` names arguments before a colon."""
    head, colon, rest = message.partition(": ")
    names = head.split(", ")
    if not colon or not all(name in known for name in names):
        return message
    return f"{', '.join(known[name] for name in names)}: {rest}"
