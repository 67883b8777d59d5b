"""Figures in one style, for reports and papers.

Every figure function draws a file, .svg or .png by its suffix, and returns the numbers behind the figure as a list of
rows. The same numbers give the same file, byte for byte. matplotlib, which is in the extra ``figures``, is loaded when
the first figure is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from veridag.checks import Instance
from veridag.criteria.priors import DataSize, Edge, Factorial, Fair, Uniform
from veridag.criteria.priors.base import Prior
from veridag.criteria.priors.dag_counts import indegree_distribution
from veridag.data import Data, MissingPattern
from veridag.display import clipped
from veridag.errors import InputError, import_optional, require
from veridag.files.writing import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from veridag.network.explanation import Explanation
    from veridag.posteriors import ArcProbabilities, Draws
    from veridag.trust.bootstrap import Strengths

#: The colours of Okabe and Ito (2008), which readers with any common colour vision deficiency can tell apart.
PALETTE = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
}

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 150,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so figures look the same everywhere
    "font.size": 9,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "veridag",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}

# Without a date or a version, the same figure is the same file.
_METADATA = {".svg": {"Date": None, "Creator": "veridag"}, ".png": {"Software": None}}


def style() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws in the style of this module: ``with figures.style(): ...``.

    See also:
        docs/gallery.md
    """
    matplotlib = import_optional("matplotlib", "a figure", "figures")
    context: AbstractContextManager[None] = matplotlib.rc_context(_STYLE)
    return context


def save(figure: Figure, path: str | Path) -> Path:
    """Write a matplotlib figure to a file.

    Args:
        figure: The figure.
        path: The file, .svg or .png.

    See also:
        docs/gallery.md
    """
    target = _checked_path(path)
    with style(), whole_file(target) as draft:
        figure.savefig(draft, metadata=_METADATA[target.suffix.lower()])
    return target


def _checked_path(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix.lower() not in _METADATA:
        raise InputError(f"path {str(path)!r}: figures are written as SVG or PNG, so the name must end in .svg or .png")
    require("matplotlib", "a figure", "figures")
    return target


class IndegreeRow(TypedDict):
    """One point of `indegree_figure`. `max_indegree` is None if any number of parents is allowed."""

    prior: str
    n: int
    max_indegree: int | None
    indegree: int
    probability: float


# The priors of figure 1, each with its line. Edge has one colour, and a dash and a marker for each beta.
_INDEGREE_LINES: tuple[tuple[Prior, str, dict[str, Any]], ...] = (
    (Factorial(), "Factorial", {"color": PALETTE["purple"], "marker": "v"}),
    (Uniform(), "Uniform", {"color": PALETTE["black"], "marker": "o"}),
    (Edge(beta=0.5), "Edge, β = 0.5", {"color": PALETTE["blue"], "marker": "s"}),
    (Edge(beta=0.1), "Edge, β = 0.1", {"color": PALETTE["blue"], "marker": "s", "mfc": "white", "linestyle": "--"}),
    (Edge(beta=0.02), "Edge, β = 0.02", {"color": PALETTE["blue"], "marker": "x", "linestyle": ":"}),
    (Fair(), "Fair", {"color": PALETTE["vermilion"], "marker": "D"}),
    (DataSize(tau=0.5), "DataSize, τ = 0.5", {"color": PALETTE["green"], "marker": "^"}),
)


def indegree_figure(
    path: str | Path,
    sizes: Sequence[int] = (32, 128),
    maxima: Sequence[int | None] = (5, None),
    rows: int = 200,
) -> list[IndegreeRow]:
    """Draw the distribution of the number of parents under each prior: figure 1 of Eggeling et al. (2019).

    There is one panel for each number of variables and maximum indegree. The defaults are those of the paper.

    Args:
        path: The file, .svg or .png.
        sizes: The numbers of variables.
        maxima: The maximum indegrees; None for no bound.
        rows: The number of rows, for the prior `DataSize`.

    Returns:
        The points of the curves.

    See also:
        `indegree_distribution`, docs/counting.md
    """
    target = _checked_path(path)
    figure, table = draw_indegrees(sizes, maxima, rows)
    save(figure, target)
    return table


def draw_indegrees(sizes: Sequence[int], maxima: Sequence[int | None], rows: int) -> tuple[Figure, list[IndegreeRow]]:
    """Draw `indegree_figure` without writing a file.

    Args:
        sizes, maxima, rows: As in `figures.indegree_figure`.

    Returns:
        The figure, and the points of its curves.
    """
    table = _indegree_table(sizes, maxima, rows)
    with style():
        return _draw_indegrees(table, sizes, maxima, rows), table


def _indegree_table(sizes: Sequence[int], maxima: Sequence[int | None], rows: int) -> list[IndegreeRow]:
    return [
        {"prior": str(prior), "n": n, "max_indegree": d, "indegree": s, "probability": float(p)}
        for n in sizes
        for d in maxima
        for prior, _, _ in _INDEGREE_LINES
        for s, p in enumerate(indegree_distribution(prior, n, d, rows))
    ]


def _draw_indegrees(
    table: Sequence[IndegreeRow], sizes: Sequence[int], maxima: Sequence[int | None], rows: int
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.7 * len(maxima), 0.7 + 2.6 * len(sizes)))
    panels = figure.subplots(len(sizes), len(maxima), squeeze=False, sharey=True)
    for i, n in enumerate(sizes):
        for j, d in enumerate(maxima):
            panel = [row for row in table if row["n"] == n and row["max_indegree"] == d]
            lines = _draw_indegree_panel(panels[i, j], panel)
            limit = "any number of parents" if d is None else f"at most {d} parents"
            panels[i, j].set_title(f"{n} variables, {limit}")
        panels[i, 0].set_ylabel("probability")
    for axes in panels[-1]:
        axes.set_xlabel("number of parents of a variable")
    labels = [f"{label}, N = {rows}" if isinstance(prior, DataSize) else label for prior, label, _ in _INDEGREE_LINES]
    figure.legend(lines, labels, loc="outside lower center", ncols=4)
    return figure


def _draw_indegree_panel(axes: Axes, panel: Sequence[IndegreeRow]) -> list[Line2D]:
    most = max(row["indegree"] for row in panel)
    lines = []
    for i, (prior, _, line) in enumerate(_INDEGREE_LINES):
        p = [row["probability"] for row in panel if row["prior"] == str(prior)]
        # On a short axis every number of parents has its marker. On a long one markers only name the line: they are
        # spaced by length along it, starting a little later on every line so that they do not cover each other.
        spacing = None if most <= 10 else (0.02 * i, 0.14)
        lines += axes.plot(range(len(p)), p, markevery=spacing, **line)
    axes.set_yscale("log")
    axes.set_ylim(1e-6, 1.6)
    margin = 0.025 * max(most, 1)
    axes.set_xlim(-margin, most + margin)
    return lines


class StrengthRow(TypedDict):
    """One step of `strength_figure`: the share of all pairs that are joined in at most this share of the repeats."""

    strength: float
    pairs: float


def strength_figure(path: str | Path, strengths: Strengths) -> list[StrengthRow]:
    """Draw the distribution function of the strengths of all pairs, and the threshold for significant arcs.

    The more clearly the data shows which arcs exist, the flatter the curve is between 0 and 1.

    Args:
        path: The file, .svg or .png.
        strengths: The result of `bootstrap`.

    Returns:
        The steps of the curve.

    See also:
        `bootstrap`, `Strengths`, docs/resampling.md
    """
    target = _checked_path(path)
    table = _strength_table(strengths)
    with style():
        save(_draw_strengths(table, strengths), target)
    return table


def _strength_table(strengths: Strengths) -> list[StrengthRow]:
    n = len(strengths.names)
    pairs = n * (n - 1) // 2
    below = pairs - len(strengths.arcs)  # never joined
    table: list[StrengthRow] = [{"strength": 0.0, "pairs": below / pairs if pairs else 1.0}]
    for arc in reversed(strengths.arcs):
        below += 1
        if table[-1]["strength"] < arc.strength:
            table.append({"strength": arc.strength, "pairs": 0.0})
        table[-1]["pairs"] = below / pairs
    return table


def _draw_strengths(table: Sequence[StrengthRow], strengths: Strengths) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.1))
    axes = figure.subplots()
    x = [*(row["strength"] for row in table), 1.0]
    y = [*(row["pairs"] for row in table), 1.0]
    axes.step(x, y, where="post", color=PALETTE["blue"])
    axes.axvline(strengths.threshold, color=PALETTE["vermilion"], linestyle="--")
    kept = sum(arc.strength > strengths.threshold for arc in strengths.arcs)
    axes.set_title(f"{kept} pairs above the threshold {strengths.threshold:.3g} (dashed)")
    axes.set_xlabel(f"strength: share of {strengths.repeats} repeats that join a pair")
    axes.set_ylabel("share of pairs at most this strong")
    axes.set_xlim(-0.02, 1.02)
    lowest = table[0]["pairs"]
    axes.set_ylim(lowest - 0.04 * max(1 - lowest, 0.02), 1 + 0.04 * max(1 - lowest, 0.02))
    return figure


class MissingRow(TypedDict):
    """A bar of `missing_figure`: variables that are missing in n observations; for a combination, only these."""

    bar: Literal["variable", "combination"]
    variables: tuple[str, ...]
    n: int
    share: float


#: What `missing_figure` draws; of more, the first.
_MOST_VARIABLES, _MOST_COMBINATIONS = 40, 25
_LONGEST_NAME = 28


def missing_figure(path: str | Path, pattern: MissingPattern | Data) -> list[MissingRow]:
    """Draw the missing values: a bar for each incomplete variable, and the most frequent combinations.

    A column of dots is a combination: the variables with a dot are missing together, and no others.

    Args:
        path: The file, .svg or .png.
        pattern: The data, or its `Data.missing_pattern`.

    Returns:
        The bars.

    See also:
        `MissingPattern`, docs/incomplete.md
    """
    target = _checked_path(path)
    if isinstance(pattern, Data):
        pattern = pattern.missing_pattern()
    Instance(MissingPattern, "data, or its missing_pattern()")("pattern", pattern)
    if not pattern.variables:
        raise InputError("pattern: no value is missing, so there is nothing to draw")
    table = _missing_table(pattern)
    with style():
        save(_draw_missing(table, pattern), target)
    return table


def _missing_table(pattern: MissingPattern) -> list[MissingRow]:
    names, sets = pattern.excerpt(_MOST_VARIABLES, _MOST_COMBINATIONS)
    return [
        *(_missing_row("variable", (v,), pattern.counts[v], pattern) for v in names),
        *(_missing_row("combination", c.variables, c.n, pattern) for c in sets),
    ]


def _missing_row(
    bar: Literal["variable", "combination"], variables: tuple[str, ...], n: int, pattern: MissingPattern
) -> MissingRow:
    return {"bar": bar, "variables": variables, "n": n, "share": n / pattern.n}


def _draw_missing(table: Sequence[MissingRow], pattern: MissingPattern) -> Figure:
    from matplotlib.figure import Figure

    bars = [row for row in table if row["bar"] == "variable"]
    sets = [row for row in table if row["bar"] == "combination"]
    height, width = 0.19 * len(bars) + 0.3, 0.2 * len(sets) + 0.3
    figure = Figure(figsize=(3.6 + max(width, 2.4), 1.9 + height))
    parts = figure.subplots(
        2, 2, width_ratios=[1.6, max(width, 2.4)], height_ratios=[1.0, height], sharex="col", sharey="row"
    )
    (corner, tops), (shares, dots) = parts
    corner.axis("off")
    _draw_missing_shares(shares, bars)
    _draw_missing_sets(tops, dots, bars, sets)
    complete = f"{pattern.complete} of {pattern.n} rows are complete ({pattern.complete_share:.1%})"
    figure.suptitle(f"{complete}{_left_out(pattern, len(bars), len(sets))}", fontsize=9.5, x=0.01, ha="left")
    return figure


def _left_out(pattern: MissingPattern, variables: int, sets: int) -> str:
    """What does not fit into the figure."""
    unseen = {"column": len(pattern.variables) - variables, "combination": pattern.n_combinations - sets}
    said = [f"{number} {what}{'' if number == 1 else 's'}" for what, number in unseen.items() if number > 0]
    return f"; not shown: {' and '.join(said)}" if said else ""


def _draw_missing_shares(axes: Axes, bars: Sequence[MissingRow]) -> None:
    axes.barh(range(len(bars)), [100 * row["share"] for row in bars], color=PALETTE["blue"], height=0.62)
    names = [clipped(row["variables"][0], _LONGEST_NAME) for row in bars]
    axes.set_yticks(range(len(bars)), [v.replace("$", r"\$") for v in names])
    axes.set_ylim(len(bars) - 0.4, -0.6)  # the first on top
    axes.set_xlabel("missing, %")
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def _draw_missing_sets(tops: Axes, dots: Axes, bars: Sequence[MissingRow], sets: Sequence[MissingRow]) -> None:
    from matplotlib.ticker import MaxNLocator

    place = {row["variables"][0]: i for i, row in enumerate(bars)}
    tops.bar(range(len(sets)), [row["n"] for row in sets], color=PALETTE["vermilion"], width=0.62)
    tops.set_ylabel("rows")
    tops.grid(axis="x", visible=False)
    tops.tick_params(axis="x", bottom=False, labelbottom=False)
    tops.tick_params(axis="y", labelleft=True)
    tops.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    for x, row in enumerate(sets):
        y = sorted(place[v] for v in row["variables"] if v in place)
        dots.plot([x] * len(bars), range(len(bars)), "o", color="#E3E3E3", markersize=4)
        dots.plot([x] * len(y), y, "o-", color=PALETTE["vermilion"], markersize=4.8)
    dots.set_xlim(-0.7, max(len(sets), 10) - 0.3)  # a few bars are not wider than many
    dots.set_xlabel("missing together")
    dots.grid(visible=False)
    dots.tick_params(bottom=False, labelbottom=False, left=False)
    dots.spines[["left", "bottom"]].set_visible(False)


class TraceRow(TypedDict):
    """One draw of `trace_figure`."""

    chain: int
    draw: int
    log_posterior: float


def trace_figure(path: str | Path, draws: Draws) -> list[TraceRow]:
    """Draw the log posterior of every draw, by chain, next to a histogram.

    Chains that have reached the same distribution look alike and show no trend.

    Args:
        path: The file, .svg or .png.
        draws: The result of `sample_posterior`.

    Returns:
        The draws.

    See also:
        `Draws`, docs/posterior-sampling.md
    """
    target = _checked_path(path)
    with style():
        save(_draw_traces(draws), target)
    return [
        {"chain": chain, "draw": i, "log_posterior": float(value)}
        for (chain, i), value in np.ndenumerate(draws.log_posterior)
    ]


def _draw_traces(draws: Draws) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 3.0))
    traces, shares = figure.subplots(1, 2, sharey=True, width_ratios=(4, 1))
    colours = [PALETTE[name] for name in ("blue", "orange", "green", "vermilion", "sky", "purple", "black")]
    lowest, highest = float(draws.log_posterior.min()), float(draws.log_posterior.max())
    bins = np.linspace(lowest, max(highest, lowest + 1e-6), 31)
    for chain, values in enumerate(draws.log_posterior):
        colour = colours[chain % len(colours)]
        traces.plot(range(1, len(values) + 1), values, color=colour, linewidth=0.5, label=f"chain {chain + 1}")
        counts, _ = np.histogram(values, bins)
        shares.stairs(counts / len(values), bins, orientation="horizontal", color=colour, linewidth=1.0)
    traces.set_title(f"split R-hat {draws.rhat:.3f}, effective sample size {draws.ess:.0f}")
    traces.set_xlabel("draw")
    traces.set_ylabel("log posterior, up to a constant")
    shares.set_xlabel("share of draws")
    return figure


class PosteriorRow(TypedDict):
    """A pair of `posterior_figure` in its more probable direction: the probabilities of both, and their sum."""

    source: str
    target: str
    probability: float
    reverse: float
    joined: float


def posterior_figure(path: str | Path, posterior: ArcProbabilities) -> list[PosteriorRow]:
    """Draw the probabilities of all arcs as a matrix, and the pairs that are probably joined as a network.

    The variables, at most 60, are in an order in which most probable arcs lead to later ones. A line is wider the more
    probably its pair is joined, and has an arrowhead if one direction has three quarters of that probability.

    Args:
        path: The file, .svg or .png.
        posterior: The result of `posterior`, or other probabilities of arcs.

    Returns:
        The pairs.

    See also:
        `posterior`, `ArcProbabilities`, docs/posterior.md
    """
    from veridag.posteriors.drawing import draw_posterior

    target = _checked_path(path)
    with style():
        save(draw_posterior(posterior, PALETTE["blue"]), target)
    return [{**pair._asdict(), "joined": pair.joined} for pair in posterior.pairs]  # type: ignore[typeddict-item]


class ContributionRow(TypedDict):
    """A bar of `explanation_figure`."""

    evidence: str
    contribution: float


def explanation_figure(path: str | Path, explanation: Explanation) -> list[ContributionRow]:
    """Draw how much each piece of evidence moved an answer: a bar for each, the largest on top.

    Args:
        path: The file, .svg or .png.
        explanation: The result of `Network.explain`.

    Returns:
        The bars.

    See also:
        `Explanation`, docs/prediction.md
    """
    from veridag.network.explanation.drawing import draw_contributions

    target = _checked_path(path)
    if not explanation.findings:
        raise InputError("explanation: there is no evidence, so there is nothing to draw")
    with style():
        save(draw_contributions(explanation, PALETTE["blue"], PALETTE["vermilion"]), target)
    return [{"evidence": own.text, "contribution": own.contribution} for own in explanation.ranked]
