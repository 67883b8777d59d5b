"""Possible effects over a class, against listing its DAGs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from naive import classes, graphs
from naive import effects as naive
from veridag import DAG, PDAG, InputError, Interrupted, networks, possible_effects, random_dag, random_network

ASIA = networks.load("asia")


def rounded(values: list[float]) -> Counter:
    return Counter(round(value, 7) + 0.0 for value in values)  # no minus zero


def gaussian(dag: DAG, seed: int):
    sigma = naive.covariance(naive.random_coefficients(dag, seed), np.linspace(0.5, 2, len(dag.names)))
    return sigma, naive.exact_rows(sigma, dag.names, seed)


def check_multiset(pdag: PDAG, dags: list[graphs.Arcs], sigma: np.ndarray, data, methods: tuple[str, ...]) -> None:
    n = len(pdag.names)
    each = [naive.total_effects(n, arcs, sigma) for arcs in dags]
    for i, j in product(range(n), repeat=2):
        if i == j:
            continue
        for method in methods:
            found = possible_effects(data, pdag, pdag.names[i], pdag.names[j], method=method, repeats=0)
            assert found.class_size == len(dags)
            listed = [e.value for e in found.effects for _ in range(e.dags)]
            assert rounded(listed) == rounded([effects[i, j] for effects in each])
            assert sum(e.share for e in found.effects) == pytest.approx(1.0)


@pytest.mark.slow
def test_every_class_of_four_variables() -> None:
    for k, members in enumerate(graphs.equivalence_classes(4).values()):
        pdag = PDAG.from_adjacency(graphs.matrix(4, graphs.cpdag(members)))
        sigma, data = gaussian(DAG.from_adjacency(graphs.matrix(4, members[0])), k)
        check_multiset(pdag, list(members), sigma, data, (["optimal", "local"][k % 2],))


@pytest.mark.parametrize("seed", range(8))
def test_random_classes_of_six_variables(seed: int) -> None:
    dag = random_dag(6, arcs=5 + seed, seed=seed)
    sigma, data = gaussian(dag, seed)
    check_multiset(dag.cpdag(), classes.members(dag.cpdag().adjacency), sigma, data, ("optimal", "local"))


@pytest.mark.parametrize("seed", range(6))
def test_known_directions_leave_the_effects_of_the_dags_that_have_them(seed: int) -> None:
    dag = random_dag(6, arcs=9, seed=seed)
    sigma, data = gaussian(dag, seed)
    a = dag.cpdag().adjacency.copy()
    for i, j in np.argwhere(a & a.T & dag.adjacency)[seed % 2 :: 3]:
        a[j, i] = False
    known = PDAG.from_adjacency(a, dag.names).meek()
    check_multiset(known, classes.members(known.adjacency), sigma, data, ("optimal", "local"))


def test_discrete_effects_are_those_of_the_dags_of_the_class() -> None:
    dag = DAG.from_arcs([("A", "B"), ("B", "C"), ("A", "C"), ("C", "D"), ("B", "D")])
    network = random_network(dag, states=2, alpha=3, seed=2)
    data = naive.exact_table(network)
    for x, y in product(dag.names, repeat=2):
        if x == y:
            continue
        wanted = []
        for arcs in classes.members(dag.cpdag().adjacency):
            member = DAG.from_adjacency(graphs.matrix(4, arcs), dag.names)
            wanted.append(float(np.diff(naive.do_probabilities(refitted(network, member), x, y)[:, 1])[0]))
        found = possible_effects(data, dag.cpdag(), x, y, repeats=0)
        assert rounded([e.value for e in found.effects for _ in range(e.dags)]) == rounded(wanted)


def refitted(network, dag: DAG):
    """The same distribution, factorized along an equivalent DAG."""
    from veridag import Network, Table

    joint = naive.joint(network)
    names = network.names
    cpds = {}
    for v in names:
        scope = [*dag.parents(v), v]
        others = tuple(i for i, u in enumerate(names) if u not in scope)
        order = sorted(scope, key=names.index)
        marginal = np.transpose(joint.sum(axis=others), [order.index(u) for u in scope])
        cpds[v] = Table(dag.parents(v), marginal / marginal.sum(axis=-1, keepdims=True))
    return Network(cpds, network.states)


@pytest.mark.parametrize("seed", range(6))
def test_joint_effects_are_those_along_paths_through_no_other_x(seed: int) -> None:
    dag = random_dag(6, arcs=5 + seed, seed=seed)
    sigma, data = gaussian(dag, seed)
    dags = classes.members(dag.cpdag().adjacency)
    for xs in combinations(range(6), 2):
        for y in set(range(6)) - set(xs):
            x = [dag.names[i] for i in xs]
            found = possible_effects(data, dag.cpdag(), x, dag.names[y], method="joint", repeats=0)
            listed = Counter(
                tuple(round(e.value, 7) + 0.0 for e in own.estimates) for own in found.effects for _ in range(own.dags)
            )
            wanted = [naive.joint_effects(6, arcs, sigma, list(xs), y) for arcs in dags]
            assert listed == Counter(tuple(round(float(v), 7) + 0.0 for v in values) for values in wanted)


def test_joint_effects_in_words() -> None:
    dag = DAG.from_modelstring("[A][B|A][C|A:B]")
    _, data = gaussian(dag, 1)
    found = possible_effects(data, dag.cpdag(), ["A", "B"], "C", method="joint", repeats=10)
    assert found.class_size == 6
    assert found.sentence.startswith("If A, B are set together, one unit more changes the mean of C, over the 6 DAGs")
    assert "parents of A" in str(found)
    assert "parents of B" in found._repr_html_()
    assert repr(found) == f"<PossibleJointEffects of A, B on C: {len(found.effects)}>"
    assert found.bounds[0][0] == min(e.estimates[0].value for e in found.effects)
    assert all(e.estimates[0].low <= e.estimates[0].high for e in found.effects)
    for wrong, message in (
        ({"x": ["A", "A"]}, "each once"),
        ({"x": ["A", "C"]}, "another y"),
        ({"x": ["A"], "values": (0, 1)}, "leave them out"),
        ({"x": ["A", "B"], "method": "local"}, "for several that are set together, method='joint'"),
        ({"x": ["A"], "method": "best"}, "method='best' must be 'optimal', 'local' or 'joint'"),
    ):
        with pytest.raises(InputError, match=message):
            possible_effects(data, dag.cpdag(), y="C", **{"method": "joint", **wrong})
    with pytest.raises(InputError, match="'dysp' is discrete, and method='joint' is for continuous"):
        possible_effects(ASIA.sample(20, seed=1), ASIA.dag, ["smoke"], "dysp", method="joint")


def left(pdag: PDAG, known: dict[tuple[str, str], bool], x: str, y: str, sigma: np.ndarray) -> set[float]:
    """The effects in the DAGs that have these directions."""
    i, j, found = pdag.index(x), pdag.index(y), set()
    for arcs in classes.members(pdag.adjacency):
        if all(((pdag.index(a), pdag.index(b)) in arcs) == forward for (a, b), forward in known.items()):
            found.add(round(naive.total_effects(len(pdag.names), arcs, sigma)[i, j], 7) + 0.0)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_edges_that_settle_an_effect_do_so_and_the_first_narrows_it_most(seed: int) -> None:
    dag = random_dag(5, arcs=6, seed=seed)
    sigma, data = gaussian(dag, seed)
    pdag = dag.cpdag()
    for x, y in product(dag.names, repeat=2):
        if x == y:
            continue
        found = possible_effects(data, pdag, x, y, repeats=0)
        several = len(left(pdag, {}, x, y, sigma)) > 1
        assert bool(found.settled_by) == several
        for ways in product((True, False), repeat=len(found.settled_by)):
            assert len(left(pdag, dict(zip(found.settled_by, ways, strict=True)), x, y, sigma)) <= 1
        if several:
            worst = {edge: _worst(pdag, edge, x, y, sigma) for edge in pdag.edges}
            assert worst[found.settled_by[0]] == pytest.approx(min(worst.values()), abs=1e-6)


def _worst(pdag: PDAG, edge: tuple[str, str], x: str, y: str, sigma: np.ndarray) -> float:
    cases = [left(pdag, {edge: forward}, x, y, sigma) for forward in (True, False)]
    return max(max(case) - min(case) for case in cases if case)


def test_what_cannot_be_told_is_said() -> None:
    dag = DAG.from_arcs([("X", "Y")])
    data = naive.exact_rows(np.array([[1, 0.5], [0.5, 1]]), dag.names)
    found = possible_effects(data, dag.cpdag(), "X", "Y", repeats=0)
    assert found.values == ((0.0, 0.5), (pytest.approx(0.5), 0.5))
    assert (found.exists, found.sign, found.identified, found.interval) == (None, "unclear", False, None)
    assert found.mean == pytest.approx(0.25)
    assert found.sentence == (
        "Whether X has an effect on Y is not determined: over the 2 DAGs of the class, one unit more of X changes the "
        "mean of Y by +0 to +0.5, and 50 % of them have none. Directing X - Y would settle it."
    )
    known = possible_effects(data, dag, "X", "Y", repeats=0)
    assert known.sentence == "In the only DAG, one unit more of X changes the mean of Y by +0.5."
    assert (known.exists, known.sign, known.settled_by) == (True, "positive", ())
    none = possible_effects(data, dag, "Y", "X", repeats=0)
    assert (none.exists, none.sign) == (False, "none")
    assert none.sentence == "In the only DAG, no directed path leads from Y to X, so it implies no effect of Y on X."
    assert str(none) == none.sentence
    assert none.effects[0].estimate == (0.0, None, None)


def test_signs_that_differ_are_said() -> None:
    """Confounding turns the sign: X - Z is open, and Y is an effect of both."""
    dag = DAG.from_arcs([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("W", "Y")])
    b = np.zeros((4, 4))
    for (u, v), value in {("Z", "X"): 1.0, ("Z", "Y"): -3.0, ("X", "Y"): 1.0, ("W", "Y"): 1.0}.items():
        b[dag.index(u), dag.index(v)] = value
    data = naive.exact_rows(naive.covariance(b, np.ones(4)), dag.names)
    found = possible_effects(data, dag.cpdag(), "X", "Y", repeats=0)
    assert found.bounds == pytest.approx((-0.5, 1.0))
    assert found.sentence.startswith("The sign of the effect of X on Y is not determined: over the 2 DAGs")
    assert found.sentence.endswith("Directing Z - X would settle it.")


def test_intervals_words_and_frames() -> None:
    data = ASIA.sample(2000, seed=1)
    found = possible_effects(data, ASIA.dag.cpdag(), "smoke", "dysp", values=("no", "yes"), outcome="yes", repeats=50)
    assert found.sign == "positive"
    assert found.sentence.startswith(
        "The effect of smoke on dysp is positive, but its size is not determined: over the 6"
    )
    low, high = found.interval
    assert low < found.bounds[0] < found.bounds[1] < high
    assert [e.dags for e in found.effects] == [2, 2, 2]
    assert "adjusted for" in str(found)
    assert "adjusted for" in found._repr_html_()
    assert list(found.to_pandas()["dags"]) == [2, 2, 2]
    assert repr(found).startswith("<PossibleEffects of smoke on dysp: 0.0")
    again = possible_effects(
        data, ASIA.dag.cpdag(), "smoke", "dysp", values=("no", "yes"), outcome="yes", repeats=50, jobs=3
    )
    assert again == found


def test_small_strata_and_those_left_out_have_notes() -> None:
    found = possible_effects(ASIA.sample(100, seed=1), ASIA.dag.cpdag(), "smoke", "dysp", repeats=0)
    assert "with fewer than 10, intervals are too short" in found.notes[0]
    assert found.notes[-1].endswith("they are left out, and the effect is that among the others")
    assert found.notes[0] in str(found)


def test_an_interrupt_keeps_the_samples_that_are_done(ctrl_c) -> None:
    with pytest.raises(Interrupted) as stopped:
        possible_effects(
            ASIA.sample(500, seed=1), ASIA.dag.cpdag(), "smoke", "dysp", repeats=20_000, progress=ctrl_c(5)
        )
    assert stopped.value.result.class_size == 6
    _, data = gaussian(DAG.from_modelstring("[A][B|A]"), 1)
    with pytest.raises(Interrupted) as stopped:
        possible_effects(
            data, DAG.from_modelstring("[A][B|A]"), ["A"], "B", method="joint", repeats=20_000, progress=ctrl_c(5)
        )
    assert len(stopped.value.result.effects) == 1


def test_small_strata_have_one_note_however_many_sets() -> None:
    asia = networks.load("asia")
    found = possible_effects(asia.sample(60, seed=1), asia.dag.cpdag(), "smoke", "dysp", repeats=0)
    assert len({e.adjustment for e in found.effects}) == 3
    assert sum(note.startswith("some strata have only") for note in found.notes) == 1


def test_dags_without_a_path_have_no_interval_among_others_that_have_one() -> None:
    dag = DAG.from_arcs([("X", "Y")])
    data = naive.exact_rows(np.array([[1, 0.5], [0.5, 1]]), dag.names)
    found = possible_effects(data, dag.cpdag(), "X", "Y", repeats=10)
    none, some = found.effects
    assert none.estimate == (0.0, None, None)
    assert found.interval == (min(0.0, some.estimate.low), some.estimate.high)
    assert "0 (0 to 0)" not in str(found)
    assert str(found).splitlines()[2].split() == ["none", "1", "0.5", "Y", "no", "directed", "path"]
