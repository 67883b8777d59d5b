"""The measures of a drawing, and the line between two boxes."""

from __future__ import annotations

Pair = tuple[int, int]
Point = tuple[float, float]
Size = tuple[float, float]
NODE_GAP = 22.0  # between two boxes of one layer
LANE_GAP = 11.0  # between the lines of two long arcs that run side by side
LAYER_GAP = 44.0  # between layers; more where arcs travel far sideways
COMPONENT_GAP = 44.0
CORNER = 8.0  # arcs leave and reach boxes on the flat part between the rounded corners
PORT_GAP = 11.0
SWAY = 6.0  # how far a line may lean to either side while it passes a layer
ASPECT = 1.6  # width over height aimed at when components are packed


def straight(a: Point, b: Point, size_a: Size, size_b: Size) -> tuple[Point, Point]:
    """The part outside both boxes of the line between two centres."""
    return _leave(a, b, size_a), _leave(b, a, size_b)


def _leave(centre: Point, target: Point, size: Size) -> Point:
    """Where the line from the centre of a box to a target crosses the border of the box."""
    dx, dy = target[0] - centre[0], target[1] - centre[1]
    reach = max(abs(dx) / (size[0] / 2), abs(dy) / (size[1] / 2))
    return (centre[0] + dx / reach, centre[1] + dy / reach) if reach > 0 else centre
