"""An assessment in words: what can be said of the network, how good a choice it is, and what would help.

They are read by people who know the subject of the table and no statistics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from veridag.errors import Language, language

from .chances import ROWS

if TYPE_CHECKING:
    from .assessment import Assessment

Situation = Literal["nothing found", "few rows", "all agree", "mixed", "usual"]

#: With fewer rows for each variable than the first, a network is no finding; with fewer than the second, more would
#: help most.
TOO_FEW_ROWS_A_VARIABLE, FEW_ROWS_A_VARIABLE = 5, 20
#: With fewer rows, weak links cannot be seen.
FEW_ROWS = 500

#: Where a caller says what is known.
_WHERE_TO_SAY: dict[Language, str] = {
    "python": "In Python: knowledge=vd.Knowledge(tiers=...); on the command line: --tiers, --require and --forbid.",
    "flags": "Options --tiers, --require and --forbid.",
    "page": 'The step "What you know" is for that.',
}

#: The sources of evidence as a reader knows them.
_SOURCE_WORDS = {
    "posterior": "the networks drawn from the posterior",
    "bootstrap": "the networks from bootstrap samples",
    "learners": "the learners",
    "tests": "the independence tests",
}


def situation_of(assessment: Assessment) -> Situation:
    """What a reader has to know first."""
    rows, variables = assessment.evidence.rows, len(assessment.chances.names)
    if not _links(assessment):
        return "nothing found"
    if rows < max(ROWS[0], TOO_FEW_ROWS_A_VARIABLE * variables):
        return "few rows"
    if assessment.recommendation.apart == 0:
        return "all agree"
    return "mixed" if assessment.evidence.kind == "mixed" else "usual"


def headline_of(assessment: Assessment) -> str:
    """The first sentences: what kind of result this is, and which learners or evidence it lacks."""
    return " ".join(part for part in (_result(assessment), _lacking(assessment)) if part)


def _result(assessment: Assessment) -> str:
    rows, links = assessment.evidence.rows, count(_links(assessment), "link")
    variables = count(len(assessment.chances.names), "variable")
    worked, missing = len(assessment.validation.ranked), _without_network(assessment)
    learners = count(worked, "learner")
    situation = situation_of(assessment)
    if situation == "nothing found":
        agree = assessment.recommendation.apart == 0
        who = (
            f"The {learners}{_that_finished(missing)} found no links"
            if agree
            else "The recommended network has no links"
        )
        seen = (
            f"with {rows} rows only strong links can be seen"
            if rows < FEW_ROWS
            else f"with {rows} rows strong links would show, but weak ones may be there all the same"
        )
        return f"{who} between the {variables}: {seen}."
    if situation == "few rows":
        return (
            f"{rows} rows are few for {variables}: take the {links} below as ideas to check, not as findings."
            f"{' Tables with so few rows were not part of the tests.' if rows < ROWS[0] else ''}"
        )
    if situation == "all agree":
        all_of_them = f"The {learners}" if missing else "Both learners" if worked == 2 else f"All {learners}"
        all_of_them += _that_finished(missing)
        return (
            f"{all_of_them} found the same network, with {links}. They may all be wrong in the same place, but there "
            "is nothing to choose between them."
        )
    choice = _choice(assessment)
    if situation == "mixed":
        return f"The table has categories and measurements, which are harder to learn from together. {choice}"
    return choice


def _without_network(assessment: Assessment) -> int:
    """How many of the learners to choose from found no network on all of the data."""
    return sum(x.result is None and not x.companion for x in assessment.validation.learners)


def _that_finished(missing: int) -> str:
    return " that finished" if missing else ""


def _lacking(assessment: Assessment) -> str:
    """How many learners have no network, and what is missing of the evidence; empty if nothing is."""
    learners = [x for x in assessment.validation.learners if not x.companion]
    missing = [x.label for x in learners if x.result is None]
    said = []
    if missing:
        said.append(f"{len(missing)} of {count(len(learners), 'learner')} found no network: {'; '.join(missing)}.")
    if assessment.evidence.absent:
        sources = ", ".join(_SOURCE_WORDS[source] for source in assessment.evidence.absent)
        said.append(f"The chances are less reliable than usual, because evidence is missing: {sources}.")
    return " ".join(said)


def _choice(assessment: Assessment) -> str:
    """How clear the choice of this network is."""
    if assessment.level == "high":
        return (
            f"Of the networks that were compared, this one, with {count(_links(assessment), 'link')}, is the best bet."
        )
    if assessment.level == "moderate":
        return "This network is a fair choice, but others fit nearly as well."
    apart = count(assessment.recommendation.apart, "pair")
    return f"Do not rely on one network here: the learners' networks differ in up to {apart} of variables."


def level_sentence(assessment: Assessment) -> str:
    """The level and how often it was right in tests; empty where there is nothing to choose, or nothing was tested."""
    rate = assessment.hit_rate
    nothing_to_choose = assessment.recommendation.apart == 0 and not assessment.is_partial
    if nothing_to_choose or assessment.evidence.rows < ROWS[0]:
        return ""
    said = f"Trust in this choice is {assessment.level}"
    if assessment.is_partial:
        return f"{said}. It cannot be high, because {_why_partial(assessment)}."
    if not rate.tables:
        return f"{said}."
    return (
        f"{said}: among {rate.tables} test tables of this level, whose true network is known, the recommended network "
        f"was the best of those compared, or at most one link worse, in {100 * rate.share:.0f} %."
    )


def _why_partial(assessment: Assessment) -> str:
    if assessment.interrupted:
        return "the work was stopped early"
    return "a learner failed" if assessment.failed else "a part of the evidence is missing"


def expected_sentence(assessment: Assessment) -> str:
    """How many links are expected to be wrong."""
    off = assessment.expected[assessment.recommended]
    number = "less than one link" if off < 0.5 else f"about {count(round(off), 'link')}"
    are = "is" if off < 1.5 else "are"
    if not _links(assessment):
        return f"{number[0].upper()}{number[1:]} {are} expected to be missed."
    wrong = "wrong: missing, extra or with another direction"
    given = ", if no measurement is a cause of a category" if _is_one_way(assessment) else ""
    return f"Compared with the true network, {number} {are} expected to be {wrong}{given}."


def _is_one_way(assessment: Assessment) -> bool:
    """Whether the network cannot have arrows from measurements to categories."""
    criterion = assessment.learner.algorithm.criterion
    return assessment.evidence.kind == "mixed" and criterion is not None and not criterion.both_directions


def sentence_of(assessment: Assessment) -> str:
    """What kind of result this is, how many links may be wrong, and how good a choice the network is."""
    parts = (headline_of(assessment), expected_sentence(assessment), level_sentence(assessment))
    return " ".join(part for part in parts if part)


def advice_for(assessment: Assessment) -> tuple[str, ...]:
    """What would help, the most helpful first; nothing if the network is clear as it is."""
    found = (
        _on_time(assessment),
        _on_rows(assessment),
        _on_variables(assessment),
        _on_directions(assessment),
        _on_kinds(assessment),
        _on_likely_links(assessment),
    )
    return tuple(advice for advice in found if advice)


def _on_time(assessment: Assessment) -> str:
    if not (assessment.interrupted or assessment.validation.interrupted):
        return ""
    return "Let it run to its end: the work was stopped early, and the chances come from a part of the evidence."


def _few_rows(assessment: Assessment) -> bool:
    return assessment.evidence.rows < max(FEW_ROWS, FEW_ROWS_A_VARIABLE * len(assessment.chances.names))


def _on_rows(assessment: Assessment) -> str:
    settled = assessment.level == "high" and situation_of(assessment) not in ("few rows", "nothing found")
    if settled or not _few_rows(assessment):
        return ""
    rows, variables = assessment.evidence.rows, count(len(assessment.chances.names), "variable")
    if situation_of(assessment) == "nothing found":
        return (
            f"More rows would help most: with more than {rows}, weaker links may show. Or add other variables, which "
            "may be linked with these."
        )
    return (
        f"More rows would help most: {rows} are few for {variables}. If there are no more, leave out variables that do "
        "not matter to your question."
    )


def _on_variables(assessment: Assessment) -> str:
    if assessment.level != "low" or _few_rows(assessment):
        return ""
    return (
        "Look at the variables: there are many rows, and the learners disagree all the same. Leave out variables that "
        "are nearly copies of others, and add what may be a common cause of several."
    )


def _on_directions(assessment: Assessment) -> str:
    unclear = [arc for arc in assessment.arcs if arc.is_safe and not arc.is_directed]
    if not unclear:
        return ""
    first = unclear[0]
    if len(unclear) == 1:
        which = f"the direction of one safe link is open, that between {first.a} and {first.b}"
    else:
        which = f"the directions of {len(unclear)} safe links are open, such as that between {first.a} and {first.b}"
    what = "Say what you know" if assessment.validation.knowledge is None else "Say more of what you know"
    return f"{what}, for instance which variables come first in time: {which}. ({_WHERE_TO_SAY[language()]})"


def _on_kinds(assessment: Assessment) -> str:
    """Most scores of mixed data let no measurement come before a category."""
    if not _is_one_way(assessment):
        return ""
    return (
        "Say so if a measurement may be a cause of a category, as age is of disease: in the network shown, arrows "
        "between the two always start at the category."
    )


def _on_likely_links(assessment: Assessment) -> str:
    likely = [arc for arc in assessment.arcs if arc.is_likely and not arc.is_safe]
    if not likely:
        return ""
    if len(likely) == 1:
        return (
            f"Check the link between {likely[0].a} and {likely[0].b} in new data, or with someone who knows the "
            "subject: it is likely, but not safe."
        )
    return (
        f"Check the {len(likely)} links that are likely but not safe in new data, or with someone who knows the "
        "subject."
    )


def _links(assessment: Assessment) -> int:
    return len(assessment.graph.arcs) + len(assessment.graph.edges)


def count(number: int, what: str) -> str:
    """So many of them, in the singular or plural."""
    return f"{number} {what}{'' if number == 1 else 's'}"
