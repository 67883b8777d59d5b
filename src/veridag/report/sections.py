"""The sections of the page, each a function of the report."""

from __future__ import annotations

import csv
from base64 import b64encode
from io import BytesIO, StringIO
from math import isnan
from typing import Any

from veridag.agreement import Feature, mean_over_repeats
from veridag.criterion import Result
from veridag.drawing import svg
from veridag.formats import write_network
from veridag.graph import PairType
from veridag.metrics import shd
from veridag.network import Network
from veridag.validation import Learner, standard_errors

from .charts import Curve, key, learning_curves
from .content import Report
from .markup import Child, Markup, joined, safe, table, tag
from .payload import described

#: The most contested pairs that are drawn or listed beside the network's own: more would hide it.
MOST_OTHERS = 40
MOST_COLUMNS = 200

_PANEL = "Click a variable for its table and Markov blanket, or an arc for its strength and who found it."
_STANDINGS = {"agreed": "agreed", "turned": "direction contested", "contested": "contested"}

_LOSS_EXPLAINED = (
    "The log-loss is the mean of -log q(row) on rows that the network q was not learned from; lower is better. It says "
    "how well a learner predicts, which need not be how well it finds the structure. Scores of different kinds cannot "
    "be compared with each other."
)


def recommendation(report: Report) -> Markup:
    """Who comes first, why, and how far that can be trusted."""
    validation = report.validation
    trust, best = validation.trust, validation.ranking[0]
    overall = dict(zip(validation.labels, validation.overall.tolist(), strict=True))
    kind = "good" if trust.is_stable and trust.connected_pairs else "fair" if trust.is_wide else "poor"
    facts: list[Child] = [
        tag("p", "Recommended: ", tag("strong", best), class_="lead"),
        tag("p", trust.sentence, class_=f"trust {kind}"),
        tag("p", *_reason(report, overall)),
        tag(
            "p",
            f"All learners agree on {100 * trust.agreement_size:.1f} % of the pairs of variables; "
            f"{trust.connected_pairs} of these pairs are joined. "
            f"Two learners' graphs differ in {trust.mean_pairwise_shd:.1f} pairs on average.",
        ),
    ]
    if validation.interrupted:
        stopped = "The work was stopped before its end: fewer subsamples were learned from than asked for."
        facts.append(tag("p", stopped, class_="trust fair"))
    return joined(*facts)


def _reason(report: Report, overall: dict[str, float]) -> list[Child]:
    validation = report.validation
    best, *others = validation.ranking
    parts: list[Child] = [
        f"From {validation.distances.shape[2]} subsamples of each of {len(validation.sizes)} sizes it found graphs "
        f"that are on average {overall[best]:.2f} pairs away from what all learners agree on given all of the data",
        f"; the next, {others[0]}, is {overall[others[0]]:.2f} away",
        f", and the last, {others[-1]}, {overall[others[-1]]:.2f}. " if len(others) > 1 else ". ",
    ]
    best_pairs = [c for c in validation.comparisons if best in (c.a, c.b)]
    clear = sum(c.closer == best and not c.overlap for c in best_pairs)
    said = f"In {clear} of {len(best_pairs)} comparisons with another learner at one size"
    parts.append(f"{said} it is closer by more than the standard errors.")
    return parts


def network(report: Report) -> Markup:
    """The recommended learner's graph, what all agree on told apart from what is contested."""
    validation = report.validation
    graph = validation.best.cpdag
    at = {name: i for i, name in enumerate(graph.names)}
    arcs, edges = ([(at[a], at[b]) for a, b in pairs] for pairs in (graph.arcs, graph.edges))
    classes, others = {}, []
    own = {frozenset(pair) for pair in (*arcs, *edges)}
    for feature in validation.features:
        pair = at[feature.pair[0]], at[feature.pair[1]]
        if frozenset(pair) in own:
            classes[pair] = classes[pair[::-1]] = feature.standing
        else:
            others.append((len(validation.labels) - len(feature.votes.get("none", ())), pair))
    shown = [pair for _, pair in sorted(others, reverse=True)[:MOST_OTHERS]]
    picture = svg(
        graph.names, arcs, edges, shown, arc_classes=classes, title=f"{validation.best.label}: learned from all data"
    )
    legend = tag(
        "ul",
        tag("li", tag("span", class_="swatch agreed"), "found by all learners in the same way"),
        tag("li", tag("span", class_="swatch turned"), "joined by all, but not by all in this direction"),
        tag("li", tag("span", class_="swatch contested"), "found by this learner, but not by all"),
        tag("li", tag("span", class_="swatch others"), _others_text(len(shown), len(others))),
        class_="legend",
    )
    explained = tag(
        "p",
        "An arrow means that every network which fits the data as well has this direction; a line without a head, that "
        "the data cannot tell the direction. Arrows are associations with a direction, not yet causes.",
    )
    figure = tag(
        "figure",
        Markup(picture),
        class_="graph",
        id="graph",
        tabindex="0",
        aria_label="The network: arrow keys move it, plus and minus magnify it, 0 shows the whole",
    )
    panel = tag("aside", tag("p", _PANEL), id="details", aria_live="polite", aria_label="Details")
    return joined(legend, _tools(report), tag("div", figure, panel, class_="explorer"), explained, _arc_list(report))


def _tools(report: Report) -> Markup:
    """Buttons and a slider for the script; hidden where scripts do not run."""
    buttons = [
        tag("button", sign, id=name, type="button", aria_label=said, title=said)
        for sign, name, said in (
            ("+", "zoom-in", "magnify"),
            ("−", "zoom-out", "reduce"),
            ("⤢", "zoom-fit", "show all"),
        )
    ]
    slider = None
    if report.strengths is not None:
        slider = tag(
            "label",
            "show arcs of at least this strength ",
            Markup('<input id="least-strength" type="range" min="0" max="1" step="0.05" value="0">'),
            tag("output", "0.00", id="least-strength-value"),
        )
    return tag("div", *buttons, slider, class_="tools")


def _others_text(shown: int, all_: int) -> str:
    if shown == all_:
        return "found by others only"
    return f"found by others only (the {shown} commonest of {all_})"


def _arc_list(report: Report) -> Markup:
    """What the picture shows, as a table; with strengths from the bootstrap where they are there."""
    graph, strengths = report.validation.best.cpdag, report.strengths
    standing = {frozenset(f.pair): _STANDINGS[f.standing] for f in report.validation.features}
    joins = [(a, "→", b) for a, b in graph.arcs] + [(a, "—", b) for a, b in graph.edges]
    rows: list[list[Child]] = []
    for a, sign, b in joins:
        row: list[Child] = [f"{a} {sign} {b}", standing[frozenset((a, b))]]
        if strengths is not None:
            i, j = strengths.names.index(a), strengths.names.index(b)
            row += [f"{strengths.strength[i, j]:.2f}", f"{strengths.direction[i, j]:.2f}"]
        rows.append(row)
    head: list[Child] = ["arc", ""]
    caption = "The arcs"
    if strengths is not None:
        head += ["strength", "direction"]
        caption = (
            f"The arcs. Strength: how often the pair is joined in {strengths.repeats} bootstrap samples; direction: "
            "how often it then points this way, an arc without direction counting half"
        )
    listed = table(head, rows, caption, frozenset({2, 3}))
    return tag("details", tag("summary", f"The {len(rows)} arcs, with their strengths"), listed)


def agreement(report: Report) -> Markup:
    """Which features everybody finds, and who contests the others."""
    found = report.validation.features
    contested = sorted((f for f in found if not f.agreed), key=lambda f: -len(f.votes.get("none", ())))
    contested.reverse()
    agreed, turned = len(found) - len(contested), sum(f.standing == "turned" for f in found)
    say = tag(
        "p",
        f"Of {len(found)} pairs that some learner joins, all learners join {agreed} in the same way, and {turned} more "
        f"but in different directions; {len(contested) - turned} are not joined by all.",
    )
    if not contested:
        return say
    rows: list[list[Child]] = [[f"{f.pair[0]}, {f.pair[1]}", *_votes(f)] for f in contested[:MOST_COLUMNS]]
    listed = table(["pair", "joined", "by"], rows, "Contested pairs, those that most learners join first")
    more = "" if len(rows) == len(contested) else f" (the first {len(rows)})"
    return joined(say, tag("details", tag("summary", f"Who contests what{more}"), listed))


def _votes(feature: Feature) -> list[Child]:
    a, b = feature.pair
    texts: dict[PairType, str] = {
        "none": "not joined",
        "forward": f"{a} → {b}",
        "backward": f"{a} ← {b}",
        "undirected": f"{a} — {b}",
    }
    ways = joined(*(tag("div", texts.get(how, how)) for how in feature.votes))
    return [ways, joined(*(tag("div", "; ".join(who)) for who in feature.votes.values()))]


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
    keys = [tag("li", key(validation.labels.index(label)), label) for label in validation.ranking]
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
    return [Curve(label, i, means[i].tolist(), errors[i].tolist()) for i, label in enumerate(validation.labels)]


def learners(report: Report) -> Markup:
    """One row a learner, in the order of the ranking; those that failed last."""
    validation = report.validation
    by_label = {learner.label: learner for learner in validation.learners}
    rows: list[list[Child]] = []
    for place, label in enumerate(validation.ranking, 1):
        i = validation.labels.index(label)
        result = by_label[label].result
        assert result is not None
        distance = float(validation.overall[i])
        name = joined(key(i), label)
        arcs, rest = len(result.graph.skeleton().edges), _costs(result)
        rows.append([str(place), name, _shown(distance), str(arcs), *rest])
    losses = report.losses
    head: list[Child] = ["rank", "learner", "mean PHD", "arcs", "score", "seconds", "calls", "different calls"]
    if losses:
        head.append("held-out log-loss")
        for row, label in zip(rows, validation.ranking, strict=True):
            row.append(f"{float(losses[label]):.4f} ± {losses[label].standard_error:.4f}" if label in losses else "–")
    made = table(head, rows, "Learners by their mean distance over all sizes", frozenset({0, *range(2, 9)}))
    said = tag("p", _LOSS_EXPLAINED) if losses else None
    return joined(
        made, said, *_complaints(validation.learners), _subsample_failures(report), _settings(validation.learners)
    )


def _costs(result: Result) -> list[Child]:
    score = "–" if result.score is None else f"{result.score:,.2f}".replace(",", "\u202f")
    return [score, f"{result.seconds:.3f}", _thousands(result.calls), _thousands(result.distinct_calls)]


def _complaints(found: tuple[Learner, ...]) -> list[Markup]:
    failed = [
        tag("p", tag("strong", learner.label), f" failed on the whole data: {learner.error}", class_="trust poor")
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


def _subsample_failures(report: Report) -> Markup | None:
    failures = report.validation.failures
    if not failures:
        return None
    items = [tag("li", f"{f.label}, n = {f.size}, subsample {f.repeat + 1}: {f.error}") for f in failures[:100]]
    return tag("details", tag("summary", f"{len(failures)} failures on subsamples"), tag("ul", *items))


def _settings(found: tuple[Learner, ...]) -> Markup:
    items = [joined(tag("dt", learner.label), tag("dd", tag("code", repr(learner.algorithm)))) for learner in found]
    return tag("details", tag("summary", "All settings"), tag("dl", *items))


def parameters(report: Report) -> Markup:
    """The fitted tables of the recommended network, and files to take away."""
    if report.network is None:
        return tag("p", f"The network has no parameters: {report.missing.get('network', 'the graph stands for none')}.")
    tables = [tag("details", tag("summary", name), _cpd(report.network, name)) for name in report.network.dag.names]
    said = "Posterior means given all of the data, with an imaginary sample of size 1."
    if report.network.is_gaussian:
        said = "Each variable is a linear function of its parents with normal errors, by least squares."
    return joined(tag("p", said), tag("div", *tables, class_="columns"))


def _cpd(network: Network, name: str) -> Markup:
    facts = described(network, name)
    if "equation" in facts:
        return tag("p", facts["equation"])
    rows, number = facts["rows"], facts["configurations"]
    more = "" if number == len(rows) else f"; the first {len(rows)} of {number} configurations"
    numeric = frozenset(range(facts["given"], len(facts["head"])))
    return table(facts["head"], rows, f"{name} given its parents{more}" if facts["given"] else name, numeric)


def distances(report: Report) -> Markup:
    """How far the learners' graphs from all of the data are apart, as a heat map."""
    validation = report.validation
    order = [next(x for x in validation.ranked if x.label == label) for label in validation.ranking]
    values = [[shd(a.cpdag, b.cpdag) for b in order] for a in order]
    most = max(1, *(max(row) for row in values))
    head = tag("tr", tag("th"), *(tag("th", str(k), scope="col", class_="number") for k in range(1, len(order) + 1)))
    rows = []
    for k, (learner, row) in enumerate(zip(order, values, strict=True), 1):
        cells = [tag("td", str(v), class_="heat number", style=f"--heat: {round(100 * v / most)}%") for v in row]
        rows.append(tag("tr", tag("th", f"{k} {learner.label}", scope="row"), *cells))
    caption = tag("caption", "Structural Hamming distances between what the learners found from all of the data")
    return tag("div", tag("table", caption, tag("thead", head), tag("tbody", *rows)), class_="scroll")


def downloads(report: Report) -> Markup:
    """The network and the tables behind the page, as files."""
    graph = report.validation.best.cpdag
    files: list[tuple[str, str, str]] = [("graph.json", "application/json", graph.to_json())]
    if report.network is not None:
        files = [*_network_files(report.network), *files]
    files.append(("learning-curves.csv", "text/csv", _csv(report.validation.rows())))
    if report.strengths is not None:
        files.append(("strengths.csv", "text/csv", _csv([arc._asdict() for arc in report.strengths.arcs])))
    links = [tag("li", tag("a", name, download=name, href=_data_link(kind, text))) for name, kind, text in files]
    return tag("ul", *links)


def _network_files(network: Network) -> list[tuple[str, str, str]]:
    found = []
    for name, kind, format in (("network.bif", "text/plain", "bif"), ("network.json", "application/json", "json")):
        if format == "json" or not network.is_gaussian:  # BIF has no room for continuous variables
            buffer = BytesIO()
            write_network(network, buffer, format=format)
            found.append((name, kind, buffer.getvalue().decode("utf-8")))
    return found


def _csv(rows: list[dict[str, Any]]) -> str:
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _data_link(kind: str, text: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode('utf-8')).decode('ascii')}"


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
    facts = {
        "seed": str(validation.seed),
        "subsample sizes": ", ".join(map(str, validation.sizes)),
        "subsamples of each size": str(validation.distances.shape[2]),
        "compared": "kinds of joins, directions included" if validation.compare == "types" else "adjacencies only",
        "time": f"{report.seconds:.1f} s",
        **report.versions,
        **{f"no {part}": why for part, why in report.missing.items()},
    }
    items = [joined(tag("dt", name), tag("dd", value)) for name, value in facts.items()]
    method = tag(
        "p",
        "The method is intersection-validation (Viinikka 2019): every learner learns from all of the data, and what "
        "all agree on stands in for the truth that nobody knows. The learners then learn from subsamples, the same for "
        "all; whose graphs are closest to the agreement is to be trusted most.",
    )
    return joined(method, tag("pre", tag("code", report.command)), tag("dl", *items))


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _shown(value: object) -> Markup:
    if isinstance(value, float):
        return safe("–" if isnan(value) else f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}")
    return safe(str(value))
