"""The values of a column of texts: spaces, spellings, texts for missing values, and numbers as people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from veridag.data.columns import NUMBER, listed, state_name
from veridag.data.reading.coding import numeric_type, relabelled
from veridag.data.reading.raw import Levels
from veridag.data.reading.rules import Rules
from veridag.errors import setting, suggest

from .absence import counted_texts, is_error, marks_among, words_among
from .findings import Finding
from .numerals import Dressed, different_units, have_thousands, limit_of, undressed
from .signs import are_codes, have_leading_zeros, names_code
from .synonyms import mergers_of

FEW = 10  # values that are states, however few the rows
MOSTLY = 0.8  # share of numbers from which on other texts in a column count as missing
DIFFERENT_UNITS = "numbers with different units"
_SOME = 500  # labels that tell whether a column may be one of numbers
_MOST_STATES = 2000  # among which those that may be the same are looked for
_ENOUGH = 5  # different numbers beside which <0.5 is a limit and not a state


def settled(levels: Levels, labels: Sequence[str | None]) -> Levels:
    """The column with other labels, of which only None is missing."""
    return replace(relabelled(levels, labels), settled=True)


def renamed(levels: Levels, names: Mapping[str, str | None]) -> Levels:
    """The column with other names for some of its labels; None is missing."""
    return settled(levels, [None if label is None else names.get(label, label) for label in levels.labels])


def typed(levels: Levels) -> Levels:
    """The column with its type decided: integers, other numbers or text."""
    if levels.origin not in ("field", "integer"):
        return levels
    found = numeric_type(texts_of(levels))
    return replace(levels, origin="text" if found is None else found)


def texts_of(levels: Levels) -> list[str]:
    """The labels of rows that are not missing."""
    return [label for label in levels.labels if label is not None]


def counts_of(levels: Levels) -> dict[str | None, int]:
    """How many rows each label has; one that no row has is not there."""
    counts = levels.counts().tolist()
    return {label: count for label, count in zip(levels.labels, counts, strict=True) if count}


def cleaned(raw: Levels, rules: Rules, decimal: str | None, findings: list[Finding]) -> Levels:
    """Without stray spaces, with one spelling for each state, and with numbers as numbers."""
    name, keep = raw.name, setting("as_written", [raw.name])
    levels = _merged(_stripped(raw, findings, keep), rules, findings)
    levels = _without_absent(levels, rules, findings)
    texts = texts_of(levels)
    if levels.origin == "integer" or not texts:
        return typed(levels)
    if rules.kind(name) == "discrete":
        return _one_spelling(levels, findings, keep)
    if have_leading_zeros(texts) or (names_code(name) and are_codes(texts)):
        return _digits(levels, rules, findings)
    if (found := _numbers(texts, decimal, rules)) is not None:
        plain, habit = found
        findings.append(Finding(name, f"numbers with {habit}", f"as in {texts[0]!r}", "read as numbers", keep))
        return typed(replace(renamed(levels, dict(zip(texts, plain, strict=True))), origin="field"))
    if (mixed := _mostly_numbers(levels, decimal, findings)) is not None:
        return typed(replace(mixed, origin="field"))
    return typed(_one_spelling(levels, findings, keep))


def _stripped(raw: Levels, findings: list[Finding], keep: str) -> Levels:
    stripped = [None if label is None else " ".join(label.split()) or None for label in raw.labels]
    changed = [label for label, new in zip(raw.labels, stripped, strict=True) if new is not None and label != new]
    if changed:
        findings.append(Finding(raw.name, "stray spaces", f"as in {changed[0]!r}", "removed stray spaces", keep))
    return settled(raw, stripped)


def _merged(levels: Levels, rules: Rules, findings: list[Finding]) -> Levels:
    """The column with states made one that the user says are; case matters only if both spellings are there."""
    mergers = rules.mergers(levels.name)
    if not mergers:
        return levels
    texts = texts_of(levels)
    folded: dict[str, list[str]] = {}
    for text in texts:
        folded.setdefault(text.casefold(), []).append(text)
    new: dict[str, str] = {}
    for old, state in mergers.items():
        found = [old] if old in texts else folded.get(" ".join(old.split()).casefold(), [])
        if not found:
            problem, near = f"{setting('merge_states')} names the state {old!r}", suggest(old, texts)
            findings.append(Finding(levels.name, problem, f"which does not occur: {near}", "merged nothing"))
        new |= dict.fromkeys(found, state)
    if new:
        said = ", ".join(f"{old!r} into {state!r}" for old, state in new.items())
        findings.append(Finding(levels.name, setting("merge_states"), said, "merged states"))
    origin = levels.origin if levels.origin in ("field", "text") else "field"
    return replace(renamed(levels, new), origin=origin)


# --- missing values -------------------------------------------------------------------------------------------------


def _without_absent(levels: Levels, rules: Rules, findings: list[Finding]) -> Levels:
    """Without the texts that mean missing: those of the rules, errors of spreadsheets, and marks such as -."""
    name, counts, texts = levels.name, counts_of(levels), texts_of(levels)
    tokens, said = rules.tokens(name), rules.said_missing(name)
    errors = [text for text in texts if is_error(text) and text not in said]
    absent = replace(levels, settled=False).absent(rules)
    gone = {label for label, is_gone in zip(levels.labels, absent, strict=True) if is_gone} | {*errors}
    if rules.adds_missing:  # which spellings of a state there are is not known to the user
        folded = {text.casefold() for text in said if len(text) > 1}
        gone |= {text for text in texts if text.casefold() in folded}
    rest = [text for text in texts if text not in gone]
    are_words = bool(rest) and not all(map(NUMBER.fullmatch, rest))
    beside_others = not rest and len(gone & {*texts}) > 1  # such as NA, which then stands for missing
    said_none = any(text.casefold() == "none" for text in said)
    if (are_words or beside_others) and not said_none and rules.adds_missing:
        gone.discard("None")  # among other texts it is a value
    keep = setting("as_written", [name])
    if errors := [error for error in errors if counts.get(error)]:
        evidence = counted_texts(errors, counts)
        findings.append(Finding(name, "spreadsheet errors", evidence, "treated errors as missing", keep))
    usual = [text for text in texts if text in gone and text in tokens and text not in said and counts.get(text)]
    marks = _marks(texts, gone, rules)
    if marks or (usual and rest):
        shown = [text for text in (*marks, *usual) if text not in errors and counts.get(text)]
        change = keep if marks else ""
        if shown:
            findings.append(taken_as_missing(name, {text: counts[text] for text in shown}, change))
    return renamed(levels, dict.fromkeys([text for text in (*gone, *marks) if text is not None]))


def taken_as_missing(name: str, counts: Mapping[str, int], change: str = "") -> Finding:
    """That texts of a column mean missing, with the rows that have them."""
    evidence = counted_texts(counts, counts)
    return Finding(name, "texts for missing values", evidence, "treated texts as missing", change)


def _marks(texts: Sequence[str], gone: set[str | None], rules: Rules) -> list[str]:
    """Marks such as - that are no values: if there are at least two other values, and `missing_values` is not given."""
    if not rules.adds_missing:
        return []
    rest = [text for text in texts if text not in gone]
    marks = marks_among(rest)
    return marks if len(rest) >= len(marks) + 2 else []


def doubtful(levels: Levels, rules: Rules) -> list[Finding]:
    """What is reported of states, and not changed: words that may mean missing, and states that may be the same."""
    name, counts = levels.name, counts_of(levels)
    texts = [text for text in counts if text is not None]
    found: list[Finding] = []
    if not rules.adds_missing:
        return found
    if words := [*marks_among(texts), *words_among(texts)]:
        change = setting("missing_values", {name: words})
        found.append(Finding(name, "states that may mean missing", counted_texts(words, counts), "", change))
    states = {text: counts[text] for text in texts if text not in words}
    mergers = mergers_of(states) if len(states) <= _MOST_STATES else {}
    if name in rules.as_written:  # what tidying would make one is to stay as it is
        mergers = {old: new for old, new in mergers.items() if not _same_when_tidied(old, new)}
    if mergers:
        pairs = [f"{old!r} ({states[old]}) and {new!r} ({states[new]})" for old, new in mergers.items()]
        evidence = ", ".join(pairs[:3]) + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")
        change = setting("merge_states", {name: mergers})
        found.append(Finding(name, "states that may be the same", evidence, "", change))
    return found


# --- numbers --------------------------------------------------------------------------------------------------------


def _digits(levels: Levels, rules: Rules, findings: list[Finding]) -> Levels:
    """A column of digits that measure nothing, such as postcodes: texts, unless the user wants numbers."""
    name, texts = levels.name, texts_of(levels)
    zeros = have_leading_zeros(texts)
    if rules.kind(name) == "continuous":
        return typed(renamed(levels, {text: text.lstrip("0") or "0" for text in texts}) if zeros else levels)
    evidence = f"leading zeros as in {min(texts)!r}" if zeros else "by its name"
    rows = sum(count for label, count in counts_of(levels).items() if label is not None)
    if not (rows > FEW and len(texts) > rows / 2):  # else it is left out as an identifier
        change = setting("kinds", {name: "continuous"})
        findings.append(
            Finding(name, "digits that are not a measurement", evidence, "treated digits as states", change)
        )
    return replace(levels, origin="text")


def _mostly_numbers(levels: Levels, decimal: str | None, findings: list[Finding]) -> Levels | None:
    """A column of measurements among which a few fields are words or limits: the words count as missing."""
    texts = texts_of(levels)
    some = texts[:: 1 + len(texts) // _SOME]
    if sum(_is_number(text) or limit_of(text) is not None for text in some) < len(some) / 10:
        return None  # names, most likely, of which there may be very many
    counts = counts_of(levels)
    limits = {text: limit for text in texts if (limit := limit_of(text)) is not None}
    written = {text: limits.get(text, text) for text in texts}
    plain = _plain({text: number for text, number in written.items() if _is_number(number)}, decimal)
    rows = sum(count for label, count in counts.items() if label is not None)
    numeric = sum(counts[label] for label in plain)
    words = [label for label in texts if label not in plain]
    exact = len({*plain} - {*limits})
    if not plain and (units := different_units(texts)):
        evidence = f"{', '.join(units)}, as in {texts[0]!r}"
        findings.append(Finding(levels.name, DIFFERENT_UNITS, evidence))
    sure = bool(words) and words == words_among(words)  # however many rows they have
    enough = (not words or exact > FEW) and (not limits or exact >= _ENOUGH) and (sure or numeric >= MOSTLY * rows)
    if not enough or not (words or limits):
        if words and numeric >= rows / 2 and exact > 2:
            evidence = f"{numeric} of {rows} values are numbers, others are {listed(words, 3)}"
            change = setting("missing_values", {levels.name: words}) if words == words_among(words) else ""
            findings.append(Finding(levels.name, "numbers and texts mixed", evidence, "", change))
        return None
    if words:
        evidence = f"{rows - numeric} of {rows} values are not numbers: {listed(words, 3)}"
        change = setting("kinds", {levels.name: "discrete"})
        findings.append(Finding(levels.name, "numbers and texts mixed", evidence, "treated texts as missing", change))
    if limits:
        change = setting("missing_values", {levels.name: [*limits]})
        evidence = counted_texts(limits, counts)
        findings.append(Finding(levels.name, "limits among numbers", evidence, "used limits as values", change))
    return renamed(levels, {text: plain.get(text) for text in texts})


def _numbers(texts: Sequence[str], decimal: str | None, rules: Rules) -> tuple[list[str], str] | None:
    """The numbers as Python writes them, and how they were written, if that is in any other way."""
    if numeric_type(texts) is not None and not (decimal == "," and have_thousands(texts)):
        return None
    found = undressed(texts, decimal)
    if found is None and decimal == "," and rules.decimal is None:
        found = undressed(texts, ".")  # where the mark was found in another column
    return found if found is not None and found[1] else None


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None or Dressed.of(text) is not None


def _plain(written: Mapping[str, str], decimal: str | None) -> dict[str, str]:
    """The numbers as Python writes them, if they are in one style and one unit."""
    dressed = {label: text for label, text in written.items() if decimal == "," or not NUMBER.fullmatch(text)}
    others = {label: text for label, text in written.items() if label not in dressed and Dressed.of(text) is not None}
    known = {**dressed, **others}
    found = undressed([*known.values()], decimal) if dressed else None
    if dressed and found is None:
        return {}
    styled = {} if found is None else dict(zip(known, found[0], strict=True))
    return {label: styled.get(label, text) for label, text in written.items()}


# --- spellings ------------------------------------------------------------------------------------------------------


def _one_spelling(levels: Levels, findings: list[Finding], keep: str) -> Levels:
    """Labels that differ in case alone become the commonest of them.

    Single letters may well be different states, as A and a are in genetics, unless one of them is rare.
    """
    spellings: dict[str, Counter[str]] = {}
    for label, count in counts_of(levels).items():
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
    done = "used the most common spelling"
    findings.append(Finding(levels.name, "spellings that differ in case", evidence, done, keep))
    return renamed(levels, chosen)


def _same_when_tidied(a: str, b: str) -> bool:
    """Whether two texts differ in case and blanks alone."""
    return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()


def as_declared(raw: Levels, declared: Sequence[str], rules: Rules, findings: list[Finding]) -> Levels:
    """The column with its values as the user declared them, where spaces, case or the form of numbers differ."""
    folded: dict[str, list[str]] = {}
    for state in declared:
        folded.setdefault(" ".join(state.split()).casefold(), []).append(state)
    names: dict[str, str | None] = {}
    tokens = rules.tokens(raw.name)
    for label in texts_of(_merged(raw, rules, findings)):
        text = " ".join(label.split())
        near = folded.get(text.casefold(), [])
        number = state_name(float(text)) if NUMBER.fullmatch(text) else text
        if label not in declared and (text in declared or number in declared):
            names[label] = text if text in declared else number
        elif label not in declared and len(near) == 1:
            names[label] = near[0]
        elif label not in declared and (not text or text in tokens or is_error(text) or marks_among([text])):
            names[label] = None
        elif label not in declared:
            names[label] = text
    changed = {label: state for label, state in names.items() if state in declared}
    if changed:
        label = next(iter(changed))
        evidence = f"{label!r} is treated as {changed[label]!r}"
        problem = "values that almost match declared states"
        findings.append(Finding(raw.name, problem, evidence, "used the declared states"))
    return renamed(_merged(raw, rules, []), names)
