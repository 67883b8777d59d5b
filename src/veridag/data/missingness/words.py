"""What the pattern of missing values suggests, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veridag.display import aligned, clipped

if TYPE_CHECKING:
    from .pattern import Dependence, MissingPattern

#: Below this correlation a dependence is called weak, which it may be and still be significant.
_WEAK = 0.1
#: From this share of complete rows on, leaving out the others cannot distort by much.
_NEARLY_ALL = 0.95
#: With fewer rows with gaps, tests see only what is strong.
_FEW = 30
#: Of long lists, so many are named.
_NAMED = 3
_LISTED = 10
#: Of long names, so many characters are shown.
_LONGEST = 40

UNSEEN = "The data cannot show whether a value is missing because of the value itself."


def percent(share: float) -> str:
    """A share in percent that is neither 0 nor 100 unless it is exactly that."""
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    shown = f"{100 * share:.1f}" if share < 0.1 or share > 0.99 else f"{100 * share:.0f}"
    return f"{shown.removesuffix('.0')} %"


def verdict(pattern: MissingPattern) -> tuple[str, ...]:
    """What the pattern suggests, what methods assume, and what cannot be seen."""
    if not pattern.variables:
        return ("No value is missing.",)
    return (*(_dependent(pattern) if pattern.dependences else _unrelated(pattern)), UNSEEN)


def _unrelated(pattern: MissingPattern) -> list[str]:
    """Where no dependence was found: whether the complete rows are enough."""
    gaps = pattern.n - pattern.complete
    if not pattern.tests:
        said, but = ["This table does not allow a test of whether missing values depend on the other columns."], ""
    else:
        clause = "as far as the tests show, leaving out incomplete rows loses rows but causes no bias."
        said, but = [f"No sign that missing values depend on the other columns: {clause}"], "But "
    if pattern.complete_cases_suffice:
        enough = ", which is enough: learning from these rows alone loses little" if pattern.tests else ""
        said.append(f"{_complete(pattern)}{enough}.")
    elif pattern.complete:
        said.append(_sentence(f"{but}only {_complete(pattern)}: methods that use all observed values lose less."))
    else:
        said.append(_sentence(f"{but}no row is complete: use methods that learn from the observed values."))
    if pattern.tests and gaps < _FEW:
        rows = "1 row" if gaps == 1 else f"{gaps} rows"
        said.append(f"Only {rows} with missing values: too few to detect a weak dependence.")
    return said


def _dependent(pattern: MissingPattern) -> list[str]:
    """Where being missing goes with other columns: what assumes that, and what is distorted by it."""
    by_variable: dict[str, list[Dependence]] = {}
    for one in pattern.dependences:
        by_variable.setdefault(one.variable, []).append(one)
    named = [f"Whether {name!r} is missing depends on {_others(found)}." for name, found in by_variable.items()][
        :_NAMED
    ]
    if len(by_variable) > _NAMED:
        more = len(by_variable) - _NAMED
        named.append(f"The same holds for {more} more column{'' if more == 1 else 's'}.")
    said = [" ".join(named)]
    said.append(
        "Methods that use all observed values, such as structural EM, assume that whether a value is missing depends "
        "only on observed values (missing at random). Leaving out incomplete rows would bias the result; PNAL, and "
        "tests that leave out rows, can be biased too."
    )
    if pattern.complete_share >= _NEARLY_ALL:
        said.append(f"But the bias is small: {_complete(pattern)}.")
    return said


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _others(found: Sequence[Dependence]) -> str:
    named = [f"{one.other!r}{' (weakly)' if one.correlation < _WEAK else ''}" for one in found[:_NAMED]]
    more = len(found) - len(named)
    return _joined([*named, f"{more} more"] if more else named)


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _complete(pattern: MissingPattern) -> str:
    return f"{pattern.complete} of {pattern.n} rows ({percent(pattern.complete_share)}) are complete"


def heading(pattern: MissingPattern) -> str:
    """How much is missing in all, in one line."""
    if not pattern.variables:
        return "no values are missing"
    total, columns = sum(pattern.counts.values()), len(pattern.variables)
    where = f"in {columns} of {len(pattern.counts)} columns"
    return f"missing values: {total} ({percent(pattern.share)}), {where}; {_complete(pattern)}"


def brief(pattern: MissingPattern) -> str:
    """The main points in at most ten lines, the verdict last."""
    if not pattern.variables:
        return heading(pattern)
    shares = [f"{clipped(v, _LONGEST)} {percent(pattern.shares[v])}" for v in pattern.variables]
    lines = [heading(pattern), f"  by column: {_listed(shares)}"]
    sets = [f"{' + '.join(_short(c.variables))} ({c.n})" for c in pattern.combinations if len(c.variables) > 1]
    if sets:
        lines.append(f"  most often in the same rows: {', '.join(sets[:_NAMED])}")
    if pattern.together:
        pairs = [
            f"{clipped(p.first, _LONGEST)} and {clipped(p.second, _LONGEST)} ({p.n} rows, {p.expected:.0f} by chance)"
            for p in pattern.together
        ]
        lines.append(f"  more often than by chance: {_listed(pairs, _NAMED)}")
    lines += [f"  {sentence}" for sentence in pattern.verdict]
    return "\n".join(lines)


def _short(names: Sequence[str], most: int = 4) -> list[str]:
    shown = [clipped(name, _LONGEST) for name in names]
    return shown if len(shown) <= most else [*shown[: most - 1], f"{len(shown) - most + 1} more"]


def _listed(items: Sequence[str], most: int = _LISTED) -> str:
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


Cells = list[tuple[str, ...]]


def cells(pattern: MissingPattern) -> tuple[Cells, Cells, Cells]:
    """Three tables of texts, each with its heading first: by variable, by combination, and what goes with it."""
    shares = pattern.shares
    by_variable = [(v, str(pattern.counts[v]), percent(shares[v])) for v in pattern.variables]
    sets = [(" + ".join(_short(c.variables, 8)), str(c.n), percent(c.n / pattern.n)) for c in pattern.combinations]
    found = [
        (one.variable, one.other, f"{one.correlation:.2f}", f"{one.p_value:.2g}", one.how)
        for one in pattern.dependences
    ]
    return (
        [("column", "missing", "share"), *by_variable],
        [("missing together", "rows", "share"), *sets],
        [("missing", "depends on", "correlation", "p", "how"), *found],
    )


def in_full(pattern: MissingPattern, most: int = 20) -> str:
    """All of it as text; of long tables the first lines."""
    if not pattern.variables:
        return heading(pattern)
    parts = [heading(pattern)]
    for rows in cells(pattern):
        if len(rows) > 1:
            more = [f"and {len(rows) - 1 - most} more"] if len(rows) - 1 > most else []
            parts.append("\n".join([aligned(rows[: most + 1]), *more]))
    pairs = [
        f"{p.first} and {p.second} are missing together in {p.n} rows, and {p.expected:.1f} are expected by chance (p "
        f"{p.p_value:.2g})"
        for p in pattern.together
    ]
    if pairs:
        parts.append(
            "\n".join([*pairs[:most], *([f"and {len(pairs) - most} more pairs"] if len(pairs) > most else [])])
        )
    if pattern.untested:
        parts.append(f"not tested, because there are too many columns: {_listed(pattern.untested)}")
    parts.append("\n".join(pattern.verdict))
    return "\n\n".join(parts)
