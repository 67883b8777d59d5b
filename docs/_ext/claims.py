"""Codes of claims, such as SP-14, become links to their row on the page of replications."""

from __future__ import annotations

import re
from posixpath import relpath

from bibliography import outside_code
from sphinx.application import Sphinx

PAGE = "replication"

_CODE = r"(?:SP|BU|WL|IV|RD)-\d+"
_ROW = re.compile(rf"^\| ({_CODE}) \|", re.MULTILINE)
_NAMED = re.compile(rf"(?<![\w\[-])({_CODE})\b(?!\])")


def mark_rows(text: str) -> str:
    """The page of replications, in which every row of a claim is a target."""
    return _ROW.sub(lambda row: f'| <a id="{row[1].lower()}"></a>{row[1]} |', text)


def link_claims(text: str, page: str) -> str:
    """The Markdown of a page with the codes outside of code as links."""
    home = f"{relpath(PAGE, page.rpartition('/')[0] or '.')}.html"
    return outside_code(
        text, lambda prose: _NAMED.sub(lambda code: f'<a href="{home}#{code[1].lower()}">{code[1]}</a>', prose)
    )


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if page == PAGE:
        source[0] = mark_rows(source[0])
    elif app.env.doc2path(page).suffix == ".md":
        source[0] = link_claims(source[0], page)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
