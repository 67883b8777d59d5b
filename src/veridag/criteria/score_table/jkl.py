"""Score tables as .jkl, the text format of Jaakkola et al. (2010) that GOBNILP reads too.

The number of variables; then for each variable its name and the number of its parent sets, and that many lines of a
score, the number of parents, and their names, all separated by white space. Lines that start with # are comments, blank
lines do not count. Scores are natural logarithms, higher is better. Names hold no white space.
"""

from __future__ import annotations

from collections.abc import Iterator

from veridag.errors import InputError, suggest
from veridag.network.formats.family import first_repeated

from .table import ScoreTable

_DIGITS = 18

Line = tuple[int, list[str]]


def read(text: str, source: str) -> ScoreTable:
    """The table in `text`; `source` names the file in messages."""
    lines = _lines(text)
    at, words = next(lines, (1, []))
    count = _number(words[0], at, source) if len(words) == 1 else -1
    if count < 1:
        raise InputError(f"{source}:{at}: the first line must be the number of variables, not {' '.join(words)!r}")
    blocks = [_block(lines, source, f"{done} of {count} variables") for done in range(count)]
    extra = next(lines, None)
    if extra:
        raise InputError(
            f"{source}:{extra[0]}: there are more lines after the last of {count} variables: correct the count"
        )
    names = [name for name, _ in blocks]
    position = {name: i for i, name in enumerate(names)}
    if len(position) < count:
        twice = first_repeated(names)
        raise InputError(f"{source}: variable {twice!r} appears twice: rename one")
    sets = [[_set(line, name, position, source) for line in own] for name, own in blocks]
    return ScoreTable.from_sets(names, sets, settings=source)


def write(table: ScoreTable) -> str:
    """The table as text; scores are written so that they are read back bit for bit."""
    for name in table.names:
        if name.split() != [name] or name.startswith("#"):
            raise InputError(f"a .jkl file cannot hold the name {name!r}: remove white space, and # at its start")
    lines = [str(len(table.names))]
    for v, name in enumerate(table.names):
        own = table.sets(v)
        lines.append(f"{name} {len(own)}")
        lines += [" ".join([repr(score), str(len(ps)), *(table.names[p] for p in ps)]) for score, ps in own]
    return "\n".join(lines) + "\n"


def _lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield number, words


def _block(lines: Iterator[Line], source: str, done: str) -> tuple[str, list[Line]]:
    at, words = next(lines, (0, []))
    if not words:
        raise InputError(f"{source}: the file ends after {done}: the file is truncated")
    count = _number(words[1], at, source) if len(words) == 2 else -1
    if count < 0:
        raise InputError(
            f"{source}:{at}: a name and the number of its parent sets are expected, not {' '.join(words)!r}"
        )
    own = [line for _, line in zip(range(count), lines, strict=False)]
    if len(own) < count:
        raise InputError(f"{source}: the file ends within the {count} sets of {words[0]!r}: the file is truncated")
    return words[0], own


def _set(line: Line, child: str, position: dict[str, int], source: str) -> tuple[float, list[int]]:
    at, (score, *rest) = line
    count = _number(rest[0], at, source) if rest else -1
    if count != len(rest) - 1:
        raise InputError(
            f"{source}:{at}: score, number of parents and that many parents of {child!r} are expected, not "
            f"{' '.join([score, *rest])!r}"
        )
    return _score(score, at, source), [_position(name, position, at, source) for name in rest[1:]]


def _number(word: str, at: int, source: str) -> int:
    if not word.isascii() or not word.isdecimal() or len(word) > _DIGITS:
        raise InputError(f"{source}:{at}: {word[:30]!r} is not an integer of at most {_DIGITS} digits")
    return int(word)


def _score(word: str, at: int, source: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{source}:{at}: {word!r} is not a score: give a number") from None


def _position(name: str, position: dict[str, int], at: int, source: str) -> int:
    if name not in position:
        raise InputError(f"{source}:{at}: there is no variable {name!r}: {suggest(name, position)}")
    return position[name]
