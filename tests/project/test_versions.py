"""The lowest versions in `pyproject.toml`: `make test-lowest` installs them, and no package is without one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = PROJECT["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
RECIPE = re.search(r"^test-lowest:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]


def listed(requirements: list[str]) -> Iterator[str]:
    """The requirements, with the lists in place of `veridag[...]`."""
    for one in requirements:
        own = re.fullmatch(r"veridag\[(.*)\]", one)
        if own:
            for extra in own[1].split(","):
                yield from listed(EXTRAS[extra])
        else:
            yield one


GROUPS = SETTINGS["dependency-groups"]
ALL = {*SETTINGS["build-system"]["requires"], *PROJECT["dependencies"], *listed([f"veridag[{','.join(EXTRAS)}]"])}
ALL = ALL.union(*GROUPS.values())


@pytest.mark.parametrize("requirement", sorted(ALL))
def test_a_requirement_has_a_lowest_version_and_no_other_limit(requirement):
    assert re.fullmatch(r"[\w.-]+>=\d+(\.\d+)*", requirement), "write it as name>=version"


def test_a_package_has_the_same_lowest_version_in_every_list():
    names = [requirement.split(">=")[0] for requirement in ALL]
    assert sorted(names) == sorted(set(names))


def test_make_test_slow_tries_the_lowest_versions_of_all_that_users_install():
    assert "test-lowest" in re.search(r"^test-slow:(.*)$", MAKEFILE, re.MULTILINE)[1].split()
    assert "--resolution lowest-direct --requirement pyproject.toml" in RECIPE
    tried = {*PROJECT["dependencies"], *listed([f"veridag[{extra}]" for extra in re.findall(r"--extra (\S+)", RECIPE)])}
    for extra in ("files", "sklearn", "cluster"):
        assert tried.issuperset(EXTRAS[extra])
    assert tried.issuperset(SETTINGS["build-system"]["requires"]), "the tools that compile the core are on no list"


def locked(name: str) -> dict[str, str]:
    """The packages on one of the lists that `make` installs, each with its version."""
    return dict(
        re.findall(r"^([\w.-]+)==([^ ;]+)", (ROOT / "requirements" / f"{name}.txt").read_text("utf-8"), re.MULTILINE)
    )


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


LISTS = {
    "build": SETTINGS["build-system"]["requires"],
    "base": PROJECT["dependencies"],
    "test": [*PROJECT["dependencies"], *listed(["veridag[test]"])],
    "docs": [*PROJECT["dependencies"], *listed(["veridag[docs]"])],
    "slow": [*PROJECT["dependencies"], *listed(["veridag[test,slow]"])],
    **GROUPS,
}


@pytest.mark.parametrize("name", LISTS)
def test_what_make_installs_follows_from_the_project_file(name):
    versions = locked(name)
    for requirement in LISTS[name]:
        package, least = requirement.split(">=")
        found = versions.get(package.lower().replace("_", "-"))
        assert found is not None, f"{package} is not in requirements/{name}.txt: run `make lock`"
        assert number(found) >= number(least), f"{package} {found} is below {least}: run `make lock`"


@pytest.mark.parametrize("name", LISTS)
def test_what_make_installs_has_hashes_and_one_version_in_all_lists(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)
    longest = locked("slow")
    assert {package: longest.get(package, version) for package, version in locked(name).items()} == locked(name)
    assert name in GROUPS or locked(name).keys() <= longest.keys()
