"""Missing values of raw columns: refused, left out with their rows, or let be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import listed
from veridag.errors import InputError, setting

from .raw import Levels, Numbers, Raw
from .rules import MISSING_STATE, Rules


class MissingRefused(InputError):
    """Raised if values are missing and no argument says what to do with them.

    ``found`` says how many and where, and ``hint`` which texts were treated as missing; between them is the remedy.
    """

    def __init__(self, found: str, remedy: str = "", hint: str = "") -> None:
        super().__init__(f"{found}; {remedy}{hint}")
        self.found, self.hint = found, hint


def settle_missing(
    raw: Sequence[Levels | Numbers], rules: Rules, nrows: int
) -> tuple[Sequence[Levels | Numbers], NDArray[np.bool_] | None, list[str]]:
    """Refuse missing values, leave out their rows, or let them be: the columns, the rows kept (None for all), notes.

    What becomes of those that are let be, a state or a gap, is decided where columns are coded.
    """
    missing = {r.name: rows for r in raw if (rows := r.missing(rules)) is not None}
    if not missing:
        return raw, None, []
    numeric = [r.name for r in raw if r.name in missing and isinstance(r, Numbers)]
    counts = {name: int(rows.sum()) for name, rows in missing.items()}
    if (rules.missing is None and rules.strict) or rules.missing == "error":
        raise _missing_refused(raw, rules, counts, numeric)
    if rules.missing == "state" and numeric:
        found = _counted({name: counts[name] for name in numeric})
        raise InputError(
            f"{setting('missing', 'state')} is for discrete columns, but values are missing: {found}; pass "
            f"{setting('missing', 'drop')} to leave out these rows or {setting('missing', 'keep')} to learn from the "
            "observed values"
        )
    if rules.missing == "state":
        return raw, None, [f"missing values became the state {MISSING_STATE!r} ({_counted(counts)})"]
    if rules.missing in ("keep", "indicator"):
        _refuse_without_role(rules, counts)
    roles = (rules.group, rules.weight_column)
    dropping = missing if rules.missing == "drop" else {name: missing[name] for name in missing if name in roles}
    notes = []
    ticked = [r.name for r in raw if r.name in missing and r.name not in dropping and gaps_say_something(r, rules)]
    if ticked:
        found = _counted({name: counts[name] for name in ticked})
        notes.append(f"missing values became the state {MISSING_STATE!r}, as no more than one other occurs ({found})")
    if kept := {name: count for name, count in counts.items() if name not in (*dropping, *ticked)}:
        notes.append(_kept(missing, kept, rules))
        if all(r.name in kept for r in raw if r.name not in roles):
            notes += _empty([missing[name] for name in kept])
    if not dropping:
        return raw, None, notes
    keep = ~np.logical_or.reduce(list(dropping.values()))
    dropped = _counted({name: counts[name] for name in dropping})
    if not keep.any():
        raise InputError(f"{setting('missing', 'drop')} leaves none of the {nrows} rows: missing are {dropped}")
    notes.append(f"dropped {nrows - int(keep.sum())} of {nrows} rows with missing values ({dropped})")
    return [r.take(keep) for r in raw], keep, notes


def gaps_say_something(raw: Levels | Numbers, rules: Rules) -> bool:
    """Whether a column has a single value, such as a ticked box, so that only its missing values are informative.

    That is asked only if the user has not said what becomes of missing values, nor which states the column has.
    """
    if rules.missing is not None or isinstance(raw, Numbers) or rules.declared(raw.name) is not None:
        return False
    if raw.origin in ("declared", "boolean"):
        return False
    there = raw.counts() > 0
    return int((there & ~np.asarray(raw.absent(rules), bool)).sum()) == 1


def _refuse_without_role(rules: Rules, counts: Mapping[str, int]) -> None:
    """Refuse rows whose group or weight is missing."""
    for role, name in (("group", rules.group), ("weights", rules.weight_column)):
        if name is not None and name in counts:
            raise InputError(
                f"{setting(role, name)}: {counts[name]} values are missing, but every row needs one: fill them in, or "
                f"pass {setting('missing', 'drop')}"
            )


def _kept(missing: Mapping[str, NDArray[np.bool_]], counts: Mapping[str, int], rules: Rules) -> str:
    """The note on values that stay missing; columns without any values are refused, unless that is a declared state."""
    for name in counts:
        if missing[name].all() and MISSING_STATE not in (rules.declared(name) or ()):
            raise InputError(f"column {name!r} has no values: leave it out: {setting('drop', [name])}")
    return f"kept missing values as missing ({_counted(counts)})"


def _empty(missing: Sequence[NDArray[np.bool_]]) -> list[str]:
    """The note on rows in which nothing is observed, if there are any."""
    rows = int(np.logical_and.reduce(missing).sum())
    if not rows:
        return []
    return [
        f"{rows} row{' has' if rows == 1 else 's have'} no values at all, and so no information about the variables"
    ]


def _missing_refused(
    raw: Sequence[Raw], rules: Rules, counts: Mapping[str, int], numeric: Sequence[str]
) -> MissingRefused:
    """The refusal of missing values; only those of discrete columns can become a state."""
    state = "" if numeric else f", {setting('missing', 'state')} to make it a state"
    remedy = (
        f"pass {setting('missing', 'drop')} to leave out these rows{state} or {setting('missing', 'keep')} to learn "
        "from the observed values"
    )
    hint = ""
    if taken := _texts_taken_as_missing(raw, rules):
        values = setting("missing_values", [""])
        hint = f" (these texts are read as missing: {listed(taken)}; if they are values, pass {values})"
    return MissingRefused(f"values are missing: {_counted(counts)}", remedy, hint)


def _texts_taken_as_missing(raw: Sequence[Raw], rules: Rules) -> list[str]:
    found: set[str] = set()
    for r in raw:
        if isinstance(r, Levels):
            found.update(v for v, gone in zip(r.labels, r.absent(rules), strict=True) if v and gone)
    return sorted(found)


def _counted(counts: Mapping[str, int]) -> str:
    shown = [f"{count} in column {name!r}" for name, count in counts.items()]
    return ", ".join(shown[:10]) + (f" and others in {len(shown) - 10} more columns" if len(shown) > 10 else "")
