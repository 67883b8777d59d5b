"""What a careful analyst would do with each column of a table, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import frozen, listed
from veridag.data.reading.coding import (
    levels_of_numbers,
    merge_states,
    merger_said,
    numbers_of_labels,
    numbers_of_levels,
    without_codes,
)
from veridag.data.reading.dates import are_compact_dates, are_dates, as_days, as_texts
from veridag.data.reading.raw import Levels, Numbers, Raw, Unusable
from veridag.data.reading.rules import Rules
from veridag.data.remembering import remembered
from veridag.errors import setting

from .cleaning import (
    DIFFERENT_UNITS,
    FEW,
    as_declared,
    cleaned,
    counts_of,
    doubtful,
    settled,
    taken_as_missing,
    texts_of,
    typed,
)
from .findings import Finding
from .signs import (
    are_serial,
    codes_among,
    is_prose,
    is_run,
    names_code,
    names_identifier,
    names_only_identifier,
    possible_codes,
)

MANY = 20  # different integers above which a column is continuous, whatever the number of rows
NEARLY_ALL = 0.95


@dataclass(frozen=True)
class Decision:
    """A column as it will be used, or None if it is left out, and what was found."""

    column: Levels | Numbers | None
    findings: tuple[Finding, ...] = ()


@remembered
def decide(raw: Raw, rules: Rules, decimal: str | None) -> Decision:
    """The decision about a column, after which only nulls and `NaN` are missing."""
    wanted, declared = rules.kind(raw.name), rules.declared(raw.name)
    if isinstance(raw, Unusable):
        dates = as_texts(raw) if raw.is_date else None
        if dates is None or wanted is None:
            keep = "" if dates is None else setting("kinds", {raw.name: "continuous"})
            problem = "date or time" if raw.is_date else "values of a type that cannot be a variable"
            return _left_out(raw.name, problem, raw.found, keep)
        raw = dates
    findings: list[Finding] = []
    column: Levels | Numbers
    if isinstance(raw, Levels) and raw.origin in ("declared", "boolean"):
        column = merged_exactly(raw, rules, findings)
        return Decision(column, (*findings, *_doubts(column, rules)))
    if rules.mergers(raw.name) and isinstance(raw, Numbers):
        raw = levels_of_numbers(raw)
    if raw.name in rules.as_written:
        raw = merged_exactly(raw, rules, findings)
        if declared is not None:
            return Decision(raw, tuple(findings))
        findings += _absent_texts(raw, rules)
        decided = _as_written(_settled(raw, rules), rules)
        return replace(decided, findings=(*findings, *decided.findings))
    if declared is not None:
        levels = levels_of_numbers(raw) if isinstance(raw, Numbers) else raw
        return Decision(as_declared(levels, declared, rules, findings), tuple(findings))
    if isinstance(raw, Numbers):
        column = replace(raw, values=without_codes(raw, rules))
        findings += _absent_texts(raw, rules)
    else:
        column = cleaned(raw, rules, decimal, findings)
    if wanted == "continuous" and isinstance(column, Levels) and _are_dates(column):
        return _dated(column, findings)
    if wanted is not None:
        return Decision(column, tuple(findings))
    if not _present(column):
        empty = isinstance(raw, Numbers) or not texts_of(raw)
        return _left_out(raw.name, "no values", f"every field {'is empty' if empty else 'means missing'}", "")
    if isinstance(column, Numbers) or column.origin in ("integer", "number"):
        decided = _number_decision(column, rules)
    else:
        decided = _text_decision(column, rules)
    if decided.column is not None:
        return Decision(decided.column, (*findings, *decided.findings))
    units = [finding for finding in findings if finding.problem == DIFFERENT_UNITS]
    return replace(decided, findings=tuple(_as_reason(finding, decided) for finding in units) or decided.findings)


def merged_exactly(raw: Levels | Numbers, rules: Rules, findings: list[Finding]) -> Levels | Numbers:
    """A column whose values are left alone but for states that the user says are the same."""
    if rules.mergers(raw.name):
        findings.append(Finding(raw.name, setting("merge_states"), merger_said(raw.name, rules), "merged states"))
    merged = merge_states(raw, rules)
    assert not isinstance(merged, Unusable)
    return merged


def _absent_texts(raw: Levels | Numbers, rules: Rules) -> list[Finding]:
    """Which of the usual texts for a missing value a column has, that it is taken for one."""
    counts: Mapping[str, int]
    if isinstance(raw, Numbers):
        counts = raw.absent_texts or {}
    else:
        absent = dict(zip(raw.labels, raw.absent(rules).tolist(), strict=True))
        counts = {label: count for label, count in counts_of(raw).items() if label and absent[label]}
    usual = {text: count for text, count in counts.items() if text not in rules.said_missing(raw.name)}
    return [taken_as_missing(raw.name, usual)] if usual else []


def _doubts(column: Levels | Numbers, rules: Rules) -> list[Finding]:
    """What is reported of the states that a file declares."""
    if not isinstance(column, Levels) or column.origin != "declared":
        return []
    absent = column.absent(rules)
    present = [None if gone else label for label, gone in zip(column.labels, absent, strict=True)]
    return doubtful(settled(column, present), rules)


def _as_reason(finding: Finding, decided: Decision) -> Finding:
    """A finding as the reason why a column is left out."""
    return replace(finding, done="left out", change=decided.findings[0].change)


def _are_dates(levels: Levels) -> bool:
    texts = texts_of(levels)
    return are_dates(texts) or are_compact_dates(texts)


def _dated(levels: Levels, findings: list[Finding]) -> Decision:
    """Dates as numbers, since the user wants that."""
    numbers, unit, wrong = as_days(levels)
    found = [Finding(levels.name, "date or time", f"such as {texts_of(levels)[0]!r}", f"read as {unit}")]
    if wrong:
        evidence = f"not dates: {listed(wrong, 3)}"
        found.append(Finding(levels.name, "texts among dates", evidence, "treated texts as missing"))
    return Decision(numbers, (*findings, *found))


def _left_out(name: str, problem: str, evidence: str, change: str) -> Decision:
    return Decision(None, (Finding(name, problem, evidence, "left out", change),))


def _settled(raw: Levels | Numbers, rules: Rules) -> Levels | Numbers:
    """The column with the texts that mean missing made nulls, and its type decided."""
    if isinstance(raw, Numbers):
        return replace(raw, values=without_codes(raw, rules))
    absent = raw.absent(rules)
    labels = [None if gone else label for label, gone in zip(raw.labels, absent, strict=True)]
    return typed(settled(raw, labels))


def _as_written(column: Levels | Numbers, rules: Rules) -> Decision:
    """A column whose values are left alone, and that is wanted: texts are states, many numbers are measurements."""
    if isinstance(column, Levels) and column.origin == "text":
        return Decision(column, tuple(doubtful(column, rules)))
    distinct, counts = _different_numbers(column, rules)
    rest = np.isfinite(distinct) & ~np.isin(distinct, codes_among(distinct))
    possible = possible_codes(distinct[rest], counts[rest]) if rest.any() else []
    numbers = _numbers(column, rules) if _are_many(distinct, counts) else column
    return Decision(numbers, _possible(column.name, possible, distinct, counts))


def _present(column: Levels | Numbers) -> int:
    """The number of rows with a value."""
    if isinstance(column, Numbers):
        return int((~np.isnan(column.values)).sum())
    return sum(count for label, count in counts_of(column).items() if label is not None)


def _text_decision(levels: Levels, rules: Rules) -> Decision:
    name, n = levels.name, _present(levels)
    texts = texts_of(levels)
    keep = setting("kinds", {name: "discrete"})
    if are_dates(texts):
        return _left_out(name, "date or time", f"such as {texts[0]!r}", setting("kinds", {name: "continuous"}))
    if n > FEW and len(texts) > n / 2:
        several = "a different value in every row" if len(texts) == n else f"{len(texts)} different values in {n} rows"
        problem = "free text" if is_prose(texts) else "identifier"
        return _left_out(name, problem, several, keep)
    once = sum(count == 1 for count in counts_of(levels).values())
    if len(texts) > FEW and once > len(texts) / 2 and is_prose(texts):
        return _left_out(name, "free text", f"{once} of {len(texts)} different values occur once", keep)
    return Decision(replace(levels, reason="text"), tuple(doubtful(levels, rules)))


def _number_decision(column: Levels | Numbers, rules: Rules) -> Decision:
    """Integers are states if there are few of them; what counts the rows is left out; the rest is continuous."""
    name = column.name
    distinct, counts = _different_numbers(column, rules)
    if not (np.isfinite(distinct) & (np.floor(distinct) == distinct)).all():
        return _measured(_numbers(column, rules), distinct, counts, "decimal numbers")
    labels = [str(int(v)) for v in distinct[:1000]]
    if are_compact_dates(labels):
        return _left_out(name, "date or time", f"such as {labels[0]}", setting("kinds", {name: "continuous"}))
    if (identified := _identifying(name, distinct, int(counts.sum()))) is not None:
        return identified
    if names_code(name):
        return _digits(column if isinstance(column, Levels) else levels_of_numbers(column))
    if _are_many(distinct, counts):
        reason = f"integers with {len(distinct)} different values"
        return _measured(_numbers(column, rules), distinct, counts, reason)
    codes = sorted({*codes_among(distinct), *possible_codes(distinct, counts)})
    levels = column if isinstance(column, Levels) else levels_of_numbers(column)
    return Decision(replace(levels, origin="integer", settled=True), _possible(name, codes, distinct, counts))


def _identifying(name: str, distinct: NDArray[np.float64], n: int) -> Decision | None:
    """Integers that count the rows, are called an identifier, or are long and nearly all different, are left out."""
    keep = setting("kinds", {name: "continuous"})
    several = "a different number in every row" if len(distinct) == n else f"{len(distinct)} numbers in {n} rows"
    if n <= FEW:
        return None
    if len(distinct) == n and (names_identifier(name) or is_run(distinct)):
        return _left_out(name, "identifier", several, keep)
    recurs = names_only_identifier(name) and len(distinct) > MANY
    if recurs or (names_code(name) and len(distinct) > n / 2):
        return _left_out(name, "identifier", f"{several}, by its name", keep)
    if len(distinct) >= NEARLY_ALL * n and are_serial(distinct):
        return _left_out(name, "identifier", f"{several}, all with the same number of digits", keep)
    return None


def _digits(levels: Levels) -> Decision:
    """Digits that measure nothing, such as postcodes, are states."""
    change = setting("kinds", {levels.name: "continuous"})
    found = Finding(levels.name, "digits that are not a measurement", "by its name", "treated digits as states", change)
    return Decision(replace(levels, origin="integer", settled=True), (found,))


def _possible(
    name: str, codes: list[float], distinct: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[Finding, ...]:
    """Numbers that may stand for missing, reported and not changed."""
    if not codes:
        return ()
    rows = dict(zip(distinct.tolist(), counts.tolist(), strict=True))
    evidence = ", ".join(f"{_several(rows[code], 'value')} of {code:.0f}" for code in codes)
    change = setting("missing_values", {name: [f"{code:.0f}" for code in codes]})
    return (Finding(name, "numbers that may mean missing", evidence, "", change),)


def _numbers(column: Levels | Numbers, rules: Rules) -> Numbers:
    return column if isinstance(column, Numbers) else numbers_of_levels(column, rules)


def _different_numbers(column: Levels | Numbers, rules: Rules) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The different numbers of a column in increasing order, and how many rows have each; from labels, if it has any,
    since there are far fewer of them than rows."""
    if isinstance(column, Numbers):
        return np.unique(column.values[~np.isnan(column.values)], return_counts=True)
    numbers, rows = numbers_of_labels(column, rules), column.counts()
    seen = ~np.isnan(numbers) & (rows > 0)
    distinct, place = np.unique(numbers[seen], return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, place, rows[seen])
    return distinct, counts


def _are_many(distinct: NDArray[np.float64], counts: NDArray[np.int64]) -> bool:
    """Whether there are too many different numbers for states, or decimal ones."""
    is_decimal = not (np.isfinite(distinct) & (np.floor(distinct) == distinct)).all()
    return is_decimal or len(distinct) > MANY or (len(distinct) > FEW and len(distinct) > counts.sum() / 10)


def _several(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _measured(numbers: Numbers, distinct: NDArray[np.float64], counts: NDArray[np.int64], reason: str) -> Decision:
    """A continuous column; numbers such as -99 that stand for missing are taken so."""
    codes = codes_among(distinct)
    findings = []
    values = numbers.values
    if codes:
        count = int(np.isin(values, codes).sum())
        evidence = f"{_several(count, 'value')} of {' or '.join(f'{c:g}' for c in codes)}"
        keep = setting("as_written", [numbers.name])
        findings.append(Finding(numbers.name, "codes among numbers", evidence, "treated codes as missing", keep))
        values = frozen(np.where(np.isin(values, codes), np.nan, values))
    infinite = int(np.isinf(values).sum())
    if infinite:
        findings.append(
            Finding(
                numbers.name, "infinite numbers", _several(infinite, "value"), "treated infinite numbers as missing"
            )
        )
        values = frozen(np.where(np.isinf(values), np.nan, values))
    rest = np.isfinite(distinct) & ~np.isin(distinct, codes)
    possible = possible_codes(distinct[rest], counts[rest])
    findings += _possible(numbers.name, possible, distinct[rest], counts[rest])
    return Decision(replace(numbers, values=values, reason=reason), tuple(findings))
