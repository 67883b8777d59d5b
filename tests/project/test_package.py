from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from email import message_from_string
from pathlib import Path

import pytest

import checks
import veridag as vd

ROOT = Path(__file__).parents[2]


def test_every_public_name_can_be_reached():
    for name in vd.__all__:
        assert getattr(vd, name) is not None
    assert set(vd.__all__) <= set(dir(vd))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute Foo"):
        vd.Foo  # noqa: B018


def test_the_version_stands_in_one_place():
    assert vd.__version__ == importlib.metadata.version("veridag")
    elsewhere = [
        path
        for path in (ROOT / "src").rglob("*")
        if path.suffix in (".py", ".pyi", ".cpp", ".hpp") and f'"{vd.__version__}"' in path.read_text("utf-8")
    ]
    assert elsewhere == []


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, veridag; print([m for m in ('numpy', 'polars', 'veridag._core') if m in sys.modules])"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"


def test_the_cores_stub_is_fresh(tmp_path):
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "veridag._core", "-o", str(fresh)], check=True
    )
    assert (ROOT / "src" / "veridag" / "_core.pyi").read_text() == fresh.read_text(), "run `make stub`"


def test_the_readme_shows_the_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_every_public_name_has_a_docstring():
    assert [name for name in vd.__all__ if name != "__version__" and not getattr(vd, name).__doc__] == []


def test_the_citation_file_agrees_with_the_package():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    title = re.search(r'^name = "(.*)"', project, re.MULTILINE)[1]
    assert f"title: {title}\n" in citation
    licences = re.search(r'^license = "(.*)"', project, re.MULTILINE)[1].split(" AND ")
    assert "license:\n" + "".join(f"  - {one}\n" for one in licences) in citation
    assert re.search(r'authors = \[\{ name = "(.*)" \}\]', project)[1] in citation


def test_the_metadata_names_the_licences_of_the_code_and_of_the_networks(tmp_path, monkeypatch):
    from scikit_build_core.build import prepare_metadata_for_build_wheel

    monkeypatch.chdir(ROOT)
    folder = tmp_path / prepare_metadata_for_build_wheel(str(tmp_path))
    metadata = message_from_string((folder / "METADATA").read_text("utf-8"))
    assert set(re.split(r" AND ", metadata["License-Expression"])) == {"MIT", "CC-BY-SA-3.0"}
    assert metadata.get_all("License-File") == ["LICENSE", "NOTICE"]
    assert "CC BY-SA 3.0" in (folder / "licenses" / "NOTICE").read_text("utf-8")


def test_the_notice_is_about_every_network_that_is_not_ours():
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert [path.name for path in (ROOT / "src/veridag/network/reference").glob("*.vdn") if path.name in notice] == [
        "clinic.vdn"
    ]
    for document in ("README.md", "NOTICE"):
        assert "CC BY-SA 3.0" in (ROOT / document).read_text("utf-8")


def test_what_is_trusted_is_written_down():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    for word in ("Study files", "module:object", "Dask", "pickle", ".jkl", "Report a problem"):
        assert word in text


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git says which files belong to the project")
def test_the_source_archive_has_the_files_of_the_project_and_no_others(tmp_path, monkeypatch):
    from scikit_build_core.build import build_sdist

    monkeypatch.chdir(ROOT)
    assert checks.archived(tmp_path / build_sdist(str(tmp_path))).keys() == checks.project_files()
