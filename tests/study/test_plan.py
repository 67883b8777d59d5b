"""Study files: what is in them is checked before anything runs, and a cell is what its settings say."""

from __future__ import annotations

import json
from hashlib import blake2b

import pytest

from veridag.errors import InputError
from veridag.study import kinds, plan
from veridag.study.kind import content_key, derive_seed, fingerprint


def write(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    return path


LEARNING = """
kind = "learning"
[grid]
networks = ["asia"]
sizes = [50]
repetitions = 2
[grid.learners]
a = "tabu(score=bic)"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "learning"', 'kind = "lerning"', "kind = 'lerning'.*did you mean 'learning'"),
        ('kind = "learning"', 'kind = "learning"\nscael = 1', "'scael' is unknown"),
        ('kind = "learning"', 'kind = "learning"\nseed = -1', "seed = -1 must be an integer"),
        ('kind = "learning"', "", "'kind' is missing"),
        ("sizes = [50]", "size = [50]", "'size' is unknown: did you mean 'sizes'"),
        ("sizes = [50]", "", "sizes = .*relative_sizes"),
        ("sizes = [50]", "sizes = [50, 50]", "sizes = 50: it is given twice"),
        ("sizes = [50]", "sizes = [1]", "sizes = 1: .*at least 2"),
        ("sizes = [50]", "sizes = 50", "sizes = 50: give a list"),
        ("sizes = [50]", "relative_sizes = [0.0]", "relative_sizes = 0.0: give numbers above 0"),
        ("repetitions = 2", "repetitions = 0", "repetitions = 0: .*at least 1"),
        ('["asia"]', '["aisa"]', "networks = 'aisa': did you mean 'asia'"),
        ('["asia"]', "[]", "networks"),
        ('["asia"]', '["ecoli70"]', "networks = 'ecoli70'.*gaussian.*BDeu"),
        ("tabu(score=bic)", "tabu(scroe=bic)", "learners.a: .*scroe"),
        ("repetitions = 2", 'repetitions = 2\nmeasures = ["shp"]', "measures = 'shp': did you mean"),
        ("repetitions = 2", "repetitions = ", "not a TOML file"),
    ],
)
def test_a_mistake_in_a_file_names_the_key_its_value_and_a_remedy(tmp_path, old, new, message):
    text = LEARNING if "ecoli" not in new else LEARNING.replace("score=bic", "score=bdeu")
    assert old in text
    with pytest.raises(InputError, match=message):
        plan.load(write(tmp_path, text.replace(old, new)))


def test_a_scale_that_is_not_there_is_an_error_and_short_is_the_default(tmp_path):
    assert plan.load(write(tmp_path, LEARNING)).spec.scale == ""
    path = write(tmp_path, f"{LEARNING}\n[smoke]\nrepetitions = 1\n[short]\nrepetitions = 3\n")
    assert len(plan.load(path).cells) == 3
    assert len(plan.load(path, "smoke").cells) == 1
    with pytest.raises(InputError, match="scale 'paper': the file has smoke, short"):
        plan.load(path, "paper")


def test_tables_of_a_scale_go_over_those_of_the_grid_key_by_key(tmp_path):
    extra = '\n[short.learners]\na = "hill-climbing"\nb = "tabu(score=aic)"\n'
    cells = plan.load(write(tmp_path, LEARNING + extra)).cells
    assert {str(cell.settings["learner"]).split("(")[0] for cell in cells} == {"HillClimbing", "Tabu"}
    assert {"AIC()" in str(cell.settings["learner"]) for cell in cells} == {True, False}


def test_a_study_that_is_nowhere_suggests_one(tmp_path):
    with pytest.raises(InputError, match="did you mean 'structure-priors'"):
        plan.load("structure-prior")


def test_the_key_is_the_content_and_neither_the_order_nor_the_place_of_files():
    key = content_key("k", {"a": 1, "b": ("x", "y"), "path": "/here"})
    assert key == content_key("k", {"b": ("x", "y"), "a": 1, "path": "/there", "path_2": ""})
    others = [
        content_key("l", {"a": 1, "b": ("x", "y")}),
        content_key("k", {"a": 2, "b": ("x", "y")}),
        content_key("k", {"a": 1, "b": ("x", "y")}, seed=1),
        content_key("k", {"a": 1, "b": ("x", "y")}, revision=2),
        content_key("k", {"a": 1.5, "b": ("x", "y")}),
    ]
    assert len({key, *others}) == 6


@pytest.mark.parametrize(
    ("study", "digest"),
    [
        ("best-combination", "a7c2e5880c01e768"),
        ("beyond-uniform-priors", "1149f18af72798b1"),
        ("climate", "891557645e6e676a"),
        ("intersection-validation", "da9d1ca49208f23f"),
        ("mixed", "df802d9a8e3b0b16"),
        ("related-data-sets", "af16d032fdbc2a24"),
        ("structure-priors", "75635ec97c3a803b"),
        ("structure-priors-real", "0de5c74bd5e18b9f"),
        ("who-learns-better", "410353401f7f1779"),
    ],
)
def test_cells_have_the_keys_that_stores_of_earlier_versions_have(study, digest):
    """Where a learner changes what it learns, its settings change, and so do its keys."""
    keys = "".join(cell.key for cell in plan.load(study, "smoke").cells)
    assert blake2b(keys.encode("ascii"), digest_size=8).hexdigest() == digest


def test_keys_and_seeds_are_the_same_on_every_machine():
    assert content_key("k", {"a": 1, "b": "ü"}) == content_key("k", json.loads('{"b": "\\u00fc", "a": 1}'))
    assert derive_seed("sample", 0, "alarm", 50, 1) == 3475485358276220114
    cell = plan.Cell("ff" * 16, "k", {})
    assert cell.seed == 2**63 - 1


def test_a_cell_that_two_parts_ask_for_is_there_once(tmp_path):
    parts = '[grid.parts.one]\nnetworks = ["asia"]\n[grid.parts.two]\nnetworks = ["asia", "cancer"]\n'
    text = LEARNING.replace('networks = ["asia"]\n', "") + parts
    assert len(plan.load(write(tmp_path, text)).cells) == 4


def test_relative_sizes_are_relative_to_the_number_of_parameters(tmp_path):
    text = LEARNING.replace("sizes = [50]", "relative_sizes = [0.01, 0.5, 2.0]").replace("asia", "alarm")
    assert {cell.settings["n"] for cell in plan.load(write(tmp_path, text)).cells} == {5, 254, 1018}


def test_spelling_does_not_change_the_key_but_settings_do(tmp_path):
    def key(spec):
        text = LEARNING.replace("tabu(score=bic)", spec)
        return plan.load(write(tmp_path, text)).cells[0].key

    assert key("tabu(score=bic)") == key("Tabu( BIC(gamma=0) )")
    assert key("tabu(score=bic)") != key("tabu(score=bic, tabu=11)")


def test_a_fingerprint_is_about_what_is_in_a_file(tmp_path):
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text("x\n1\n")
    two.write_text("x\n1\n")
    assert fingerprint(one) == fingerprint(two)
    two.write_text("x\n2\n")
    assert fingerprint(one) != fingerprint(two)


@pytest.mark.slow  # the largest has 97 200 cells
@pytest.mark.parametrize("name", plan.names())
def test_every_study_of_the_package_can_be_planned_at_every_scale_without_data(name):
    if "data" in plan.describe(name).grid or name in ("climate", "interventions", "structure-priors-real"):
        pytest.skip("needs data")
    sizes = [len(plan.load(name, scale).cells) for scale in plan.SCALES]
    assert sizes == sorted(sizes)


def test_a_kind_of_ones_own_must_be_a_kind():
    with pytest.raises(InputError, match="no_such_module"):
        kinds.load("no_such_module:KIND")
    with pytest.raises(InputError, match="must be an instance of a subclass of Kind"):
        kinds.load("veridag.errors:suggest")


def test_a_file_may_limit_the_time_of_its_cells(sums):
    path = sums(numbers="[1, 2]", repetitions=1)
    plain = plan.load(path, trust_kinds=True)
    text = path.read_text()
    path.write_text(text.replace("[grid]", "[grid]\ntime_limit = 90", 1))
    limited = plan.load(path, trust_kinds=True)
    assert (plain.spec.time_limit, limited.spec.time_limit) == (None, 90)
    assert limited.cells == plain.cells  # how long a cell may take is no part of what it is
    path.write_text(text.replace("[grid]", "[grid]\ntime_limit = 0", 1))
    with pytest.raises(InputError, match="time_limit = 0"):
        plan.load(path, trust_kinds=True)
