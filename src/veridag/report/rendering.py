"""The templates: how they are found, what they may use, and how text becomes part of a page."""

from __future__ import annotations

import re
from functools import cache
from math import isnan

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from veridag.trust.assessment.assessment import percent
from veridag.trust.assessment.words import count

#: Control characters and lone surrogates, which no HTML file may hold.
_FORBIDDEN = re.compile("[^\t\n\u0020-\u007e\u0080-\ud7ff\ue000-\U0010ffff]")


@cache
def environment() -> Environment:
    """The templates, each compiled once; all values are escaped, and one that is not there is an error."""
    made = Environment(
        loader=PackageLoader("veridag.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=printable,
    )
    made.filters |= {"fixed": fixed, "short": short, "thousands": thousands, "percent": percent, "count": count}
    made.filters["narrow_percent"] = narrow_percent
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "allow_nan": False, "separators": (",", ":")}
    return made


def printable(value: object) -> object:
    """A value as the page can show it; a name may hold characters that a page may not."""
    if not isinstance(value, str) or not _FORBIDDEN.search(value):
        return value
    clean = _FORBIDDEN.sub("\ufffd", value)
    return Markup(clean) if isinstance(value, Markup) else clean


def fixed(number: float, digits: int) -> str:
    """With so many digits after the point."""
    return f"{number:.{digits}f}"


def short(number: float) -> str:
    """With two digits, and a dash where there is no number."""
    if isnan(number):
        return "–"
    return f"{number:.2f}" if abs(number) >= 0.1 or number == 0 else f"{number:.2g}"


def narrow_percent(share: float | None) -> str:
    """A share for a narrow column, and a dash where there is none."""
    return "–" if share is None else percent(share).replace("more than ", "> ").replace("less than ", "< ")


def thousands(number: float, digits: int = 0) -> str:
    """With narrow spaces between the thousands."""
    return f"{number:,.{digits}f}".replace(",", "\u202f")
