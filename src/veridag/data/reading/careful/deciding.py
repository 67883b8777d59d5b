"""What a careful analyst would do with each column of a table, and what there is to say about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import NUMBER, frozen, in_order, listed
from veridag.data.reading.coding import levels_of_numbers, numbers_of_levels, numeric_type
from veridag.data.reading.raw import Levels, Numbers, Raw, Unusable
from veridag.data.reading.rules import Rules
from veridag.errors import setting

from .findings import Finding
from .numerals import undressed
from .signs import are_compact_dates, are_dates, codes_among, is_prose, is_run, names_identifier

FEW = 10  # values that are states, however few the rows
MANY = 20  # different integers above which a column is continuous, whatever the number of rows
MOSTLY = 0.8  # share of numbers from which on other texts in a column count as missing


@dataclass(frozen=True)
class Decision:
    """A column as it will be used, or None if it is left out, and what was found."""

    column: Levels | Numbers | None
    findings: tuple[Finding, ...] = ()


def decide(raw: Raw, rules: Rules, decimal: str | None) -> Decision:
    """What to make of a column: settled, so that only nulls and NaN are missing."""
    if isinstance(raw, Unusable):
        if raw.is_date:
            return _left_out(raw.name, "date or time", raw.found, "")
        return _left_out(raw.name, "values of a type that cannot be a variable", raw.found, "")
    if isinstance(raw, Levels) and (raw.origin in ("declared", "boolean") or rules.declared(raw.name) is not None):
        return Decision(raw)
    if raw.name in rules.as_written:
        return _as_written(_settled(raw, rules), rules)
    findings: list[Finding] = []
    column = _cleaned(raw, rules, decimal, findings) if isinstance(raw, Levels) else raw
    wanted = rules.kind(raw.name)
    if wanted is not None:
        return Decision(column, tuple(findings))
    if not _present(column):
        return _left_out(raw.name, "no values", "every field is empty", "")
    if isinstance(column, Numbers) or column.origin in ("integer", "number"):
        decided = _number_decision(column, rules)
    else:
        decided = _text_decision(column)
    return Decision(decided.column, (*findings, *decided.findings))


def _left_out(name: str, problem: str, evidence: str, change: str) -> Decision:
    return Decision(None, (Finding(name, problem, evidence, "left out", change),))


def _settled(raw: Levels | Numbers, rules: Rules) -> Levels | Numbers:
    """The column with the texts that mean missing made nulls, and its type decided."""
    if isinstance(raw, Numbers):
        return raw
    absent = raw.absent(rules)
    labels = [None if gone else label for label, gone in zip(raw.labels, absent, strict=True)]
    return _typed(relabelled(raw, labels))


def _as_written(column: Levels | Numbers, rules: Rules) -> Decision:
    """A column whose values are left alone, and that is wanted: texts are states, many numbers are measurements."""
    if isinstance(column, Levels) and column.origin == "text":
        return Decision(column)
    numbers = column if isinstance(column, Numbers) else numbers_of_levels(column, rules)
    return Decision(numbers if _are_many(numbers.values) else column)


def _typed(levels: Levels) -> Levels:
    if levels.origin not in ("field", "integer"):
        return levels
    found = numeric_type(label for label in levels.labels if label is not None)
    return replace(levels, origin="text" if found is None else found)


def relabelled(levels: Levels, labels: Sequence[str | None]) -> Levels:
    """The column with other labels; those that have become equal are one."""
    if list(labels) == levels.labels:
        return replace(levels, settled=True)
    distinct: list[str | None] = list(in_order({label for label in labels if label is not None}))
    if None in labels:
        distinct.append(None)
    place = {label: code for code, label in enumerate(distinct)}
    lut = np.array([place[label] for label in labels], dtype=levels.codes.dtype)
    return replace(levels, labels=distinct, codes=frozen(lut[levels.codes]), settled=True)


# --- values ---------------------------------------------------------------------------------------------------------


def _cleaned(raw: Levels, rules: Rules, decimal: str | None, findings: list[Finding]) -> Levels:
    """Without stray blanks, with one spelling for each state, and with numbers as numbers."""
    name, keep = raw.name, setting("as_written", [raw.name])
    stripped = [None if label is None else " ".join(label.split()) or None for label in raw.labels]
    changed = [label for label, new in zip(raw.labels, stripped, strict=True) if new is not None and label != new]
    if changed:
        findings.append(Finding(name, "stray blanks", f"as in {changed[0]!r}", "removed stray blanks", keep))
    levels = relabelled(raw, _without_tokens(stripped, rules))
    texts = [label for label in levels.labels if label is not None]
    if levels.origin == "integer" or not texts:
        return _typed(levels)
    if rules.kind(name) == "discrete":
        return _one_spelling(levels, findings, keep)
    if numeric_type(texts) is None and (found := undressed(texts, decimal)) is not None:
        plain, habit = found
        if habit:
            findings.append(Finding(name, f"numbers with {habit}", f"as in {texts[0]!r}", "read as numbers", keep))
            return _typed(replace(_renamed(levels, dict(zip(texts, plain, strict=True))), origin="field"))
    if (mixed := _mostly_numbers(levels, decimal, findings)) is not None:
        return _typed(replace(mixed, origin="field"))
    return _typed(_one_spelling(levels, findings, keep))


def _renamed(levels: Levels, names: dict[str, str]) -> Levels:
    return relabelled(levels, [None if label is None else names.get(label) for label in levels.labels])


def _without_tokens(labels: Sequence[str | None], rules: Rules) -> list[str | None]:
    """The labels with those that mean missing as None. `None` itself is a value among other texts."""
    tokens = set(rules.tokens)
    if rules.missing_values is None:
        others = [label for label in labels if label is not None and label not in tokens]
        if others and not all(map(NUMBER.fullmatch, others)):
            tokens.discard("None")
    return [None if label in tokens else label for label in labels]


def _counts(levels: Levels) -> NDArray[np.int64]:
    return np.bincount(levels.codes, minlength=len(levels.labels))


def _mostly_numbers(levels: Levels, decimal: str | None, findings: list[Finding]) -> Levels | None:
    """A column of measurements among which a few fields are words: the words count as missing."""
    plain: dict[str, str] = {}
    for label in levels.labels:
        found = (
            None if label is None else [label] if NUMBER.fullmatch(label) else (undressed([label], decimal) or [[]])[0]
        )
        if label is not None and found:
            plain[label] = found[0]
    counts = dict(zip(levels.labels, _counts(levels).tolist(), strict=True))
    rows = sum(count for label, count in counts.items() if label is not None)
    numeric = sum(counts[label] for label in plain)
    words = [label for label in levels.labels if label is not None and label not in plain]
    if not words or len(plain) <= FEW or numeric < MOSTLY * rows:
        if words and numeric >= rows / 2:
            evidence = f"{numeric} of {rows} values are numbers, others are {listed(words, 3)}"
            findings.append(Finding(levels.name, "numbers and texts mixed", evidence))
        return None
    evidence = f"{rows - numeric} of {rows} values are no numbers: {listed(words, 3)}"
    change = setting("kinds", {levels.name: "discrete"})
    findings.append(Finding(levels.name, "numbers and texts mixed", evidence, "took texts as missing", change))
    return _renamed(levels, plain)


def _numbers_among(labels: Sequence[str], decimal: str | None) -> dict[str, str]:
    """Those labels that are numbers, as plain ones."""
    plain: dict[str, str] = {}
    for label in labels:
        if NUMBER.fullmatch(label):
            plain[label] = label
        elif (found := undressed([label], decimal)) is not None:
            plain[label] = found[0][0]
    return plain


def _one_spelling(levels: Levels, findings: list[Finding], keep: str) -> Levels:
    """Labels that differ in case alone become the commonest of them.

    Single letters may well be different states, as A and a are in genetics, unless one of them is rare.
    """
    spellings: dict[str, Counter[str]] = {}
    for label, count in zip(levels.labels, _counts(levels).tolist(), strict=True):
        if label is not None:
            spellings.setdefault(label.casefold(), Counter())[label] = count
    chosen: dict[str, str] = {}
    for folded, found in spellings.items():
        common = max(sorted(found), key=lambda label: found[label])
        rare = [label for label in found if len(folded) > 1 or found[label] <= found[common] / 5]
        chosen |= dict.fromkeys(rare, common)
    changed = [label for label, common in chosen.items() if label != common]
    if not changed:
        return levels
    evidence = f"{changed[0]!r} and {chosen[changed[0]]!r}"
    done = "took the commonest spelling"
    findings.append(Finding(levels.name, "spellings that differ in case", evidence, done, keep))
    return relabelled(levels, [None if label is None else chosen.get(label, label) for label in levels.labels])


# --- columns --------------------------------------------------------------------------------------------------------


def _present(column: Levels | Numbers) -> int:
    """The number of rows with a value."""
    if isinstance(column, Numbers):
        return int((~np.isnan(column.values)).sum())
    return sum(count for label, count in zip(column.labels, _counts(column).tolist(), strict=True) if label is not None)


def _text_decision(levels: Levels) -> Decision:
    name, n = levels.name, _present(levels)
    texts = [label for label in levels.labels if label is not None]
    keep = setting("kinds", {name: "discrete"})
    if are_dates(texts):
        return _left_out(name, "date or time", f"such as {texts[0]!r}", keep)
    if n > FEW and len(texts) > n / 2:
        several = "a different value in every row" if len(texts) == n else f"{len(texts)} different values in {n} rows"
        problem = "free text" if is_prose(texts) else "identifier"
        return _left_out(name, problem, several, keep)
    return Decision(replace(levels, reason="text"))


def _number_decision(column: Levels | Numbers, rules: Rules) -> Decision:
    """Integers are states if there are few of them; what counts the rows is left out; the rest is continuous."""
    numbers = column if isinstance(column, Numbers) else numbers_of_levels(column, rules)
    name, values = numbers.name, numbers.values
    present = values[~np.isnan(values)]
    distinct, n = len(np.unique(present)), len(present)
    if not (np.isfinite(present) & (np.floor(present) == present)).all():
        return _measured(numbers, "decimal numbers")
    labels = [str(int(v)) for v in np.unique(present)[:1000]]
    if are_compact_dates(labels):
        return _left_out(name, "date or time", f"such as {labels[0]}", setting("kinds", {name: "discrete"}))
    if distinct == n > FEW and (names_identifier(name) or is_run(present)):
        keep = setting("kinds", {name: "continuous"})
        return _left_out(name, "identifier", "a different number in every row", keep)
    if _are_many(values):
        return _measured(numbers, f"integers with {distinct} different values")
    codes = [str(int(c)) for c in codes_among(values)]
    findings = (
        [Finding(name, "codes among numbers", f"such as {codes[0]}", "", setting("missing_values", codes))]
        if codes
        else []
    )
    levels = column if isinstance(column, Levels) else levels_of_numbers(numbers)
    return Decision(replace(levels, origin="integer", settled=True), tuple(findings))


def _are_many(values: NDArray[np.float64]) -> bool:
    """Whether there are too many different numbers for states, or decimal ones."""
    present = values[~np.isnan(values)]
    distinct = len(np.unique(present))
    is_decimal = not (np.isfinite(present) & (np.floor(present) == present)).all()
    return is_decimal or distinct > MANY or (distinct > FEW and distinct > len(present) / 10)


def _several(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _measured(numbers: Numbers, reason: str) -> Decision:
    """A continuous column; numbers such as -99 that stand for missing are taken so."""
    codes = codes_among(numbers.values)
    findings = []
    values = numbers.values
    if codes:
        count = int(np.isin(values, codes).sum())
        evidence = f"{_several(count, 'value')} of {' or '.join(f'{c:g}' for c in codes)}"
        keep = setting("as_written", [numbers.name])
        findings.append(Finding(numbers.name, "codes among numbers", evidence, "took codes as missing", keep))
        values = frozen(np.where(np.isin(values, codes), np.nan, values))
    infinite = int(np.isinf(values).sum())
    if infinite:
        findings.append(
            Finding(numbers.name, "infinite numbers", _several(infinite, "value"), "took infinite numbers as missing")
        )
        values = frozen(np.where(np.isinf(values), np.nan, values))
    return Decision(replace(numbers, values=values, reason=reason), tuple(findings))
