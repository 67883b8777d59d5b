"""How contributions of evidence are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veridag.display import clipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .contributions import Explanation

#: Of more pieces of evidence, those that contribute most are drawn.
_MOST_BARS = 40
_LONGEST_NAME = 28


def draw_contributions(explanation: Explanation, raising: str, lowering: str) -> Figure:
    """A bar for each piece of evidence, in one of two colours. Call it within the style of the figures."""
    from matplotlib.figure import Figure

    shown = explanation.ranked[:_MOST_BARS]
    values = [own.contribution for own in shown]
    figure = Figure(figsize=(5.4, 1.1 + 0.27 * len(shown)))
    axes = figure.subplots()
    axes.barh(range(len(shown)), values, color=[raising if x > 0 else lowering for x in values], height=0.62)
    axes.set_yticks(range(len(shown)), [_plain(clipped(own.text, _LONGEST_NAME)) for own in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)  # the first on top
    axes.axvline(0.0, color="#000000", linewidth=0.8)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    reach = max(map(abs, values)) or 1.0
    axes.set_xlim(min(0.0, *values) - 0.18 * reach, max(0.0, *values) + 0.18 * reach)
    for y, value in enumerate(values):
        side, place = ("left", 0.02) if value >= 0 else ("right", -0.02)
        axes.text(value + place * reach, y, f"{value:+.2g}", ha=side, va="center", fontsize=8)
    what = explanation.target if explanation.state is None else f"P({explanation.target} = {explanation.state})"
    axes.set_title(_plain(f"{clipped(what, 40)}: {explanation.prior:.3g} → {explanation.posterior:.3g}"))
    kind = "Shapley value" if shown[0].shapley is not None else "change when left out"
    axes.set_xlabel(f"{kind}, {explanation.measure}")
    return figure


def _plain(text: str) -> str:
    """A text in which matplotlib finds no formula."""
    return text.replace("$", r"\$")
