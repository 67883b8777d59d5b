"""The verdicts on Azzimonti, Corani and Scutari (2020) are those of the cells that come with the page.

`pytest -rP tests/project/test_verdicts_related_data_sets.py` prints how many cases agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import polars as pl
import pytest

from project.verdicts import REPLICATION, claims, part, table, verdict

STRUCTURE = ("nodes", "groups", "states", "arcs_per_node", "structure")
#: The settings that the paper's figures vary. A case is a box of such a figure unless a claim is about others: the mean
#: over all that has one value of one setting.
SETTINGS = ("nodes", "groups", "states", "rows")
#: The sign of the gain that the paper finds for each kind of parameters.
SIGNS = {"hier": 1, "iid": 1, "id": -1}
#: TP and FN differ by no more than this share of the arcs if they are about the same.
ALIKE = 0.05


@cache
def compared(learners: str = "ties=columns", iid: str | None = None) -> pl.DataFrame:
    """Each set of parameters with each number of rows: means over samples of what BHD counts, and its gains."""
    cells = table("cells/related-data-sets.csv.gz").with_columns(pl.col("iid").cast(pl.String))
    cells = cells.filter(pl.col("learners").str.contains(learners), pl.col("iid").eq_missing(pl.lit(iid)))
    over_bdeu = {m: (pl.col(f"{m}_BDeu") - pl.col(f"{m}_BHD")) / pl.col("samples") for m in ("shd", "tp", "fp")}
    return cells.with_columns(
        shd=pl.col("shd_BHD") / pl.col("samples"),
        gain=over_bdeu["shd"],
        gain_over_bic=(pl.col("shd_BIC") - pl.col("shd_BHD")) / pl.col("samples"),
        tp_gain=-over_bdeu["tp"] / pl.col("arcs_per_node") / pl.col("nodes"),
        fp_gain=over_bdeu["fp"],
        fewer_arcs=over_bdeu["tp"] + over_bdeu["fp"],
    )


def main(kind: str, scenario: str) -> pl.DataFrame:
    """The rows of one kind of parameters and one scenario, with s = 1."""
    return compared().filter(pl.col("ess") == 1, parameters=kind, scenario=scenario)


def mean(rows: pl.DataFrame, by: Sequence[str], value: str = "gain") -> pl.DataFrame:
    """Mean and standard error over structures, by some columns."""
    own = rows.group_by(list(dict.fromkeys((*by, *STRUCTURE)))).agg(pl.col(value).mean())
    return own.group_by(by).agg(mean=pl.col(value).mean(), se=pl.col(value).std() / pl.len().sqrt()).sort(by)


def boxes(rows: pl.DataFrame, value: str = "gain", settings: Sequence[str] = SETTINGS) -> pl.DataFrame:
    """Mean and standard error for each value of each setting."""
    return pl.concat(mean(rows, [name], value).select("mean", "se") for name in settings)


def above(found: pl.DataFrame) -> list[bool]:
    return (found["mean"] > 0).to_list()


def below(found: pl.DataFrame) -> list[bool]:
    return (found["mean"] < 0).to_list()


def not_clearly_below(found: pl.DataFrame) -> list[bool]:
    return (found["mean"] >= -2 * found["se"]).to_list()


def not_clear(found: pl.DataFrame) -> list[bool]:
    return (found["mean"].abs() <= 2 * found["se"]).to_list()


def b_less_a(kind: str) -> pl.DataFrame:
    """How much larger the gain is in scenario (b), on the same structures and with the same numbers of rows."""
    unit = [*STRUCTURE, "rows"]
    a, b = (main(kind, scenario).group_by(unit).agg(pl.col("gain").mean()) for scenario in "ab")
    return b.join(a, on=unit, suffix="_a").with_columns(gain=pl.col("gain") - pl.col("gain_a"))


def steps(rows: pl.DataFrame, setting: str) -> list[float]:
    """How much the gain grows from each value of a setting to the next."""
    return mean(rows, [setting])["mean"].diff().drop_nulls().to_list()


def grows(setting: str, kinds: Sequence[str] = tuple(SIGNS)) -> list[bool]:
    """Whether the difference grows in the direction that it has, from each value to the next, in scenario (a)."""
    return [SIGNS[kind] * step > 0 for kind in kinds for step in steps(main(kind, "a"), setting)]


def more_marked(setting: str) -> list[bool]:
    """Whether the gain grows clearly more in (b) than in (a), from each value of a setting to the next."""
    found = []
    for kind in ("hier", "iid"):
        more = mean(b_less_a(kind), [setting])
        error = (more["se"] ** 2 + more["se"].shift(1) ** 2).sqrt()
        found += (more["mean"].diff() > 2 * error)[1:].to_list()
    return found


def by_ess(value: str) -> pl.DataFrame:
    """What was run with every s, on the same sets of parameters and from the same samples, or some of them."""
    rows = compared()
    every = rows.group_by(SET).agg(pl.col("ess").n_unique() == 4).filter("ess").drop("ess")
    return rows.join(every, on=SET).select(*SET, "ess", value)


SET = [*STRUCTURE, "scenario", "parameters", "changed_groups", "removed_arcs", "parameter_set", "rows"]


def changes_with_ess(value: str) -> pl.DataFrame:
    """By how much a value changes from each s to the next, by scenario and kind of parameters."""
    rows = by_ess(value).sort(*SET, "ess").with_columns(pl.col(value).diff().over(SET)).drop_nulls(value)
    return mean(rows, ["scenario", "parameters", "ess"], value)


def as_close() -> list[bool]:
    """RD-15 as it is written: at each s, the means of BHD and BDeu do not differ clearly."""
    return not_clear(mean(by_ess("gain"), ["scenario", "parameters", "ess"]))


def as_little_changed() -> list[bool]:
    """RD-15 in the other reading: what s changes for BHD does not differ clearly from what it changes for BDeu."""
    return not_clear(changes_with_ess("gain"))


def same_side_of_bic() -> list[bool]:
    """Whether BHD is on the same side of BIC as of BDeu."""
    every = [main(kind, scenario) for kind in SIGNS for scenario in "ab"]
    both = [(boxes(rows, "gain_over_bic")["mean"], boxes(rows)["mean"]) for rows in every]
    return [same for over_bic, over_bdeu in both for same in (over_bic * over_bdeu > 0)]


def alike() -> list[bool]:
    """Whether TP differ by little in (b); FN then do, too, since both add up to the arcs of the truth."""
    found = pl.concat(mean(main(kind, "b"), ["scenario"], "tp_gain") for kind in SIGNS)
    return (found["mean"].abs() <= ALIKE).to_list()


CLAIMS: dict[str, Callable[[], list[list[bool]]]] = {
    "RD-1": lambda: [above(boxes(main("hier", scenario))) for scenario in "ab"],
    "RD-2": lambda: [above(boxes(b_less_a("hier")))],
    "RD-3": lambda: [not_clearly_below(boxes(main("iid", "a")))],
    "RD-4": lambda: [above(boxes(main("iid", "b")))],
    "RD-5": lambda: [below(boxes(main("id", scenario))) for scenario in "ab"],
    "RD-6": lambda: [grows("nodes")],
    "RD-7": lambda: [grows("groups")],
    "RD-8": lambda: [[not case for case in grows("states")]],
    "RD-9": lambda: [grows("rows", ("hier", "iid"))],
    "RD-10": lambda: [below(boxes(main("id", "a").filter(rows=1000), settings=SETTINGS[:3]))],
    "RD-11": lambda: [
        more_marked("groups"),
        more_marked("rows"),
        [case for kind in ("hier", "iid") for case in above(boxes(b_less_a(kind), settings=("groups", "rows")))],
    ],
    "RD-12": lambda: [alike()],
    "RD-13": lambda: [above(boxes(main("hier", "b"), value)) for value in ("fp_gain", "fewer_arcs")],
    "RD-14": lambda: [below(changes_with_ess("shd"))],
    "RD-15": lambda: [as_close()],
    "RD-16": lambda: [same_side_of_bic()],
    "RD-17": lambda: [not_clearly_below(boxes(main("id", "a")))],
}


def said(parts: list[list[bool]]) -> list[str]:
    return [f"{sum(agree)} of {len(agree)}" for agree in parts]


@pytest.mark.parametrize("code", CLAIMS)
def test_the_verdict_is_that_of_the_cells(code):
    parts = CLAIMS[code]()
    found = verdict(*map(part, parts))
    print(f"{code}: {', '.join(said(parts))}: {found}")
    _, given, _, note = claims("related-data-sets")[code]
    assert given == found
    for count in said(parts):
        assert count in note


def test_the_other_reading_of_an_ambiguous_claim_has_its_own_verdict():
    parts = [as_little_changed()]
    print(f"RD-15: {said(parts)[0]}: {part(parts[0])}")
    assert f"{part(parts[0])} ({said(parts)[0]}" in claims("related-data-sets")["RD-15"][3]


def test_every_claim_of_the_page_is_computed():
    assert list(CLAIMS) == list(claims("related-data-sets"))


@pytest.mark.parametrize(
    "other", [{"learners": r"score=bdeu\)"}, {"iid": "cells"}], ids=["ties by the data", "iid by cells"]
)
def test_identical_parameters_with_many_rows_depend_on_ties_and_on_the_generator(other):
    """RD-10 in the smaller grids of the study, as the text below the claims says it."""
    rows = compared(**other).filter(parameters="id", scenario="a", rows=1000)
    counts = said([below(boxes(rows, settings=SETTINGS[:3]))])
    print(f"RD-10, {other}: {counts[0]}")
    text = (REPLICATION / "related-data-sets.md").read_text("utf-8").partition("### The search")[2]
    assert f"{counts[0]} boxes" in text
