"""What every public value looks like: a short line as repr, and HTML for notebooks that no name can break."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import veridag as vd
from veridag.display import ROWS, table

SCRIPT = "<script>alert('1')</script>"
NAMES = (SCRIPT, '"><img src=x onerror=alert(1)>', "A & B", "plain")


@cache
def network() -> vd.Network:
    """A chain with names that are code where they are not escaped."""
    states = {name: (f"{SCRIPT}{i}", "</td>", "&amp;"[i:]) for i, name in enumerate(NAMES)}
    rng = np.random.default_rng(1)
    cpds = {NAMES[0]: vd.Table((), rng.dirichlet(np.ones(3)))}
    for parent, child in pairwise(NAMES):
        cpds[child] = vd.Table((parent,), rng.dirichlet(np.full(3, 0.2), size=3))
    return vd.Network(cpds, states, name=SCRIPT)


@cache
def gaussian() -> vd.Network:
    rng = np.random.default_rng(1)
    cpds = {NAMES[0]: vd.LinearGaussian((), 0.5, np.empty(0), 1.0)}
    for parent, child in pairwise(NAMES):
        cpds[child] = vd.LinearGaussian((parent,), -1.0, rng.normal(size=1), 1.0)
    return vd.Network(cpds, name=SCRIPT)


@cache
def mixed() -> vd.Network:
    """Two discrete and two continuous variables."""
    a, b, x, y = NAMES
    rng = np.random.default_rng(1)
    cpds = {
        a: network().table(a),
        b: network().table(b),
        x: vd.ConditionalGaussian((a, b), (), rng.normal(size=(3, 3)), np.empty((3, 3, 0)), np.ones((3, 3))),
        y: vd.ConditionalGaussian((b,), (x,), rng.normal(size=3), rng.normal(size=(3, 1)), np.ones(3)),
    }
    return vd.Network(cpds, {v: network().states[v] for v in (a, b)}, name=SCRIPT)


@cache
def data() -> vd.Data:
    return network().sample(400, seed=1)


@cache
def grouped() -> vd.Data:
    half = data().to_pandas()
    return vd.Data.from_frame(half.assign(group=[SCRIPT, "b"] * 200), group="group")


@cache
def validation() -> vd.Validation:
    learners = [vd.HillClimbing(), vd.GES(), vd.PCStable()]
    return vd.intersection_validation(data(), learners, sizes=[100, 200], repeats=3, truth=network().dag)


@cache
def report() -> vd.Report:
    return vd.make_report(data(), [vd.HillClimbing(), vd.GES()], sizes=[100], repeats=2, title=SCRIPT)


LEARNER = vd.HillClimbing()
VALUES: dict[str, Callable[[], object]] = {
    "DAG": lambda: network().dag,
    "PDAG": lambda: vd.PDAG.from_arcs([NAMES[:2]], [NAMES[1:3]], NAMES),
    "PartialGraph": lambda: validation().agreement,
    "Data": data,
    "Network": network,
    "Gaussian network": gaussian,
    "Mixed network": mixed,
    "RegressionTable": lambda: mixed().regressions(NAMES[3]),
    "ConditionalTable": lambda: network().cpt(NAMES[1]),
    "RelatedNetworks": lambda: vd.fit(network().dag, grouped(), method="pooled"),
    "JointTable": lambda: network().query(NAMES[1:3], {NAMES[0]: f"{SCRIPT}0"}),
    "JointMixture": lambda: mixed().query(NAMES[1:3], {NAMES[0]: f"{SCRIPT}0", NAMES[3]: 0.5}),
    "JointGaussian": lambda: gaussian().query(NAMES[1:3], {NAMES[0]: 1.0}),
    "Result": lambda: LEARNER.learn(data()),
    "Result without a score": lambda: vd.PCStable().learn(data()),
    "Result with a proof": lambda: vd.Exact().learn(data()),
    "RankedNetwork": lambda: vd.best_networks(data(), k=2)[0],
    "Knowledge": lambda: vd.Knowledge(required=[NAMES[:2]], tiers=[NAMES[:2], NAMES[2:]], max_indegree={NAMES[0]: 1}),
    "ScoreTable": lambda: vd.score_table(data(), vd.BIC()),
    "TestResult": lambda: vd.test(*NAMES[:2], [], data(), vd.G2()),
    "Posterior": lambda: vd.posterior(data()),
    "Draws": lambda: vd.posterior(data(), method="sample", draws=20),
    "Strengths": lambda: vd.bootstrap(data(), LEARNER, repeats=3),
    "CrossValidation": lambda: vd.cross_validate(data(), LEARNER, folds=3),
    "Validation": validation,
    "GroupDifferences": lambda: vd.group_differences(network().dag, grouped()),
    "PoolingComparison": lambda: vd.compare_pooling(network().dag, grouped(), folds=2),
    "Report": report,
}
#: What has no graph to draw.
NOT_DRAWN = {
    "Data",
    "ConditionalTable",
    "RegressionTable",
    "JointTable",
    "JointGaussian",
    "JointMixture",
    "Knowledge",
    "ScoreTable",
    "TestResult",
    "CrossValidation",
    "PoolingComparison",
}


def html_of(value: object) -> str:
    method = getattr(value, "_repr_html_", None) or value._repr_svg_  # type: ignore[attr-defined]
    return str(method())


@pytest.mark.medium
@pytest.mark.parametrize("kind", VALUES)
def test_html_is_well_formed_whatever_the_names(kind: str) -> None:
    html = html_of(VALUES[kind]())
    root = ElementTree.fromstring(f"<div>{html}</div>".replace("&nbsp;", " "))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "script" not in tags
    assert "img" not in tags
    assert ("svg" in tags) == (kind not in NOT_DRAWN)


#: What is worked with rather than looked at.
TOOLS: dict[str, Callable[[], object]] = {
    "Scorer": lambda: vd.Scorer(data(), vd.BDeu(), vd.Fair()),
    "Tester": lambda: vd.Tester(data(), vd.G2()),
    "RelatedSample": lambda: vd.simulate.related(changed_groups=2, removed_arcs=1),
}
TABLES = ("ConditionalTable", "RegressionTable", "JointTable", "JointGaussian", "JointMixture")


@pytest.mark.medium
@pytest.mark.parametrize("kind", [k for k in VALUES | TOOLS if k not in TABLES])
def test_the_repr_is_one_short_line(kind: str) -> None:
    text = repr((VALUES | TOOLS)[kind]())
    assert " at 0x" not in text
    assert len(text.splitlines()) == 1
    assert len(text) <= 400


@pytest.mark.medium
@pytest.mark.parametrize("kind", VALUES)
def test_the_text_fits_a_screen_and_holds_no_raw_numbers(kind: str) -> None:
    text = str(VALUES[kind]())
    assert len(text.splitlines()) <= 50
    assert "array(" not in text


def test_a_table_shows_the_states_by_name() -> None:
    asia = vd.networks.load("asia")
    assert repr(asia.cpt("dysp")).splitlines() == [
        "P(dysp | bronc, either)",
        "bronc  either  yes  no",
        "yes    yes     0.9  0.1",
        "yes    no      0.8  0.2",
        "no     yes     0.7  0.3",
        "no     no      0.1  0.9",
    ]
    assert repr(asia.cpt("asia")) == "P(asia)\nyes   no\n0.01  0.99"
    frame = asia.cpt("dysp").to_pandas()
    assert frame.loc[("yes", "no"), "yes"] == 0.8
    assert asia.cpt("asia").to_pandas()["yes"].tolist() == [0.01]


def test_long_tables_say_how_much_is_left_out() -> None:
    rows = [(f"{i}",) for i in range(ROWS + 7)]
    assert table(("x",), rows).endswith("<p>... and 7 more</p>")
    assert "more" not in table(("x",), rows[:ROWS])
    alarm = vd.networks.load("hailfinder")
    assert "more" in alarm._repr_html_()


def test_a_graph_that_is_too_large_is_not_drawn() -> None:
    dag = vd.DAG.empty([f"v{i}" for i in range(200)])
    cpds = {v: vd.Table((), np.array([0.5, 0.5])) for v in dag.names}
    html = vd.Network(cpds, {v: ["a", "b"] for v in dag.names})._repr_html_()
    assert "<svg" not in html
    assert "200 variables are too many to draw here" in html


def test_a_result_says_what_matters() -> None:
    result = vd.HillClimbing().learn(vd.networks.load("asia").sample(500, seed=1))
    assert repr(result).startswith("<Result of HillClimbing: DAG: 8 variables, ")
    assert f"score {result.score:.8g}" in repr(result)
    assert result.settings in str(result)


def test_a_notebook_shows_what_was_done_to_a_table_and_texts_on_the_left():
    data = vd.networks.load("asia").sample(40, seed=1).subsample(20, seed=1)
    assert "<li>subsample of 20 of 40 observations" in data.describe()._repr_html_()
    shown = vd.learn(data)._repr_html_()
    assert '<td style="text-align:left">learner</td>' in shown
    assert "<td>0.5</td>" in table(("x",), [("0.5",)])
