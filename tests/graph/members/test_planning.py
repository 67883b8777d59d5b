"""Experiments, against listing the DAGs of a class and what each experiment would tell of them."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from naive import classes, graphs
from veridag import DAG, PDAG, InputError, experiments, random_dag
from veridag.graph.members import planning
from veridag.graph.members.planning import Experiment


def told(pdag: PDAG, targets: list[str]) -> Experiment:
    """What experiments on these variables tell, by the definition."""
    dags = classes.members(pdag.adjacency)
    groups = classes.outcomes(dags, [pdag.index(v) for v in targets])
    directed = [len(classes.shared_arcs(group)) - len(pdag.arcs) for group in groups]
    shares = [len(group) / len(dags) for group in groups]
    return Experiment(
        targets[-1],
        min(directed),
        sum(s * d for s, d in zip(shares, directed, strict=True)),
        # Parts of a class are independent, so that the worst cases of all come together.
        max(map(len, groups)),
        -sum(s * log2(s) for s in shares),
    )


def best(pdag: PDAG, before: list[str], criterion: str) -> float:
    """The best value of a criterion that one experiment more can have."""
    every = [told(pdag, [*before, v]) for v in pdag.names if v not in before]
    return {
        "worst": max(e.least for e in every),
        "expected": max(e.expected for e in every),
        "size": min(e.largest_class for e in every),
        "entropy": max(e.entropy for e in every),
    }[criterion]


FIELD = {"worst": "least", "expected": "expected", "size": "largest_class", "entropy": "entropy"}


def check_plan(pdag: PDAG, criterion: str) -> None:
    plan = experiments(pdag, criterion=criterion)
    assert plan.class_size == len(classes.members(pdag.adjacency))
    assert plan.edges == len(pdag.edges)
    assert plan.settles_all
    for k, step in enumerate(plan.steps):
        wanted = told(pdag, list(plan.targets[: k + 1]))
        assert step[:2] == wanted[:2]
        assert step.largest_class == wanted.largest_class
        assert step[2:] == pytest.approx(wanted[2:])
        assert getattr(step, FIELD[criterion]) == pytest.approx(best(pdag, list(plan.targets[:k]), criterion))
    for candidate in plan.candidates:
        assert candidate[1:] == pytest.approx(told(pdag, [candidate.target])[1:])


@pytest.mark.parametrize("criterion", ["worst", "expected", "size", "entropy"])
def test_the_greedy_choice_in_every_class_of_four_variables(criterion: str) -> None:
    for members in graphs.equivalence_classes(4).values():
        check_plan(PDAG.from_adjacency(graphs.matrix(4, graphs.cpdag(members))), criterion)


@pytest.mark.parametrize("seed", range(6))
def test_the_greedy_choice_in_classes_of_six_variables(seed: int) -> None:
    check_plan(random_dag(6, arcs=6 + seed % 4, seed=seed).cpdag(), ["worst", "expected", "size", "entropy"][seed % 4])


def test_a_star_needs_one_experiment_at_its_centre() -> None:
    star = PDAG.from_arcs([], [("C", leaf) for leaf in "ABDE"])
    plan = experiments(star)
    assert plan.targets == ("C",)
    assert plan.settles_all
    assert plan.sentence == (
        "An experiment on C directs at least 4 of 4 edges without direction (4 on average), which is all."
    )
    assert "C              4                 4           1" in str(plan)
    assert "largest class left" in plan._repr_html_()


def test_without_undirected_edges_there_is_nothing_to_do() -> None:
    plan = experiments(DAG.from_modelstring("[A][C][B|A:C]"))
    assert plan.targets == ()
    assert plan.settles_all
    assert plan.sentence.startswith("All edges are directed already")
    assert repr(plan) == "<ExperimentPlan: no experiments for 0 edges>"


def test_at_most_so_many_experiments() -> None:
    triangle = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("A", "C")])
    plan = experiments(triangle, most=1)
    assert plan.targets == ("A",)
    assert (plan.steps[0].least, plan.settles_all) == (2, False)
    assert experiments(triangle).targets == ("A", "B")
    assert experiments(triangle).sentence.endswith("experiments on A, B direct all.")
    assert experiments(triangle, most=0).sentence == "3 edges without direction; you asked for no experiment."


def test_a_plan_ends_where_outcomes_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MAX_OUTCOMES", 16)
    plan = experiments(PDAG.from_adjacency(~np.eye(5, dtype=bool)))
    assert 0 < len(plan.steps) < 4
    assert plan.notes == ("further experiments depend on the results of these: plan again with the graph they give",)
    assert plan.notes[0] in str(plan)
    monkeypatch.setattr(planning, "MAX_OUTCOMES", 8)
    none = experiments(PDAG.from_adjacency(~np.eye(5, dtype=bool)))
    assert none.sentence == "10 edges without direction; an experiment has too many outcomes to compare."


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match=r"criterion='best' must be 'worst', 'expected', 'size' or 'entropy'"):
        experiments(DAG.empty(["A"]), criterion="best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="most=-1"):
        experiments(DAG.empty(["A"]), -1)
