"""HTML from values: text is escaped unless it is markup already, so that a column's name can never become a tag."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | int | float | None


def safe(child: Child) -> Markup:
    """HTML for a value: markup as it is, other text escaped, nothing for None."""
    if isinstance(child, Markup):
        return child
    return Markup("" if child is None else escape(_printable(str(child)), quote=True))


def tag(name: str, *children: Child, **attributes: Child) -> Markup:
    """An element; attributes that are None are left out, ``class_`` is class and ``data_x`` is data-x."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    written = "".join(f' {key}="{safe(str(value))}"' for key, value in given.items())
    inside = "".join(safe(child) for child in children)
    return Markup(f"<{name}{written}>{inside}</{name}>")


def joined(*parts: Child) -> Markup:
    """Several pieces of HTML one after the other."""
    return Markup("\n".join(safe(part) for part in parts if part is not None))


def table(head: list[Child], rows: list[list[Child]], caption: str, numeric: frozenset[int] = frozenset()) -> Markup:
    """A table whose columns in `numeric` are aligned as numbers."""

    def cells(kind: str, row: list[Child]) -> Markup:
        return joined(*(tag(kind, cell, class_="number" if i in numeric else None) for i, cell in enumerate(row)))

    body = joined(*(tag("tr", cells("td", row)) for row in rows))
    top = tag("thead", tag("tr", cells("th", head)))
    return tag("div", tag("table", tag("caption", caption), top, tag("tbody", body)), class_="scroll")


def _printable(text: str) -> str:
    """Without the control characters and lone surrogates that no HTML file may hold."""
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c != "\x7f") else "\ufffd" for c in text
    )
