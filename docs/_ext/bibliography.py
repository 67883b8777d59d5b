"""Citations such as [@scutari2019, eq. 9] become links to the page of references, which is made from references.bib.

The pages stay readable as they are; nothing but the bibliography's own file says what a key stands for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from posixpath import relpath

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

PAGE = "references"  # where the list stands
PLACE = "<!-- the list is made from references.bib -->"

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_CITATION = re.compile(r"\[(@[^\]]+)\](?!\()")
_KEY = re.compile(r"@(\w+)")
_HEADING = re.compile(r"(^#.*$)", re.MULTILINE)
_NAMED = re.compile(r"([A-Z][^;\[\]()]*?\b\d{4})\s+\[@(\w+)\]")  # Akaike 1974 [@akaike1974]
_ACCENT = re.compile(r"\\([\"'`^~c])\{?(\w)\}?")
_MARKS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327"}


@dataclass(frozen=True)
class Entry:
    """A work that is cited: its kind (article, book, ...) and its fields, free of TeX."""

    kind: str
    key: str
    fields: dict[str, str]

    @property
    def surnames(self) -> list[str]:
        """The authors' family names, in order."""
        return [author.split(",")[0].strip() for author in self.fields["author"].split(" and ")]

    @property
    def label(self) -> str:
        """As it is cited in a text: "Cooper and Herskovits 1992", "Scutari et al. 2019"."""
        names = [name for name in self.surnames if name != "others"]
        several = len(names) > 2 or len(names) < len(self.surnames)
        return f"{names[0]} et al. {self.fields['year']}" if several else f"{' and '.join(names)} {self.fields['year']}"

    def describe(self) -> str:
        """As it stands in the list, in Markdown."""
        names = ["others" if a == "others" else _first_name_first(a) for a in self.fields["author"].split(" and ")]
        authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        parts = [f"{authors} ({self.fields['year']}). {self.fields['title'].rstrip('.')}.", *self._where()]
        return " ".join(parts)

    def _where(self) -> list[str]:
        given = self.fields
        home = next((given[k] for k in ("journal", "booktitle", "publisher", "howpublished") if k in given), None)
        where = f"In *{home}*" if "booktitle" in given else home and f"*{home}*" if "journal" in given else home
        thesis = {"phdthesis": "PhD thesis", "mastersthesis": "Master's thesis", "techreport": "Technical report"}
        school = given.get("school") or given.get("institution")
        number = given.get("volume", "") + (f"({given['number']})" if "volume" in given and "number" in given else "")
        report = given["number"] if self.kind == "techreport" and "number" in given else None
        edition = given.get("edition") and f"edition {given['edition']}"
        pages = given.get("pages") and f"pages {given['pages']}"
        said = [thesis.get(self.kind), report, where, edition, given.get("series"), number, school, pages]
        return [", ".join(part for part in said if part) + "."] if any(said) else []


def _first_name_first(author: str) -> str:
    surname, _, first = author.partition(",")
    return f"{first.strip()} {surname.strip()}".strip()


def _plain(text: str) -> str:
    """Without TeX: accents as letters, no braces, an en dash for two hyphens."""
    text = text.replace(r"{\ae}", "æ").replace(r"\ae", "æ").replace(r"\&", "&").replace("--", "–")
    text = text.replace("``", '"').replace("''", '"')
    text = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", m[2] + _MARKS[m[1]]), text)
    return text.replace("{", "").replace("}", "")


def read_bibliography(path: Path) -> dict[str, Entry]:
    """The entries of a .bib file by their keys; each field stands on a line of its own."""
    found = _ENTRY.findall(path.read_text("utf-8"))
    return {key: Entry(kind, key, {k: _plain(v) for k, v in _FIELD.findall(body)}) for kind, key, body in found}


def link_citations(text: str, entries: dict[str, Entry], page: str) -> str:
    """The Markdown of a page with its citations as links.

    "Akaike 1974 [@akaike1974]" is one link, "Suzuki [@suzuki2017]" becomes "Suzuki (2017)"; others give authors and
    year.
    """
    home = f"{relpath(PAGE, page.rpartition('/')[0] or '.')}.md"

    def link(citation: re.Match[str]) -> str:
        before = citation.string[: citation.start()].rstrip()
        parts = [part.strip() for part in citation[1].split("; ")]
        linked = [_KEY.sub(lambda m: f"[{_shown(entries[m[1]], before)}]({home}#{m[1]})", part) for part in parts]
        return f"({'; '.join(linked)})"

    def link_name(named: re.Match[str]) -> str:
        before, surname, after = named[1].partition(entries[named[2]].surnames[0])
        return f"{before}[{surname}{after}]({home}#{named[2]})" if surname else named[0]

    def link_prose(prose: str) -> str:
        pieces = _HEADING.split(prose)  # a name cannot begin in the heading above it
        return "".join(_CITATION.sub(link, _NAMED.sub(link_name, piece)) for piece in pieces)

    return outside_code(text, link_prose)


def _shown(entry: Entry, before: str) -> str:
    named = before.endswith((f"{entry.surnames[0]} et al.", entry.surnames[-1]))
    return entry.fields["year"] if named else entry.label


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The Markdown of a page in which all but its code is changed."""
    pieces, last = [], 0
    for code in _CODE.finditer(text):
        pieces += [change(text[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*pieces, change(text[last:])])


def _listing(entries: dict[str, Entry]) -> str:
    ordered = sorted(entries.values(), key=lambda e: (e.surnames[0].lower().removeprefix("de "), e.fields["year"]))
    return "\n\n".join(f"({entry.key})=\n{entry.describe()}" for entry in ordered)


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    entries: dict[str, Entry] = read_bibliography(Path(app.srcdir) / "references.bib")
    if page == PAGE:
        if PLACE not in source[0]:
            raise ExtensionError(f"{PAGE}.md needs the line {PLACE}, where the list goes")
        source[0] = source[0].replace(PLACE, _listing(entries))
    elif app.env.doc2path(page).suffix == ".md":
        source[0] = link_citations(source[0], entries, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
