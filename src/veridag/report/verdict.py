"""Which learner to trust, why, and how far: the first thing that a reader sees."""

from __future__ import annotations

from math import isnan

from veridag.criteria.priors import Uniform
from veridag.graph import PartialGraph
from veridag.search import Algorithm
from veridag.trust.subsampling import NO_TIME, STOPPED
from veridag.trust.validation import Validation

from .content import Report
from .markup import Child, Markup, joined, tag
from .work import LOSS_OF

_WHAT_A_LEARNER_IS = (
    "A learner is a way to find a network from data: a search, and the score or test that it goes by. Nobody knows the "
    "true network of this table; what all learners agree on stands in for it, and the learner whose graphs from parts "
    "of the data are closest to that is recommended."
)


def recommendation(report: Report) -> Markup:
    """Who comes first, why, and how far that can be trusted."""
    validation = report.validation
    trust = validation.trust
    kind = "good" if trust.is_stable and trust.connected_pairs else "fair" if trust.is_wide else "poor"
    facts: list[Child] = [
        tag("p", *_lead(validation), class_="lead"),
        tag("p", f"That is {in_words(validation.best.algorithm)}.") if validation.is_ranking else None,
        tag("p", trust.sentence, class_=f"trust {kind if validation.is_ranking else 'poor'}"),
        tag("p", _stopped(report), class_="trust fair") if validation.interrupted or _cut_short(report) else None,
        tag("p", *_reason(validation)) if validation.is_ranking else None,
        tag(
            "p",
            f"All {len(validation.ranked)} learners agree on {100 * trust.agreement_size:.1f} % of the pairs of "
            f"variables; {trust.connected_pairs} of these pairs are joined. "
            f"Two learners' graphs differ in {trust.mean_pairwise_shd:.1f} pairs on average.",
        ),
        *_companions(validation),
        tag("p", _WHAT_A_LEARNER_IS, class_="soft"),
    ]
    return joined(*facts)


_SEARCHES = {
    "Tabu": "tabu search",
    "HillClimbing": "hill climbing",
    "GES": "greedy equivalence search",
    "Exact": "exact search",
    "OrderAnnealing": "simulated annealing over orders",
    "MMHC": "max-min hill climbing, a hybrid",
    "H2PC": "H2PC, a hybrid",
    "RSMAX2": "a hybrid search",
    "PCStable": "the PC-stable algorithm",
    "GrowShrink": "the grow-shrink algorithm",
    "InterIAMB": "the inter-IAMB algorithm",
}


def in_words(algorithm: Algorithm) -> str:
    """A learner for people who do not know its label."""
    name = type(algorithm).__name__
    words = _SEARCHES.get(name, name)
    for part, said in (
        ("test", "with the {} test of independence"),
        ("score", "for the network with the best {} score"),
    ):
        value = getattr(algorithm, part, None)
        words += "" if value is None else f" {said.format(type(value).__name__)}"
    prior = getattr(algorithm, "prior", None)
    return words if prior is None or isinstance(prior, Uniform) else f"{words} and the {type(prior).__name__} prior"


def _lead(validation: Validation) -> list[Child]:
    if validation.is_ranking:
        return ["Recommended: ", tag("strong", validation.ranking[0])]
    shown = f"The network below is that of {validation.best.label}, the first of the learners, and not a better one."
    return ["No learner can be recommended. ", shown]


def _reason(validation: Validation) -> list[Child]:
    best, *others = validation.ranking
    overall = dict(zip(validation.labels, validation.overall.tolist(), strict=True))
    sizes = sum(validation.reached)
    each = "the" if validation.interrupted else f"{validation.distances.shape[2]}"
    parts: list[Child] = [
        f"From {each} subsamples of {sizes} size{'' if sizes == 1 else 's'} it found graphs that are on average "
        f"{overall[best]:.2f} pairs away from what all learners agree on given all of the data",
        f"; the next, {others[0]}, is {overall[others[0]]:.2f} away" if not isnan(overall[others[0]]) else "",
        f", and the last, {others[-1]}, {overall[others[-1]]:.2f}. "
        if len(others) > 1 and not isnan(overall[others[-1]])
        else ". ",
    ]
    best_pairs = [c for c in validation.comparisons if best in (c.a, c.b)]
    clear = sum(c.closer == best and not c.overlap for c in best_pairs)
    said = f"In {clear} of {len(best_pairs)} comparisons with another learner at one size"
    parts.append(f"{said} it is closer by more than the standard errors.")
    return parts


def _cut_short(report: Report) -> bool:
    return any(why in (NO_TIME, STOPPED) for why in report.missing.values())


def _stopped(report: Report) -> str:
    """What is missing because the work ended early."""
    validation = report.validation
    made, asked = sum(validation.subsamples), len(validation.sizes) * validation.repeats
    said = [f"The work was stopped before its end: all learners learned from {made} of {asked} subsamples."]
    unreached = [str(size) for size, there in zip(validation.sizes, validation.reached, strict=True) if not there]
    if unreached and validation.is_ranking:
        said.append(f"None of them has {' or '.join(unreached)} rows; the ranking is by the other sizes.")
    late = [learner.label for learner in validation.learners if learner.late]
    if late:
        said.append(f"These learners did not end in time and are left out: {'; '.join(late)}.")
    parts = _without_time(report)
    if parts:
        said.append(f"There was no time for: {'; '.join(parts)}.")
    return " ".join(said)


def _without_time(report: Report) -> list[str]:
    """The parts of the page that there was no time for; several log-losses in one word."""
    parts = [part for part, why in report.missing.items() if why in (NO_TIME, STOPPED) and part != "rest"]
    losses = [part for part in parts if part.startswith(LOSS_OF)]
    if len(losses) < 3:
        return parts
    return [*(part for part in parts if part not in losses), f"log-losses of {len(losses)} learners"]


def _companions(validation: Validation) -> list[Child]:
    """Who stands beside the ranking, why, and what the agreement would be with them."""
    if not validation.companions:
        return []
    overall = dict(zip(validation.labels, validation.overall.tolist(), strict=True))
    labels = [learner.label for learner in validation.companions]
    graphs = [learner.cpdag for learner in validation.compared]
    if validation.compare == "adjacencies":
        graphs = [graph.skeleton() for graph in graphs]
    with_them = PartialGraph.agreement(graphs)
    number = len(with_them.arcs) + len(with_them.edges)
    pairs = f"{number} joined pair{'' if number == 1 else 's'}"
    said = [
        f"Beside the ranking: {'; '.join(labels)}. They are companions, set aside beforehand, not for what they found "
        f"here: with learners of other kinds in it, the agreement would have {pairs} instead of "
        f"{validation.trust.connected_pairs}. They have no rank, because an agreement that they had no part in is no "
        "fair measure of them."
    ]
    if validation.is_ranking:
        best = overall[validation.ranking[0]]
        closer = [f"{label} ({overall[label]:.2f})" for label in labels if overall[label] < best]
        if closer:
            said.append(f"All the same, closer to the agreement than the recommended one: {'; '.join(closer)}.")
    return [tag("p", " ".join(said))]
