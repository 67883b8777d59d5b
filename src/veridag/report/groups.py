"""Where related data sets differ: which arcs hold in which groups, in words, as a drawing and as a table."""

from __future__ import annotations

import numpy as np

from veridag.data import Data
from veridag.trust.differences import Arc, GroupDifferences

from .content import Report
from .markup import Child, Markup, joined, tag
from .picture import MOST_DRAWN

#: The most groups that the table shows; the file to download has them all.
MOST_GROUPS = 20

#: As many arcs are named as absent somewhere before the rest is folded up.
MOST_FLAGS = 12

_EXPLAINED = (
    "The numbers are log ratios: how many times more probable, as a natural logarithm, the rows of a group are with "
    "the arc than without it, given the other parents. Above {t:g} the arc is present in the group, below -{t:g} "
    "absent, and undecided between. Absent may also mean that the group is too small for the table of the arc."
)


def groups(report: Report) -> Markup:
    """Which arcs of the recommended network hold in which groups."""
    sizes = group_sizes(report.data)
    counts = ", ".join(f"{label} ({size})" for label, size in sizes.items())
    said = tag("p", f"The rows belong to {len(sizes)} groups, given with their numbers of rows: {counts}.")
    found = report.differences
    if found is None:
        why = report.missing.get("groups", "the recommended graph stands for no network")
        return joined(said, tag("p", f"Where they differ is not known: {why}.", class_="trust fair"))
    if not found.arcs:
        return joined(said, tag("p", "The network has no arcs that could differ."))
    if len(found.arcs) > MOST_DRAWN:
        return joined(said, _flags(found), _table(found, sizes))
    picture = found.to_svg(f"{report.validation.best.label}: arcs by group")
    legend = tag(
        "ul",
        tag("li", tag("span", class_="swatch agreed"), "absent in no group"),
        tag("li", tag("span", class_="swatch contested"), "absent in some groups"),
        class_="legend",
    )
    figure = tag("figure", Markup(picture), class_="graph groups")
    return joined(said, _flags(found), legend, figure, _table(found, sizes))


def group_sizes(data: Data) -> dict[str, int]:
    """The number of rows of each group that has any."""
    assert data.group is not None
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    sizes = np.bincount(data.group, weights, len(data.groups)).astype(int).tolist()
    return {label: size for label, size in zip(data.groups, sizes, strict=True) if size}


def _flags(found: GroupDifferences) -> Markup:
    """In words: how many arcs are absent somewhere, and which of them where."""
    absent = found.absent
    if not absent:
        return tag("p", f"None of the {len(found.arcs)} arcs is absent in any group.", class_="trust good")
    head = tag(
        "p",
        f"Of the {len(found.arcs)} arcs, {len(found.common)} are absent in no group. {len(absent)} are absent in some:",
    )
    items = [tag("li", *_flag(found, arc)) for arc in sorted(absent, key=lambda arc: -len(absent[arc]))]
    rest = items[MOST_FLAGS:]
    more = tag("details", tag("summary", f"{len(rest)} more"), tag("ul", *rest)) if rest else None
    return joined(head, tag("ul", *items[:MOST_FLAGS]), more)


def _flag(found: GroupDifferences, arc: Arc) -> list[Child]:
    absent, present = found.absent[arc], found.present.get(arc, ())
    unsure = [group for group in found.groups if group not in absent and group not in present]
    where = f"; present in {', '.join(present)}" if present else "; present in none"
    between = f"; undecided in {', '.join(unsure)}" if unsure else ""
    return [tag("strong", f"{arc[0]} → {arc[1]}"), f" is absent in {', '.join(absent)}{where}{between}."]


def _table(found: GroupDifferences, sizes: dict[str, int]) -> Markup:
    shown = sorted(found.groups, key=lambda group: -sizes[group])[:MOST_GROUPS]
    columns = [found.groups.index(group) for group in found.groups if group in shown]
    most = max(1.0, float(np.abs(found.evidence).max()))
    head = tag("tr", tag("th", "arc"), *(tag("th", found.groups[j], scope="col", class_="number") for j in columns))
    rows = [
        tag("tr", tag("th", f"{a} → {b}", scope="row"), *(_cell(found, (a, b), j, most) for j in columns))
        for a, b in found.arcs
    ]
    more = "" if len(columns) == len(found.groups) else f", of the {len(columns)} largest groups of {len(found.groups)}"
    caption = tag("caption", f"The evidence for each arc in each group{more}")
    grid = tag("div", tag("table", caption, tag("thead", head), tag("tbody", *rows)), class_="scroll")
    return joined(tag("p", _EXPLAINED.format(t=found.threshold)), grid)


def _cell(found: GroupDifferences, arc: Arc, group: int, most: float) -> Markup:
    value, verdict = float(found.evidence[found.arcs.index(arc), group]), found.verdict(arc, found.groups[group])
    word = "" if verdict == "present" else f" {verdict}"
    text = f"{value:+.1f}".replace("-", "−")
    heat = round(15 + 45 * min(1.0, abs(value) / most)) if verdict != "undecided" else 0
    return tag("td", f"{text}{word}", class_=f"number evidence {verdict}", style=f"--heat: {heat}%")
