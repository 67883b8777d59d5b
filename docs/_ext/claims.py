"""Codes of claims, such as SP-14, become links to their row on the page of their paper.

Each page of replication/ has tables with one row per claim: code, claim, verdict, evidence, note. The overview lists
the codes by verdict in place of the comment `<!--claims by verdict-->`; there they keep the addresses that the rows had
when all of them were on that page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from posixpath import relpath

from bibliography import outside_code
from sphinx.application import Sphinx

OVERVIEW = "replication"
PAPERS = {
    "SP": "structure-priors",
    "BU": "beyond-uniform-priors",
    "WL": "who-learns-better",
    "IV": "intersection-validation",
    "RD": "related-data-sets",
}
VERDICTS = ("holds", "holds in part", "does not hold", "not tested")

_CODE = rf"(?:{'|'.join(PAPERS)})-\d+"
_ROW = re.compile(rf"^\| ({_CODE}) \|", re.MULTILINE)
_VERDICT = re.compile(rf"^\| ({_CODE}) \|[^|]*\| \*\*([^*]+)\*\* \|", re.MULTILINE)
_NAMED = re.compile(rf"(?<![\w\[>-])({_CODE})\b(?!\])")
_INDEX = "<!--claims by verdict-->"


def page_of(code: str) -> str:
    """The page with the row of a claim."""
    return f"{OVERVIEW}/{PAPERS[code[:2]]}"


def mark_rows(text: str) -> str:
    """The page of a paper, in which the code of every row is a target, and a link to copy."""
    return _ROW.sub(
        lambda row: f'| <a class="claim-row" id="{row[1].lower()}" href="#{row[1].lower()}">{row[1]}</a> |', text
    )


def link_claims(text: str, page: str) -> str:
    """The Markdown of a page with the codes outside of code as links."""
    folder = page.rpartition("/")[0] or "."

    def link(code: re.Match[str]) -> str:
        return f'<a class="claim" href="{relpath(page_of(code[1]), folder)}.html#{code[1].lower()}">{code[1]}</a>'

    return outside_code(text, lambda prose: _NAMED.sub(link, prose))


def index_of(papers: Iterable[str]) -> str:
    """A table of all codes by paper and verdict, from the texts of the papers' pages."""
    rows = [f"| paper | {' | '.join(VERDICTS)} |", "|---" * (len(VERDICTS) + 1) + "|"]
    for text in papers:
        title = text.partition("\n")[0].removeprefix("# Replication: ").capitalize()
        said = _VERDICT.findall(text)
        cells = [" ".join(_entry(code) for code, verdict in said if verdict == column) for column in VERDICTS]
        rows.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _entry(code: str) -> str:
    return f'<a class="claim" id="{code.lower()}" href="{page_of(code)}.html#{code.lower()}">{code}</a>'


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if page.startswith(f"{OVERVIEW}/"):
        source[0] = mark_rows(source[0])
    if app.env.doc2path(page).suffix == ".md":
        source[0] = link_claims(source[0], page)
    if _INDEX in source[0]:
        pages = [Path(app.srcdir, OVERVIEW, f"{name}.md") for name in PAPERS.values()]
        for path in pages:
            app.env.note_dependency(str(path), docname=page)
        source[0] = source[0].replace(_INDEX, index_of(path.read_text("utf-8") for path in pages))


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
