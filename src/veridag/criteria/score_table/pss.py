"""Score tables as .pss, the parent set scores of the URLearning programs.

For each variable a line ``VAR name``, then lines of a score and the names of the parents, separated by white space: a
line with a score alone is the empty set. Lines ``META ...`` say something about the file or the variable before, such
as its arity, and are passed over, as are blank lines and those that start with #. Scores are natural logarithms, higher
is better. Names hold no white space. The order of variables is that of their VAR lines, and a parent may be named
before its own.
"""

from __future__ import annotations

from veridag.errors import InputError, suggest

from .table import ScoreTable


def read(text: str, source: str) -> ScoreTable:
    """The table in `text`; `source` names the file in messages."""
    rows: dict[str, list[tuple[int, list[str]]]] = {}
    own: list[tuple[int, list[str]]] | None = None
    for at, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#") or words[0] == "META":
            continue
        if words[0] == "VAR":
            if len(words) != 2 or words[1] in rows:
                raise InputError(f"{source}:{at}: VAR and a new name are expected, not {line.strip()!r}")
            own = rows[words[1]] = []
        elif own is None:
            raise InputError(f"{source}:{at}: a score comes before the first VAR line: {line.strip()!r}")
        else:
            own.append((at, words))
    if not rows:
        raise InputError(f"{source}: it has no variables: a variable starts with a line VAR name")
    position = {name: i for i, name in enumerate(rows)}
    sets = [[_set(at, words, position, source) for at, words in own] for own in rows.values()]
    return ScoreTable.from_sets(list(rows), sets, settings=source)


def write(table: ScoreTable) -> str:
    """The table as text; scores are written so that they are read back bit for bit."""
    for name in table.names:
        if name.split() != [name]:
            raise InputError(f"a .pss file cannot hold the name {name!r}: remove white space")
    lines = []
    for v, name in enumerate(table.names):
        lines.append(f"VAR {name}")
        lines += [" ".join([repr(score), *(table.names[p] for p in ps)]) for score, ps in table.sets(v)]
    return "\n".join(lines) + "\n"


def _set(at: int, words: list[str], position: dict[str, int], source: str) -> tuple[float, list[int]]:
    try:
        score = float(words[0])
    except ValueError:
        raise InputError(
            f"{source}:{at}: {words[0]!r} is not a score: a line is VAR, META, or a score and parents"
        ) from None
    for name in words[1:]:
        if name not in position:
            raise InputError(f"{source}:{at}: there is no variable {name!r}: {suggest(name, position)}")
    return score, [position[name] for name in words[1:]]
