"""The picture of a posterior: its arcs as a matrix, and its pairs as a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from veridag.display import clipped
from veridag.graph.drawing.layout import layered
from veridag.graph.drawing.svg import text_width

from .summaries import ArcProbabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

#: Of more variables, those that are most surely joined with others are drawn.
MOST_VARIABLES = 60

#: Pairs that are less probably joined are no lines of the network.
LEAST_JOINED = 0.2

#: A line has a head if this share of its probability has that direction.
LEAST_DIRECTED = 0.75

_LONGEST_NAME = 20
_FONT = 7.5
_WIDEST = 12.0  # inches, of the network
_INK = "#3F4B5C"


def shown_order(found: ArcProbabilities) -> list[int]:
    """The variables that are drawn, such that most probable arcs lead from earlier to later ones."""
    weight = found.edges.sum(axis=0)
    kept = sorted(range(len(found.names)), key=lambda v: (-weight[v], found.names[v]))[:MOST_VARIABLES]
    dag = found.best_expected(0.05)
    chosen = {found.names[v] for v in kept}
    return [found.names.index(name) for name in dag.topological_order() if name in chosen]


def draw_posterior(found: ArcProbabilities, colour: str) -> Figure:
    """A matrix of the probabilities of arcs, and next to it the pairs that are probably joined.

    Call it within the style of the figures.
    """
    from matplotlib.figure import Figure

    order = shown_order(found)
    names = [clipped(found.names[v], _LONGEST_NAME).replace("$", r"\$") for v in order]
    network = _Network(found, order, names)
    side = max(2.2, 0.17 * len(order)) + 0.06 * max(map(len, names), default=1)
    width, height = network.inches
    figure = Figure(figsize=(side + 1.0 + width, max(side + 0.6, height + 0.9)))
    left, right = figure.subplots(1, 2, width_ratios=(side + 0.7, width))
    image = _draw_matrix(left, found.arcs[np.ix_(order, order)], names, colour)
    figure.colorbar(image, ax=left, location="bottom", shrink=0.6, aspect=25, label="probability of the arc")
    network.draw(right)
    unseen = len(found.names) - len(order)
    left.set_title("arcs" + (f"; not shown: {unseen} variables" if unseen else ""))
    right.set_title(f"pairs joined with probability {LEAST_JOINED} or more")
    return figure


def _draw_matrix(axes: Axes, arcs: np.ndarray, names: list[str], colour: str) -> AxesImage:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("probability", ["#FFFFFF", colour])
    image = axes.imshow(np.where(np.eye(len(arcs), dtype=bool), np.nan, arcs), cmap=colours, vmin=0, vmax=1)
    axes.set_facecolor("#E3E3E3")  # the diagonal
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=_FONT)
    axes.set_yticks(range(len(names)), names, fontsize=_FONT)
    axes.tick_params(length=0)
    axes.set_xlabel("to")
    axes.set_ylabel("from")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return image


class _Network:
    """The pairs of the variables of an order, with the places of their lines and boxes in points."""

    def __init__(self, found: ArcProbabilities, order: list[int], names: list[str]) -> None:
        self.names = names
        arcs = found.arcs[np.ix_(order, order)]
        joined = found.edges[np.ix_(order, order)]
        self.joined: dict[tuple[int, int], float] = {}
        directed: list[tuple[int, int]] = []
        edges: list[tuple[int, int]] = []
        for i, j in np.argwhere(np.triu(joined, 1) >= LEAST_JOINED).tolist():
            pair = (i, j) if arcs[i, j] >= arcs[j, i] else (j, i)
            is_directed = arcs[pair] >= LEAST_DIRECTED * joined[pair]
            (directed if is_directed else edges).append(pair if is_directed else (i, j))
            self.joined[pair if is_directed else (i, j)] = float(joined[pair])
        self.directed = frozenset(directed)
        self.boxes = [(_FONT * max(text_width(name) + 1.4, 2.5), 1.9 * _FONT) for name in names]
        self.layout = layered(self.boxes, directed, edges)
        self.scale = min(1.0, 72 * _WIDEST / max(self.layout.width, 1.0))

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height of the drawing."""
        width, height = (self.scale * side / 72 for side in (self.layout.width, self.layout.height))
        return max(width, 3.4), max(height, 1.6)

    def draw(self, axes: Axes) -> None:
        """The lines, then the boxes with names upon them."""
        from matplotlib.patches import FancyBboxPatch

        for pair in sorted(self.joined, key=self.joined.__getitem__):
            self._draw_line(axes, pair)
        for (x, y), (w, h), name in zip(self.layout.centres, self.boxes, self.names, strict=True):
            shape = FancyBboxPatch((x - w / 2, y - h / 2), w, h, boxstyle="round,pad=0,rounding_size=3")
            shape.set(facecolor="#EEF3FB", edgecolor="#5B7DB1", linewidth=0.7 * self.scale, zorder=3)
            axes.add_patch(shape)
            axes.text(x, y, name, ha="center", va="center", fontsize=_FONT * self.scale, zorder=4)
        width, height = (72 * side / self.scale for side in self.inches)
        middle = self.layout.width / 2
        axes.set_xlim(middle - width / 2 - 4, middle + width / 2 + 4)
        axes.set_ylim(height + 4, -4)  # arcs lead downward
        axes.set_aspect("equal", anchor="N")
        axes.axis("off")
        for probability in (0.25, 0.5, 1.0):
            width, alpha = self._pen(probability)
            axes.plot([], [], color=_INK, linewidth=width, alpha=alpha, label=f"{probability:g}")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, title="joined", title_fontsize=8)

    def _draw_line(self, axes: Axes, pair: tuple[int, int]) -> None:
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.path import Path

        route = self.layout.routes[pair]
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(route) - 1)]
        width, alpha = self._pen(self.joined[pair])
        line = FancyArrowPatch(
            path=Path(route, codes),
            arrowstyle="-|>" if pair in self.directed else "-",
            mutation_scale=(5.0 + 2.0 * width) * self.scale,
            linewidth=width,
            color=_INK,
            alpha=alpha,
            joinstyle="miter",
        )
        axes.add_patch(line)

    def _pen(self, probability: float) -> tuple[float, float]:
        """The width of a line, and how opaque it is."""
        return (0.3 + 2.0 * probability) * self.scale**0.5, 0.3 + 0.7 * probability
