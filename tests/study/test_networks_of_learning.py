"""Random networks in studies of learners, and figures whose intervals are over networks."""

from __future__ import annotations

import math

import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kinds.learning import KIND
from veridag.study.kinds.learning.comparison import differences
from veridag.study.kinds.learning.predictions import agreement
from veridag.study.kinds.learning.sources import load_network
from veridag.study.shared import Shared

GRID = """
kind = "learning"
[grid]
networks = ["random(dirichlet)", "asia"]
variables = [8, 12]
sizes = [50, 100]
repetitions = 2
measures = ["scaled-shd", "loglik"]
test_rows = 300
[grid.learners]
BIC = "tabu(score=bic)"
usual = "default"
"""


def run(cell):
    [row] = KIND.run(cell.settings, cell.seed, Shared(1 << 28))
    return row


def test_a_repetition_of_a_random_network_is_one_network_for_all_sizes_and_learners(planned):
    cells = [cell.settings for cell in planned().cells if cell.settings["network"] != "asia"]
    drawn = [[load_network(own) for own in cells if own["repetition"] == repetition] for repetition in (0, 1)]
    for own in drawn:
        assert len(own) == 4
        assert all(network == own[0] for network in own)
        assert 8 <= len(own[0].names) <= 12
    assert drawn[0][0] != drawn[1][0]


def test_the_range_of_variables_and_the_seed_of_the_study_change_random_networks_alone(planned):
    first = [cell.settings for cell in planned().cells]
    for text in (GRID.replace("[8, 12]", "[8, 13]"), GRID.replace('"learning"', '"learning"\nseed = 1')):
        other = [cell.settings for cell in planned(text).cells]
        pairs = zip(first, other, strict=True)
        same = {own["network"]: load_network(own) == load_network(its) for own, its in pairs}
        assert same == {"random(dirichlet)": False, "asia": True}


@pytest.mark.parametrize(("structure", "least", "most"), [("sparse", 0.1, 1.0), ("dense", 1.5, 3.5)])
def test_sparse_and_dense_networks_have_few_and_many_arcs_for_their_variables(structure, least, most):
    about = {"network": f"random(ranked, {structure})", "fewest": 10, "most": 30, "seed": 0}
    for repetition in range(8):
        network = load_network({**about, "repetition": repetition})
        assert least < len(network.dag.arcs) / len(network.names) < most


def test_test_rows_are_of_the_network_that_the_sample_is_of(planned):
    """The true structure predicts better than none; of another network it would have other variables or parents."""
    text = GRID.replace('"default"', '"exact(prior=indegree-equals(d=truth), max_indegree=5)"').replace(
        "[50, 100]", "[5000]"
    )
    for cell in planned(text).cells[:4]:
        row = run(cell)
        truth = load_network(cell.settings)
        entropy = -truth.log_likelihood(truth.sample(5000, seed=1)) / 5000
        assert -row["loglik"] == pytest.approx(entropy, rel=0.1)


def test_the_learner_named_default_is_what_learn_takes(planned):
    cell = next(cell for cell in planned().cells if cell.settings["learner"] == "default")
    truth = load_network(cell.settings)
    shared = Shared(1 << 28)
    [row] = KIND.run(cell.settings, cell.seed, shared)
    [data] = [shared._kept[key][0] for key in shared._kept if key[0] == "sample"]
    assert row["scaled_shd"] == vd.scaled_shd(truth.dag, vd.learn(data, seed=cell.seed).graph)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("random(dirichlet)", "random(dirichlet", "write a random network as"),
        ("random(dirichlet)", "random(dirchlet)", "'dirchlet' is unknown: did you mean 'dirichlet'"),
        ("random(dirichlet)", "random(dirichlet, spares)", "'spares' is unknown: did you mean 'sparse'"),
        (
            "random(dirichlet)",
            "random(gaussian)",
            r"networks = 'random\(gaussian\)': it is gaussian, but learners.BIC has",
        ),
        ("variables = [8, 12]", "", "'variables' is missing"),
        ("variables = [8, 12]", "variables = [12, 8]", "give the fewest and the most"),
        ("variables = [8, 12]", "variables = [7, 12]", "variables = 7: .*at least 8"),
        ("sizes = [50, 100]", "relative_sizes = [0.5]", "relative_sizes = 0.5: give sizes"),
    ],
)
def test_a_mistake_in_a_random_network_is_found_before_anything_runs(planned, old, new, message):
    text = GRID.replace("score=bic", "score=bdeu") if "gaussian" in new else GRID
    with pytest.raises(InputError, match=message):
        planned(text.replace(old, new))


@pytest.mark.parametrize("entry", ['type = "quadrants"', 'x = "relative"'])
def test_figures_over_rows_per_parameter_are_refused_for_random_networks(planned, entry):
    figure = f'[[grid.figures]]\nname = "f"\n{entry}\ncolumns = ["scaled_shd"]\n'
    with pytest.raises(InputError, match="parameters of random networks are not known before"):
        planned(f"{GRID}\n{figure}")


def rows_of(study, values):
    settings = [{k: v for k, v in cell.settings.items() if k != "measures"} for cell in study.cells]
    lines = zip(study.cells, settings, values, strict=True)
    return pl.DataFrame([{"key": cell.key, **own, "scaled_shd": v, "loglik": -v} for cell, own, v in lines])


def sample(network, repetition, n, **values):
    return [
        {
            "network": network,
            "repetition": repetition,
            "n": n,
            "label": label,
            "scaled_shd": value,
            "loglik": likelihood,
        }
        for label, (value, likelihood) in values.items()
    ]


def test_differences_are_means_over_networks_with_t_intervals():
    """Two samples of a reference network are one network; two repetitions of a random one are two."""
    rows = pl.DataFrame(
        [
            *sample("asia", 0, 50, a=(1.0, 0), b=(1.5, 0)),
            *sample("asia", 1, 50, a=(1.0, 0), b=(1.1, 0)),
            *sample("random(ranked)", 0, 50, a=(2.0, 0), b=(2.6, 0)),
            *sample("random(ranked)", 1, 50, a=(0.0, 0), b=(0.9, 0)),
        ]
    )
    table = differences(rows, "scaled_shd", "a")
    [b] = table.filter(label="b", networks="all", n=50).to_dicts()
    assert b["number"] == 3
    assert b["difference"] == pytest.approx((0.3 + 0.6 + 0.9) / 3)
    assert b["scaled_shd"] == pytest.approx((1.3 + 2.6 + 0.9) / 3)
    half = 4.302652729911275 * 0.3 / math.sqrt(3)  # the 97.5 % quantile of t with two degrees of freedom
    assert (b["low"], b["high"]) == (pytest.approx(0.6 - half), pytest.approx(0.6 + half))
    [alone] = table.filter(label="b", networks="asia", n=50).to_dicts()
    assert (alone["number"], alone["low"]) == (1, None)
    assert table.filter(label="a")["difference"].to_list() == [0.0] * 6


def test_a_sample_on_which_the_baseline_did_not_finish_is_left_out():
    rows = pl.DataFrame([*sample("asia", 0, 50, a=(1.0, 0), b=(1.5, 0)), *sample("asia", 1, 50, b=(9.0, 0))])
    [b] = differences(rows, "scaled_shd", "a").filter(label="b", networks="all", n=50).to_dicts()
    assert b["difference"] == 0.5


def test_agreement_of_likelihood_and_distance_in_a_sample():
    """Distances 1, 2, 2, 4 and likelihoods -2, -1, -3, -3: the second is best by likelihood, the first in truth."""
    rows = pl.DataFrame(sample("asia", 0, 50, a=(1.0, -2.0), b=(2.0, -1.0), c=(2.0, -3.0), d=(4.0, -3.0)))
    [found] = agreement(rows, "d").to_dicts()
    # ranks of likelihood 3, 4, 1.5, 1.5, and of closeness 4, 2.5, 2.5, 1
    assert found["correlation"] == pytest.approx(2.25 / 4.5)
    # a-b no, a-c yes, a-d yes, b-d yes, c-d half; b and c are equally far
    assert found["alike"] == pytest.approx(3.5 / 5)
    assert found["regret"] == 1.0
    assert found["regret_of_baseline"] == 3.0
    assert found["regret_of_any"] == pytest.approx(9 / 4 - 1)
    assert found["regret_above_baseline"] == -2.0


def test_learners_that_are_all_alike_say_nothing_about_agreement():
    rows = pl.DataFrame(sample("asia", 0, 50, a=(1.0, -2.0), b=(1.0, -2.0)))
    [found] = agreement(rows, "a").to_dicts()
    assert math.isnan(found["correlation"])
    assert found["alike"] is None
    assert found["regret"] == 0.0


@pytest.mark.medium
def test_figures_have_a_panel_for_each_size_and_the_best_learner_on_top(planned):
    wanted = [("d", "differences"), ("p", "predictions")]
    figures = [f'[[grid.figures]]\nname = "{name}"\ntype = "{kind}"\nbaseline = "BIC"\n' for name, kind in wanted]
    study = planned(GRID + "".join(figures))
    better = [2.0 if cell.settings["learner"] != "default" else 1.0 for cell in study.cells]
    compared, predicted = KIND.figures(study.spec, rows_of(study, better))
    axes = compared.drawing.axes
    assert [panel.get_title(loc="left") for panel in axes] == ["50 rows", "100 rows"]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["BIC", "usual"]  # from below
    assert "3 networks" in compared.drawing.legends[0].get_title().get_text()
    assert compared.data.filter(label="usual", networks="all")["high"].to_list() == [-1.0] * 3
    assert predicted.data.filter(measure="alike", networks="all")["mean"].to_list() == [1.0] * 3
    assert predicted.data.filter(measure="regret_of_baseline", networks="all")["mean"].to_list() == [1.0] * 3
