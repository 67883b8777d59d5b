"""What follows from the probabilities of arcs alone."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import posterior as by_hand
from veridag.posteriors import acyclic
from veridag.posteriors.summaries import ArcProbabilities


def probabilities(arcs: np.ndarray) -> ArcProbabilities:
    return ArcProbabilities(tuple("ABCDEFGH"[: len(arcs)]), np.array(arcs, dtype=float), "made up")


def random_arcs(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    joined, share = rng.random((n, n)), rng.random((n, n))
    arcs = np.triu(joined * share, 1) + np.triu(joined * (1 - share), 1).T
    np.fill_diagonal(arcs, 0.0)
    return arcs


def test_edges_join_in_either_direction() -> None:
    found = probabilities([[0, 0.3], [0.5, 0]])
    assert found.edges == pytest.approx(np.array([[0, 0.8], [0.8, 0]]))
    assert found.pairs == (("B", "A", 0.5, 0.3),)


def test_the_median_network_has_the_arcs_above_one_half() -> None:
    found = probabilities([[0, 0.9, 0.5], [0, 0, 0.51], [0.1, 0.49, 0]])
    assert found.median_network().arcs == (("A", "B"), ("B", "C"))


def test_a_cycle_of_probable_arcs_loses_the_weakest() -> None:
    found = probabilities([[0, 0.6, 0], [0, 0, 0.7], [0.55, 0, 0]])
    assert found.median_network().arcs == (("A", "B"), ("B", "C"))


@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.5])
def test_the_best_expected_network_is_the_best_of_all_orders(gamma: float) -> None:
    for seed in range(10):
        arcs = random_arcs(6, seed)
        dag = probabilities(arcs).best_expected(gamma)
        reached = (arcs - gamma)[dag.adjacency].sum()
        assert reached == pytest.approx(by_hand.heaviest_acyclic(arcs - gamma), abs=1e-12)


def test_many_variables_on_cycles_are_ordered_by_local_search(monkeypatch: pytest.MonkeyPatch) -> None:
    best, reached = 0.0, 0.0
    for seed in range(10):
        arcs = random_arcs(6, seed)
        best += by_hand.heaviest_acyclic(arcs - 0.1)
        monkeypatch.setattr(acyclic, "MOST_EXACT", 1)
        reached += (arcs - 0.1)[probabilities(arcs).best_expected(0.1).adjacency].sum()
    assert 0.97 * best <= reached <= best + 1e-9


def test_the_best_expected_network_does_not_depend_on_the_order_of_variables() -> None:
    arcs = random_arcs(7, 3)
    found, turned = (
        ArcProbabilities(tuple("ABCDEFG"), arcs, ""),
        ArcProbabilities(tuple("GFEDCBA"), arcs[::-1, ::-1].copy(), ""),
    )
    assert set(found.best_expected(0.1).arcs) == set(turned.best_expected(0.1).arcs)


def test_a_class_has_the_probable_edges_even_if_no_direction_is() -> None:
    """The class of A - B - C: each variable is the source of one of its three members."""
    third = 1 / 3
    found = probabilities([[0, third, 0], [2 * third, 0, 2 * third], [0, third, 0]])
    assert found.median_network(cpdag=True) == vd.DAG.from_arcs([("A", "B"), ("B", "C")]).cpdag()
    pair = probabilities([[0, 0.45], [0.45, 0]])
    assert pair.median_network().arcs == ()
    assert pair.best_expected(cpdag=True) == vd.DAG.from_arcs([("A", "B")]).cpdag()


def test_a_class_has_all_edges_above_gamma_whatever_their_directions() -> None:
    """Arcs that are certain form a cycle: one edge has the direction of probability 0."""
    found = probabilities([[0, 0.9, 0], [0, 0, 0.9], [0.8, 0, 0]])
    assert found.best_expected(0.85).arcs == (("A", "B"), ("B", "C"))
    assert found.best_expected(0.5, cpdag=True) == vd.DAG.from_arcs([("A", "B"), ("B", "C"), ("A", "C")]).cpdag()
    with pytest.raises(vd.InputError, match="gamma=2"):
        found.best_expected(2)


def test_it_is_shown_as_a_table() -> None:
    found = probabilities([[0, 0.25, 0.0], [0.625, 0, 0.0001], [0, 0, 0]])
    assert str(found).splitlines()[-1].split() == ["B", "A", "0.625", "0.250"]
    assert "1 with a probability above 1/2" in repr(found)
    assert list(found.to_pandas().columns) == ["from", "to", "probability", "reverse"]
    assert "<svg" in found._repr_html_()
    assert "0.625" in found._repr_html_()
