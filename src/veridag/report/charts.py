"""Learning curves as inline SVG: coloured by the page's style sheet, so that light, dark and print all work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan, log2, log10

from .markup import Markup, joined, tag

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 44

#: The least distance between the numbers below the picture.
LABEL = 48

#: As many as the style sheet has colours for; more learners start again from the first.
SERIES = 10


@dataclass(frozen=True)
class Curve:
    """A learner's mean distance and its standard error at each size; NaN where there is none. Companions are dashed."""

    label: str
    series: int
    means: Sequence[float]
    errors: Sequence[float]
    companion: bool = False


def learning_curves(sizes: Sequence[int], curves: Sequence[Curve], quantity: str) -> Markup:
    """Distances over the logarithm of the sample size, with one standard error up and down."""
    tops = [
        m + (0.0 if isnan(e) else e) for c in curves for m, e in zip(c.means, c.errors, strict=True) if not isnan(m)
    ]
    ticks = _ticks(max(tops, default=1.0))
    axes = _Axes(sizes, ticks[-1])
    span = f"sample sizes from {min(sizes)} to {max(sizes)}"
    description = f"{quantity} of {len(curves)} learners at {span}; the table below has the numbers"
    return tag(
        "svg",
        tag("title", f"Learning curves: {quantity}"),
        tag("desc", description),
        _grid(axes, ticks, quantity),
        *(_curve(axes, curve) for curve in curves),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        class_="chart",
        aria_label=description,
    )


def key(series: int, companion: bool = False) -> Markup:
    """The mark of a series, for the text around the picture."""
    mark = _marker(9, 7, series)
    line = tag("line", x1=0, y1=7, x2=18, y2=7, class_="line")
    return tag("svg", line, mark, viewBox="0 0 18 14", class_=f"key {_classes(series, companion)}", aria_hidden="true")


class _Axes:
    """Where values lie in the picture."""

    def __init__(self, sizes: Sequence[int], top: float) -> None:
        self.sizes, self.top = sizes, top
        self._low, self._high = log2(min(sizes)), log2(max(sizes))

    def x(self, size: int) -> float:
        share = 0.5 if self._high == self._low else (log2(size) - self._low) / (self._high - self._low)
        inner = WIDTH - LEFT - RIGHT
        return round(LEFT + inner * (0.04 + 0.92 * share), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.top, 1)


def _ticks(top: float) -> list[float]:
    """Round numbers from 0 to just above the largest value, five or so."""
    rough = max(top, 1e-9) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough)
    return [step * k for k in range(ceil(top / step) + 1)] if top > 0 else [0.0, 1.0]


def _grid(axes: _Axes, ticks: Sequence[float], quantity: str) -> Markup:
    parts: list[Markup] = []
    for value in ticks:
        y = axes.y(value)
        parts.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="rule"))
        parts.append(tag("text", f"{value:g}", x=LEFT - 8, y=y + 4, text_anchor="end"))
    left = float(WIDTH + LABEL)
    for size in sorted(axes.sizes, reverse=True):
        x, text = axes.x(size), f"{size:,}".replace(",", "\u202f")
        if x <= left - LABEL:  # many sizes: those whose numbers would run into the last one go without
            parts.append(tag("text", text, x=x, y=HEIGHT - BOTTOM + 18, text_anchor="middle"))
            left = x
    parts.append(
        tag("text", "sample size", x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, text_anchor="middle", class_="axis")
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f"rotate(-90 14 {middle})"
    parts.append(tag("text", quantity, x=14, y=middle, text_anchor="middle", transform=turned, class_="axis"))
    return joined(*parts)


def _curve(axes: _Axes, curve: Curve) -> Markup:
    points = [
        (axes.x(size), m, 0.0 if isnan(e) else e, size)
        for size, m, e in zip(axes.sizes, curve.means, curve.errors, strict=True)
        if not isnan(m)
    ]
    path = " ".join(f"{x},{axes.y(m)}" for x, m, _, _ in points)
    parts: list[Markup] = [tag("polyline", points=path, class_="line")]
    for x, m, e, size in points:
        low, high = axes.y(max(0.0, m - e)), axes.y(m + e)
        bar = tag("line", x1=x, x2=x, y1=low, y2=high, class_="error")
        mark = _marker(x, axes.y(m), curve.series)
        parts.append(tag("g", tag("title", f"{curve.label}, n = {size}: {m:.2f} ± {e:.2f}"), bar, mark))
    return tag("g", *parts, class_=_classes(curve.series, curve.companion))


def _classes(series: int, companion: bool) -> str:
    return f"series{series % SERIES}{' companion' if companion else ''}"


def _marker(x: float, y: float, series: int) -> Markup:
    """Shapes differ as well as colours, for those who cannot tell the colours apart."""
    shapes = (
        f"M{x - 4} {y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
        f"M{x - 3.6} {y - 3.6}h7.2v7.2h-7.2z",
        f"M{x} {y - 4.8}l4.6 8h-9.2z",
        f"M{x} {y - 5}l5 5l-5 5l-5 -5z",
        f"M{x} {y + 4.8}l4.6 -8h-9.2z",
        f"M{x - 4.5} {y - 1.3}h3.2v-3.2h2.6v3.2h3.2v2.6h-3.2v3.2h-2.6v-3.2h-3.2z",
        f"M{x - 2} {y - 4.6}h4l2.6 2.6v4l-2.6 2.6h-4l-2.6 -2.6v-4z",
        f"M{x - 4.6} {y - 2}h9.2v4h-9.2z",
        f"M{x - 2} {y - 4.6}h4v9.2h-4z",
        f"M{x - 4.6} {y - 4.6}h9.2l-9.2 9.2h9.2z",
    )
    return tag("path", d=shapes[series % SERIES], class_="mark")
