"""A graph as one self-contained SVG picture that a page or a notebook can embed and script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import hypot, inf
from unicodedata import category, east_asian_width

from veridag.errors import InputError

from .geometry import CORNER, Pair, Point, Size, straight
from .layout import Layout, checked_pairs, layered

MARGIN = 16.0
LONGEST_LABEL, LONGEST_TITLE = 20, 60  # in em; longer ones end in an ellipsis
HEAD_LENGTH, HEAD_WIDTH = 9.0, 7.0
DASHES = "3 4"
FONTS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Sans',sans-serif"

# Advance widths in em of a common sans-serif face, a little generous: a box may be roomy, never tight.
_WIDTHS = {
    **dict.fromkeys("ijl|'.,:;!`", 0.28),
    **dict.fromkeys('ft()[]{}I/\\-" rJ*', 0.38),
    **dict.fromkeys("abdeghknopquvxyz0123456789_cs?$#=+<>~^", 0.59),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ&", 0.70),
    **dict.fromkeys("mwMW@%", 0.92),
}
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}


@dataclass(frozen=True)
class Palette:
    """The colours of a picture on one kind of background."""

    background: str
    node: str
    border: str
    text: str
    arc: str
    edge: str
    undetermined: str


LIGHT = Palette("#ffffff", "#eef3fb", "#5b7db1", "#16202e", "#3f4b5c", "#3f4b5c", "#aeb6c2")
DARK = Palette("#14181f", "#223047", "#7f9fd1", "#eef2f8", "#b4bfcf", "#b4bfcf", "#5a6575")


@dataclass(frozen=True)
class Style:
    """How a picture looks: the size of its letters in pixels and its colours on light and dark screens."""

    font_size: float = 13.0
    light: Palette = LIGHT
    dark: Palette = DARK


DEFAULT = Style()


def svg(
    names: Sequence[str],
    arcs: Iterable[Pair],
    edges: Iterable[Pair] = (),
    undetermined: Iterable[Pair] = (),
    *,
    title: str = "",
    labels: Sequence[str] | None = None,
    node_classes: Mapping[int, str] | None = None,
    arc_classes: Mapping[Pair, str] | None = None,
    style: Style = DEFAULT,
    most_width: float = inf,
) -> str:
    """Draw arcs `i -> j` with a head, undirected edges as plain lines and undetermined pairs dashed behind.

    Args:
        names: of the nodes; pairs are indices into them.
        title: shown above the picture and read out in its place.
        labels: texts to show inside the nodes in place of the names.
        node_classes: node -> CSS classes to add to its group.
        arc_classes: pair -> CSS classes to add to its line, and to its head (`.head`) if it is an arc;
            for pairs without direction either order will do. Pairs that are not drawn are ignored.
        style: letters and colours.
        most_width: parts without a line between them lie side by side as long as they are not wider than this together.
    """
    drawn = _checked(len(names), arcs, edges, undetermined)
    shown = _labels(names, labels)
    boxes = [_box(label, style.font_size) for label in shown]
    scene = _Scene(
        names=[escaped(str(name)) for name in names],
        labels=[escaped(label) for label in shown],
        boxes=boxes,
        drawn=drawn,
        layout=layered(boxes, drawn["arc"], drawn["edge"], most_width),
        node_classes=dict(sorted((node_classes or {}).items())),
        line_classes=_line_classes(arc_classes or {}, drawn),
        style=style,
    )
    return _document(scene, title)


@dataclass(frozen=True)
class _Scene:
    """What is drawn, and where; all texts are escaped."""

    names: list[str]
    labels: list[str]
    boxes: list[Size]
    drawn: dict[str, list[Pair]]
    layout: Layout
    node_classes: dict[int, str]
    line_classes: dict[Pair, str]
    style: Style


def _checked(
    n: int, arcs: Iterable[Pair], edges: Iterable[Pair], undetermined: Iterable[Pair]
) -> dict[str, list[Pair]]:
    """The pairs by kind, sorted; each pair may be of one kind only."""
    directed, undirected = checked_pairs(n, arcs, edges)
    _, dashed = checked_pairs(n, directed, undetermined)
    both = set(dashed).intersection(undirected)
    if both:
        raise InputError(f"the pair {min(both)} is given both as an edge and as undetermined: give it once")
    return {"arc": directed, "edge": undirected, "undetermined": dashed}


def _line_classes(given: Mapping[Pair, str], drawn: Mapping[str, list[Pair]]) -> dict[Pair, str]:
    """Classes by pair as drawn; where there is no direction, those given for either order."""
    classes = {pair: given.get(pair, "") for pair in drawn["arc"]}
    for i, j in drawn["edge"] + drawn["undetermined"]:
        classes[i, j] = given.get((i, j), given.get((j, i), ""))
    return classes


# --- text ---------------------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    """Text made fit for XML content and attributes; what XML 1.0 forbids becomes U+FFFD."""
    return "".join(_ENTITIES.get(c, c) for c in _FORBIDDEN.sub("\ufffd", text))


def text_width(text: str) -> float:
    """The approximate width of a text in em; exact widths depend on the fonts of the reader."""
    return sum(map(_advance, text))


def _advance(char: str) -> float:
    width = _WIDTHS.get(char)
    if width is not None:
        return width
    if category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    return 1.05 if east_asian_width(char) in "WF" else 0.72


def _labels(names: Sequence[str], labels: Sequence[str] | None) -> list[str]:
    """One line of text per node, shortened where it would make the box too wide."""
    if labels is not None and len(labels) != len(names):
        raise InputError(f"labels has {len(labels)} texts for {len(names)} nodes: give one for each, or none")
    texts = names if labels is None else labels
    return [_shortened(" ".join(str(text).split()), LONGEST_LABEL) for text in texts]


def _shortened(text: str, longest: int) -> str:
    """At most `longest` em, and twice as many characters: thousands of combining marks have no width."""
    if text_width(text) <= longest and len(text) <= 2 * longest:
        return text
    kept, width = 0, 1.0
    while kept < 2 * longest and width + _advance(text[kept]) <= longest:
        width += _advance(text[kept])
        kept += 1
    return text[:kept].rstrip() + "…"


def _box(label: str, font_size: float) -> Size:
    width = max(text_width(label) * font_size + 1.6 * font_size, 3.0 * font_size)
    return round(width), round(2.1 * font_size)


# --- elements -----------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _classes(kind: str, extra: str) -> str:
    return escaped(" ".join([kind, *extra.split()]))


def _group(name: str, attributes: str, elements: Iterable[str]) -> str:
    """Colours are given as attributes too, for viewers and sanitizers that ignore style sheets."""
    return "\n".join([f'<g class="{name}" {attributes}>', *elements, "</g>"])


def _nodes(scene: _Scene) -> Iterator[str]:
    baseline = 0.35 * scene.style.font_size
    for v, (x, y) in enumerate(scene.layout.centres):
        w, h = scene.boxes[v]
        name = scene.names[v]
        yield (
            f'<g class="{_classes("node", scene.node_classes.get(v, ""))}" data-name="{name}">'
            f"<title>{name}</title>"
            f'<rect x="{_number(x - w / 2)}" y="{_number(y - h / 2)}" '
            f'width="{_number(w)}" height="{_number(h)}" rx="{_number(CORNER)}"/>'
            f'<text x="{_number(x)}" y="{_number(y + baseline)}" stroke="none">{scene.labels[v]}</text></g>'
        )


def _line(scene: _Scene, kind: str, pair: Pair, sign: str, path: str, head: str = "") -> str:
    start, end = scene.names[pair[0]], scene.names[pair[1]]
    classes = _classes(kind, scene.line_classes[pair])
    return (
        f'<path class="{classes}" data-from="{start}" data-to="{end}"{head} d="{path}">'
        f"<title>{start} {sign} {end}</title></path>"
    )


def _arcs(scene: _Scene, heads: Mapping[str, str]) -> Iterator[str]:
    for pair in scene.drawn["arc"]:
        head = f' marker-end="url(#{heads[scene.line_classes[pair]]})"'
        yield _line(scene, "arc", pair, "→", _curve(_cut_short(scene.layout.routes[pair])), head)


def _edges(scene: _Scene) -> Iterator[str]:
    for pair in scene.drawn["edge"]:
        yield _line(scene, "edge", pair, "—", _curve(scene.layout.routes[pair]))


def _undetermined(scene: _Scene) -> Iterator[str]:
    centres, boxes = scene.layout.centres, scene.boxes
    for i, j in scene.drawn["undetermined"]:
        (xa, ya), (xb, yb) = straight(centres[i], centres[j], boxes[i], boxes[j])
        path = f"M{_number(xa)} {_number(ya)}L{_number(xb)} {_number(yb)}"
        yield _line(scene, "undetermined", (i, j), "⋯", path)


def _curve(route: Sequence[Point]) -> str:
    """The route as a path. Plumb pieces, of which arcs that pass many layers mostly consist, become one line."""
    points = [(_number(x), _number(y)) for x, y in route]
    pieces: list[tuple[str, str]] = []
    for k in range(1, len(points), 3):
        if len({x for x, _ in points[k - 1 : k + 3]}) == 1:
            if pieces and pieces[-1][0] == "V":
                pieces.pop()
            pieces.append(("V", points[k + 2][1]))
        else:
            pieces.append(("C", " ".join(f"{x} {y}" for x, y in points[k : k + 3])))
    return f"M{' '.join(points[0])}" + "".join(f"{letter}{numbers}" for letter, numbers in pieces)


def _cut_short(route: Sequence[Point]) -> list[Point]:
    """The route without its last bit, where the head is: a line under the head would blunt its tip."""
    *before, control, (x, y) = route
    dx, dy = x - control[0], y - control[1]
    length = hypot(dx, dy) or 1.0
    back = HEAD_LENGTH - 1
    return [*before, control, (x - back * dx / length, y - back * dy / length)]


def _heads(ids: Mapping[str, str], colour: str) -> Iterator[str]:
    """One marker for each set of classes: not every viewer lets a head take its colour from its line."""
    half = _number(HEAD_WIDTH / 2)
    for extra, name in ids.items():
        yield (
            f'<marker id="{name}" markerUnits="userSpaceOnUse" markerWidth="{_number(HEAD_LENGTH)}" '
            f'markerHeight="{_number(HEAD_WIDTH)}" refX="1" refY="{half}" orient="auto">'
            f'<path class="{_classes("head", extra)}" fill="{colour}" '
            f'd="M0 0L{_number(HEAD_LENGTH)} {half}L0 {_number(HEAD_WIDTH)}Z"/></marker>'
        )


# --- the document -------------------------------------------------------------------------------------------


def _document(scene: _Scene, title: str) -> str:
    # Names inside a page must differ between pictures: equal ones belong to equal pictures.
    ident = "veridag-" + sha256(repr((scene, title)).encode()).hexdigest()[:12]
    size = scene.style.font_size
    shown = _shortened(title, LONGEST_TITLE)
    above = MARGIN + (2.2 * size if title else 0.0)
    width = max(scene.layout.width, 1.35 * size * text_width(shown)) + 2 * MARGIN
    w, h = _number(width), _number(scene.layout.height + above + MARGIN)
    heading = f'<text class="heading" x="{_number(width / 2)}" y="{_number(above - size)}">{escaped(shown)}</text>'
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="veridag-graph" role="img" '
        f'width="{w}" height="{h}" viewBox="0 0 {w} {h}" style="max-width:100%;height:auto" '
        f'aria-labelledby="{ident}-title {ident}-desc">',
        f'<title id="{ident}-title">{escaped(title) or "Graph"}</title>',
        f'<desc id="{ident}-desc">{_description(scene)}</desc>',
        f"<style>{_stylesheet(scene.style)}</style>",
        f'<rect class="background" width="{w}" height="{h}" fill="{scene.style.light.background}"/>',
        *([heading] if title else []),
        f'<g transform="translate({_number((width - scene.layout.width) / 2)} {_number(above)})">',
        _body(scene, ident),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _body(scene: _Scene, ident: str) -> str:
    """Dashes lie below lines, and lines below boxes."""
    colours, size = scene.style.light, _number(scene.style.font_size)
    extras = sorted({scene.line_classes[pair] for pair in scene.drawn["arc"]})
    heads = {extra: f"{ident}-head{k}" for k, extra in enumerate(extras)}
    dashes = f'fill="none" stroke="{colours.undetermined}" stroke-dasharray="{DASHES}"'
    boxes = f'fill="{colours.node}" stroke="{colours.border}" text-anchor="middle" font-size="{size}"'
    return "\n".join(
        [
            f"<defs>{''.join(_heads(heads, colours.arc))}</defs>",
            _group("undetermined-pairs", dashes, _undetermined(scene)),
            _group("edges", f'fill="none" stroke="{colours.edge}"', _edges(scene)),
            _group("arcs", f'fill="none" stroke="{colours.arc}"', _arcs(scene, heads)),
            _group("nodes", boxes, _nodes(scene)),
        ]
    )


def _description(scene: _Scene) -> str:
    drawn = scene.drawn
    counts = {"node": len(scene.names), "arc": len(drawn["arc"]), "undirected edge": len(drawn["edge"])}
    if drawn["undetermined"]:
        counts["undetermined pair"] = len(drawn["undetermined"])
    return "Graph with " + ", ".join(f"{n} {kind}{'' if n == 1 else 's'}" for kind, n in counts.items())


def _stylesheet(style: Style) -> str:
    g = ".veridag-graph"
    return (
        f"{g} text{{font:{_number(style.font_size)}px {FONTS};text-anchor:middle;stroke:none}}"
        f"{g} .heading{{font-size:{_number(1.25 * style.font_size)}px;font-weight:600}}"
        f"{g} .node rect{{stroke-width:1.2}}"
        f"{g} .arc{{fill:none;stroke-width:1.3}}"
        f"{g} .edge{{fill:none;stroke-width:1.8}}"
        f"{g} .undetermined{{fill:none;stroke-width:1;stroke-dasharray:{DASHES}}}"
        f"{g} .partial{{stroke-dasharray:7 4}}"
        f"{g} .head{{stroke:none}}"
        f"{g} .arc:hover,{g} .edge:hover,{g} .undetermined:hover{{stroke-width:3}}"
        f"{_colours(style.light)}"
        f"@media screen and (prefers-color-scheme:dark){{{_colours(style.dark)}}}"  # paper is light
    )


def _colours(palette: Palette) -> str:
    """Every selector starts with the picture's own class: nothing leaks into the page around it."""
    g = ".veridag-graph"
    return (
        f"{g} .background{{fill:{palette.background}}}"
        f"{g} text{{fill:{palette.text}}}"
        f"{g} .node rect{{fill:{palette.node};stroke:{palette.border}}}"
        f"{g} .arc{{stroke:{palette.arc}}}"
        f"{g} .head{{fill:{palette.arc}}}"
        f"{g} .edge{{stroke:{palette.edge}}}"
        f"{g} .undetermined{{stroke:{palette.undetermined}}}"
    )
