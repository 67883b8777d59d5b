"""The documentation site: nothing is left out of it, and it fetches nothing from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import veridag as vd

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'veridag[docs]'")
pytestmark = pytest.mark.slow
sys.path.insert(0, str(DOCS / "_ext"))
from bibliography import link_citations, read_bibliography  # noqa: E402
from claims import index_of, link_claims, mark_rows  # noqa: E402
from command_line import commands, options, section  # noqa: E402
from kept import findable, lost_addresses, not_found  # noqa: E402
from mathml import CannotRender, to_mathml  # noqa: E402
from public_names import described, keep_as_written, names_in, type_markup, with_equations  # noqa: E402
from self_contained import outside_of_page, outside_of_site, outside_of_style  # noqa: E402

sys.path.remove(str(DOCS / "_ext"))

PUBLIC = re.compile(r"^```\{public\} (.+)$", re.MULTILINE)
ENTRIES = read_bibliography(DOCS / "references.bib")


def test_every_public_name_is_in_the_api_reference():
    homes = [home for page in (DOCS / "api").glob("*.md") for home in PUBLIC.findall(page.read_text("utf-8"))]
    assert sorted(homes) == sorted(set(homes))
    documented = [name for home in homes for name in names_in(home)]
    missing = {name for name in vd.__all__ if name != "__version__"} - set(documented)
    assert not missing, f"add the modules of {sorted(missing)} to a page of docs/api, as {{public}} module"
    assert len(documented) == len(set(documented))


def test_what_is_fetched_from_elsewhere_is_found():
    fetched = """<link rel="stylesheet" href="https://fonts.test/a.css"><script src="//cdn.test/b.js"></script>
    <img src="c.png" srcset="c.png 1x, https://img.test/c.png 2x"><style>@import "http://x.test/d.css";</style>
    <p style="background: url('https://y.test/e.png')"><iframe src="HTTPS://z.test/f"></iframe>"""
    assert len(outside_of_page(fetched)) == 6
    assert outside_of_style("@font-face { src: url(https://fonts.test/a.woff2) }") == ["https://fonts.test/a.woff2"]


def test_links_and_what_comes_along_are_no_fetches():
    own = """<a href="https://elsewhere.test">there</a><link rel="canonical" href="https://site.test/">
    <link rel="next" href="b.html"><script src="_static/a.js"></script><img src="data:image/png;base64,AA==">
    <style>a{}</style><svg xmlns="http://www.w3.org/2000/svg"></svg><code>url(https://in.code.test)</code>"""
    assert outside_of_page(own) == []
    assert outside_of_style("a { background: url(data:image/svg+xml;base64,AA) url('b.png') }") == []


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small site with the real settings and extensions, built strictly."""
    source, out = tmp_path_factory.mktemp("docs"), tmp_path_factory.mktemp("site")
    for name in ("conf.py", "_ext", "_static", "references.bib", "references.md"):
        copy = shutil.copytree if (DOCS / name).is_dir() else shutil.copy
        copy(DOCS / name, source / name)
    for name in ("a.svg", "b.png", "b-dark.png", "c.png"):
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg"><rect fill="#ffffff"/>{name}</svg>'
        (source / name).write_text(drawn, "utf-8")
    (source / "index.md").write_text(
        '# Small\n<a id="old-name"></a>\n\n'
        "As is said [@scutari2019, eq. 9].\n\n```python\nimport veridag as vd\n```\n\n"
        "<!--python\nnot_shown = vd.DAG.from_arcs([('a', 'b')])\n-->\n\n"
        "```{figure-from-code} drawn\n:alt: a causes b\n:caption: Both.\n\nnot_shown\n```\n\n"
        "```{figure-from-code} moved\n:alt: a comes to b\n:moving:\n\n"
        "growing(not_shown, [('a', 'b')], ['none', 'one', 'all'], {})\n```\n\n"
        "![first](a.svg) ![second](b.png) ![third](c.png)\n\n"
        "With $q_i$ and {eq}`one`:\n\n$$ \\sum_i q_i $$ (one)\n\n$$ \\nonsense $$\n\n"
        "```{public} trust.intersection_validation trust.agreement.Trust\n```\n\n```{toctree}\nreferences\n```\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "sphinx", "--quiet", "--keep-going", str(source), str(out)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return out, finished.stderr


def test_the_built_site_fetches_nothing_from_elsewhere(site):
    out, _ = site
    assert (out / "index.html").exists()
    assert outside_of_site(out) == []


def test_the_built_site_has_citations_and_the_reference(site):
    out, complaints = site
    page = (out / "index.html").read_text("utf-8")
    assert re.search(r'<a class="reference internal" href="references.html#scutari2019">', page)
    assert 'id="scutari2019"' in (out / "references.html").read_text("utf-8")
    assert 'id="veridag.intersection_validation"' in page
    assert "[docutils]" not in complaints  # no docstring is mistaken for markup


def test_docstrings_keep_their_symbols():
    assert keep_as_written("|Theta| and x_ * y, but `a_ * b` and ``|c|``") == (
        r"\|Theta\| and x\_ \* y, but `a_ * b` and ``|c|``"
    )


def test_public_classes_and_pages_in_docstrings_are_links():
    assert keep_as_written("see `DAG.cpdag`, `Nothing` and docs/data.md") == (
        "see :py:obj:`DAG.cpdag <veridag.DAG.cpdag>`, `Nothing` and :doc:`/data`"
    )


def test_parameters_become_a_table_with_types_and_defaults():
    lines = described("best_networks", vd.best_networks, vd.best_networks.__doc__)
    row = lines.index("   * - ``k``")
    assert lines[row + 1 : row + 3] == ["     - ``int``", "     - ``10``"]
    assert ":raises MemoryError: If the search would need more than `memory_limit`." in lines
    assert any(line.startswith(":See also: :py:obj:`solve <veridag.solve>`") for line in lines)
    assert ":Examples: :doc:`/exact`" in lines


def test_the_parameters_of_a_method_are_those_of_its_page():
    lines = described("BDeu", vd.BDeu, vd.BDeu.__doc__)
    row = lines.index("   * - ``ess``")
    assert lines[row + 1 : row + 3] == ["     - ``float``", "     - ``1.0``"]
    assert lines[row + 3].startswith("     - A number above 0. A larger value gives the prior more weight")
    assert any(line.startswith(":Examples: :doc:`/scores/bdeu`") for line in lines)


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        ("~typing.Literal['a', 'b'] | None", "``'a' | 'b' | None``"),
        ("~collections.abc.Mapping[str, int]", "``Mapping[str, int]``"),
        ("~veridag.graph.dag.DAG | None", r":py:obj:`DAG <veridag.graph.dag.DAG>`\  ``| None``"),
        ("~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.float64]]", "``ndarray``"),
    ],
)
def test_types_are_short_and_link_to_classes(annotation, shown):
    assert type_markup(annotation) == shown


def test_citations_become_links_in_the_words_of_the_text():
    text = """## References
Akaike 1974 [@akaike1974]; Scutari, Graafland and Gutiérrez 2019
[@scutari2019]. It is so [@viinikka2019, section 2; @suzuki2017], says Suzuki [@suzuki2017].
Not `[@code]`.
"""
    assert (
        link_citations(text, ENTRIES, "scores/aic")
        == """## References
[Akaike 1974](../references.md#akaike1974); [Scutari, Graafland and Gutiérrez 2019](../references.md#scutari2019). \
It is so ([Viinikka 2019](../references.md#viinikka2019), section 2; [Suzuki 2017](../references.md#suzuki2017)), \
says Suzuki ([2017](../references.md#suzuki2017)).
Not `[@code]`.
"""
    )


@pytest.mark.parametrize("key", ENTRIES)
def test_every_reference_reads_without_tex(key):
    described = ENTRIES[key].describe()
    assert ENTRIES[key].fields["year"] in described
    assert not re.search(r"[\\{}]|--|``", described)


def test_accents_are_letters():
    assert "Mélou" in ENTRIES["melancon2001"].describe()
    assert "Melançon" in ENTRIES["melancon2001"].label
    assert "Kjærulff" in ENTRIES["kjaerulff1990"].describe()
    assert ENTRIES["cooper1992"].label == "Cooper and Herskovits 1992"


def test_mathematics_is_mathml_with_its_tex():
    made = ElementTree.fromstring(to_mathml(r"\log \frac{n_{ij}}{n} < |\Theta|"))
    assert made.tag.endswith("}math")
    [annotation] = made.iter("{http://www.w3.org/1998/Math/MathML}annotation")
    assert annotation.text == r"\log \frac{n_{ij}}{n} < |\Theta|"
    assert len(list(made.iter("{http://www.w3.org/1998/Math/MathML}mfrac"))) == 1


@pytest.mark.parametrize("tex", [r"\nonsense{x}", r"\frac{a", r"a_", r"\begin{aligned} a &= b \end{aligned}"])
def test_tex_that_cannot_be_rendered_is_refused(tex):
    with pytest.raises(CannotRender, match=re.escape(repr(tex))):
        to_mathml(tex)


def test_the_built_site_has_mathematics_and_figures(site):
    out, complaints = site
    page = (out / "index.html").read_text("utf-8")
    assert page.count("<math ") == 2
    assert '<span class="eqno">(1)' in page
    assert re.search(r'<a class="reference internal" href="#equation-[\w-]+">\(1\)</a>', page)
    for shade in ("light", "dark"):
        assert f'<img class="only-{shade}" src="_figures/index-drawn-{shade}.svg" alt="a causes b">' in page
        assert "</svg>" in (out / "_figures" / f"index-drawn-{shade}.svg").read_text("utf-8")
    assert "not_shown" not in page
    assert "nonsense" in complaints, "unknown TeX is a warning, which fails `make docs`"


def test_pictures_of_the_built_site_have_two_shades_where_there_are_two(site):
    out, _ = site
    page = (out / "index.html").read_text("utf-8")
    for name, alt in (("a", "first"), ("b", "second")):
        files = re.findall(rf'<img class="only-(?:light|dark)" src="([^"]+)" alt="{alt}">', page)
        assert [Path(file).stem for file in files] == [f"index-{name}-light", f"index-{name}-dark"]
        light, dark = ((out / file).read_text("utf-8") for file in files)
        assert light != dark
    assert re.search(r'<img alt="third" src="_images/c.png" */>', page)


def test_a_moving_picture_stands_still_for_those_who_prefer_it(site):
    out, _ = site
    page = (out / "index.html").read_text("utf-8")
    sources = re.findall(r'<source media="\(prefers-reduced-motion: reduce\)" srcset="([^"]+)"><img class="only-', page)
    assert [Path(file).stem for file in sources] == ["index-moved-light-still", "index-moved-dark-still"]
    for file in sources:
        assert "@media all{.veridag-graph *{animation:none!important}}" in (out / file).read_text("utf-8")


def test_equations_in_docstrings_become_blocks():
    lines = ["The score $q_i$ of |x|", "", "$$", r"\sum_i", "x_i", "$$", "", "More."]
    assert list(with_equations(lines)) == [
        r"The score :math:`q_i` of \|x\|",
        "",
        ".. math::",
        "",
        r"   \sum_i",
        "   x_i",
        "",
        "",
        "More.",
    ]


def test_an_address_that_is_gone_is_found(site):
    out, _ = site
    assert lost_addresses(out, ["index#small", "index#old-name", "index#gone", "nowhere#a"]) == [
        "index#gone",
        "nowhere#a",
    ]


def test_a_name_that_the_search_does_not_find_is_reported(site):
    out, _ = site
    text = (out / "searchindex.js").read_text("utf-8")
    objects = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))["objects"]
    assert not_found(objects, ["veridag.intersection_validation", "veridag.unknown"]) == ["veridag.unknown"]
    assert {"veridag.Data", "veridag-learn.--score", "veridag-study-run.--jobs"} <= set(findable())


@pytest.mark.parametrize("name", sorted(name for name, _ in commands()))
def test_every_command_is_described_with_its_options(name):
    command = dict(commands())[name]
    lines = list(section(name, command))
    assert lines[0] == f"## {name}"
    described = {
        flag for line in lines if line.startswith(".. option:: ") for flag in re.findall(r"(?<!\S)-[\w-]+", line)
    }
    assert described == {flag for option in options(command) for flag in (*option.opts, *option.secondary_opts)}


def test_an_address_in_the_help_is_code_and_no_link():
    lines = list(section("bootstrap", dict(commands())["bootstrap"]))
    assert any("``tcp://host:8786``" in line for line in lines)


def test_codes_of_claims_become_links_to_their_rows():
    assert mark_rows("| SP-14 | Fair |") == '| <a class="claim-row" id="sp-14" href="#sp-14">SP-14</a> | Fair |'
    linked = link_claims("It held (SP-14; WL-1), not `SP-14` or XSP-14.", "scores/bic")
    assert linked == (
        'It held (<a class="claim" href="../replication/structure-priors.html#sp-14">SP-14</a>; '
        '<a class="claim" href="../replication/who-learns-better.html#wl-1">WL-1</a>), not `SP-14` or XSP-14.'
    )
    assert link_claims(mark_rows("| SP-14 | Fair |"), "replication/structure-priors") == mark_rows("| SP-14 | Fair |")


def test_the_overview_lists_claims_by_verdict_at_their_old_addresses():
    table = index_of(
        ["# Replication: structure priors\n| SP-1 | a | **holds** | b | c |\n| SP-2 | a | **not tested** | b | c |\n"]
    )
    page = "replication/structure-priors.html"
    first, second = (f'<a class="claim" id="sp-{k}" href="{page}#sp-{k}">SP-{k}</a>' for k in (1, 2))
    assert table.splitlines()[2] == f"| Structure priors | {first} |  |  | {second} |"


def test_every_claim_that_a_page_names_has_a_row():
    pages = {path: path.read_text("utf-8") for path in DOCS.rglob("*.md")}
    marked = re.compile(r'class="claim-row" id="([a-z]+-[0-9]+)"')
    rows = {code for text in pages.values() for code in marked.findall(mark_rows(text))}
    named = {
        code for text in pages.values() for code in re.findall(r"\.html#([a-z]{2}-[0-9]+)", link_claims(text, "page"))
    }
    assert named
    assert named <= rows
