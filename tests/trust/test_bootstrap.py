from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag import DAG, Data, InputError
from veridag import figures as plots
from veridag.data import Column
from veridag.search import Algorithm
from veridag.trust.bootstrap import Strengths, significance_threshold

ASIA = vd.networks.load("asia")
DATA = ASIA.sample(500, seed=1)


# ---- bootstrap samples


def test_a_bootstrap_sample_has_as_many_rows_of_the_data():
    again = DATA.resample(seed=3)
    assert again.n == DATA.n
    assert again.states == DATA.states
    drawn = {tuple(row) for row in np.column_stack([again.column(v) for v in DATA.names]).tolist()}
    assert drawn <= {tuple(row) for row in np.column_stack([DATA.column(v) for v in DATA.names]).tolist()}
    assert again == DATA.resample(seed=3)
    assert again != DATA.resample(seed=4)
    assert again.notes[-1] == "bootstrap sample (seed 3)"


def test_every_row_is_drawn_once_on_average():
    rows = Data([Column.discrete("i", np.arange(50, dtype=np.uint8), [str(i) for i in range(50)])])
    counts = np.array([np.bincount(rows.resample(s).column("i"), minlength=50) for s in range(400)])
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.2)
    assert counts.var() == pytest.approx(1 - 1 / 50, abs=0.05)  # binomial


def test_groups_keep_their_sizes_and_rows_of_weight_zero_are_never_drawn():
    code = np.arange(30, dtype=np.uint8)
    column = Column.discrete("i", code, [str(i) for i in range(30)])
    group = (code >= 10).astype(np.uint8)
    weights = np.where(code % 3 == 0, 0, code % 3)
    grouped = Data([column], weights, group, ["few", "many"])
    for seed in range(20):
        again = grouped.resample(seed)
        assert {label: part.n for label, part in again.by_group().items()} == {"few": 9, "many": 21}
        assert again.n == grouped.n
        assert not (again.column("i") % 3 == 0).any()
        assert ((again.column("i") >= 10) == again.group).all()


# ---- strengths


@pytest.mark.medium
def test_jobs_do_not_change_the_strengths():
    learner = vd.HillClimbing(restarts=2)
    a, b = (vd.bootstrap(DATA, learner, 12, jobs=j) for j in (1, 3))
    assert np.array_equal(a.strength, b.strength)
    assert np.array_equal(a.direction, b.direction)
    assert not np.array_equal(a.strength, vd.bootstrap(DATA, learner, 12, seed=1).strength)


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told(jobs):
    told: list[tuple[str, int, int]] = []

    def tell(what, done, total, extra):
        told.append((what, done, total))

    vd.cross_validate(DATA, vd.HillClimbing(), folds=3, jobs=jobs, progress=tell)
    vd.bootstrap(DATA, vd.HillClimbing(), 2, jobs=jobs, progress=tell)
    counts = list(dict.fromkeys((done, total) for _, done, total in told))
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3), (0, 2), (1, 2), (2, 2)]
    assert {what for what, _, _ in told} == {
        *(f"fold {i} of 3" for i in (1, 2, 3)),
        *(f"bootstrap sample {i} of 2" for i in (1, 2)),
    }


class Scripted(Algorithm):
    """Gives one graph after the other, whatever the data."""

    def __init__(self, *graphs: object) -> None:
        self.graphs = list(graphs)

    def learn(self, data, *given, **more):
        return replace(vd.HillClimbing(max_indegree=0).learn(data), graph=self.graphs.pop(0))

    def _learn(self, *given):
        raise NotImplementedError

    def __repr__(self) -> str:
        return "Scripted()"


BITS = Data(
    [
        Column.discrete(v, np.random.default_rng(i).integers(0, 2, 40).astype(np.uint8), ["0", "1"])
        for i, v in enumerate("abc")
    ]
)


def test_strengths_count_pairs_and_directions_in_the_class():
    collider = DAG.from_arcs([("a", "c"), ("b", "c")], "abc")
    chain = DAG.from_arcs([("a", "c"), ("c", "b")], "abc")  # its class has two edges without direction
    found = vd.bootstrap(BITS, Scripted(collider, collider, chain, DAG.empty("abc")), 4)
    at = {v: i for i, v in enumerate("abc")}
    assert found.strength[at["a"], at["c"]] == found.strength[at["c"], at["a"]] == 0.75
    assert found.strength[at["a"], at["b"]] == found.direction[at["a"], at["b"]] == 0
    assert found.direction[at["a"], at["c"]] == pytest.approx(2.5 / 3)
    assert found.direction[at["c"], at["a"]] == pytest.approx(0.5 / 3)
    assert [(arc.source, arc.target) for arc in found.arcs] == [("a", "c"), ("b", "c")]
    assert found.averaged() == collider
    assert found.repeats == 4
    assert list(found.to_pandas().columns) == ["from", "to", "strength", "direction"]
    assert "2 pairs joined in 4 repeats, 2 of them" in repr(found)


def test_a_graph_that_stands_for_no_class_counts_as_it_is():
    cycle = vd.PDAG.from_arcs([("a", "b"), ("b", "c"), ("c", "a")], names=["a", "b", "c"])
    found = vd.bootstrap(BITS, Scripted(cycle), 1)
    assert found.direction.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    # The third arc would close a cycle, and the other direction was never seen.
    assert found.averaged().arcs == (("a", "b"), ("b", "c"))


def strengths(names: str, arcs: dict[tuple[str, str], tuple[float, float]]) -> Strengths:
    """From (strength, direction) of each arc."""
    strength, direction = np.zeros((2, len(names), len(names)))
    for (u, v), (s, d) in arcs.items():
        i, j = names.index(u), names.index(v)
        strength[i, j] = strength[j, i] = s
        direction[i, j], direction[j, i] = d, 1 - d
    return Strengths(tuple(names), strength, direction, 100, "", 0)


def test_the_averaged_network_turns_the_weakest_arc_of_a_cycle():
    found = strengths("abc", {("a", "b"): (0.9, 0.8), ("b", "c"): (0.8, 0.7), ("c", "a"): (0.7, 0.6)})
    assert found.averaged() == DAG.from_arcs([("a", "b"), ("b", "c"), ("a", "c")], "abc")
    assert found.averaged(0.7) == DAG.from_arcs([("a", "b"), ("b", "c")], "abc")
    assert found.averaged(1) == DAG.empty("abc")
    for wrong in (-0.1, 1.1, "x", True):
        with pytest.raises(InputError, match="threshold="):
            found.averaged(wrong)


def test_ties_are_broken_by_names_and_not_by_columns():
    arcs = {("a", "b"): (0.9, 0.5), ("b", "c"): (0.9, 0.5)}
    assert (
        strengths("abc", arcs).averaged()
        == strengths("cba", arcs).averaged()
        == DAG.from_arcs([("a", "b"), ("b", "c")])
    )


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_the_averaged_network_is_acyclic_and_has_every_strong_pair(seed, n):
    rng = np.random.default_rng(seed)
    names = "abcdefg"[:n]
    arcs = {(u, v): (rng.random(), rng.uniform(0.05, 0.95)) for i, u in enumerate(names) for v in names[i + 1 :]}
    found = strengths(names, arcs)
    dag = found.averaged(0.4)  # a DAG, or it would not be made
    joined = {frozenset(arc) for arc in dag.arcs}
    assert joined == {frozenset(arc) for arc, (s, _) in arcs.items() if s > 0.4}


def test_knowledge_directs_what_the_class_leaves_open():
    data = ASIA.sample(2000, seed=3).select(["smoke", "lung", "bronc"])
    known = vd.Knowledge(tiers=[["smoke"], ["lung", "bronc"]])
    free, told = (vd.bootstrap(data, vd.HillClimbing(vd.BDeu()), 10, knowledge=k) for k in (None, known))
    i, j = data.names.index("smoke"), data.names.index("bronc")
    assert 0 < free.direction[i, j] < 1
    assert told.direction[i, j] == 1
    assert ("smoke", "bronc") in told.averaged().arcs


def test_strong_arcs_are_those_of_the_truth():
    found = vd.bootstrap(ASIA.sample(3000, seed=1), vd.Tabu(vd.BDeu()), 20, jobs=2)
    averaged, truth = found.averaged().skeleton().edges, ASIA.dag.skeleton().edges
    assert len(set(averaged) - set(truth)) <= 1
    assert len(set(truth) - set(averaged)) <= 2  # asia -> tub is too weak to be seen
    assert found.strength[ASIA.names.index("smoke"), ASIA.names.index("bronc")] == 1


# ---- the threshold


def naive_threshold(values: list[float]) -> float:
    """The L1 distance on a fine grid of x, for every share t of the values."""
    x = (np.arange(20_000) + 0.5) / 20_000
    ordered = np.sort(values)
    height = np.searchsorted(ordered, x, side="right") / len(values)
    shares = np.arange(len(values) + 1) / len(values)
    distance = np.array([np.abs(height - t).mean() for t in shares])
    best = int(np.flatnonzero(distance <= distance.min() + 1e-9).max())
    return 0.0 if best == 0 else float(ordered[best - 1])


def test_the_threshold_of_the_published_example():
    """Scutari and Nagarajan 2013: six strengths, of which the three above 0.3921 are significant."""
    assert significance_threshold(np.array([0.2242, 0.0460, 0.8935, 0.3921, 0.7689, 0.9439])) == 0.3921


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.45, 0.55, 0.7, 0.9, 1.0]), min_size=1, max_size=15))
def test_the_threshold_minimises_the_distance_to_a_clear_cut(values):
    found = significance_threshold(np.array(values))
    assert [v > found for v in values] == [v > naive_threshold(values) for v in values] == [v > 0.5 for v in values]


def test_half_of_the_repeats_are_not_enough():
    assert significance_threshold(np.array([0.2, 0.5, 0.8])) == 0.5
    assert significance_threshold(np.array([])) == 0


# ---- the figure


@pytest.mark.medium
def test_the_figure_shows_the_distribution_function(tmp_path):
    found = strengths("abcd", {("a", "b"): (0.9, 0.8), ("b", "c"): (0.3, 0.7), ("c", "d"): (0.3, 0.6)})
    rows = plots.strength_figure(tmp_path / "s.svg", found)
    assert rows == [
        {"strength": 0.0, "pairs": pytest.approx(3 / 6)},
        {"strength": 0.3, "pairs": pytest.approx(5 / 6)},
        {"strength": 0.9, "pairs": pytest.approx(1)},
    ]
    first = (tmp_path / "s.svg").read_bytes()
    plots.strength_figure(tmp_path / "s.svg", found)
    assert first == (tmp_path / "s.svg").read_bytes()
    assert plots.strength_figure(tmp_path / "one.png", strengths("a", {})) == [{"strength": 0.0, "pairs": 1.0}]


# ---- mistakes and interrupts


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vd.bootstrap(DATA, "tabu"), "algorithm='tabu'"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(), 0), "repeats=0"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(), True), "repeats=True must be an integer of at least 1"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(), seconds=-1), "seconds=-1"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(), seed=-1), "seed=-1"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(), 2, jobs=0), "jobs=0"),
        (lambda: vd.bootstrap(DATA, vd.Tabu(vd.BGe()), 2), "repeat 1 of 2: .*discrete"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_data_in_groups_is_bootstrapped_within_the_groups():
    grouped = Data(DATA.columns, None, (np.arange(500) % 3).astype(np.uint8), ["x", "y", "z"])
    assert vd.bootstrap(grouped, vd.HillClimbing(), 2).repeats == 2


SLOW = """
    import sys, time, veridag as vd
    data = vd.networks.load("alarm").sample(2000, seed=1)
    slow = vd.OrderAnnealing(steps=10**9)
    quick = vd.HillClimbing()
    class Both(vd.HillClimbing):
        made = 0
        def _learn(self, *given):
            type(self).made += 1
            if self.made <= 2:
                return quick._learn(*given)
            print("slow", flush=True)
            return slow._learn(*given)
    said = []
    def told(what, done, total, extra):
        if done == 2 and not said:
            said.append(print("two", flush=True))
    try:
        vd.bootstrap(data, Both(), 50, jobs=int(sys.argv[1]), progress=told)
    except vd.Interrupted as stop:
        print("kept", stop.result.repeats)
"""


@pytest.mark.medium
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_stops_promptly_and_keeps_the_repeats_done(jobs):
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW), jobs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    heard = set()
    while heard < {"two\n", "slow\n"}:  # two repeats are done, and a long search has begun
        heard.add(running.stdout.readline())
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert out.endswith("kept 2\n"), err
