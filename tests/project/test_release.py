"""What is said about a release in several places agrees, and the sources are such that every compiler takes them."""

from __future__ import annotations

import datetime
import importlib.metadata
import re
import tomllib
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import changelog
import checks
import licences

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
VERSION = PROJECT["version"]
CORE = sorted((ROOT / "src" / "core").rglob("*.?pp"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


# ---- changelog and version


def test_the_changelog_is_about_the_version_and_unreleased_or_signed_off():
    section = changelog.newest((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert section.version == VERSION
    assert (section.date is None) == (section.signed_by is None)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("# C\n\n## Unreleased (1.2)\n- a\n", changelog.Section("1.2", None, None)),
        ("## 1.2 (2027-01-31)\n- a\n", changelog.Section("1.2", datetime.date(2027, 1, 31), None)),
        (
            "## 1.2 (2027-01-31)\n- a\n\nSigned-off-by: A B <a@b.org>\n\n## 1.1 (2026-01-01)\n- b\n",
            changelog.Section("1.2", datetime.date(2027, 1, 31), "A B <a@b.org>"),
        ),
        (
            "## Unreleased (1.2)\n- a\n\n## 1.1 (2026-01-01)\n- b\n\nSigned-off-by: A B <a@b.org>\n",
            changelog.Section("1.2", None, None),
        ),
    ],
)
def test_only_the_newest_section_of_a_changelog_counts(text, section):
    assert changelog.newest(text) == section


@pytest.mark.parametrize("heading", ["1.2", "Unreleased", "1.2 (soon)", "1.2 (2027-02-31)"])
def test_another_heading_is_refused(heading):
    with pytest.raises(ValueError, match=r"CHANGELOG|day is out of range"):
        changelog.newest(f"## {heading}\n- a\n")


def test_a_release_needs_date_signature_version_and_tag():
    signed = changelog.Section("1.2", datetime.date(2027, 1, 31), "A B <a@b.org>")
    assert changelog.hindrances(signed, "1.2", ["v1.2"]) == []
    assert len(changelog.hindrances(signed, "1.3", ["v1.3"])) == 1
    assert len(changelog.hindrances(signed, "1.2", ["v1.3"])) == 1
    assert len(changelog.hindrances(changelog.Section("1.2", None, None), "1.2", [])) == 3


def test_the_citation_file_states_no_version_of_its_own():
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)


# ---- conda


def test_the_conda_recipe_agrees_with_the_project_file():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == VERSION
    assert recipe["package"] == {"name": PROJECT["name"], "version": "${{ version }}"}
    needs = recipe["requirements"]
    run = [one.replace(" ", "") for one in needs["run"]]
    assert run == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert {one.replace(" ", "") for one in needs["host"]} >= set(SETTINGS["build-system"]["requires"])
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
    about = recipe["about"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert about["license_file"] == PROJECT["license-files"]
    assert (ROOT / "recipe" / recipe["source"]["path"]).resolve() == ROOT


# ---- licences


def test_the_list_of_licences_is_current():
    """Packages of other systems are not installed here; the page's own word counts for their licence."""
    shown = licences.PAGE.read_text("utf-8")

    def about(name: str, version: str) -> Message:
        try:
            return importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            message = Message()
            stated = re.search(rf"^\| {name} \|[^|]*\| {version}[^|]*\| ([^|]*) \|", shown, re.MULTILINE)
            message["License-Expression"] = stated[1] if stated else "not on the page"
            return message

    assert licences.page(about) == shown, "run `make lock`"


def test_the_list_of_licences_has_every_package_of_a_base_installation():
    base = (ROOT / "requirements" / "base.txt").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+) \|.*\| base \|$", licences.PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(rows) == set(re.findall(r"^([\w.-]+)==", base, re.MULTILINE))


def test_the_extras_of_the_list_are_those_of_all():
    assert PROJECT["optional-dependencies"]["all"] == [f"veridag[{','.join(licences.EXTRAS)}]"]


@pytest.mark.parametrize(
    ("fields", "expression", "permissive"),
    [
        ({"License-Expression": "MIT", "License": "other"}, "MIT", True),
        ({"License": "PSFL"}, "PSF-2.0", True),
        ({"License": "a long text " * 9, "Classifier": "License :: OSI Approved :: BSD License"}, "BSD", True),
        ({"License-Expression": "(MIT OR Apache-2.0) AND BSD-3-Clause"}, "(MIT OR Apache-2.0) AND BSD-3-Clause", True),
        ({"License-Expression": "MIT AND MPL-2.0"}, "MIT AND MPL-2.0", False),
        ({"License": "GPLv3"}, "GPLv3", False),
        ({}, "not stated", False),
    ],
)
def test_a_licence_is_read_from_whatever_field_states_it(fields, expression, permissive):
    about = Message()
    for field, value in fields.items():
        about[field] = value
    assert licences.licence(about) == expression
    assert licences.is_permissive(expression) == permissive


def test_the_notice_names_the_list_of_licences():
    assert str(licences.PAGE.relative_to(ROOT)) in (ROOT / "NOTICE").read_text("utf-8")


# ---- wheels


@pytest.mark.parametrize(
    ("wheel", "minors"),
    [
        ("veridag-0.1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", [11]),
        ("veridag-0.1.0-cp312-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", [12, 13, 14]),
        ("veridag-0.1.0-cp312-abi3-manylinux_2_28_aarch64.whl", []),
        ("veridag-0.1.0-cp312-abi3-macosx_11_0_x86_64.whl", []),
        ("veridag-0.1.0-cp312-abi3-win_amd64.whl", []),
    ],
)
def test_a_wheel_is_tried_on_the_pythons_that_it_is_for(wheel, minors):
    assert [minor for minor in range(11, 15) if checks.fits(wheel, minor, "linux", "x86_64")] == minors


def test_the_files_of_a_package_are_compared_without_folders_and_the_compiled_core(tmp_path):
    names = ["veridag/", "veridag/a.py", "veridag/_core.abi3.so", "veridag/_core.pyd", "veridag-1.dist-info/METADATA"]
    with ZipFile(tmp_path / "a.whl", "w") as wheel:
        for name in names:
            wheel.writestr(name, "x")
    assert checks.packaged(tmp_path / "a.whl") == {"veridag/a.py": b"x"}


def test_one_wheel_serves_every_python_from_3_12_on():
    assert SETTINGS["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert SETTINGS["tool"]["cibuildwheel"]["build"].split() == ["cp311-*", "cp312-*", "cp313-*", "cp314-*"]


def test_the_workflow_is_pinned_and_runs_what_can_be_run_by_hand():
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    uses = re.findall(r"uses: (.*)$", text, re.MULTILINE)
    assert len(uses) == sum("uses" in step for step in steps)
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", one) for one in uses)
    for line in [step["run"] for step in steps if "run" in step]:
        for target in re.findall(r"make ([\w-]+)", line):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), line
        for path in re.findall(r"--requirement (\S+)", line):
            assert (ROOT / path).exists(), line
        assert "pip install" not in line or "--require-hashes" in line


# ---- other compilers and libraries


def test_words_of_one_compiler_stand_between_the_lines_that_ask_for_it():
    only = re.compile(
        r"__builtin_|__attribute__|__int128|__asm__|__declspec|\bssize_t\b|<(unistd|sys/\w+|cpuid|intrin)\.h>"
    )
    found = []
    for path in CORE:
        depth = 0
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
            if depth == 0 and only.search(line):
                found.append(f"{path.name}:{number}: {line}")
        assert depth == 0
    assert found == []


def test_the_core_uses_nothing_that_a_supported_standard_library_lacks():
    """Apple's libraries came late with these."""
    late = re.compile(r"std::(jthread|stop_token|format|print|execution|from_chars|barrier|latch|pmr)\b")
    assert [(path.name, found[0]) for path in CORE for found in late.finditer(path.read_text("utf-8"))] == []
