"""Figures that the build draws from the code of their page, for light and for dark screens.

    ```{figure-from-code} name
    :alt: what the picture shows, for those who cannot see it
    :caption: the sentence below it
    :code:

    result.cpdag
    ```

The code is executed in the namespace of its page, after all examples above it. `:code:` shows it above the picture; a
picture with `:wide:` is not shrunk on a phone, but scrolls; one with `:moving:`, made by animation.py, stands still for
readers who prefer reduced motion. The files are in the folder _figures of the site and
nowhere else, so a figure cannot be out of date.

Pictures that are files, `![what it shows](picture.svg)`, have two shades too: of an SVG the build makes the dark one,
and `picture.png` may have a file `picture-dark.png` next to it.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import ClassVar

from animation import without_motion
from docutils import nodes
from docutils.parsers.rst import directives
from examples import draw_figures, without_hidden
from examples import shades as in_both_shades
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FOLDER = "_figures"
SHADES = ("light", "dark")


class FigureFromCode(SphinxDirective):
    """A picture in two shades, of which the theme shows one."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged,
        "code": directives.flag,
        "moving": directives.flag,
        "wide": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The code if it is asked for, and the figure."""
        name = self.arguments[0]
        if not self.options.get("alt"):
            raise self.error(f"figure {name}: add `:alt:` with what it shows")
        figure = nodes.figure(ids=[name], classes=["from-code", *(["wide"] if "wide" in self.options else [])])
        figure += _pair(self.env.docname, name, ".svg", self.options["alt"], "moving" in self.options)
        if "caption" in self.options:
            words, messages = self.parse_inline(self.options["caption"])
            figure += [nodes.caption("", "", *words), *messages]
        shown = nodes.literal_block("\n".join(self.content), "\n".join(self.content), language="python")
        return [*([shown] if "code" in self.options else []), figure]


def file_of(page: str, name: str, shade: str, suffix: str = ".svg") -> str:
    """The file of one shade of a figure."""
    return f"{page.replace('/', '-')}-{name}-{shade}{suffix}"


def _pair(page: str, name: str, suffix: str, alt: str, moving: bool = False) -> list[nodes.Node]:
    """The two shades; the page chooses the still picture, since a browser may not tell the SVG of an `img`."""
    folder = "../" * page.count("/") + FOLDER
    images = []
    for shade in SHADES:
        image = f'<img class="only-{shade}" src="{folder}/{file_of(page, name, shade, suffix)}" alt="{escape(alt)}">'
        if moving:
            still = f"{folder}/{file_of(page, name, f'{shade}-still', suffix)}"
            image = f'<picture><source media="(prefers-reduced-motion: reduce)" srcset="{still}">{image}</picture>'
        images.append(nodes.raw("", image, format="html"))
    return images


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    """Draw the figures of a page, and leave out of it what is not shown."""
    if "{figure-from-code}" in source[0]:
        folder = Path(app.outdir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        try:
            drawn = draw_figures(Path(app.env.doc2path(page)), source[0])
        except Exception as error:  # whatever the code of a page may raise
            logging.getLogger(__name__).warning("its code failed: %r", error, location=page)
            drawn = {}
        for name, shades in drawn.items():
            for shade, svg in zip(SHADES, shades, strict=True):
                (folder / file_of(page, name, shade)).write_text(svg, "utf-8")
                if (still := without_motion(svg)) != svg:
                    (folder / file_of(page, name, f"{shade}-still")).write_text(still, "utf-8")
    source[0] = without_hidden(source[0])


def _shade(app: Sphinx, doctree: nodes.document) -> None:
    """Put two shades in the place of every picture that has them."""
    page, folder = app.env.docname, Path(app.outdir) / FOLDER
    for image in list(doctree.findall(nodes.image)):
        light = Path(app.env.doc2path(page)).parent / image["uri"]
        dark = light.with_stem(f"{light.stem}-dark")
        if light.suffix == ".svg" and light.exists():
            both = [svg.encode() for svg in in_both_shades(light.read_text("utf-8"))]
        elif dark.exists():
            both = [light.read_bytes(), dark.read_bytes()]
        else:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for shade, content in zip(SHADES, both, strict=True):
            (folder / file_of(page, light.stem, shade, light.suffix)).write_bytes(content)
        image.replace_self(_pair(page, light.stem, light.suffix, image.get("alt", "")))


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_directive("figure-from-code", FigureFromCode)
    app.connect("source-read", _read, priority=100)  # before citations become links
    app.connect("doctree-read", _shade, priority=400)  # before Sphinx collects the pictures
    return {"parallel_read_safe": True, "parallel_write_safe": True}
