"""From raw columns to coded ones: here the rules are applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag._core import PackedStates
from veridag.data.columns import (
    INTEGER,
    NUMBER,
    Array,
    Column,
    Kind,
    check_states,
    code_type,
    frozen,
    in_order,
    listed,
    state_name,
    unshared,
)
from veridag.data.completeness import missing_in
from veridag.data.packed import PackedColumn, bits_for, look_up, pack
from veridag.data.remembering import remembered
from veridag.data.targets import Targets
from veridag.errors import InputError, setting, suggest

from .absent import gaps_say_something, settle_missing
from .dates import as_days, as_texts
from .indicators import indicators
from .raw import Levels, Numbers, Raw, RawTable, Unusable
from .rules import ALL_COLUMNS, MISSING_STATE, Rules
from .targets import read_targets

_WITH_ANY_NAME = ("field", "text", "declared")  # origins whose states need not be numbers or truth values


class CodedColumns(NamedTuple):
    """What reading gives: the arguments of ``Data``, in order."""

    columns: tuple[Column, ...]
    weights: NDArray[np.int64] | None
    group: Array | None
    groups: tuple[str, ...]
    notes: tuple[str, ...]
    targets: Targets | None = None


def select_columns(table: RawTable, rules: Rules) -> RawTable:
    """The columns that were asked for, in the order of the table, without those to leave out."""
    names = [r.name for r in table.columns]
    check_names(names, rules)
    if rules.columns is None and not rules.drop:
        return table if table.names else replace(table, names=tuple(names))
    wanted = {*(names if rules.columns is None else rules.columns), *rules.roles} - {*rules.drop}
    return replace(table, columns=[r for r in table.columns if r.name in wanted], names=table.names or tuple(names))


def code_columns(table: RawTable, rules: Rules) -> CodedColumns:
    """Apply the rules to raw columns."""
    nrows = table.nrows
    if not nrows:
        raise InputError("there are no rows: the table needs at least one")
    merged = [merge_states(r, rules) for r in table.columns] if rules.strict else []
    raw: Sequence[Levels | Numbers] = [_resolve(r, _about(r, rules)) for r in merged or table.columns]
    settings = {r.name: r for r in raw if r.name == rules.target_column and isinstance(r, Levels)}
    if rules.target_column != rules.group:
        raw = [r for r in raw if r.name not in settings]  # a row without targets was observed, and lacks nothing
    given = None if rules.weight_column is not None or rules.weights is None else check_weights(rules.weights, nrows)
    raw, keep, notes = settle_missing(raw, rules, nrows)
    rest = nrows if keep is None else int(keep.sum())
    column = next((r.values for r in raw if r.name == rules.weight_column and isinstance(r, Numbers)), None)
    weights = given if column is None else check_weights(column, rest)
    if given is not None and keep is not None:
        weights = given[keep]
    if weights is not None and not weights.any():
        raise InputError(f"{setting('weights')} are all 0: at least one observation is needed")
    n = rest if weights is None else int(weights.sum())
    coded = tuple(
        _column(r, rules.about(r.name), n, weights) for r in raw if r.name not in (rules.group, rules.weight_column)
    )
    if not coded:
        raise InputError("no columns are left: keep at least one")
    if rules.missing == "indicator":
        added, said = indicators(coded, {*(r.name for r in table.columns), *rules.drop})
        coded, notes = (*coded, *added), [*notes, *said]
    targets = read_targets(table, rules, settings.__getitem__, keep)
    targets, told_targets = _of_variables(targets, [c.name for c in coded], weights)
    notes = [*notes, *told_targets]
    group = next((_discrete(r, rules) for r in raw if r.name == rules.group and isinstance(r, Levels)), None)
    codes, labels = (group.values, group.states) if group else (None, ())
    told = [f"merged states of {r.name!r}: {merger_said(r.name, rules)}" for r in merged if rules.mergers(r.name)]
    return CodedColumns(coded, weights, codes, labels, (*table.notes, *told, *notes), targets)


def _about(raw: Raw, rules: Rules) -> Rules:
    """The rules about a column; its role is one, if it has one."""
    return rules if raw.name in rules.roles else rules.about(raw.name)


def _of_variables(
    targets: Targets | None, names: Sequence[str], weights: Array | None
) -> tuple[Targets | None, list[str]]:
    """The targets that are variables, and notes on what was set."""
    if targets is None:
        return None, []
    kept, lost = targets.only(names)
    counts = {own: count for own, count in kept.counted(weights).items() if own}
    shown = [f"{' and '.join(map(repr, own))} in {count}" for own, count in counts.items()]
    more = f" and {len(shown) - 10} other sets" if len(shown) > 10 else ""
    n = len(kept) if weights is None else int(weights.sum())
    said = f"interventions in {n} observations: {', '.join(shown[:10])}{more}" if shown else "no intervention"
    return kept, [*lost, said]


#: The most observations that weights may stand for: floating-point numbers count no further without gaps.
MOST_OBSERVATIONS = 2**53 - 1


def check_weights(given: object, nrows: int) -> NDArray[np.int64]:
    """Weights as integers, one for each row."""
    try:
        values = np.asarray(given)
    except (TypeError, ValueError):
        raise InputError(f"weights={_shown(given)} must be a column's name or integers, one for each row") from None
    if np.ma.isMaskedArray(given):
        raise InputError("weights= is a masked array: pass weights.filled(0), or leave out the masked rows")
    if not values.ndim:
        raise InputError(f"weights={_shown(given)} must be a column's name or integers, one for each row")
    if values.shape != (nrows,):
        raise InputError(f"weights= has shape {values.shape}, but there are {nrows} rows: give one weight for each")
    if values.dtype.kind not in "iufb":
        raise InputError(f"weights= must be integers, not {values.dtype} as in {_shown(given)}: convert them")
    wrong = values[~((values >= 0) & (values < np.inf) & (np.floor(values) == values))]
    if wrong.size:
        raise InputError(f"weights= holds {wrong[0]}: a weight is a number of observations: 0, 1, 2, ...")
    if values.sum(dtype=np.float64) > MOST_OBSERVATIONS / 2 and (total := sum(map(int, values))) > MOST_OBSERVATIONS:
        raise InputError(
            f"weights= sum to {total} observations, more than 2^53 - 1, the largest number that scores can count: "
            "divide all weights by the same number"
        )
    return unshared(values, np.int64)


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_names(names: list[str], rules: Rules) -> None:
    """Refuse columns without a name or with the same one, and arguments that name no column."""
    seen: set[str] = set()
    for position, name in enumerate(names, 1):
        if not name:
            raise InputError(f"column {position} has no name: name it, or leave it out if it is a row number")
        if name in seen:
            raise InputError(
                f"the column name {name!r} occurs {names.count(name)} times: rename them, or leave out all except one"
            )
        seen.add(name)
    wanted = {"states": [*(rules.states or ())], "kinds": [*(rules.kinds or ())]}
    wanted |= {"group": [] if rules.group is None else [rules.group]}
    wanted |= {"weights": [] if rules.weight_column is None else [rules.weight_column]}
    wanted |= {"targets": [] if rules.target_column is None else [rules.target_column]}
    wanted |= {"columns": [*(rules.columns or ())], "drop": [*rules.drop], "as_written": [*rules.as_written]}
    wanted |= {"merge_states": [*(rules.merge_states or ())]}
    if isinstance(rules.missing_values, Mapping):
        wanted |= {"missing_values": [name for name in rules.missing_values if name != ALL_COLUMNS]}
    for argument, given in wanted.items():
        for name in given:
            if name not in seen:
                raise InputError(
                    f"{setting(argument)} names the column {name!r}, which does not exist: {suggest(name, names)}"
                )


# --- kinds ----------------------------------------------------------------------------------------------------------


@remembered
def _resolve(raw: Raw, rules: Rules) -> Levels | Numbers:
    """Levels if the column will be discrete, numbers if it will be continuous."""
    kind = rules.kind(raw.name)
    if isinstance(raw, Unusable):
        return _dates(raw, kind)
    if isinstance(raw, Numbers):
        raw = replace(raw, values=without_codes(raw, rules))
        return levels_of_numbers(raw) if kind == "discrete" else raw
    if kind == "continuous":
        return numbers_of_levels(_with_decimal_points(raw) if rules.decimal == "," else raw, rules)
    if raw.origin != "field":
        return raw
    if rules.decimal == ",":
        raw = _with_decimal_points(raw)
    absent = raw.absent(rules)
    found = numeric_type(v for v, gone in zip(raw.labels, absent, strict=True) if v is not None and not gone)
    if found == "number" and kind is None:
        return numbers_of_levels(raw, rules)
    return replace(raw, origin="integer" if found == "integer" else "text")


def _dates(raw: Unusable, kind: Kind | None) -> Levels | Numbers:
    """Dates as the kind that the user wants; without one they are refused."""
    texts = as_texts(raw) if raw.is_date and kind is not None else None
    if texts is None:
        raise raw.refusal()
    if kind == "discrete":
        return replace(texts, origin="text")
    numbers, _, wrong = as_days(texts)
    if wrong:
        raise InputError(f"column {raw.name!r} should hold dates, but has the value {wrong[0]!r}")
    return numbers


def _with_decimal_points(raw: Levels) -> Levels:
    """The column with 3,14 as 3.14, if nothing else in it has a comma."""
    labels = [None if label is None else label.replace(",", ".") for label in raw.labels]
    changed = [new for label, new in zip(raw.labels, labels, strict=True) if new != label and new is not None]
    return replace(raw, labels=labels) if all(map(NUMBER.fullmatch, changed)) else raw


def numeric_type(labels: Iterable[str]) -> Literal["integer", "number"] | None:
    """What a column of CSV fields is, if it is numeric."""
    labels = list(labels)
    if not labels or not all(map(NUMBER.fullmatch, labels)):
        return None
    if all(map(INTEGER.fullmatch, labels)):
        return "integer"
    return "number" if any(c in v for v in labels for c in ".eEiI") else None


def without_codes(numbers: Numbers, rules: Rules) -> NDArray[np.float64]:
    """The numbers, with those that stand for missing (missing_values=[-99]) as `NaN`."""
    values = numbers.values
    codes = [float(v) for v in rules.tokens(numbers.name) if NUMBER.fullmatch(v)]
    hit = np.isin(values, [c for c in codes if not np.isnan(c)]) if codes else np.zeros(0, dtype=bool)
    return frozen(np.where(hit, np.nan, values)) if hit.any() else values


def numbers_of_levels(levels: Levels, rules: Rules) -> Numbers:
    """The column as numbers."""
    return Numbers(levels.name, frozen(look_up(numbers_of_labels(levels, rules), levels.codes)))


def numbers_of_labels(levels: Levels, rules: Rules) -> NDArray[np.float64]:
    """The number of each label; `NaN` if it means missing."""
    absent = levels.absent(rules)
    numbers = np.full(len(levels.labels), np.nan)
    for i, label in enumerate(levels.labels):
        if label is None or absent[i]:
            continue
        if not NUMBER.fullmatch(label):
            raise InputError(f"column {levels.name!r} should hold numbers, but has the value {label!r}")
        numbers[i] = float(label)
    return without_codes(Numbers(levels.name, numbers), rules)


def levels_of_numbers(numbers: Numbers) -> Levels:
    """The column with a label for each of its values."""
    distinct, codes = np.unique(numbers.values, return_inverse=True)
    labels = [None if np.isnan(v) else state_name(v) for v in distinct]
    return Levels(numbers.name, "number", labels, codes)


def merger_said(name: str, rules: Rules) -> str:
    """Which states of a column became which, in words."""
    return ", ".join(f"{old!r} into {new!r}" for old, new in rules.mergers(name).items())


def merge_states(raw: Raw, rules: Rules) -> Raw:
    """The column with states made one that the user says are; a state that is not there is an error."""
    mergers = rules.mergers(raw.name)
    if not mergers or isinstance(raw, Unusable):
        return raw
    levels = levels_of_numbers(raw) if isinstance(raw, Numbers) else raw
    known = [label for label in levels.labels if label is not None]
    for old in mergers:
        if old not in known:
            raise InputError(
                f"{setting('merge_states')} names the state {old!r} of {raw.name!r}, which does not occur: "
                f"{suggest(old, known)}"
            )
    labels = [None if label is None else mergers.get(label, label) for label in levels.labels]
    return replace(relabelled(levels, labels), origin=levels.origin if levels.origin in _WITH_ANY_NAME else "field")


def relabelled(levels: Levels, labels: Sequence[str | None]) -> Levels:
    """The column with other labels; those that have become equal are one."""
    if list(labels) == levels.labels:
        return levels
    names = dict.fromkeys(label for label in labels if label is not None)
    distinct: list[str | None] = [*(names if levels.origin == "declared" else in_order(names))]
    if None in labels:
        distinct.append(None)
    place = {label: code for code, label in enumerate(distinct)}
    lut = np.array([place[label] for label in labels])
    if isinstance(levels.codes, PackedStates):
        return replace(levels, labels=distinct, codes=pack(levels.codes, len(distinct), lut))
    return replace(levels, labels=distinct, codes=frozen(lut.astype(levels.codes.dtype)[levels.codes]))


# --- states ---------------------------------------------------------------------------------------------------------


@remembered
def _column(raw: Levels | Numbers, rules: Rules, n: int, weights: Array | None) -> Column:
    if isinstance(raw, Numbers):
        reason = setting("kinds") if rules.kind(raw.name) else raw.reason or "decimal numbers"
        gone = raw.missing(rules)
        return Column.continuous(raw.name, raw.values, reason, None if gone is None else ~gone)
    column = _discrete(raw, rules)
    if rules.strict and rules.kind(raw.name) is None and raw.origin in ("integer", "text"):
        _check_distinct(raw, len(column.states), n - missing_in(column, weights))
    return column


def _check_distinct(raw: Levels, distinct: int, n: int) -> None:
    """Refuse identifiers, and integers that look like measurements."""
    name, numeric = raw.name, raw.origin == "integer"
    discrete, continuous = (setting("kinds", {name: kind}) for kind in ("discrete", "continuous"))
    if n > 10 and distinct >= n:
        raise InputError(
            f"column {name!r} has a different value in each of its {n} rows and looks like an identifier: leave it "
            f"out ({setting('drop', [name])}), or pass {discrete}" + (f" or {continuous}" if numeric else "")
        )
    if numeric and distinct > max(20, n / 10):
        raise InputError(
            f"column {name!r} has {distinct} distinct values in {n} rows and looks continuous: discretize it, or pass "
            f"{continuous} ({discrete} keeps every value as a state)"
        )


def _discrete(raw: Levels, rules: Rules) -> Column:
    absent = raw.absent(rules)
    observed = raw.counts() > 0
    states, reason = _states(
        raw, rules, [v for v, o, a in zip(raw.labels, observed, absent, strict=True) if o and not a]
    )
    gaps = rules.keeps_gaps and bool((observed & absent).any()) and not gaps_say_something(raw, rules)
    if (observed & absent).any() and MISSING_STATE not in states and not gaps:
        states = (*states, MISSING_STATE)
    states = check_states(raw.name, states)
    at = {state: code for code, state in enumerate(states)}
    lut = np.zeros(len(raw.labels), dtype=code_type(len(states)))
    for i in np.flatnonzero(observed & ~absent if gaps else observed):
        lut[i] = at[MISSING_STATE if absent[i] else raw.labels[i]]  # type: ignore[index] # None is absent
    if gaps:
        there = frozen(look_up(~absent, raw.codes))
        return Column.discrete(raw.name, look_up(lut, raw.codes), states, reason, observed=there)
    if isinstance(raw.codes, PackedStates):
        return PackedColumn.discrete(raw.name, _repacked(raw.codes, lut, len(states)), states, reason)  # type: ignore[arg-type]
    if lut.dtype == raw.codes.dtype and np.array_equal(lut, np.arange(len(lut))):
        return Column.discrete(raw.name, raw.codes, states, reason)
    return Column.discrete(raw.name, frozen(lut[raw.codes]), states, reason)


def _repacked(codes: PackedStates, lut: Array, arity: int) -> PackedStates:
    is_same = codes.bits == bits_for(arity) and np.array_equal(lut, np.arange(len(lut)))
    return codes if is_same else pack(codes, arity, lut)


def _states(raw: Levels, rules: Rules, observed: list[str | None]) -> tuple[tuple[str, ...], str]:
    """The states of a discrete column in order, and the rule they come from."""
    present = [v for v in observed if v is not None]
    declared = rules.declared(raw.name)
    if declared is not None:
        unknown = sorted(set(present) - set(declared))
        if unknown:
            raise InputError(
                f"column {raw.name!r} has the value {unknown[0]!r}, which is not among its declared states "
                f"{listed(declared)}"
            )
        return declared, setting("states")
    if raw.origin in ("declared", "boolean"):
        known = [v for v, gone in zip(raw.labels, raw.absent(rules), strict=True) if v is not None and not gone]
        return tuple(known), raw.origin.replace("declared", "declared categories")
    reason = raw.reason or {"integer": "integer codes"}.get(raw.origin, raw.origin)
    if rules.kind(raw.name):
        reason = setting("kinds")
    return tuple(in_order(present)), reason


def remarks(columns: Sequence[Column], weights: Array | None) -> list[str]:
    """What is accepted with a warning; rows of weight 0 are no observations."""
    found = []
    counted = None if weights is None or weights.all() else weights > 0
    constant = [c.name for c in columns if (c if counted is None else c.take(counted)).is_constant()]
    if constant:
        found.append(f"constant columns carry no information about the structure: {listed(constant)}")
    return found
