"""The lowest versions that `pyproject.toml` allows, as requirements for pip; `make test-lowest` tries them.

Run as a script, it prints the package's own dependencies and those of its readers and estimators at their lowest
versions, and after them the tools of the tests, which need not be old.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"

#: Extras that a user installs, and what the tests need besides.
USED = ("files", "sklearn")
TOOLS = ("hypothesis", "networkx", "pandas", "pyarrow", "pytest", "pytest-xdist", "xlsxwriter")


def lowest(requirement: str) -> str:
    """`typer>=0.18` as `typer==0.18`; a requirement without one lower bound has no lowest version."""
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement)
    if found is None:
        raise ValueError(f"{requirement!r}: give it as name>=version, or its lowest version cannot be tested")
    return f"{found[1]}=={found[2]}"


def requirements() -> list[str]:
    """What to install beside the package."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = [*project["dependencies"], *(one for extra in USED for one in extras[extra])]
    tools = [one for one in extras["test"] if one.split(">=")[0] in TOOLS]
    return [*map(lowest, own), *tools]


if __name__ == "__main__":
    print("\n".join(requirements()))
