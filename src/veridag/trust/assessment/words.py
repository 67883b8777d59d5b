"""An assessment in words: the sentence of its level, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assessment import Assessment

#: With fewer rows for each variable, more of them help most.
FEW_ROWS_A_VARIABLE = 20
#: With fewer rows, weak links cannot be seen.
FEW_ROWS = 500


def sentence_of(assessment: Assessment) -> str:
    """How good a choice the recommended learner is, and what it was measured by."""
    agree = assessment.recommendation.apart == 0
    links = len(assessment.graph.arcs) + len(assessment.graph.edges)
    off = assessment.expected[assessment.recommended]
    differs = f"It is expected to differ from the true network in about {_count(off, 'pair')} of variables."
    if not links:
        found = "All learners" if agree else f"The recommended learner, {assessment.recommended},"
        rows = assessment.evidence.rows
        return f"{found} found no links. With {rows} rows only strong links can be seen. {differs}"
    if agree:
        number = len(assessment.validation.ranked)
        return f"All {number} learners found the same network, with {_count(links, 'link')}. {differs}"
    rate = assessment.hit_rate
    known = f"in {100 * rate.share:.0f} % of {rate.tables} tables of known networks"
    best = "came within one pair of the best of those compared"
    if assessment.level == "high":
        return f"Take this network. Where we said so, the recommended learner {best} {known}. {differs}"
    if assessment.level == "moderate":
        return (
            f"This network is a good choice, but not a clear one: where we said so, the recommended learner {best} "
            f"{known}. {differs}"
        )
    apart = assessment.recommendation.apart
    return (
        f"Do not rely on one network here. The learners' networks differ in up to {_count(apart, 'pair')} of "
        f"variables, and where we said so, the recommended learner {best} {known} only. {differs}"
    )


def advice_for(assessment: Assessment) -> tuple[str, ...]:
    """What would help, the most helpful first; nothing where trust is high and directions are clear."""
    rows, variables = assessment.evidence.rows, len(assessment.chances.names)
    found = []
    if rows < max(FEW_ROWS, FEW_ROWS_A_VARIABLE * variables) and assessment.level != "high":
        found.append(
            f"More rows would help most: {rows} rows are few for {_count(variables, 'variable')}; "
            f"leaving out variables that do not matter would help too."
        )
    open_ones = [arc for arc in assessment.arcs if arc.is_safe and not arc.is_directed]
    if open_ones and assessment.validation.knowledge is None:
        first = open_ones[0]
        found.append(
            f"Say what you know, for instance what comes first in time: of {_count(len(open_ones), 'safe link')} the "
            f"direction is open, as of that between {first.a} and {first.b}."
        )
    return tuple(found)


def _count(number: float, what: str) -> str:
    shown = f"{number:.0f}" if number >= 1 or number == 0 else "less than one"
    one = shown in ("1", "less than one")
    return f"{shown} {what}{'' if one else 's'}"
