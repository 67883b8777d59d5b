"""The examples of a page: code that runs, output that is compared, and figures that are drawn.

    ```python          shown and executed; all code of a page shares one namespace
    ```text            directly below it: its exact standard output; `...` stands for any text
    <!--python ... --> executed but not shown: setup and checks
    ```console         commands; the tests run those of the first pages
    ```{figure-from-code} name
                       Python whose last expression is a graph, a network, a matplotlib figure, or SVG as text or file;
                       `growing` of animation.py is there already

`python docs/_ext/examples.py docs/start.md` runs pages and writes their outputs anew; without a page, of all pages.
"""

from __future__ import annotations

import ast
import colorsys
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from animation import growing

_FENCE = re.compile(
    r"^```python\n(?P<python>.*?)^```$(?:\s*?^```text\n(?P<output>.*?)^```$)?"
    r"|^<!--python\n(?P<hidden>.*?)^-->$"
    r"|^```console\n(?P<console>.*?)^```$"
    r"|^```\{figure-from-code\} (?P<name>[\w-]+)\n(?P<figure>.*?)^```$"
    r"|^(?P<other>`{3,})[^`\n]*\n.*?^(?P=other)$",
    re.MULTILINE | re.DOTALL,
)
_OPTION = re.compile(r"(?::\w+:.*\n)*\n*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_ONLY_DARK = "@media screen and (prefers-color-scheme:dark)"
_DARKEST = 0.08  # the lightness of white on a dark page
_PALE = 0.65  # lighter colours are grounds; the others are lines and marks, which are seen on a dark page
_VISIBLE = 0.55  # if they are at least so light there


@dataclass(frozen=True)
class Example:
    """A piece of a page that is executed, with the place of its code and of its output in the page's text."""

    kind: str  # python, hidden, console or figure
    code: str
    line: int
    name: str = ""
    output: str | None = None
    output_at: tuple[int, int] = (0, 0)


def examples_of(text: str) -> Iterator[Example]:
    """The examples of a page, from top to bottom."""
    for fence in _FENCE.finditer(text):
        kind = next((k for k in ("python", "hidden", "console", "figure") if fence[k] is not None), None)
        if kind:
            line = text.count("\n", 0, fence.start(kind)) + 1
            yield Example(kind, fence[kind], line, fence["name"] or "", fence["output"], fence.span("output"))


def without_hidden(text: str) -> str:
    """A page without the code that is not shown."""
    return _FENCE.sub(lambda fence: "" if fence["hidden"] is not None else fence[0], text)


def matches(expected: str, printed: str) -> bool:
    """Whether an output is what a page shows: a line `...` is any lines, `...` in a line any text of it."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "..." else r"[^\n]*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
        for line in expected.splitlines()
    ]
    return (
        re.fullmatch("".join(lines), printed if printed.endswith("\n") or not printed else f"{printed}\n") is not None
    )


@dataclass
class Session:
    """Runs the examples of one page, in one namespace and in the current folder."""

    page: Path
    scope: dict[str, Any] = field(default_factory=lambda: {"growing": growing})

    def run(self, example: Example) -> str:
        """What the code prints."""
        with redirect_stdout(io.StringIO()) as printed:
            exec(self._compile(ast.parse(example.code), example), self.scope)
        return printed.getvalue()

    def draw(self, example: Example) -> tuple[str, str]:
        """The SVG of a figure, on a light and on a dark page."""
        tree = ast.parse(_OPTION.sub("", example.code, count=1))
        *before, last = tree.body
        if not isinstance(last, ast.Expr):
            raise ValueError(f"{self.page}, figure {example.name}: the last line must be an expression")
        with redirect_stdout(io.StringIO()):
            exec(self._compile(ast.Module(before, []), example), self.scope)
            value = eval(self._compile(ast.Expression(last.value), example), self.scope)
        return shades(_svg(value))

    def _compile(self, tree: ast.AST, example: Example) -> Any:
        skipped = example.line - 1 + (_OPTION.match(example.code)[0].count("\n") if example.kind == "figure" else 0)
        mode = "eval" if isinstance(tree, ast.Expression) else "exec"
        return compile(ast.increment_lineno(tree, skipped), str(self.page), mode)


def _svg(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Path):
        return value.read_text("utf-8")
    if hasattr(value, "_repr_svg_"):
        return str(value._repr_svg_())
    from veridag import figures

    with TemporaryDirectory() as folder:
        return figures.save(value, Path(folder) / "figure.svg").read_text("utf-8")


def shades(svg: str) -> tuple[str, str]:
    """A picture for light and one for dark pages: by its own dark style, or with every lightness turned round."""
    if _ONLY_DARK in svg:
        return svg.replace(_ONLY_DARK, "@media not all"), svg.replace(_ONLY_DARK, "@media all")
    dark = _COLOUR.sub(lambda colour: _turned(colour[0]), svg)
    return svg, dark.replace("<svg ", f'<svg fill="{_turned("#000000")}" ', 1)  # what has no colour is black


def _turned(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    pale = (lightness - _PALE) / (1 - _PALE)
    lightness = max(1 - (1 - _DARKEST) * lightness, min(_VISIBLE, _VISIBLE + (_DARKEST - _VISIBLE) * pale))
    turned = colorsys.hls_to_rgb(hue, lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in turned)


def draw_figures(page: Path, text: str) -> dict[str, tuple[str, str]]:
    """The figures of a page by their names; its code runs up to the last of them, in an empty folder."""
    found = list(examples_of(text))
    while found and found[-1].kind != "figure":
        found.pop()
    drawn, session = {}, Session(page)
    with TemporaryDirectory() as folder, chdir(folder):
        for example in found:
            if example.kind == "figure":
                drawn[example.name] = session.draw(example)
            elif example.kind != "console":
                session.run(example)
    return drawn


def renewed(page: Path) -> str:
    """The text of a page with the outputs that its code prints now; one that still matches stays as it is."""
    text = page.read_text("utf-8")
    pieces, last, session = [], 0, Session(page)
    with TemporaryDirectory() as folder, chdir(folder):
        for example in examples_of(text):
            if example.kind == "figure":
                session.draw(example)
            elif example.kind != "console":
                printed = session.run(example)
                if example.output is not None and not matches(example.output, printed):
                    start, end = example.output_at
                    pieces += [text[last:start], "".join(f"{line.rstrip()}\n" for line in printed.splitlines())]
                    last = end
    return "".join([*pieces, text[last:]])


def main(pages: list[str]) -> None:
    """Write the outputs of these pages anew, or of all pages that show one."""
    docs = Path(__file__).parents[1]
    every = [docs.parent / "README.md", *sorted(docs.rglob("*.md"))]
    shown = [page for page in every if any(e.output is not None for e in examples_of(page.read_text("utf-8")))]
    for page in [Path(name) for name in pages] or shown:
        text = renewed(page.absolute())
        if text != page.read_text("utf-8"):
            page.write_text(text, "utf-8")
            sys.stdout.write(f"wrote {os.path.relpath(page)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
