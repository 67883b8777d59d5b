"""What the data supports of an effect: notes on small and missing strata, and why there may be no estimate at all."""

from __future__ import annotations

import numpy as np

from veridag.errors import language

from .estimating import LEAST_PER_COEFFICIENT, Design, Estimate

#: With fewer observations for each number that is estimated in a stratum, a note says so.
SMALL = 10

#: With fewer bootstrap samples, a note says that the ends of the intervals are rough.
FEW_REPEATS = 20


def given_notes(design: Design) -> tuple[str, ...]:
    """On numbers that are given, which are adjusted for."""
    numbers = [name for name, _ in design.question.given if name not in design.sample.states]
    if not numbers:
        return ()
    shown = ", ".join(numbers)
    are = "is" if len(numbers) == 1 else "are"
    return (f"{shown} {are} adjusted for: in a linear model the effect is the same for all values of {shown}",)


def repeat_notes(done: int) -> tuple[str, ...]:
    """On intervals from few bootstrap samples."""
    if done == 0 or done >= FEW_REPEATS:
        return ()
    if done == 1:
        return ("one bootstrap sample gives no interval: take more repeats, or 0 for none",)
    return (f"the intervals are from only {done} bootstrap samples: with fewer than {FEW_REPEATS} they are rough",)


def small_notes(estimate: Estimate) -> tuple[str, ...]:
    """On strata with few observations."""
    if estimate.smallest >= SMALL:
        return ()
    observations = "observation" if f"{estimate.smallest:.3g}" == "1" else "observations"
    return (
        f"some strata have only {estimate.smallest:.3g} {observations} for each number that is estimated in them: "
        f"with fewer than {SMALL}, intervals are too short",
    )


def left_out_notes(design: Design, estimate: Estimate) -> tuple[str, ...]:
    """On strata that say nothing about the effect."""
    if estimate.share >= 1 - 1e-9:
        return ()
    return (
        f"{100 * (1 - estimate.share):.3g} % of the observations are in strata of {', '.join(design.adjustment)} in "
        f"which {design.question.x} does not take all values that are compared, or with too few observations: they are "
        "left out, and the effect is that among the others",
    )


def why_unsupported(design: Design) -> str:
    """Why there is no estimate, and what to do."""
    x, names = design.question.x, ", ".join(design.adjustment)
    if design.question.x_is_continuous(design.sample):
        return _why_no_slope(design)
    merge = "merge states of it or of the others in the first step"
    if not design.adjustment and language() == "page":
        return f"{x!r} does not take all values that are compared in the rows that can be used: {merge}"
    if language() == "page":
        return f"in no stratum of {names} does {x!r} take all values that are compared, often enough: {merge}"
    if not design.adjustment:
        return f"x: {x!r} does not take all values that are compared in the rows that can be used: compare others"
    return (
        f"adjustment: in no stratum of {names} does {x!r} take all values that are compared, often enough: compare two "
        "values, merge states, or adjust for another valid set"
    )


def _why_no_slope(design: Design) -> str:
    x, sample = design.question.x, design.sample
    values = sample.columns[x][design.chosen]
    if not len(values):
        given = ", ".join(f"{name}={value}" for name, value in design.question.given)
        return f"given: no row that can be used has {given}: give other values"
    if np.all(values == values[0]):
        return f"x: {x!r} is {values[0]:.6g} in every row that can be used: there is nothing to compare"
    coefficients = design.regressors + 2
    needed = LEAST_PER_COEFFICIENT * coefficients
    most = design.largest_stratum()
    discrete = [name for name in design.adjustment if name in sample.states]
    if most < needed:
        where = f"the largest stratum of {', '.join(discrete)} has" if discrete else "there are"
        return (
            f"data: too few observations: {where} {most:.0f}, and a regression with {coefficients} coefficients takes "
            f"at least {needed}: use more rows{'' if language() == 'page' else ', or adjust for a smaller valid set'}"
        )
    fixed = [name for name, _ in design.question.given]
    others = [v for v in dict.fromkeys((*design.adjustment, *fixed)) if v not in sample.states]
    what = f"a linear function of {', '.join(others)}" if others else "constant"
    within = f" in every stratum of {', '.join(discrete)} with enough rows" if discrete else ""
    remedy = "leave out what is computed from other columns"
    if language() != "page":
        remedy = (
            f"adjust for another valid set, or {remedy.replace('leave out', 'leave out of the data and the graph')}"
        )
    return f"adjustment: {x!r} is {what}{within}, so that nothing is left to compare: {remedy}"
