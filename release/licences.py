"""Write `docs/licences.md`: the licence of every package that comes with an installation, from its own metadata.

`make lock` does it. Packages of other systems are not installed here; pip fetches their metadata from the registry.
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from itertools import product
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = ("app", "cluster", "exact", "figures", "files", "sklearn")  # what `all` has
SYSTEMS = [
    {"sys_platform": platform, "platform_system": system, "os_name": name, "python_version": f"3.{minor}"}
    | {"python_full_version": f"3.{minor}.0", "platform_python_implementation": "CPython"}
    for (platform, system, name), minor in product(
        [("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt")], range(11, 15)
    )
]
PERMISSIVE = {"0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-CMU"}
PERMISSIVE |= {"PSF-2.0", "Zlib"}
SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
COPYLEFT = re.compile(r"^\s*License: (.*GPL.*?)\s*$", re.MULTILINE)
HEAD = """# Licences
veridag is under the MIT licence, and its reference networks are under CC BY-SA 3.0, as the file NOTICE says. This table
has every package that the base installation or an extra needs on Linux, macOS or Windows, with the licence that its
metadata states. `make lock` writes this page; `locked` is the version that our own tests use.

| package | versions | locked | licence | comes with |
|---|---|---|---|---|
"""
INSIDE = """Wheels may contain libraries under licences of their own. Of the wheels for Linux, these name a copyleft
licence. By its exception, libraries of GCC can be used under any licence; libquadmath, under the LGPL, is a shared one
that can be replaced; where there is an `OR`, the other licence can be chosen."""


def locked() -> dict[str, str]:
    """The versions of all packages in the longest list of `requirements/`."""
    found: dict[str, list[str]] = {}
    text = (ROOT / "requirements" / "slow.txt").read_text("utf-8")
    for name, version in re.findall(r"^([\w.-]+)==([^ ;]+)", text, re.MULTILINE):
        found.setdefault(name, []).append(version)
    return {name: ", ".join(versions) for name, versions in found.items()}


def needed(requirement: Requirement, extras: set[str]) -> bool:
    """Whether some supported system and Python needs it."""
    marker = requirement.marker
    return marker is None or any(
        marker.evaluate({**system, "extra": extra}) for system in SYSTEMS for extra in extras or {""}
    )


def metadata(name: str, version: str) -> Message:
    """What a package says about itself: as installed, and otherwise as the registry has it."""
    try:
        return importlib.metadata.distribution(name).metadata  # type: ignore[return-value]
    except importlib.metadata.PackageNotFoundError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, f"{name}=={version}"], check=True)
        [wheel] = Path(folder).glob("*.whl")
        with ZipFile(wheel) as archive:
            [inside] = [path for path in archive.namelist() if path.endswith(".dist-info/METADATA")]
            return Parser().parsestr(archive.read(inside).decode())


def licence(about: Message) -> str:
    """An SPDX expression if the metadata allows one."""
    expression = about.get("License-Expression")  # [] raises where a package has replaced importlib.metadata
    if expression:
        return expression
    stated = (about.get("License") or "").strip()
    if stated and len(stated) < 30:
        return SPDX.get(stated, stated)
    classes = [one.split(" :: ")[-1] for one in about.get_all("Classifier", []) if one.startswith("License :: ")]
    return " OR ".join(SPDX.get(one, one) for one in classes) or "not stated"


def is_permissive(expression: str) -> bool:
    """Whether all parts of an expression are."""
    return set(re.split(r" AND | OR ", re.sub(r"[()]", "", expression))) <= PERMISSIVE


def bundled(name: str) -> set[str]:
    """Copyleft licences that the licence files of an installed package name, for libraries inside its wheel."""
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:
        return set()
    texts = [file.read_text("utf-8") for file in files if re.search(r"(?i)licen[cs]e|notice|copying", file.name)]
    return {found for text in texts for found in COPYLEFT.findall(text)}


@dataclass(frozen=True)
class Row:
    """One package of the page."""

    name: str
    versions: str
    locked: str
    licence: str
    parts: str

    def __str__(self) -> str:
        return f"| {self.name} | {self.versions} | {self.locked} | {self.licence} | {self.parts} |"


def rows(about: Callable[[str, str], Message]) -> Iterator[Row]:
    """All packages, by name; `about` gives the metadata of one version."""
    versions, known, parts = locked(), {}, {}
    direct = {canonicalize_name(r.name): str(r.specifier) for r in requirements(["", *EXTRAS])}
    for part in ("", *EXTRAS):
        waiting = requirements([part])
        seen: set[tuple[str, frozenset[str]]] = set()
        while waiting:
            wanted = waiting.pop()
            name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
            if (name, extras) in seen:
                continue
            seen.add((name, extras))
            parts.setdefault(name, []).append(part)
            if name not in known:
                known[name] = about(name, versions[name].split(", ")[0])
            waiting += [
                one
                for one in map(Requirement, known[name].get_all("Requires-Dist", []))
                if needed(one, set(extras)) and canonicalize_name(one.name) in versions
            ]
    for name in sorted(known):
        with_base = "" in parts[name]
        shown = "base" if with_base else ", ".join(f"`{part}`" for part in dict.fromkeys(parts[name]))
        yield Row(name, direct.get(name, ""), versions[name], licence(known[name]), shown)


def requirements(parts: list[str]) -> list[Requirement]:
    """What `pyproject.toml` asks for: of the base installation ("") and of extras."""
    lists = [PROJECT["optional-dependencies"][part] if part else PROJECT["dependencies"] for part in parts]
    return [Requirement(one) for each in lists for one in each]


def page(about: Callable[[str, str], Message] = metadata) -> str:
    """The whole page."""
    table = list(rows(about))
    strict = [row for row in table if not is_permissive(row.licence)]
    inside = {row.name: found for row in table if (found := sorted(bundled(row.name)))}
    lines = [HEAD + "\n".join(map(str, table)), "", "## Not permissive"]
    lines += [f"- {row.name}: {row.licence}." for row in strict] or [
        "No package states a licence that is not permissive."
    ]
    lines += ["", INSIDE, ""]
    lines += [f"- {name}: {'; '.join(found)}" for name, found in inside.items()] or ["- none"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
