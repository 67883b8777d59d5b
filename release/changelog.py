"""The newest section of CHANGELOG.md: which version it is about, and whether somebody has signed it off.

While a version is being worked on, its heading is `## Unreleased (1.2.0)`. For the release it becomes
`## 1.2.0 (2027-01-31)`, and the section ends with `Signed-off-by: Name <address>`: this person has read it, and has
seen `make release-check` pass.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
UNRELEASED = re.compile(r"Unreleased \((?P<version>[\w.]+)\)")
RELEASED = re.compile(r"(?P<version>[\w.]+) \((?P<date>\d{4}-\d\d-\d\d)\)")
SIGNED = re.compile(r"^Signed-off-by: (\S.* <\S+@\S+>)$")


@dataclass(frozen=True)
class Section:
    """The date is None before the release, and `signed_by` until somebody signs."""

    version: str
    date: datetime.date | None
    signed_by: str | None


def newest(text: str) -> Section:
    """The first section of a changelog."""
    _, heading, body = HEADING.split(text, maxsplit=1)
    body = HEADING.split(body, maxsplit=1)[0]
    released = RELEASED.fullmatch(heading)
    found = released or UNRELEASED.fullmatch(heading)
    if not found:
        raise ValueError(
            f"CHANGELOG.md begins with '## {heading}': write '## Unreleased (VERSION)' or '## VERSION (DATE)'"
        )
    signed = SIGNED.match(body.strip().rsplit("\n", 1)[-1])
    date = datetime.date.fromisoformat(released["date"]) if released else None
    return Section(found["version"], date, signed[1] if signed else None)


def hindrances(section: Section, version: str, tags: list[str]) -> list[str]:
    """Why this cannot be released as `version`, of which `tags` are the tags in git."""
    found = []
    if section.version != version:
        found.append(f"CHANGELOG.md is about {section.version}, and pyproject.toml has version {version}")
    if section.date is None:
        found.append(f"CHANGELOG.md calls the version unreleased: make the heading '## {version} (DATE)'")
    if section.signed_by is None:
        found.append("CHANGELOG.md is not signed off: end the section with 'Signed-off-by: Name <address>'")
    if tags != [f"v{version}"]:
        found.append(f"the commit is tagged {' and '.join(tags) or 'with nothing'}: git tag v{version}")
    return found
