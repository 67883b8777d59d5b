"""Cells of a workbook that show an error, such as #DIV/0!: their reader gives them as empty cells."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

from .content import Content
from .packing import ZIP, member, opened_zip

_BOOK, _PARTS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_SHEET = re.compile(r"<(?:\w+:)?sheet\s([^>]*)>")
_PART = re.compile(r"<(?:\w+:)?Relationship\s([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
_FAULT = re.compile(rb'<(?:\w+:)?c\s[^>]*?\bt="e"[^>]*>(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]*)<', re.DOTALL)


def faults_note(content: Content, sheet: str) -> tuple[str, ...]:
    """What to say about cells with an error in a sheet of an .xlsx file; other formats do not tell."""
    found = _faults(content, sheet)
    if not found:
        return ()
    shown = ", ".join(f"{count} of {error!r}" for error, count in found.most_common(4))
    return (f"cells with an error are missing: {shown}",)


def _faults(content: Content, sheet: str) -> Counter[str]:
    if not content.head.startswith(ZIP):
        return Counter()
    with opened_zip(content) as archive:
        names = {*archive.namelist()}
        if not names >= {_BOOK, _PARTS}:
            return Counter()
        sheets = [_attributes(text) for text in _SHEET.findall(member(archive, _BOOK).decode("utf-8", "replace"))]
        parts = [_attributes(text) for text in _PART.findall(member(archive, _PARTS).decode("utf-8", "replace"))]
        key = next((a.get("r:id", "") for a in sheets if a.get("name") == sheet), "")
        target = next((a.get("Target", "") for a in parts if a.get("Id") == key), "")
        path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if path not in names:
            return Counter()
        return Counter(error.decode("utf-8", "replace") for error in _FAULT.findall(member(archive, path)))


def _attributes(text: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}
