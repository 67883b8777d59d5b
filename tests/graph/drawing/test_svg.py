"""The SVG document: well-formed whatever the names, scriptable, and with nothing that leaks into a page."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridag.errors import InputError
from veridag.graph.drawing import svg
from veridag.graph.drawing.svg import _curve, text_width

NS = "{http://www.w3.org/2000/svg}"
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def lines(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [path for path in root.iter(f"{NS}path") if kind in path.get("class", "").split()]


def nodes(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{NS}g") if "node" in g.get("class", "").split()]


@given(st.lists(st.text(), min_size=2, max_size=6), st.text(), st.text())
def test_any_text_gives_well_formed_xml_and_names_survive(names, title, classes):
    text = svg(names, [(0, 1)], title=title, node_classes={0: classes}, arc_classes={(0, 1): classes})
    found = [node.get("data-name") for node in nodes(parsed(text))]
    assert found == [FORBIDDEN.sub("\ufffd", name) for name in names]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\"b'c&d", "]]>", "\x00\x1b\ufffe", "\ud800", "🦊"])
def test_hostile_names_stay_text(name):
    root = parsed(svg([name, "B"], [(0, 1)], labels=[name, "B"], title=name))
    assert not list(root.iter(f"{NS}script"))
    assert not list(root.iter("script"))


def test_long_names_are_shortened_in_the_label_only():
    name = "x" * 300
    (node,) = nodes(parsed(svg([name], [])))
    label = node.findtext(f"{NS}text")
    assert label is not None
    assert label.endswith("…")
    assert len(label) < 60
    assert node.findtext(f"{NS}title") == node.get("data-name") == name


def test_each_kind_of_pair_has_its_own_class_and_only_arcs_have_heads():
    names = list("ABCDE")
    root = parsed(svg(names, [(0, 1), (2, 1)], [(3, 2)], [(4, 0), (1, 3)]))
    ends = {
        kind: [(p.get("data-from"), p.get("data-to"), p.findtext(f"{NS}title")) for p in lines(root, kind)]
        for kind in ("arc", "edge", "undetermined")
    }
    assert ends == {
        "arc": [("A", "B", "A → B"), ("C", "B", "C → B")],
        "edge": [("C", "D", "C — D")],
        "undetermined": [("A", "E", "A ⋯ E"), ("B", "D", "B ⋯ D")],
    }
    ids = {marker.get("id") for marker in root.iter(f"{NS}marker")}
    assert all(re.sub(r"url\(#(.*)\)", r"\1", p.get("marker-end", "")) in ids for p in lines(root, "arc"))
    assert all("marker" not in a for k in ("edge", "undetermined") for p in lines(root, k) for a in p.attrib)


def test_undetermined_pairs_do_not_move_the_nodes():
    names = list("ABCDEF")
    arcs = [(0, 1), (1, 2)]
    rest = [pair for pair in combinations(range(6), 2) if pair not in arcs]

    def places(text: str) -> list[dict[str, str]]:
        return [rect.attrib for node in nodes(parsed(text)) for rect in node.iter(f"{NS}rect")]

    assert places(svg(names, arcs)) == places(svg(names, arcs, (), rest))


def test_same_graph_same_bytes_whatever_the_order_of_pairs():
    names = list("ABCDE")
    one = svg(names, [(0, 1), (0, 2), (3, 2)], [(3, 4)], [(1, 2), (0, 4)], arc_classes={(0, 1): "x", (3, 4): "y"})
    two = svg(names, [(3, 2), (0, 2), (0, 1)], [(4, 3)], [(4, 0), (2, 1)], arc_classes={(4, 3): "y", (0, 1): "x"})
    assert one == two


@pytest.mark.medium
def test_same_bytes_in_another_process():
    code = (
        "from veridag.graph.drawing import svg; print(end=svg(list('ABCD'), [(0, 1), (0, 2), (2, 3)]).encode().hex())"
    )
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)}
    assert runs == {svg(list("ABCD"), [(0, 1), (0, 2), (2, 3)]).encode().hex().encode()}


def test_ids_differ_between_different_pictures():
    def ids(text: str) -> set[str]:
        return set(re.findall(r' id="([^"]+)"', text))

    assert ids(svg(["A", "B"], [(0, 1)])).isdisjoint(ids(svg(["A", "B"], [(1, 0)])))


def test_classes_reach_nodes_lines_and_heads():
    root = parsed(
        svg(list("ABC"), [(0, 1)], [(1, 2)], node_classes={2: "hot"}, arc_classes={(0, 1): "agreed", (2, 1): "c"})
    )
    assert [node.get("class") for node in nodes(root)] == ["node", "node", "node hot"]
    assert [p.get("class") for p in lines(root, "arc")] == ["arc agreed"]
    assert [p.get("class") for p in lines(root, "edge")] == ["edge c"]
    assert [p.get("class") for p in lines(root, "head")] == ["head agreed"]


def test_classes_of_the_opposite_arc_are_not_used():
    root = parsed(svg(["A", "B"], [(0, 1)], arc_classes={(1, 0): "agreed"}))
    assert [p.get("class") for p in lines(root, "arc")] == ["arc"]


def test_every_style_rule_is_scoped():
    style = parsed(svg(["A"], [])).findtext(f"{NS}style")
    assert style is not None
    bodies = re.sub(r"@media\([^)]*\)\{(.*)\}$", r"\1", style)
    selectors = [s for rule in re.findall(r"([^{}]+)\{[^{}]*\}", bodies) for s in rule.split(",")]
    assert selectors
    assert all(s.startswith(".veridag-graph ") for s in selectors)
    assert "prefers-color-scheme:dark" in style


def test_the_picture_describes_itself():
    root = parsed(svg(["A", "B", "C"], [(0, 1)], title="Two & one"))
    assert root.get("role") == "img"
    assert root.findtext(f"{NS}title") == "Two & one"
    assert root.findtext(f"{NS}desc") == "Graph with 3 nodes, 1 arc, 0 undirected edges"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"


@pytest.mark.parametrize("n", [0, 1, 7])
def test_graphs_without_pairs_are_drawn(n):
    assert len(nodes(parsed(svg([f"V{i}" for i in range(n)], [])))) == n


def test_cycles_are_drawn_as_given():
    root = parsed(svg(list("ABC"), [(0, 1), (1, 2), (2, 0), (1, 0)]))
    assert len(lines(root, "arc")) == 4


def test_wider_texts_are_taken_for_wider():
    assert text_width("illi") < text_width("abcd") < text_width("WWWW") < text_width("漢字漢字")
    assert text_width("e\u0301") == text_width("e")


def test_labels_replace_names_inside_boxes():
    (node,) = nodes(parsed(svg(["A"], [], labels=["first"])))
    assert node.findtext(f"{NS}text") == "first"
    assert node.get("data-name") == "A"


def test_wrong_arguments_are_refused():
    with pytest.raises(InputError, match="labels has 1 texts for 2 nodes"):
        svg(["A", "B"], [], labels=["A"])
    with pytest.raises(InputError, match="both as an edge and as undetermined"):
        svg(["A", "B"], [], [(0, 1)], [(1, 0)])


def test_plumb_pieces_of_a_route_become_one_line():
    down = [(5, float(y)) for y in range(7)]
    assert _curve(down) == "M5 0V6"
    swerve = [(5, 7), (8, 8), (8, 9)]
    assert _curve([*down, *swerve]) == "M5 0V6C5 7 8 8 8 9"
    assert _curve([*down, *swerve, (8, 10), (8, 11), (8, 12)]) == "M5 0V6C5 7 8 8 8 9V12"


def test_arcs_that_pass_many_layers_end_where_they_did():
    """A chain of 30 nodes, and an arc past all of them: short, and from the first box to the last."""
    arcs = [(i, i + 1) for i in range(29)]
    picture = svg([f"n{i}" for i in range(30)], [*arcs, (0, 29)])
    path = re.search(r'data-from="n0" data-to="n29"[^>]* d="([^"]*)"', picture).group(1)
    assert len(path) < 300
    heights = [float(y) for y in re.findall(r'<rect x="[^"]*" y="([^"]*)"', picture)]
    last = float(re.findall(r"-?[\d.]+", path)[-1])
    assert heights[28] < last <= heights[29]
