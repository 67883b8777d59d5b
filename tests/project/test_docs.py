"""The reference pages say what the code does: every method has a page, and its parameters are those of its fields."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import veridag as vd
from veridag import _core, search
from veridag.criteria import independence, priors, scores
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.trust import averages
from veridag.trust.assessment.chances import load_model

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
KINDS = ("discrete", "continuous", "mixed")

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
ADDED_FILE = re.compile(r"This is the whole of `(src/[\w/]+\.py)`:\n\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ADDED_LINES = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"""(?:\]\(|\bsrc(?:set)?=")([^)\s"]+)[)"]""")
CITATIONS = re.compile(r"\[(@[^\]]+)\]")
KEY = re.compile(r"@(\w+)")
ENTRY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
PARAMETERS = re.compile(r"^## Parameters of (\w+)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)


def exported(module, base):
    return [
        v
        for v in map(vars(module).get, module.__all__)
        if isinstance(v, type) and issubclass(v, base) and v is not base
    ]


METHODS = [
    *[("scores", c) for c in exported(scores, Score)],
    *[("priors", c) for c in exported(priors, Prior)],
    *[("tests", c) for c in exported(independence, independence.Test)],
]
each_method = pytest.mark.parametrize(("folder", "method"), METHODS, ids=[c.__name__ for _, c in METHODS])
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def sections(folder):
    """(page, class, text) of every section on parameters."""
    pages = sorted((DOCS / folder).glob("*.md"))
    return [(page, name, text) for page in pages for name, text in PARAMETERS.findall(page.read_text("utf-8"))]


def rows(text):
    """The cells of a table, without its two lines of heading; \\| is part of a cell."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def defaults(method):
    """The fields of a method, as a page has them."""
    return {
        f.name: "required" if f.default is dataclasses.MISSING else repr(f.default) for f in dataclasses.fields(method)
    }


def index(folder):
    """The rows of the first table of an index page, by the name in their first cell, which is a link."""
    text = (DOCS / folder / "index.md").read_text("utf-8")
    found = {}
    for cells in rows(text.split("\n\n")[1]):
        name, page = re.fullmatch(r"\[(\w+)\]\(([\w-]+\.md)\)", cells[0]).groups()
        found[name] = (page, cells[1:])
    return found


def prose(page):
    """A page without its code, in which brackets mean something else."""
    return CODE.sub("", FENCE.sub("", page.read_text("utf-8")))


@each_method
def test_every_method_has_one_page_with_its_parameters_and_their_defaults(folder, method):
    found = [text for _, name, text in sections(folder) if name == method.__name__]
    assert len(found) == 1, f"docs/{folder} needs one section '## Parameters of {method.__name__}'"
    table = {cells[0].strip("`"): cells[1].strip("`") for cells in rows(found[0])}
    assert table == defaults(method)
    assert list(table) == list(defaults(method)), "in the order of the fields"
    if not table:
        assert found[0].strip() == "None."


@pytest.mark.parametrize("folder", ["scores", "priors", "tests"])
def test_every_page_is_about_methods_that_exist(folder):
    known = {c.__name__ for f, c in METHODS if f == folder}
    described = {page: name for page, name, _ in sections(folder)}
    assert {name for _, name, _ in sections(folder)} == known
    assert set(described) == set((DOCS / folder).glob("*.md")) - {DOCS / folder / "index.md"}
    assert set(index(folder)) == known


@each_method
def test_the_index_agrees_with_the_method(folder, method):
    page, (data, second, parameters, purpose) = index(folder)[method.__name__]
    [home] = [page for page, name, _ in sections(folder) if name == method.__name__]
    assert page == home.name
    expected = [k if v == "required" else f"{k}={v}" for k, v in defaults(method).items()]
    assert re.findall(r"`([^`]+)`", parameters) == expected
    assert purpose
    if folder == "scores":
        assert data == ", ".join(kind for kind in KINDS if method.handles(kind))
        assert second == ("yes" if method.equivalent else "no")


def test_the_index_says_what_kinds_of_data_a_test_takes():
    for name, (_, (data, *_)) in index("tests").items():
        method = getattr(independence, name)
        test = method(scores.BIC()) if name == "ScoreTest" else method()
        assert data == ", ".join(kind for kind in KINDS if test.handles(kind))


@pytest.mark.parametrize("folder", ["scores", "priors", "tests"])
def test_every_page_has_the_same_parts(folder):
    for page in {page for page, _, _ in sections(folder)}:
        headings = re.findall(r"^## (.*)$", page.read_text("utf-8"), re.MULTILINE)
        names = [h for h in headings if h.startswith("Parameters of ")]
        kinds = [h.split(":")[0].rstrip("s") for h in headings if h not in names]
        assert kinds == ["When to use it", "Example", "Equation", "Propertie", "Reference"], page
        assert "```python\n" in page.read_text("utf-8")


# Exact has a page of its own, docs/exact.md.
ALGORITHMS = [c for m in (search, averages) for c in exported(m, search.Algorithm) if c is not vd.Exact]


@pytest.mark.parametrize("method", ALGORITHMS, ids=lambda c: c.__name__)
def test_every_algorithm_has_one_section_with_its_parameters(method):
    [found] = [text for _, name, text in sections("algorithms") if name == method.__name__]
    made = method(vd.Tabu()) if method is vd.SearchSpacePenalty else method()
    expected = {f.name: repr(getattr(made, f.name)) for f in dataclasses.fields(method)}
    if method is vd.SearchSpacePenalty:
        expected["algorithm"] = "required"
    assert {cells[0].strip("`"): cells[1].strip("`") for cells in rows(found)} == expected
    assert method.__name__ in (DOCS / "algorithms.md").read_text("utf-8")


USES_THE_ADDED = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]  # of an editable installation
sys.path.insert(0, sys.argv[1])
import veridag as vd
from veridag import specs
assert vd.__file__.startswith(sys.argv[1])
data = vd.networks.load("asia").sample(200, seed=1)
result = vd.parse("tabu(score=hannan-quinn(c=1.5), prior=fair)", "algorithm").learn(data)
assert "HannanQuinn(c=1.5)" in result.settings
assert vd.ChowLiu(score=vd.HannanQuinn()).learn(data).valid
assert "chow-liu" in specs.members("algorithm")
"""


@pytest.mark.medium
def test_what_the_page_on_adding_shows_is_all_that_is_needed(tmp_path):
    """A copy of the package with the files and lines of the page, and nothing else, has the new score and algorithm."""
    package = tmp_path / "src" / "veridag"
    shutil.copytree(Path(vd.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    core = Path(_core.__file__)
    shutil.copy(core, package / core.name)
    text = (DOCS / "adding.md").read_text("utf-8")
    for path, source in ADDED_FILE.findall(text):
        (tmp_path / path).write_text(source, "utf-8")
    for block in ADDED_LINES.findall(text):
        add_lines(tmp_path, block)
    command = [sys.executable, "-c", USES_THE_ADDED, str(tmp_path / "src")]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


def add_lines(root, block):
    """Add the lines of a diff to its files: names to __all__, others to the imports."""
    for line in block.splitlines():
        if line.startswith("--- "):
            path = root / line.removeprefix("--- ")
            continue
        added, text = line.removeprefix("+"), path.read_text("utf-8")
        place = "__all__ = [\n" if added.startswith(" ") else "from ."
        assert place in text
        new = f"{place}{added}\n" if added.startswith(" ") else f"{added}\n{place}"
        path.write_text(text.replace(place, new, 1), "utf-8")


def test_the_page_on_trust_shows_the_numbers_of_the_model():
    model, page = load_model(), (DOCS / "trust.md").read_text("utf-8")
    (table,) = (block for block in page.split("\n\n") if block.startswith("| symbol | number |"))
    shown = [(number, *map(float, values)) for _, number, *values in rows(table)]
    assert shown == [
        (f"{part}, {name}", *(model[kind][part][name] for kind in KINDS))
        for part in ("joined", "directed", "undirected")
        for name in model["discrete"][part]
    ]


def test_the_scripts_of_the_comparison_exist():
    named = set(re.findall(r"`(\w+\.py)`", (DOCS / "comparison.md").read_text("utf-8")))
    assert len(named) > 5
    assert named <= {path.name for path in (ROOT / "benchmarks").glob("*.py")}


@each_page
def test_every_relative_link_leads_somewhere(page):
    for target in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target.split("#")[0]).exists(), target


@each_page
def test_every_citation_is_in_the_bibliography(page):
    entries = ENTRY.findall((DOCS / "references.bib").read_text("utf-8"))
    for citation in CITATIONS.findall(prose(page)):
        keys = KEY.findall(citation)
        assert set(keys) <= set(entries), citation


def test_the_bibliography_holds_what_is_cited_and_nothing_twice():
    entries = ENTRY.findall((DOCS / "references.bib").read_text("utf-8"))
    cited = {key for page in PAGES for citation in CITATIONS.findall(prose(page)) for key in KEY.findall(citation)}
    assert sorted(entries) == sorted(cited)


def listed(page: Path) -> list[str]:
    """The pages that the toctrees of a page list, from docs/ on."""
    blocks = TOCTREE.findall(page.read_text("utf-8"))
    lines = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    return [str((page.parent / line).relative_to(DOCS)) for line in lines]


def test_every_page_can_be_reached_from_the_contents():
    reached, waiting = set(), ["index"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        path = DOCS / f"{page}.md"
        waiting += [p for p in (listed(path) if path.exists() else []) if p not in reached]
    pages = {str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md")}
    assert pages <= reached, "a page needs a line in a toctree, of docs/index.md or of its folder's index"


def test_no_page_is_listed_twice():
    entries = [page for path in DOCS.rglob("*.md") for page in listed(path)]
    assert sorted(entries) == sorted(set(entries))
