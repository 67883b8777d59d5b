"""The sections of the page, each a function of the report."""

from __future__ import annotations

from math import isnan

from veridag.graph import PairType
from veridag.search.result import Result
from veridag.trust.agreement import Feature, mean_over_repeats
from veridag.trust.subsampling import Learner
from veridag.trust.validation import standard_errors

from .charts import Curve, key, learning_curves
from .content import Report
from .heat import in_order
from .markup import Child, Markup, joined, safe, table, tag

#: The most contested pairs, or variables, that a table lists.
MOST_COLUMNS = 200

_CALLS_EXPLAINED = (
    "Seconds are those of one search on all of the data. Calls are the scores or tests of a variable given some others "
    "that the search asked for; those asked for twice are counted once under different calls."
)
_BY_GROUP = "Each row is judged by the network of its own group, with partially pooled parameters."

_LOSS_EXPLAINED = (
    "The log-loss is the mean of -log q(row) on rows that the network q was not learned from; lower is better. It says "
    "how well a learner predicts, which need not be how well it finds the structure. Scores of different kinds cannot "
    "be compared with each other."
)


def agreement(report: Report) -> Markup:
    """Which features everybody finds, and who contests the others."""
    found = report.validation.features
    contested = sorted((f for f in found if not f.agreed), key=lambda f: -len(f.votes.get("none", ())))
    contested.reverse()
    agreed, turned = len(found) - len(contested), sum(f.standing == "turned" for f in found)
    more = f", and {turned} more but in different directions" if turned else ""
    say = tag(
        "p",
        f"Of {len(found)} pairs that some learner joins, all learners join {agreed} in the same way{more}; "
        f"{len(contested) - turned} {'is' if len(contested) - turned == 1 else 'are'} not joined by all.",
    )
    if not contested:
        return tag("p", f"All learners join the same {len(found)} pairs, and in the same way.")
    rows: list[list[Child]] = [[f"{f.pair[0]}, {f.pair[1]}", *_votes(f)] for f in contested[:MOST_COLUMNS]]
    head: list[Child] = ["pair", "joined", "by"]
    if report.validation.companions:
        head.append("companions")
        rows = [[*row, _beside(f)] for row, f in zip(rows, contested, strict=False)]
    listed = table(head, rows, "Contested pairs, those that most learners join first")
    some = "" if len(rows) == len(contested) else f" (the first {len(rows)})"
    return joined(say, tag("details", tag("summary", f"Who contests what{some}"), listed))


def _votes(feature: Feature) -> list[Child]:
    ways = joined(*(tag("div", _way(feature, how)) for how in feature.votes))
    return [ways, joined(*(tag("div", "; ".join(who)) for who in feature.votes.values()))]


def _beside(feature: Feature) -> Markup:
    return joined(*(tag("div", f"{_way(feature, how)}: {'; '.join(who)}") for how, who in feature.beside.items()))


def _way(feature: Feature, how: PairType) -> str:
    a, b = feature.pair
    signs: dict[PairType, str] = {"forward": "→", "backward": "←", "undirected": "—"}
    return f"{a} {signs[how]} {b}" if how in signs else "not joined"


def curves(report: Report) -> Markup:
    """Distance over sample size, with error bars; against the truth too where it is known."""
    validation = report.validation
    charts = [
        tag(
            "figure",
            learning_curves(validation.sizes, _curves(report, "phd"), "mean partial Hamming distance"),
            tag("figcaption", "to what all learners agree on"),
        )
    ]
    if validation.shd is not None:
        chart = learning_curves(validation.sizes, _curves(report, "shd"), "mean structural Hamming distance")
        charts.append(tag("figure", chart, tag("figcaption", "to the known truth")))
    keys = [
        tag(
            "li",
            key(validation.labels.index(x.label), x.companion),
            f"{x.label} (companion)" if x.companion else x.label,
        )
        for x in in_order(validation)
    ]
    head: list[Child] = ["learner", "n", "subsamples", "PHD", "± s.e.", "seconds"]
    if validation.shd is not None:
        head += ["SHD", "± s.e."]
    fields = ("learner", "size", "repeats", "phd", "phd_error", "seconds", "shd", "shd_error")
    rows: list[list[Child]] = [[_shown(row[name]) for name in fields if name in row] for row in validation.rows()]
    numbers = table(head, rows, "Mean distances and their standard errors", frozenset(range(1, len(head))))
    return joined(
        tag("p", "Closer to zero is better. Bars are one standard error of the mean up and down."),
        tag("ul", *keys, class_="legend"),
        tag("div", *charts, class_="charts"),
        tag("details", tag("summary", "The numbers"), numbers),
    )


def _curves(report: Report, which: str) -> list[Curve]:
    validation = report.validation
    distances = validation.distances if which == "phd" or validation.shd is None else validation.shd
    means, errors = mean_over_repeats(distances), standard_errors(distances)
    return [
        Curve(learner.label, i, means[i].tolist(), errors[i].tolist(), learner.companion)
        for i, learner in enumerate(validation.compared)
    ]


def learners(report: Report) -> Markup:
    """One row a learner, in the order of the ranking, companions after; those that failed are named below."""
    validation, losses = report.validation, report.losses
    rows: list[list[Child]] = []
    for place, learner in enumerate(in_order(validation), 1):
        i = validation.labels.index(learner.label)
        assert learner.result is not None
        rank = "beside" if learner.companion else str(place) if validation.is_ranking else "–"
        name = joined(key(i, learner.companion), learner.label)
        arcs = len(learner.result.graph.skeleton().edges)
        row: list[Child] = [rank, name, _shown(float(validation.overall[i])), str(arcs), *_costs(learner.result)]
        if losses:
            loss = losses.get(learner.label)
            row.append("–" if loss is None else f"{float(loss):.4f} ± {loss.standard_error:.4f}")
        rows.append(row)
    head: list[Child] = ["rank", "learner", "mean PHD", "arcs", "score", "seconds", "calls", "different calls"]
    if losses:
        head.append("held-out log-loss")
    caption = "Learners by their mean partial Hamming distance (PHD) over all sizes; the rest is from all of the data"
    made = table(head, rows, caption, frozenset({0, *range(2, 9)}))
    pooled = f" {_BY_GROUP}" if report.data.group is not None else ""
    return joined(
        made,
        tag("p", _CALLS_EXPLAINED),
        tag("p", f"{_LOSS_EXPLAINED}{pooled}") if losses else None,
        *_complaints(validation.learners),
        _subsample_failures(report),
        _settings(validation.learners),
    )


def _costs(result: Result) -> list[Child]:
    score = "–" if result.score is None else f"{result.score:,.2f}".replace(",", "\u202f")
    return [score, f"{result.seconds:.3f}", _thousands(result.calls), _thousands(result.distinct_calls)]


def _complaints(found: tuple[Learner, ...]) -> list[Markup]:
    failed = [
        tag("p", tag("strong", learner.label), f" {_no_graph(learner)}", class_="trust poor")
        for learner in found
        if learner.error
    ]
    invalid = [
        tag(
            "p",
            tag("strong", learner.label),
            f" found a graph that stands for no network: {learner.invalid}",
            class_="trust fair",
        )
        for learner in found
        if learner.invalid
    ]
    return failed + invalid


def _no_graph(learner: Learner) -> str:
    how = "was left out" if learner.late else "failed on the whole data"
    return f"{how}: {learner.error}"


def _subsample_failures(report: Report) -> Markup | None:
    failures = report.validation.failures
    if not failures:
        return None
    items = [tag("li", f"{f.label}, n = {f.size}, subsample {f.repeat + 1}: {f.error}") for f in failures[:100]]
    return tag("details", tag("summary", f"{len(failures)} failures on subsamples"), tag("ul", *items))


def _settings(found: tuple[Learner, ...]) -> Markup:
    items = [joined(tag("dt", learner.label), tag("dd", tag("code", repr(learner.algorithm)))) for learner in found]
    return tag("details", tag("summary", "All settings"), tag("dl", *items))


def data_profile(report: Report) -> Markup:
    """Each variable, and what was done to the table."""
    head, *variables = report.data.describe().cells()
    rows: list[list[Child]] = [list(cells) for cells in variables[:MOST_COLUMNS]]
    more = None
    if len(variables) > MOST_COLUMNS:
        more = tag("p", f"The first {MOST_COLUMNS} of {len(variables)} variables are shown.")
    notes = [tag("li", note) for note in report.data.notes]
    done = tag("div", tag("p", "What was done to the table:"), tag("ul", *notes)) if notes else None
    made = table(list(head), rows, "The variables, and the rule that decided on the kind of each")
    return joined(done, tag("details", tag("summary", f"{len(variables)} variables"), made, more))


def making(report: Report) -> Markup:
    """Everything that is needed to make the page again."""
    validation = report.validation
    facts: dict[str, Child] = {
        "seed": str(validation.seed),
        "subsample sizes": ", ".join(map(str, validation.sizes)),
        "subsamples of each size": _counts(validation.subsamples, validation.repeats),
        "compared": "kinds of joins, directions included" if validation.compare == "types" else "adjacencies only",
        "ranked": "; ".join(learner.label for learner in validation.learners if not learner.companion),
        "companions": "; ".join(learner.label for learner in validation.learners if learner.companion) or "none",
        "bootstrap samples": str(report.strengths.repeats) if report.strengths is not None else "none",
        "time": f"{report.seconds:.1f} s",
        **report.versions,
    }
    if report.missing:
        facts["left out"] = _left_out(report)
    items = [joined(tag("dt", name), tag("dd", value)) for name, value in facts.items()]
    method = tag(
        "p",
        "The method is intersection-validation (Viinikka 2019): every learner learns from all of the data, and what "
        "all agree on stands in for the truth that nobody knows. The learners then learn from subsamples, the same for "
        "all; whose graphs are closest to the agreement is to be trusted most.",
    )
    return joined(method, tag("pre", tag("code", report.command)), tag("dl", *items))


def _left_out(report: Report) -> Markup:
    """What is not there, by the reason."""
    parts: dict[str, list[str]] = {}
    for part, why in report.missing.items():
        parts.setdefault(why, []).append(part)
    return joined(*(tag("div", f"{'; '.join(names)}: {why}") for why, names in parts.items()))


def _counts(made: tuple[int, ...], asked: int) -> str:
    if all(number == asked for number in made):
        return str(asked)
    return f"{asked} asked for; there was time for {', '.join(map(str, made))}"


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _shown(value: object) -> Markup:
    if isinstance(value, float):
        return safe("–" if isnan(value) else f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}")
    return safe(str(value))
