"""A page that fetches anything from elsewhere (a script, a style, a font, an image) fails the build; links are fine."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

#: The attributes by which a browser fetches something on its own, for each element.
_FETCHED = {"link": ("href",), "image": ("href", "xlink:href"), "use": ("href", "xlink:href"), "object": ("data",)}
_ANYWHERE = ("src", "srcset", "poster")
#: A rel that only says how pages belong together, and fetches nothing.
_LINKS_ONLY = {"author", "canonical", "help", "index", "license", "next", "prev", "search", "up"}
_OUTSIDE = re.compile(r"^\s*(?:https?:|wss?:|ftp:)?//", re.IGNORECASE)
_CSS = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^'\")]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)", re.IGNORECASE)


class _Resources(HTMLParser):
    """Collects the addresses outside that a page fetches."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        if tag == "link" and set(given.get("rel", "").split()) <= _LINKS_ONLY:
            return
        for name in (*_ANYWHERE, *_FETCHED.get(tag, ())):
            addresses = given.get(name, "").split(",") if name == "srcset" else [given.get(name, "")]
            self.outside += [address.strip() for address in addresses if _OUTSIDE.match(address)]
        self.outside += outside_of_style(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.outside += outside_of_style(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self._in_style = False


def outside_of_style(css: str) -> list[str]:
    """The addresses outside that a style sheet fetches."""
    return [first or second for first, second in _CSS.findall(css)]


def outside_of_page(html: str) -> list[str]:
    """The addresses outside that a page fetches, in its elements and its styles."""
    parser = _Resources()
    parser.feed(html)
    return parser.outside


def outside_of_site(folder: Path) -> list[tuple[Path, str]]:
    """Every file of a site that fetches something from elsewhere, with the address."""
    looks = {".html": outside_of_page, ".css": outside_of_style}
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in looks]
    return [(path, address) for path in files for address in looks[path.suffix](path.read_text("utf-8"))]


def _check(app: Sphinx, failure: Exception | None) -> None:
    if failure is not None or app.builder.format != "html":
        return
    for path, address in outside_of_site(Path(app.outdir)):
        logging.getLogger(__name__).warning("%s fetches %s from outside", path.relative_to(app.outdir), address)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
