"""The examples of the documentation run, as a reader would type them, and print what the pages show."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import veridag as vd
from veridag import cli

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from animation import growing, without_motion  # noqa: E402
from examples import Session, examples_of, matches, renewed, shades, without_hidden  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "_ext"))

slow, medium = pytest.mark.slow, pytest.mark.medium
MEDIUM = {"docs/start.md"}
COMMANDS = {"README.md", "docs/start.md", "docs/tutorial.md"}  # every command of these pages runs
PAGES = [str(path.relative_to(ROOT)) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]


@pytest.mark.parametrize("page", [pytest.param(page, marks=medium if page in MEDIUM else slow) for page in PAGES])
def test_the_examples_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch, capsys):
    """The blocks of a page run one after the other, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    session = Session(ROOT / page)
    for example in examples_of((ROOT / page).read_text("utf-8")):
        if example.kind == "figure":
            for svg in session.draw(example):
                assert ElementTree.fromstring(svg).tag.endswith("svg")
        elif example.kind != "console":
            printed = session.run(example)
            assert example.output is None or matches(example.output, printed), f"`make examples`: {printed}"
        elif page in COMMANDS:
            run_commands(example.code)
    capsys.readouterr()


def run_commands(block: str) -> None:
    """The commands of a console block, each after a dollar sign; all succeed."""
    for line in block.splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        assert words[0] == "veridag"
        with pytest.raises(SystemExit) as stop:
            cli.main(words[1:])
        assert not stop.value.code, line


PAGE = """# A page
```python
x = 1
print(x)
```

```text
2
```

<!--python
x += 1
-->

````text
```python
raise ValueError("in a block of another kind")
```
````

```python
print(x)
```

Prose.

```text
no output
```

```{figure-from-code} joined
:alt: two variables

import veridag as vd
vd.DAG.from_arcs([("a", "b")], ["a", "b"])
```
"""


def test_a_page_has_its_examples_in_order():
    kinds = [(e.kind, e.name, e.output) for e in examples_of(PAGE)]
    assert kinds == [("python", "", "2\n"), ("hidden", "", None), ("python", "", None), ("figure", "joined", None)]
    assert [e.line for e in examples_of(PAGE)] == [3, 12, 22, 32]
    assert "x += 1" not in without_hidden(PAGE)
    assert "in a block of another kind" in without_hidden(PAGE)


def test_outputs_are_written_anew_where_they_differ(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    assert renewed(page) == PAGE.replace("```text\n2\n", "```text\n1\n")
    page.write_text(PAGE.replace("```text\n2\n", "```text\n...\n"), "utf-8")
    assert renewed(page) == page.read_text("utf-8")


def test_links_of_a_moving_picture_come_in_order_and_stay_without_motion():
    graph = vd.DAG.from_arcs([("a", "b"), ("b", "c")]).cpdag()
    svg = growing(graph, [("b", "c"), ("a", "b")], ["none", "one", "two", "all"], {frozenset("ab"): "90%"})
    root = ElementTree.fromstring(svg)
    links = {e.get("data-from"): e.get("style") for e in root.iter() if e.get("class", "").endswith("link")}
    assert links == {"b": "animation-delay:0.5s", "a": "animation-delay:1s"}
    texts = {e.text: e.get("class") for e in root.iter() if e.get("class") and e.text and e.text.strip()}
    assert texts["none"] == texts["two"] == "caption passing"
    assert (texts["all"], texts["90%"]) == ("caption coming", "chance coming")
    assert "@media (prefers-reduced-motion:reduce){.veridag-graph *{animation:none!important}}" in svg
    assert "@media all{.veridag-graph *{animation:none!important}}" in without_motion(svg)
    assert re.search(r"\.passing\{opacity:0;", svg), "what passes is not in the last picture"


def test_an_error_names_the_line_of_the_page(tmp_path):
    page = tmp_path / "page.md"
    text = PAGE.replace('vd.DAG.from_arcs([("a", "b")], ["a", "b"])', "vd.nothing")
    session = Session(page)
    *before, figure = examples_of(text)
    for example in before:
        session.run(example)
    with pytest.raises(AttributeError) as error:
        session.draw(figure)
    assert error.traceback[-2].lineno + 1 == text.splitlines().index("vd.nothing") + 1


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\nc\n", "a\nc\n", True),
        ("took ... seconds\n", "took 1.5 seconds\n", True),
        ("took ... seconds\n", "took 1.5\nseconds\n", False),
        ("1.5\n", "125\n", False),
        ("a\n", "a", True),
        ("a\n", "a  \n", True),
    ],
)
def test_an_output_is_compared_line_by_line(expected, printed, same):
    assert matches(expected, printed) is same


def test_a_picture_for_dark_pages_has_its_own_colours():
    own = "<svg><style>a{fill:#fff}@media screen and (prefers-color-scheme:dark){a{fill:#000}}</style></svg>"
    light, dark = shades(own)
    assert "@media not all{a{fill:#000}}" in light
    assert "@media all{a{fill:#000}}" in dark
    plain = (
        '<svg width="1"><path style="fill: #ffffff; stroke: #000000"/><path style="fill: #0072b2"/><text>a</text></svg>'
    )
    light, dark = shades(plain)
    assert light == plain
    default, background, text, blue = (int(c, 16) for c in re.findall("#([0-9a-f]{6})", dark))
    assert background < 0x202020 < 0xF0F0F0 < text == default
    assert blue & 0xFF > blue >> 16, "blue stays blue"
    rose = re.search("fill: #(..)", shades('<svg ><path style="fill: #cc79a7"/></svg>')[1])[1]
    assert int(rose, 16) > 0xA0, "a line that is visible on white is visible on black"
