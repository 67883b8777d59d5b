"""Drawings that move: the links of a graph appear one after the other, as a search finds them.

The SVG moves by CSS alone, once, and for less than five seconds. It shows its last picture from the start if the reader
prefers reduced motion, or if the program that shows it knows no animation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from veridag.graph import PDAG

STEP = 0.5  # seconds
_SVG = "http://www.w3.org/2000/svg"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_REDUCED = "@media (prefers-reduced-motion:reduce)"
_STYLE = """
.veridag-graph text.chance{font-size:10.5px;font-weight:600;stroke:#ffffff;stroke-width:4px;paint-order:stroke}
.veridag-graph text.caption{font-size:12px}.veridag-graph .passing{opacity:0;animation:passing STEPs}
.veridag-graph .coming{animation:coming 0.4s backwards}.veridag-graph .link{animation:link 0.9s backwards}
@keyframes coming{from{opacity:0}}@keyframes passing{from,to{opacity:1}}
@keyframes link{from{opacity:0;stroke:#d9730d;stroke-width:5}50%{stroke:#d9730d;stroke-width:4}}
@media screen and (prefers-color-scheme:dark){.veridag-graph text.chance{stroke:#14181f}}
REDUCED{.veridag-graph *{animation:none!important}}
""".replace("STEP", str(STEP)).replace("REDUCED", _REDUCED)


def growing(
    graph: PDAG, links: Sequence[tuple[str, str]], captions: Sequence[str], labels: Mapping[frozenset[str], str]
) -> str:
    """An SVG of a graph whose `links` appear in this order, each with its caption below, and then the labels of all.

    `captions` has one text for the start, one for each link, and one for the end, which stays.
    """
    ElementTree.register_namespace("", _SVG)
    svg = ElementTree.fromstring(graph.to_svg())
    _element(svg, "style").text += _STYLE
    paths = {frozenset((p.get("data-from"), p.get("data-to"))): p for p in svg.iter(f"{{{_SVG}}}path") if p.get("d")}
    for step, link in enumerate(links, 1):
        paths[frozenset(link)].set("style", f"animation-delay:{step * STEP:g}s")
        paths[frozenset(link)].set("class", f"{paths[frozenset(link)].get('class')} link")
    end = (len(links) + 1) * STEP
    drawn = _element(svg, "g")
    for link, label in labels.items():
        x, y = _middle(paths[link].get("d"))
        _text(drawn, label, x, y + 4, "chance coming", end)
    width, height = float(svg.get("width")), float(svg.get("height"))
    svg.set("height", f"{height + 20:g}")
    svg.set("viewBox", f"0 0 {width:g} {height + 20:g}")
    _element(svg, "rect").set("height", f"{height + 20:g}")
    *passing, last = captions
    for step, caption in enumerate(passing):
        _text(svg, caption, width / 2, height + 8, "caption passing", step * STEP)
    _text(svg, last, width / 2, height + 8, "caption coming", end)
    return ElementTree.tostring(svg, "unicode")


def without_motion(svg: str) -> str:
    """The last picture of an SVG that moves; any other as it is."""
    return svg.replace(_REDUCED, "@media all")


def _element(parent: ElementTree.Element, tag: str) -> ElementTree.Element:
    found = parent.find(f"{{{_SVG}}}{tag}")
    assert found is not None
    return found


def _text(parent: ElementTree.Element, text: str, x: float, y: float, classes: str, delay: float) -> None:
    place = {"x": f"{x:g}", "y": f"{y:g}", "class": classes, "style": f"animation-delay:{delay:g}s"}
    ElementTree.SubElement(parent, f"{{{_SVG}}}text", place).text = text


def _middle(path: str) -> tuple[float, float]:
    """A point in the middle of a path: of its curve, or of the straight line that follows it."""
    x0, y0, x1, y1, x2, y2, x3, y3, *further = map(float, _NUMBER.findall(path))
    if further:
        return x3, (y3 + further[0]) / 2
    return (x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8
