"""The recommended learner's network: a picture to explore, the same as a table, and its parameters."""

from __future__ import annotations

from veridag.graph.drawing import svg
from veridag.network import Network

from .content import Report
from .markup import Child, Markup, joined, table, tag
from .payload import described, most_configurations

#: The most arcs that are drawn, and contested pairs beside them: more would hide what there is to see.
MOST_DRAWN, MOST_OTHERS = 600, 40

#: More variables than this are folded up together.
MOST_UNFOLDED = 60

_PANEL = (
    "Click a variable for its table and Markov blanket, or an arc for its strength and who found it.",
    "Magnify with the buttons, or with Ctrl and the wheel; drag to move.",
)
_STANDINGS = {"agreed": "agreed", "turned": "direction contested", "contested": "contested"}


def network(report: Report) -> Markup:
    """The recommended learner's graph, what all agree on told apart from what is contested."""
    validation = report.validation
    graph = validation.best.cpdag
    at = {name: i for i, name in enumerate(graph.names)}
    drawn = _drawn(report)
    arcs, edges = ([(at[a], at[b]) for a, b in pairs if (a, b) in drawn] for pairs in (graph.arcs, graph.edges))
    classes, others = {}, []
    own = {frozenset((at[a], at[b])) for a, b in (*graph.arcs, *graph.edges)}
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
        aria_label="The network: arrow keys move it, plus and minus magnify it, 0 shows it all, tab its variables",
    )
    panel = tag("aside", *(tag("p", said) for said in _PANEL), id="details", aria_live="polite", aria_label="Details")
    number = len(graph.arcs) + len(graph.edges)
    some = tag("p", _drawn_text(len(drawn), number), class_="trust fair") if len(drawn) < number else None
    explorer = tag("div", figure, panel, class_="explorer")
    said = (
        f"What {validation.best.label} learned from all {report.data.n} rows: {number} "
        f"arc{'' if number == 1 else 's'} between {len(graph.names)} variables."
    )
    return joined(tag("p", said), legend, some, _tools(report), explorer, explained, _arc_list(report))


def _drawn(report: Report) -> set[tuple[str, str]]:
    """The arcs and edges that are drawn: all, or as many as can be told apart, the surest first."""
    graph, strengths = report.validation.best.cpdag, report.strengths
    against = {frozenset(f.pair): len(f.votes.get("none", ())) for f in report.validation.features}
    standing = {frozenset(f.pair): list(_STANDINGS).index(f.standing) for f in report.validation.features}

    def doubt(pair: tuple[str, str]) -> tuple[float, ...]:
        key = frozenset(pair)
        weakness = 0.0 if strengths is None else -float(strengths.strength[tuple(map(strengths.names.index, pair))])
        return standing[key], against[key], weakness

    return set(sorted([*graph.arcs, *graph.edges], key=doubt)[:MOST_DRAWN])


def _drawn_text(drawn: int, all_: int) -> str:
    return (
        f"Only {drawn} of the {all_} arcs are drawn, those that most learners agree on first, and of these the "
        "strongest: more could not be told apart. The table below, and a click on a variable, have them all."
    )


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
    find = tag(
        "label",
        "find a variable ",
        Markup('<input id="find-variable" type="search" list="variables" autocomplete="off">'),
        tag("datalist", *(tag("option", value=name) for name in report.data.names), id="variables"),
    )
    slider = None
    if report.strengths is not None:
        slider = tag(
            "label",
            "show arcs of at least this strength ",
            Markup('<input id="least-strength" type="range" min="0" max="1" step="0.05" value="0">'),
            tag("output", "0.00", id="least-strength-value"),
        )
    return tag("div", *buttons, find, slider, class_="tools")


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


def parameters(report: Report) -> Markup:
    """The fitted tables of the recommended network, and files to take away."""
    if report.network is None:
        return tag("p", f"The network has no parameters: {report.missing.get('network', 'the graph stands for none')}.")
    fitted, most = report.network, most_configurations(report.network)
    tables = [tag("details", tag("summary", name), _cpd(fitted, name, most)) for name in fitted.dag.names]
    said = "Posterior means given all of the data, with an imaginary sample of size 1."
    if report.data.group is not None:
        said += " All groups are taken together here; see the downloads for the network of each."
    if report.network.is_gaussian:
        said = "Each variable is a linear function of its parents with normal errors, by least squares."
    shown = tag("div", *tables, class_="columns")
    if len(tables) > MOST_UNFOLDED:
        shown = tag("details", tag("summary", f"The tables of {len(tables)} variables"), shown)
    return joined(tag("p", said), shown)


def _cpd(network: Network, name: str, most: int) -> Markup:
    facts = described(network, name, most)
    if "equation" in facts:
        return tag("p", facts["equation"])
    rows, number = facts["rows"], facts["configurations"]
    more = "" if number == len(rows) else f"; the first {len(rows)} of {number} configurations"
    numeric = frozenset(range(facts["given"], len(facts["head"])))
    return table(facts["head"], rows, f"{name} given its parents{more}" if facts["given"] else name, numeric)
