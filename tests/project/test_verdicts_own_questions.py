"""The numbers of the page on two questions of our own, and of the page on choosing, follow from the shipped tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from veridag.study.kinds.learning.comparison import differences
from veridag.study.kinds.learning.predictions import means

REPLICATION = Path(__file__).parents[2] / "docs" / "replication"
BEST = pl.read_csv(REPLICATION / "best-combination.csv", infer_schema_length=None)
LIKELIHOOD = pl.read_csv(REPLICATION / "likelihood-and-distance.csv", infer_schema_length=None)
CHOOSING = " ".join((REPLICATION.parent / "choosing.md").read_text("utf-8").split())
PAGE = " ".join((REPLICATION / "own-questions.md").read_text("utf-8").split())

SIZES = ("100", "300", "1000", "5000")
PARTS = {
    "discrete": ("BIC", "BDeu 1", "BDeu 10", "BDs 5", "qNML"),
    "gaussian": ("BIC", "BIC γ=0.5", "BGe", "BGe scaled"),
}
SEARCHES = ("BOSS", "GES", "tabu")
PRIORS = ("uniform", "fair", "VSP", "MU sparse")
#: The other learners of a part, over all networks.
OTHERS = BEST.filter(pl.col("networks") == "all", pl.col("learner") != "default")


def line(part: str, learner: str, n: str = "all", networks: str = "all") -> dict[str, float]:
    [found] = BEST.filter(part=part, learner=learner, n=n, networks=networks).to_dicts()
    return found


def interval(part: str, learner: str, n: str = "all") -> str:
    own = line(part, learner, n)
    return f"{own['difference']:+.3f} [{own['low']:.3f}, {own['high']:.3f}]"


def marked(part: str, learner: str, n: str = "all") -> str:
    """The interval, in bold if it excludes 0."""
    own, text = line(part, learner, n), interval(part, learner, n)
    return f"**{text}**" if own["low"] > 0 or own["high"] < 0 else text


def measured(part: str, measure: str, n: str = "all", networks: str = "all") -> dict[str, float]:
    [found] = LIKELIHOOD.filter(part=part, measure=measure, n=n, networks=networks).to_dicts()
    return found


def mean(part: str, measure: str, n: str = "all") -> str:
    own = measured(part, measure, n)
    return f"{own['mean']:.2f} [{own['low']:.2f}, {own['high']:.2f}]"


def percent(part: str) -> str:
    return f"{100 * measured(part, 'alike')['mean']:.0f} %"


def signed(part: str, measure: str) -> str:
    own = measured(part, measure)
    return f"{own['mean']:+.3f} [{own['low']:.3f}, {own['high']:.3f}]"


def others(part: str) -> str:
    """The range of what choosing by likelihood costs on the designs other than sparse functional networks."""
    single = LIKELIHOOD.filter(pl.col("networks") != "all", part=part, measure="regret", n="all")
    values = single.filter(pl.col("networks") != "random(functional, sparse)")["mean"]
    assert len(values) == 11
    return f"{min(values):.2f} to {max(values):.2f}"


NAMES = {"reference-discrete": ("child", "insurance", "alarm"), "reference-gaussian": ("ecoli70", "magic-niab")}
REFERENCES = {
    "reference-discrete": [
        "BOSS, BDeu 1, VSP",
        "GES, BDeu 1, fair",
        "tabu, BDeu 1, fair",
        "BOSS, BIC, fair",
        "BOSS, qNML, fair",
        "BOSS, BDeu 10, fair",
    ],
    "reference-gaussian": ["BOSS, BIC γ=0.5, fair", "BOSS, BGe, VSP", "GES, BGe, fair", "tabu, BGe, fair"],
}


def references(part: str) -> list[str]:
    names = NAMES[part]
    default = table_row(
        "default, SHD / arcs", *(f"{line(part, 'default', networks=name)['scaled_shd']:.2f}" for name in names)
    )
    rows = [
        table_row(own, *(f"{line(part, own, networks=name)['difference']:+.2f}" for name in names))
        for own in REFERENCES[part]
    ]
    return [default, *rows]


def worse(part: str, n: str = "all") -> list[str]:
    return OTHERS.filter(pl.col("low") > 0, part=part, n=n)["learner"].to_list()


def better(part: str, n: str = "all") -> list[str]:
    return OTHERS.filter(pl.col("high") < 0, part=part, n=n)["learner"].to_list()


def table_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def combinations(part: str) -> list[str]:
    """The rows of the table of all combinations, with all sizes together."""
    there = set(OTHERS.filter(part=part)["learner"])
    rows = [(score, prior) for score in PARTS[part] for prior in PRIORS if f"BOSS, {score}, {prior}" in there]
    assert 3 * len(rows) == len(there)
    return [
        table_row(f"{score}, {prior}", *(marked(part, f"{search}, {score}, {prior}") for search in SEARCHES))
        for score, prior in rows
    ]


BY_SIZE = {
    "discrete": [
        "BOSS, BDeu 1, VSP",
        "BOSS, BDeu 1, fair",
        "GES, BDeu 1, fair",
        "tabu, BDeu 1, fair",
        "BOSS, BIC, fair",
        "BOSS, BDs 5, MU sparse",
        "GES, qNML, fair",
        "BOSS, qNML, fair",
        "BOSS, BDeu 10, fair",
        "BOSS, BIC, uniform",
        "BOSS, BDeu 1, uniform",
    ],
    "gaussian": [
        "BOSS, BIC γ=0.5, fair",
        "BOSS, BGe, VSP",
        "BOSS, BGe scaled, fair",
        "GES, BGe, fair",
        "tabu, BGe, fair",
        "BOSS, BGe, uniform",
        "BOSS, BIC, uniform",
    ],
    "small": [
        "exact, BDeu 1, fair",
        "BOSS, BDeu 1, fair",
        "GES, BDeu 1, fair",
        "tabu, BDeu 1, fair",
        "exact, qNML, fair",
    ],
}


def by_size(part: str) -> list[str]:
    default = table_row("default, SHD / arcs", *(f"{line(part, 'default', n)['scaled_shd']:.2f}" for n in SIZES))
    return [default, *(table_row(own, *(marked(part, own, n) for n in SIZES)) for own in BY_SIZE[part])]


LEARNERS = {
    "discrete": "40 learners, discrete",
    "discrete-with-prior": "25 of them, without the uniform prior",
    "gaussian": "28 learners, Gaussian",
    "gaussian-with-prior": "16 of them, without the uniform prior",
    "small": "13 learners, 8 to 12 variables",
}


def likelihoods() -> list[str]:
    shown = ("correlation", "alike", "regret", "regret_of_baseline", "regret_of_any", "regret_above_baseline")
    return [table_row(name, *(mean(part, measure) for measure in shown)) for part, name in LEARNERS.items()]


ROWS = [
    *(row for part in PARTS for row in combinations(part)),
    *(row for part in BY_SIZE for row in by_size(part)),
    *(row for part in REFERENCES for row in references(part)),
    *likelihoods(),
]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_page_is_that_of_the_shipped_table(row):
    assert row in PAGE


def of_sizes(found: Callable[[str, str], list[str]], part: str) -> int:
    return sum(len(found(part, n)) for n in SIZES)


STATEMENTS = [
    f"Of 39 other learners, {len(worse('discrete'))} are clearly worse over all sizes, and none is clearly better.",
    f"BOSS with BDeu 1 and VSP, {interval('discrete', 'BOSS, BDeu 1, VSP')}.",
    f"GES {interval('gaussian', 'GES, BGe, fair')}, tabu {interval('gaussian', 'tabu, BGe, fair')}.",
    f"ranks {percent('discrete')} of the pairs of learners as the distance does on discrete data, "
    f"and {percent('gaussian')} on continuous data",
    f"{signed('discrete', 'regret_above_baseline')} and {signed('gaussian', 'regret_above_baseline')}.",
    f"{of_sizes(worse, 'discrete')} of 156 differences are clearly positive "
    f"and {of_sizes(better, 'discrete')} is clearly negative: "
    f"GES with BDeu 1 and VSP at 100 rows, {interval('discrete', 'GES, BDeu 1, VSP', '100')}.",
    f"By BOSS with `Fair` it is {interval('discrete', 'BOSS, qNML, fair', '100')} at 100 rows",
    f"The lowest mean is BOSS, BIC, fair: {interval('discrete-sparse', 'BOSS, BIC, fair')}.",
    f"BOSS, BDs 5, MU sparse is clearly better, {interval('discrete-dense', 'BOSS, BDs 5, MU sparse')}; "
    f"BOSS, BDs 5, fair has {interval('discrete-dense', 'BOSS, BDs 5, fair')}.",
    f"{len(worse('gaussian'))} of 27 learners are clearly worse than the default, "
    "among them all that search by GES or tabu.",
    "Exact search with BDeu and `Fair` is at {} over all sizes, BOSS at {}, GES at {} and tabu at {}.".format(
        *(
            f"{line('small', f'{search}, BDeu 1, fair')['scaled_shd']:.2f}"
            for search in ("exact", "BOSS", "GES", "tabu")
        )
    ),
    f"among the discrete learners without it, {percent('discrete-with-prior')} of the pairs are ranked alike. "
    f"In `small`, where learners differ less, it is {percent('small')}.",
    "choosing by likelihood is {:.2f} above the best; on the other eleven designs it is {}.".format(
        measured("discrete", "regret", networks="random(functional, sparse)")["mean"], others("discrete")
    ),
    f"In `small` it is: {signed('small', 'regret_above_baseline')}.",
    f"has {interval('discrete', 'BOSS, BDeu 1, VSP')} over all sizes.",
    f"With continuous data it has {interval('gaussian', 'BOSS, BGe, VSP')}.",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_of_the_page_has_the_numbers_of_the_shipped_table(statement):
    assert statement in PAGE


def higher(part: str, learner: str) -> str:
    return interval(part, learner).removeprefix("+")


def lower(part: str, learner: str) -> str:
    own = line(part, learner)
    return f"{-own['difference']:.3f} [{-own['high']:.3f}, {-own['low']:.3f}]"


ADVICE = [
    f"was clearly closer to the truth than the default, by {lower('discrete-dense', 'BOSS, BDs 5, MU sparse')}",
    f"was higher by {higher('discrete', 'GES, BDeu 1, fair')}.",
    f"On continuous data it was higher by {higher('gaussian', 'GES, BGe, fair')}.",
    f"higher than that of the default by {higher('discrete', 'tabu, BDeu 1, fair')}, "
    f"on continuous data by {higher('gaussian', 'tabu, BGe, fair')}.",
    f"{len(worse('discrete'))} and {len(worse('gaussian'))} are clearly worse.",
]


@pytest.mark.parametrize("statement", ADVICE)
def test_the_page_on_choosing_has_the_numbers_of_the_shipped_table(statement):
    assert statement in CHOOSING


def lowest(part: str, n: str = "all") -> str:
    return BEST.filter(part=part, networks="all", n=n).sort("difference")["learner"][0]


def test_what_the_page_says_without_numbers_is_so():
    uniform = [name for name in set(OTHERS.filter(part="discrete")["learner"]) if name.endswith("uniform")]
    assert len(uniform) == 15
    assert set(uniform) <= set(worse("discrete"))
    assert {name for name in worse("discrete") if name not in uniform} == {
        "BOSS, BDeu 10, fair",
        "GES, BDeu 10, fair",
        "tabu, BDeu 10, fair",
        "BOSS, qNML, fair",
    }
    for part in ("discrete", "gaussian", "small", "discrete-sparse"):
        assert better(part) == []
    assert better("discrete-dense") == ["BOSS, BDs 5, MU sparse"]
    assert lowest("discrete") == "BOSS, BDeu 1, VSP"
    assert lowest("discrete", "5000") == "BOSS, qNML, fair"
    assert lowest("discrete-sparse") == "BOSS, BIC, fair"
    assert "BOSS, BDeu 1, fair" in worse("discrete", "100")
    assert "BOSS, BDeu 10, fair" in worse("discrete", "5000")
    searched = {name for name in set(OTHERS.filter(part="gaussian")["learner"]) if not name.startswith("BOSS")}
    assert searched <= set(worse("gaussian"))
    assert all(name.endswith("uniform") for name in worse("gaussian") if name.startswith("BOSS"))
    for n in ("100", "300"):
        assert {"BOSS, BIC, uniform", "BOSS, qNML, fair"} <= set(worse("discrete", n))
        assert "GES, qNML, fair" not in worse("discrete", n)
    for part in ("discrete", "gaussian"):
        above = measured(part, "regret_above_baseline")
        assert above["low"] < 0 < above["high"]
    numbers = {part: BEST.filter(part=part, networks="all")["number"].unique().to_list() for part in (*PARTS, "small")}
    assert numbers == {"discrete": [48], "gaussian": [24], "small": [24]}


@pytest.mark.medium
def test_the_shipped_tables_are_those_of_the_shipped_cells():
    cells = pl.read_csv(REPLICATION / "cells" / "best-combination.csv.gz", infer_schema_length=None)
    assert len(cells) == 12_320
    for part in ("discrete", "gaussian"):
        own = cells.filter(pl.col("part") == part)
        again = differences(own, "scaled_shd", "default").filter(pl.col("networks") == "all", pl.col("n").is_null())
        shipped = BEST.filter(part=part, networks="all", n="all")
        found = again.select(learner="label", again="difference", again_low="low").join(shipped, on="learner")
        assert len(found) == len(shipped) == len(again)
        assert found["again"].to_list() == pytest.approx(found["difference"].to_list(), abs=6e-5)
        assert found["again_low"].to_list() == pytest.approx(found["low"].to_list(), abs=6e-5)
        agreed = means(own, "default").filter(pl.col("networks") == "all", pl.col("n").is_null())
        for measure, value in agreed.select("measure", "mean").iter_rows():
            assert measured(part, measure)["mean"] == pytest.approx(value, abs=6e-5)


if __name__ == "__main__":
    print(*ROWS, *STATEMENTS, *ADVICE, sep="\n")
