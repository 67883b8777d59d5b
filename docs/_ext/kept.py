"""What readers rely on stays: addresses of sections, and a search that finds every public name and option.

`_kept/anchors.txt` lists the sections that were published, as `page#anchor`. If a heading changes, the page keeps the
old address with `<a id="anchor"></a>` above it. An address or a name that is gone fails the build.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from command_line import commands, options
from sphinx.application import Sphinx
from sphinx.util import logging

import veridag

_ID = re.compile(r'\sid="([^"]+)"')


def lost_addresses(site: Path, addresses: Iterable[str]) -> list[str]:
    """The addresses that a site no longer has."""
    lost, known = [], {}
    for address in addresses:
        page, _, anchor = address.partition("#")
        path = site / f"{page}.html"
        if page not in known:
            known[page] = set(_ID.findall(path.read_text("utf-8"))) if path.exists() else set()
        if anchor not in known[page]:
            lost.append(address)
    return lost


def not_found(index: dict[str, list[list[object]]], names: Iterable[str]) -> list[str]:
    """The names, each with what it belongs to, that are no objects of a search index."""
    found = {f"{home}.{entry[4]}" for home, entries in index.items() for entry in entries}
    return [name for name in names if name not in found]


def findable() -> list[str]:
    """Every public name and every option of the command line, as the search index has them."""
    public = [f"veridag.{name}" for name in veridag.__all__ if name not in ("__version__", "networks", "simulate")]
    programs = [(f"veridag-{name.replace(' ', '-')}", command) for name, command in commands()]
    return public + [f"{program}.{flag}" for program, command in programs for o in options(command) for flag in o.opts]


def _check(app: Sphinx, failure: Exception | None) -> None:
    published = Path(app.srcdir) / "_kept" / "anchors.txt"
    if failure is not None or app.builder.format != "html" or not published.exists():
        return
    warn = logging.getLogger(__name__).warning
    for address in lost_addresses(Path(app.outdir), published.read_text("utf-8").split()):
        warn('%s is gone: put <a id="%s"></a> above the heading that replaces it', address, address.partition("#")[2])
    text = (Path(app.outdir) / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    for name in not_found(index["objects"], findable()):
        warn("the search does not find %s", name)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("build-finished", _check, priority=900)  # after the search index is written
    return {"parallel_read_safe": True, "parallel_write_safe": True}
