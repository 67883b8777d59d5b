"""Where the learning curves lie in their picture; `chart.svg.j2` draws it, and the style sheet colours it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan, log2, log10

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 44

#: The least distance between the numbers below the picture.
LABEL = 48

#: As many as the style sheet has colours for; more learners start again from the first.
SERIES = 10


@dataclass(frozen=True)
class Curve:
    """A learner's mean distance and its standard error at each size; `nan` if none. Dashed if it is not ranked."""

    label: str
    series: int
    means: Sequence[float]
    errors: Sequence[float]
    companion: bool = False


@dataclass(frozen=True)
class Key:
    """The mark of a series, for the text around the picture."""

    classes: str
    mark: str

    @classmethod
    def of(cls, series: int, companion: bool = False) -> Key:
        """The mark in the middle of a box of 18 by 14."""
        return cls(_classes(series, companion), _marker(9, 7, series))


@dataclass(frozen=True)
class Tick:
    """A number on an axis, and where."""

    at: float
    text: str


@dataclass(frozen=True)
class Point:
    """A mean with its error bar, in the picture and in numbers."""

    x: float
    low: float
    high: float
    mark: str
    size: int
    mean: float
    error: float


@dataclass(frozen=True)
class Line:
    """A learner's curve as drawn."""

    label: str
    classes: str
    path: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn, in units of the picture."""

    sizes: Sequence[int]
    distances: Sequence[Tick]
    numbers: Sequence[Tick]
    lines: Sequence[Line]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    centre: float = (LEFT + WIDTH - RIGHT) / 2
    middle: float = (TOP + HEIGHT - BOTTOM) / 2


def learning_curves(sizes: Sequence[int], curves: Sequence[Curve]) -> Chart:
    """Distances over the logarithm of the sample size, with one standard error up and down."""
    tops = [
        m + (0.0 if isnan(e) else e) for c in curves for m, e in zip(c.means, c.errors, strict=True) if not isnan(m)
    ]
    scale = ticks(max(tops, default=1.0))
    axes = _Axes(sizes, scale[-1])
    return Chart(
        sizes=sizes,
        distances=[Tick(axes.y(value), f"{value:g}") for value in scale],
        numbers=_numbers(axes),
        lines=[_line(axes, curve) for curve in curves],
    )


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


def ticks(top: float, number: int = 5) -> list[float]:
    """Round numbers from 0 to just above the largest value, so many or about."""
    rough = max(top, 1e-9) / number
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough)
    return [step * k for k in range(ceil(top / step) + 1)] if top > 0 else [0.0, 1.0]


def _numbers(axes: _Axes) -> list[Tick]:
    """The sizes below the picture; of many, those go without whose numbers would run into the last one."""
    found: list[Tick] = []
    for size in sorted(axes.sizes, reverse=True):
        x = axes.x(size)
        if not found or x <= found[-1].at - LABEL:
            found.append(Tick(x, f"{size:,}".replace(",", "\u202f")))
    return found


def _line(axes: _Axes, curve: Curve) -> Line:
    points = [
        Point(
            x=(x := axes.x(size)),
            low=axes.y(max(0.0, mean - error)),
            high=axes.y(mean + error),
            mark=_marker(x, axes.y(mean), curve.series),
            size=size,
            mean=mean,
            error=error,
        )
        for size, mean, e in zip(axes.sizes, curve.means, curve.errors, strict=True)
        if not isnan(mean)
        for error in [0.0 if isnan(e) else e]
    ]
    path = " ".join(f"{point.x},{axes.y(point.mean)}" for point in points)
    return Line(curve.label, _classes(curve.series, curve.companion), path, points)


def _classes(series: int, companion: bool) -> str:
    return f"series{series % SERIES}{' companion' if companion else ''}"


def _marker(x: float, y: float, series: int) -> str:
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
    return shapes[series % SERIES]
