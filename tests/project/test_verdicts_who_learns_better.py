"""The verdicts on Scutari, Graafland and Gutierrez (2019) are those of the cells that come with the page.

`pytest -rP tests/project/test_verdicts_who_learns_better.py` prints them, also under other settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from statistics import fmean

import polars as pl
import pytest

import veridag as vd
from project import verdicts
from project.verdicts import REPLICATION, cells, claims, verdict
from search.constraint.test_oracle import KNOWN, LEARNERS, learn

CONSTRAINT = ("PC-Stable", "GS", "Inter-IAMB")
HYBRID = ("MMHC", "RSMAX2", "H2PC")
BIC_PARTS = ("discrete-bic", "gaussian-bic")
PARTS = ("discrete-bic", "discrete-posterior", "gaussian-bic", "gaussian-posterior")

#: The most by which means of scaled SHD differ that are comparable, and those of the logarithm of calls.
COMPARABLE, ALIKE_CALLS = 0.1, 0.1
#: A combination counts if it has so many samples on which all learners of a part were finished.
FEWEST_SAMPLES = 10


@dataclass(frozen=True)
class Setting:
    """Which of the study's learners stand for those of the paper, and the column that counts calls."""

    tabu: str = "tabu (topological)"
    annealing: str = "annealing (plain)"
    calls: str = "calls_published"

    def learners(self, part: str) -> tuple[str, ...]:
        """Those of a part of the study that the paper compares."""
        further = {"discrete-posterior": ("GES",), "gaussian-posterior": ()}.get(part, (self.annealing,))
        return (*CONSTRAINT, *HYBRID, self.tabu, *further)


PAPER = Setting()
#: What else the notes say: their words, the setting, and the claims.
OTHERWISE = [
    ("With ties by the data", replace(PAPER, tabu="tabu"), ("WL-2", "WL-4", "WL-5", "WL-12", "WL-15", "WL-21")),
    ("With veridag's annealing", replace(PAPER, annealing="annealing"), ("WL-1", "WL-2", "WL-3", "WL-4", "WL-16")),
    ("By our own count", replace(PAPER, calls="calls"), ("WL-5", "WL-13", "WL-14", "WL-21", "WL-38")),
]


@dataclass(frozen=True)
class Combination:
    """A network with small or large samples: means by learner over the samples on which all were finished."""

    part: str
    network: str
    samples: str
    shd: dict[str, float]
    arcs: dict[str, float]
    calls: dict[str, float]

    @property
    def is_small(self) -> bool:
        return self.samples == "small"

    def accurate(self, learner: str) -> bool:
        return self.shd[learner] <= fmean(self.shd.values())

    def fast(self, learner: str) -> bool:
        return self.calls[learner] <= fmean(self.calls.values())


def mean(values: dict[str, float], learners: Sequence[str]) -> float:
    return fmean(values[learner] for learner in learners)


def fastest(calls: dict[str, float], among: Sequence[str], count: int) -> list[str]:
    return sorted(among, key=calls.__getitem__)[:count]


@cache
def runs(part: str, setting: Setting) -> pl.DataFrame:
    """The runs of the paper's learners on the samples of a part on which all of them were finished."""
    learners = setting.learners(part)
    parameters = {name: vd.networks.info(name).parameters for name in vd.networks.names()}
    size = pl.col("n") / pl.col("network").replace_strict(parameters, return_dtype=pl.Int64)
    sample = ["network", "n", "repetition"]
    return (
        cells("who-learns-better")
        .filter(pl.col("part") == part, pl.col("label").is_in(learners))
        .with_columns(
            samples=pl.when(size < 0.75).then(pl.lit("small")).otherwise(pl.lit("large")),
            log_calls=pl.col(setting.calls).cast(pl.Float64).log10(),
        )
        .filter(pl.len().over(sample) == len(learners))
        .filter(pl.len().over("network", "samples") >= FEWEST_SAMPLES * len(learners))
    )


@cache
def combos(part: str, setting: Setting) -> tuple[Combination, ...]:
    """The combinations of a part, by size of the samples and network."""
    means = (
        runs(part, setting)
        .group_by("samples", "network", "label")
        .agg(pl.col("scaled_shd", "arc_ratio", "log_calls").mean().round(9))  # so that equal means tie
    )
    found = []
    for (samples, network), own in sorted(means.group_by("samples", "network"), reverse=True):
        columns = [dict(zip(own["label"], own[name], strict=True)) for name in ("scaled_shd", "arc_ratio", "log_calls")]
        found.append(Combination(part, str(network), str(samples), *columns))
    return tuple(found)


@dataclass(frozen=True)
class Part:
    """A part of a claim: the cases that agree or not, and the share of them that the paper claims."""

    agree: Sequence[bool]
    claimed: float = 1.0
    says: str = field(default="")

    def __str__(self) -> str:
        return self.says or f"{sum(self.agree)} of {len(self.agree)}"

    @property
    def verdict(self) -> str:
        return verdicts.part(self.agree, self.claimed)


Claim = Callable[[Setting], Iterator[Part]]
CLAIMS: dict[str, Claim] = {}


def claim(code: str) -> Callable[[Claim], Claim]:
    def keep(function: Claim) -> Claim:
        CLAIMS[code] = function
        return function

    return keep


def each(part: str, setting: Setting, agrees: Callable[[Combination], bool], **claimed: float) -> Iterator[Part]:
    """A part of the claim for small and one for large samples, as far as a share is claimed, or one for `all`."""
    for samples, share in claimed.items():
        own = [c for c in combos(part, setting) if samples in ("all", c.samples)]
        yield Part([agrees(c) for c in own], share)


def is_lowest(values: dict[str, float], learner: str) -> bool:
    """Alone or with others."""
    return values[learner] == min(values.values())


def is_highest(values: dict[str, float], learner: str) -> bool:
    return values[learner] == max(values.values())


# --- discrete networks with BIC


@claim("WL-1")
def annealing_is_slowest(s: Setting) -> Iterator[Part]:
    return each("discrete-bic", s, lambda c: is_highest(c.calls, s.annealing), small=0.9, large=0.9)


@claim("WL-2")
def annealing_is_least_accurate(s: Setting) -> Iterator[Part]:
    return each("discrete-bic", s, lambda c: is_highest(c.shd, s.annealing), small=0.7, large=0.4)


@claim("WL-3")
def annealing_is_slow_and_inaccurate(s: Setting) -> Iterator[Part]:
    slow = lambda c: not c.fast(s.annealing) and not c.accurate(s.annealing)  # noqa: E731
    return each("discrete-bic", s, slow, all=0.7)


@claim("WL-4")
def tabu_is_most_accurate(s: Setting) -> Iterator[Part]:
    return each("discrete-bic", s, lambda c: is_lowest(c.shd, s.tabu), small=0.4, large=1.0)


@claim("WL-5")
def tabu_is_fast_and_accurate(s: Setting) -> Iterator[Part]:
    return each("discrete-bic", s, lambda c: c.fast(s.tabu) and c.accurate(s.tabu), all=0.8)


def classes_are_comparable(c: Combination) -> bool:
    return abs(mean(c.shd, CONSTRAINT) - mean(c.shd, HYBRID)) <= COMPARABLE


@claim("WL-6")
def constraint_based_and_hybrid_are_comparable(s: Setting) -> Iterator[Part]:
    return each("discrete-bic", s, classes_are_comparable, all=1.0)


@claim("WL-7")
def small_samples_give_nearly_empty_networks(s: Setting) -> Iterator[Part]:
    """About 1 is between 0.9 and 1.1."""
    small = [c for c in combos("discrete-bic", s) if c.is_small]
    yield Part([0.9 <= mean(c.shd, own) <= 1.1 for c in small for own in (CONSTRAINT, HYBRID)])
    learned = runs("discrete-bic", s).filter(pl.col("samples") == "small", pl.col("label").is_in(CONSTRAINT + HYBRID))
    sparse = [ratio < 0.2 for ratio in learned["arc_ratio"]]
    yield Part(sparse, 0.75, f"{100 * fmean(sparse):.0f} %")


@claim("WL-8")
def large_samples_give_a_scaled_shd_between_four_fifths_and_one(s: Setting) -> Iterator[Part]:
    large = [c for c in combos("discrete-bic", s) if not c.is_small]
    yield Part([0.75 <= mean(c.shd, own) <= 1.05 for c in large for own in (CONSTRAINT, HYBRID)])


@claim("WL-9")
def constraint_based_are_as_good_with_small_samples_and_tabu_better_with_large_ones(s: Setting) -> Iterator[Part]:
    as_good = lambda c: mean(c.shd, CONSTRAINT) <= min(c.shd[s.tabu], c.shd[s.annealing]) + COMPARABLE  # noqa: E731
    yield from each("discrete-bic", s, as_good, small=0.7)
    yield from each("discrete-bic", s, lambda c: all(c.shd[s.tabu] < c.shd[x] for x in CONSTRAINT), large=1.0)


@claim("WL-10")
def rsmax2_and_pc_stable_are_the_fastest_two(s: Setting) -> Iterator[Part]:
    for learner in ("RSMAX2", "PC-Stable"):
        among = lambda c, one=learner: one in fastest(c.calls, CONSTRAINT + HYBRID, 2)  # noqa: E731
        yield from each("discrete-bic", s, among, all=0.75)


@claim("WL-11")
def h2pc_is_the_most_accurate_of_these(s: Setting) -> Iterator[Part]:
    best = lambda c: c.shd["H2PC"] == min(c.shd[x] for x in CONSTRAINT + HYBRID)  # noqa: E731
    return each("discrete-bic", s, best, all=0.65)


# --- discrete networks with the posterior


@claim("WL-12")
def tabu_is_most_accurate_with_the_posterior(s: Setting) -> Iterator[Part]:
    return each("discrete-posterior", s, lambda c: is_lowest(c.shd, s.tabu), small=0.9, large=0.8)


@claim("WL-13")
def tabu_is_one_of_the_two_slowest(s: Setting) -> Iterator[Part]:
    return each("discrete-posterior", s, lambda c: s.tabu not in fastest(c.calls, [*c.calls], 6), all=0.75)


@claim("WL-14")
def ges_is_faster_than_tabu(s: Setting) -> Iterator[Part]:
    return each("discrete-posterior", s, lambda c: c.calls["GES"] < c.calls[s.tabu], all=1.0)


@claim("WL-15")
def ges_is_less_accurate_than_tabu(s: Setting) -> Iterator[Part]:
    return each("discrete-posterior", s, lambda c: c.shd["GES"] > c.shd[s.tabu], all=0.9)


# --- Gaussian networks


@claim("WL-16")
def tabu_and_annealing_are_less_accurate_than_all_others(s: Setting) -> Iterator[Part]:
    for learner in (s.tabu, s.annealing):
        worse = lambda c, one=learner: c.shd[one] > max(c.shd[x] for x in CONSTRAINT + HYBRID)  # noqa: E731
        yield from each("gaussian-bic", s, worse, all=1.0)


@claim("WL-17")
def tabu_and_annealing_learn_far_more_arcs(s: Setting) -> Iterator[Part]:
    """With half of the last digit that the paper prints on either side."""
    for learners, samples, least, most in [
        ((s.tabu, s.annealing), "small", 1.5, 10.5),
        ((s.tabu, s.annealing), "large", 0.5, 2.5),
        (CONSTRAINT + HYBRID, "small", 0.05, 0.85),
        (CONSTRAINT + HYBRID, "large", 0.45, 1.05),
    ]:
        own = [c for c in combos("gaussian-bic", s) if c.samples == samples]
        yield Part([least <= c.arcs[learner] <= most for c in own for learner in learners])


@claim("WL-18")
def constraint_based_and_hybrid_are_alike(s: Setting) -> Iterator[Part]:
    return each("gaussian-bic", s, classes_are_comparable, all=1.0)


@claim("WL-19")
def scaled_shd_falls_with_larger_samples(s: Setting) -> Iterator[Part]:
    """About 40 % is from 35 to 45 %, rounded."""
    falls = {learners: fall(learners, s) for learners in (CONSTRAINT, HYBRID, (s.tabu,), (s.annealing,))}
    for classes, least, most in [((CONSTRAINT, HYBRID), 34.5, 45.5), (((s.tabu,), (s.annealing,)), 49.5, 66.5)]:
        own = [falls[learners] for learners in classes]
        yield Part([least <= percent <= most for percent in own], says=" and ".join(f"{p:.0f} %" for p in own))


def fall(learners: Sequence[str], s: Setting) -> float:
    """By how many percent scaled SHD falls, over the networks that have both sizes of samples."""
    every = combos("gaussian-bic", s)
    both = [n for n, count in Counter(c.network for c in every).items() if count == 2]
    small, large = (
        fmean(mean(c.shd, learners) for c in every if c.network in both and c.samples == size)
        for size in ("small", "large")
    )
    return 100 * (1 - large / small)


@claim("WL-20")
def pc_stable_and_rsmax2_are_the_two_fastest(s: Setting) -> Iterator[Part]:
    for learner in ("PC-Stable", "RSMAX2"):
        among = lambda c, one=learner: one in fastest(c.calls, [*c.calls], 2)  # noqa: E731
        yield from each("gaussian-bic", s, among, all=7 / 8)


@claim("WL-21")
def tabu_is_fast_accurate_and_lowest(s: Setting) -> Iterator[Part]:
    yield from each("gaussian-posterior", s, lambda c: c.fast(s.tabu) and c.accurate(s.tabu), all=7 / 8)
    yield from each("gaussian-posterior", s, lambda c: is_lowest(c.shd, s.tabu), all=7 / 8)


@claim("WL-22")
def pc_stable_stays_among_the_two_fastest(s: Setting) -> Iterator[Part]:
    for learner, share in (("PC-Stable", 1.0), ("RSMAX2", 0.5)):
        among = lambda c, one=learner: one in fastest(c.calls, CONSTRAINT + HYBRID, 2)  # noqa: E731
        yield from each("gaussian-posterior", s, among, all=share)


# --- small and large networks, and the questions of the paper


def groups(part: str, s: Setting) -> dict[str, tuple[str, ...]]:
    """The two classes, and each score-based learner of a part."""
    alone = {learner: (learner,) for learner in s.learners(part) if learner not in CONSTRAINT + HYBRID}
    return {"constraint-based": CONSTRAINT, "hybrid": HYBRID} | alone


@claim("WL-23")
def rankings_are_those_of_both_sizes_of_networks(s: Setting) -> Iterator[Part]:
    """Of two classes the same one leads below and from 50 nodes on, or their means are alike in one of the groups."""
    for measure, alike in (("shd", COMPARABLE / 2), ("calls", ALIKE_CALLS)):
        agree = []
        for part in PARTS:
            for samples in ("small", "large"):
                own = [c for c in combos(part, s) if c.samples == samples]
                few, many = ([c for c in own if below == (nodes(c) < 50)] for below in (True, False))
                if not few or not many:
                    continue
                for a, b in combinations(groups(part, s).values(), 2):
                    leads = [
                        fmean(mean(getattr(c, measure), a) - mean(getattr(c, measure), b) for c in group)
                        for group in (few, many)
                    ]
                    agree.append(leads[0] * leads[1] > 0 or min(map(abs, leads)) < alike)
        yield Part(agree)


CLAIMS["WL-41"] = rankings_are_those_of_both_sizes_of_networks


def nodes(c: Combination) -> int:
    return vd.networks.info(c.network).nodes


def everywhere(s: Setting, parts: Sequence[str] = PARTS) -> list[Combination]:
    return [c for part in parts for c in combos(part, s)]


@claim("WL-37")
def constraint_based_are_less_accurate_than_tabu_and_not_than_annealing(s: Setting) -> Iterator[Part]:
    for samples in ("small", "large"):
        yield Part([c.shd[s.tabu] < mean(c.shd, CONSTRAINT) for c in everywhere(s) if c.samples == samples])
    yield Part([mean(c.shd, CONSTRAINT) <= c.shd[s.annealing] for c in everywhere(s, BIC_PARTS)])


@claim("WL-38")
def tabu_is_often_faster_than_most(s: Setting) -> Iterator[Part]:
    """Often is in half of the combinations, most are four of six."""
    agree = [sum(c.calls[s.tabu] < c.calls[x] for x in CONSTRAINT + HYBRID) >= 4 for c in everywhere(s)]
    yield Part(agree, 0.5)


@claim("WL-39")
def constraint_based_and_hybrid_do_not_differ_systematically(s: Setting) -> Iterator[Part]:
    agree = []
    for part in PARTS:
        for samples in ("small", "large"):
            own = [c for c in combos(part, s) if c.samples == samples]
            if own:
                agree.append(abs(fmean(mean(c.shd, CONSTRAINT) - mean(c.shd, HYBRID) for c in own)) <= COMPARABLE)
    yield Part(agree)


@claim("WL-40")
def hybrid_are_not_faster_and_there_is_no_consistent_order(s: Setting) -> Iterator[Part]:
    """An order is consistent if it is that of 80 % of the combinations."""
    orders = []
    for slower in (CONSTRAINT, (s.tabu,)):
        yield Part([mean(c.calls, HYBRID) >= mean(c.calls, slower) for c in everywhere(s)])
    for c in everywhere(s):
        orders.append(tuple(sorted((CONSTRAINT, HYBRID, (s.tabu,)), key=lambda own: mean(c.calls, own))))
    _, most = Counter(orders).most_common(1)[0]
    yield Part([most < 0.8 * len(orders)], says=f"{most} of {len(orders)}")


# --- the page


def summary(parts: Sequence[Part]) -> str:
    return f"{verdict(*(part.verdict for part in parts)).strip('*')} ({', '.join(map(str, parts))})"


@pytest.mark.parametrize("code", sorted(CLAIMS, key=lambda code: int(code[3:])))
def test_the_verdict_and_the_counts_of_a_row_are_those_of_the_cells(code):
    parts = list(CLAIMS[code](PAPER))
    print(code, summary(parts))
    _, printed, _, note = claims("who-learns-better")[code]
    assert printed == verdict(*(part.verdict for part in parts))
    for part in parts:
        assert str(part) in note


@pytest.mark.parametrize(("words", "setting", "code"), [(w, s, code) for w, s, codes in OTHERWISE for code in codes])
def test_a_row_says_what_becomes_of_it_under_other_settings(words, setting, code):
    expected = f"{words}: {summary(list(CLAIMS[code](setting)))}"
    print(code, expected)
    assert expected in claims("who-learns-better")[code][3]


@pytest.mark.parametrize(("name", "label"), [*zip(LEARNERS, CONSTRAINT + HYBRID, strict=True)])
def test_the_page_compares_our_calls_with_those_of_the_reference(name, label):
    ratios = [learn(network, name).calls_published / KNOWN[network]["learned"][name]["calls"] for network in KNOWN]
    page = (REPLICATION / "who-learns-better.md").read_text("utf-8")
    assert f"| {label} | {min(ratios):.2f} | {max(ratios):.2f} |" in page.replace("PC-stable |", "PC-Stable |")
