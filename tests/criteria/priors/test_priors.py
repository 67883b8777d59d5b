from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag.criteria.priors
from naive import graphs as naive
from strategies import few
from veridag import DAG, InputError
from veridag.criteria.priors import (
    CasteloSiebes,
    DataSize,
    Edge,
    Factorial,
    Fair,
    IndegreeAtMost,
    IndegreeEquals,
    MarginalUniform,
    MukherjeeSpeed,
    Uniform,
    VariableSelection,
)

SYMMETRIC = [
    Uniform(),
    Edge(),
    Edge(2.5),
    Fair(),
    DataSize(),
    DataSize(0.0),
    Factorial(),
    MarginalUniform(),
    MarginalUniform(0.2),
    MarginalUniform("finite"),
    MarginalUniform("sparse"),
    VariableSelection(),
    VariableSelection(0.3),
    IndegreeAtMost(2),
    IndegreeEquals(0),
]
BY_NAME = [
    CasteloSiebes({("A", "B"): 0.8, ("B", "A"): 0.1, ("D", "C"): 0.0, ("A", "E"): 0.5}),
    MukherjeeSpeed([("A", "B"), ("C", "D")], [("B", "A"), ("A", "E")], 1.5),
    IndegreeAtMost({"A": 0, "B": 1, "C": 2, "D": 2, "E": 4}),
    IndegreeEquals({"E": 0, "B": 1, "C": 0, "D": 2, "A": 1}),
]
ALL = [*SYMMETRIC, *BY_NAME]


@st.composite
def dags(draw: st.DrawFn, names: str = "ABCDE") -> DAG:
    n = len(names)
    order = draw(st.permutations(names))
    chosen = draw(st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    arcs = [pair for pair, there in zip(combinations(order, 2), chosen, strict=True) if there]
    return DAG.from_arcs(arcs, names=list(names))


# ---- laws that every prior obeys


@pytest.mark.parametrize("prior", ALL, ids=str)
def test_priors_are_values(prior):
    again = eval(repr(prior), vars(veridag.criteria.priors))
    assert again == prior
    assert pickle.loads(pickle.dumps(prior)) == prior
    assert hash(again) == hash(prior)
    assert len(set(ALL)) == len(ALL)
    with pytest.raises(FrozenInstanceError):
        prior.beta = 0.7
    assert all(isinstance(getattr(prior, f.name), int | float | str | tuple | None) for f in fields(prior))


@pytest.mark.parametrize("prior", SYMMETRIC, ids=str)
def test_priors_of_the_indegree_alone_give_equivalent_dags_the_same_value(prior):
    terms = prior.terms(list("ABCD"), 100)
    for members in naive.equivalence_classes(4).values():
        logs = [log_of(terms, 4, arcs) for arcs in members]
        assert logs == pytest.approx([logs[0]] * len(logs), rel=1e-12)


def log_of(terms, n: int, arcs: naive.Arcs) -> float:
    return sum(terms.log(v, [a for a, b in sorted(arcs) if b == v]) for v in range(n))


@pytest.mark.parametrize("prior", ALL, ids=str)
@few
@given(dag=dags())
def test_the_log_of_a_dag_is_the_sum_over_its_families(prior, dag):
    terms = prior.terms(dag.names, 100)
    families = [(dag.index(v), [dag.index(u) for u in dag.parents(v)]) for v in dag.names]
    expected = sum(
        terms.size[v, len(p)] + sum(0 if terms.arc is None else terms.arc[u, v] for u in p) for v, p in families
    )
    assert prior.log(dag, 100) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("prior", ALL, ids=str)
@few
@given(dag=dags(), order=st.permutations("ABCDE"))
def test_the_order_of_the_columns_does_not_matter(prior, dag, order):
    assert prior.log(dag.reorder(order), 100) == pytest.approx(prior.log(dag, 100), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("prior", SYMMETRIC, ids=str)
@few
@given(dag=dags(), names=st.permutations("ABCDE"))
def test_the_names_do_not_matter_to_symmetric_priors(prior, dag, names):
    renamed = DAG(tuple(names), dag.adjacency)
    assert prior.log(renamed, 100) == pytest.approx(prior.log(dag, 100), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("prior", ALL, ids=str)
def test_terms_have_a_row_for_every_variable_and_a_column_for_every_number_of_parents(prior):
    terms = prior.terms(list("ABCDE"), 100)
    assert terms.size.shape == (5, 5)
    assert terms.size.dtype == np.float64
    assert not np.isnan(terms.size).any()
    assert terms.arc is None or terms.arc.shape == (5, 5)


@pytest.mark.parametrize("prior", [Uniform(), Edge(), Fair(), DataSize(), Factorial(), MarginalUniform()], ids=str)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_networks_have_weights_too(prior, n):
    assert prior.log_weights(n, 100).shape == (n,)


# ---- the formulas


def test_weights_are_those_of_table_1():
    n, N, tau, beta = 9, 200, 0.5, 0.1
    s = range(n)
    assert np.exp(Uniform().log_weights(n)) == pytest.approx([1] * n)
    assert np.exp(Edge(beta).log_weights(n)) == pytest.approx([beta**k for k in s])
    assert np.exp(Fair().log_weights(n)) == pytest.approx([1 / math.comb(n - 1, k) for k in s])
    assert DataSize(tau).log_weights(n, N) == pytest.approx([-((1 + tau) ** k) * math.log(N) for k in s])
    assert np.exp(Factorial().log_weights(n)) == pytest.approx([math.factorial(k) for k in s])


def test_fair_is_accurate_for_many_variables():
    exact = [-math.log(math.comb(999, s)) for s in range(1000)]
    assert Fair().log_weights(1000) == pytest.approx(exact, rel=1e-13, abs=1e-11)


@pytest.mark.parametrize(
    ("prior", "factor"),
    [
        (Uniform(), 1),
        (Edge(0.1), 0.1),
        (MarginalUniform(), 0.5),
        (MarginalUniform(0.2), 0.1 / 0.8),
        (MarginalUniform("sparse"), 1 / (5 - 3)),  # beta = 2/(N-1): (1/(N-1)) / ((N-3)/(N-1))
        (MarginalUniform("finite"), 5 / (2 * 3)),
        (VariableSelection(), 1 / (5 - 2)),
        (VariableSelection(0.3), 0.3 / 0.7),
    ],
    ids=str,
)
@few
@given(dag=dags().filter(lambda dag: dag.arcs), data=st.data())
def test_an_arc_multiplies_the_probability_by_the_stated_factor(prior, factor, dag, data):
    arc = data.draw(st.sampled_from(dag.arcs))
    without = DAG.from_arcs([a for a in dag.arcs if a != arc], names=dag.names)
    assert prior.log(dag) - prior.log(without) == pytest.approx(math.log(factor), abs=1e-12)


def test_marginal_uniform_is_exactly_one_half_an_arc():
    assert MarginalUniform().log_weights(4)[1] == math.log(0.5)


def test_finite_marginal_uniform_is_the_ratio_of_the_probabilities_of_the_slides():
    for n in (3, 4, 10, 100):
        arc, none = 1 / 4 + 1 / (4 * (n - 1)), 1 / 2 - 1 / (2 * (n - 1))
        assert 2 * arc + none == pytest.approx(1)
        assert MarginalUniform("finite").log_weights(n)[1] == pytest.approx(math.log(arc / none), abs=1e-12)


def test_sparse_marginal_uniform_expects_as_many_arcs_as_variables():
    n = 30
    factor = math.exp(MarginalUniform("sparse").log_weights(n)[1])
    joined = 2 * factor / (1 + 2 * factor)  # a pair's three outcomes have weights factor, factor, 1
    assert joined * n * (n - 1) / 2 == pytest.approx(n)


def test_variable_selection_is_a_distribution_over_the_parents_of_a_variable():
    n = 7
    weights = np.exp(VariableSelection().log_weights(n))
    parents = [math.comb(n - 1, k) for k in range(n)]
    assert weights @ parents == pytest.approx(1)
    assert (weights * np.arange(n)) @ parents == pytest.approx(1)  # one expected parent


# From R bnlearn 5.2.1: number of variables, parents of the family, BDe score of the family and of the node without
# parents, and score plus prior of the graph with that family minus those of the empty graph under the marginal uniform
# prior and under the variable selection prior with probability 1/(N-1).
BNLEARN = [
    (8, 1, -91.4075720082633, -105.516221137787, 13.4155019489642, 12.3168896602961),
    (8, 2, -45.9929513387233, -44.3555387296105, -3.02370697023252, -5.22093154756885),
    (8, 3, -95.0998791412032, -105.516221137787, 8.33690045490448, 5.04106358889999),
    (8, 4, -345.445165256477, -348.610065346119, 0.392311367402499, -4.00213778726993),
    (20, 1, -1560.148080485, -1540.34347097543, -20.4977566901289, -22.6949812674611),
    (20, 4, -1551.52243011578, -1518.05478263922, -36.2402361987988, -45.0291345081387),
    (27, 2, -400.240201501574, -348.243680003769, -53.3828158589249, -58.4342731475408),
]


@pytest.mark.parametrize(("n", "k", "family", "alone", "marginal", "vsp"), BNLEARN)
def test_priors_agree_with_bnlearn(n, k, family, alone, marginal, vsp):
    names = [f"X{i}" for i in range(n)]
    graph = DAG.from_arcs([(name, names[0]) for name in names[1 : k + 1]], names=names)
    empty = DAG.empty(names)
    for prior, expected in ((MarginalUniform(), marginal), (VariableSelection(), vsp)):
        assert family - alone + prior.log(graph) - prior.log(empty) == pytest.approx(expected, abs=1e-10)


def test_data_size_depends_on_the_rows_given():
    empty = DAG.empty(["A", "B"])
    assert DataSize().log(empty, 100) == pytest.approx(-2 * math.log(100))
    assert DataSize().log(empty, 1) == 0
    assert DataSize().log_weights(3000, 10)[-1] == -math.inf
    assert not DataSize(1e6).log_weights(3000, 1).any()


# ---- probabilities of arcs


@given(dag=dags())
def test_mukherjee_speed_counts_expected_and_unexpected_arcs(dag: DAG):
    positive, negative = {("A", "B"), ("C", "D"), ("E", "A")}, {("B", "A"), ("D", "E")}
    prior = MukherjeeSpeed(sorted(positive), sorted(negative), 0.7)
    arcs = set(dag.arcs)
    assert prior.log(dag) == pytest.approx(0.7 * (len(arcs & positive) - len(arcs & negative)))


def test_mukherjee_speed_does_not_depend_on_the_order_in_which_arcs_are_given():
    one = MukherjeeSpeed([("A", "B"), ("C", "A")])
    assert one == MukherjeeSpeed((("C", "A"), ("A", "B"), ("C", "A")))


def test_castelo_siebes_gives_a_pair_its_three_probabilities():
    prior = CasteloSiebes({("A", "B"): 0.6, ("B", "A"): 0.1})
    graphs = [DAG.from_arcs(arcs, names=list("ABC")) for arcs in ([("A", "B")], [("B", "A")], [])]
    weights = np.exp([prior.log(graph) for graph in graphs])
    assert weights / weights.sum() == pytest.approx([0.6, 0.1, 0.3])


def test_castelo_siebes_splits_what_is_left_evenly():
    prior = CasteloSiebes({("B", "A"): 0.8})
    graphs = [DAG.from_arcs(arcs, names=list("ABC")) for arcs in ([("A", "B")], [("B", "A")], [])]
    weights = np.exp([prior.log(graph) for graph in graphs])
    assert weights / weights.sum() == pytest.approx([0.1, 0.8, 0.1])


def test_castelo_siebes_is_indifferent_where_nothing_is_said():
    prior = CasteloSiebes({("A", "B"): 0.6})
    assert prior.log(DAG.from_arcs([("B", "C"), ("A", "C")], names=list("ABC"))) == 0
    assert CasteloSiebes({("A", "B"): 1 / 3}).log(DAG.from_arcs([("A", "B")])) == pytest.approx(0)
    assert CasteloSiebes({}).log(DAG.from_arcs([("A", "B")])) == 0


def test_castelo_siebes_excludes_arcs_of_probability_zero():
    prior = CasteloSiebes({("A", "B"): 0})
    assert prior.log(DAG.from_arcs([("A", "B")])) == -math.inf
    assert prior.log(DAG.from_arcs([("B", "A")])) == 0


def test_castelo_siebes_does_not_depend_on_the_order_in_which_arcs_are_given():
    one = CasteloSiebes({("A", "B"): 0.5, ("C", "A"): 0.2})
    assert one == CasteloSiebes({("C", "A"): 0.2, ("A", "B"): 0.5})
    assert one == CasteloSiebes(((("C", "A"), 0.2), (("A", "B"), 0.5)))
    assert one.arcs == ((("A", "B"), 0.5), (("C", "A"), 0.2))


# ---- indegrees


def test_indegree_at_most_keeps_the_dags_within_bounds_and_no_others():
    d = {"A": 0, "B": 1, "C": 2, "D": 1}
    for arcs in naive.all_dags(4):
        dag = DAG.from_adjacency(naive.matrix(4, arcs), list("ABCD"))
        fits = all(len(dag.parents(name)) <= d[name] for name in d)
        assert IndegreeAtMost(d).log(dag) == (0 if fits else -math.inf)


def test_indegree_equals_keeps_the_dags_with_these_indegrees_and_no_others():
    d = {"D": 0, "B": 1, "C": 2, "A": 1}
    kept = 0
    for arcs in naive.all_dags(4):
        dag = DAG.from_adjacency(naive.matrix(4, arcs), list("ABCD"))
        fits = all(len(dag.parents(name)) == d[name] for name in d)
        kept += fits
        assert IndegreeEquals(d).log(dag) == (0 if fits else -math.inf)
    assert kept > 0


def test_indegree_equals_is_refused_exactly_if_no_dag_has_the_indegrees():
    found = {tuple(naive.matrix(3, arcs).sum(axis=0).tolist()) for arcs in naive.all_dags(3)}
    for d in np.ndindex(4, 4, 4):
        prior = IndegreeEquals(dict(zip("ABC", map(int, d), strict=True)))
        if d in found:
            prior.terms(list("ABC"))
        else:
            with pytest.raises(InputError, match="no DAG has these indegrees"):
                prior.terms(list("ABC"))


def test_one_indegree_stands_for_all_variables():
    assert (IndegreeAtMost(1).terms(["A", "B", "C"]).size == [[0, 0, -np.inf]] * 3).all()
    assert IndegreeEquals(0).log(DAG.empty(["A", "B"])) == 0


def test_indegrees_are_kept_as_a_sorted_tuple():
    assert IndegreeAtMost({"B": 1, "A": 2}).d == (("A", 2), ("B", 1))
    assert IndegreeAtMost({"B": 1, "A": 2}) == IndegreeAtMost((("B", 1), ("A", 2)))
    assert repr(IndegreeAtMost({"A": np.int64(3)})) == "IndegreeAtMost(d=(('A', 3),))"


# ---- what is refused, and how


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Edge(0), "beta=0 must be a finite number above 0, such as beta=0.1"),
        (lambda: Edge(-0.1), "beta=-0.1"),
        (lambda: Edge(math.inf), "beta=inf"),
        (lambda: Edge(math.nan), "beta=nan"),
        (lambda: Edge("0.1"), "beta='0.1'"),
        (lambda: Edge(True), "beta=True"),
        (lambda: DataSize(-0.5), "tau=-0.5 must be a finite number of at least 0"),
        (lambda: MarginalUniform(0), "beta=0 must be a number between 0 and 1, .*'sparse'"),
        (lambda: MarginalUniform(1.0), "beta=1.0"),
        (lambda: MarginalUniform("sparce"), "beta='sparce'.*'sparse' or 'finite'"),
        (lambda: VariableSelection(1), "beta=1 must be a number between 0 and 1, .*None"),
        (lambda: VariableSelection(-1), "beta=-1"),
        (lambda: MukherjeeSpeed("AB"), "positive must be a list of arcs"),
        (lambda: MukherjeeSpeed(["AB"]), "'AB' is no arc"),
        (lambda: MukherjeeSpeed(negative=[("A", "A")]), "two different variables"),
        (lambda: MukherjeeSpeed([("A", "B")], [("A", "B")]), "in positive and in negative"),
        (lambda: MukherjeeSpeed(strength=-1), "strength=-1 must be"),
        (lambda: MukherjeeSpeed([("A", "Z")]).log(DAG.from_arcs([("A", "B")])), "there is no variable 'Z'"),
        (lambda: CasteloSiebes({("A", "B"): 1.2}), r"arcs\['A', 'B'\]=1.2 must be a number from 0 to 1"),
        (lambda: CasteloSiebes({("A", "B"): -0.1}), "-0.1"),
        (lambda: CasteloSiebes({("A", "B"): 0.7, ("B", "A"): 0.5}), "sum to 1.2, above 1"),
        (lambda: CasteloSiebes({("A", "B"): 0.9, ("B", "A"): 0.1}), r"Knowledge\(required="),
        (lambda: CasteloSiebes({("A", "B"): 1}), r"Knowledge\(required="),
        (lambda: CasteloSiebes({("A", "A"): 0.1}), "two different variables"),
        (lambda: CasteloSiebes({"AB": 0.1, "C": 0.2}), "not of the form"),
        (lambda: CasteloSiebes({"AB": 0.5}), r"'AB': 0.5 is not of the form \{\(\"A\", \"B\"\): 0.5\}"),
        (lambda: CasteloSiebes({frozenset("AB"): 0.5}), "not of the form"),
        (lambda: CasteloSiebes(5), "5 is not of the form"),
        (lambda: CasteloSiebes(((("A", "B"), 0.1), (("A", "B"), 0.2))), r"\('A', 'B'\) is given more than once"),
        (lambda: IndegreeAtMost(-1), "d=-1"),
        (lambda: IndegreeAtMost(1.5), "d=1.5 must be an integer of at least 0 for all variables, or a dictionary"),
        (lambda: IndegreeAtMost("2"), "d='2'"),
        (lambda: IndegreeAtMost({"A": -1}), r"d\['A'\]=-1 must be an integer"),
        (lambda: IndegreeAtMost({1: 2}), r"\(1, 2\) is not of the form"),
        (lambda: IndegreeAtMost((("A", 1), ("A", 2))), "'A' is given more than once"),
        (lambda: IndegreeEquals(2), r"d=2: .*IndegreeAtMost\(2\)"),
    ],
)
def test_bad_parameters_are_named_with_their_value_and_the_remedy(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("prior", "names", "message"),
    [
        (DataSize(), "AB", "rows=None: .*pass rows"),
        (MarginalUniform("sparse"), "ABC", "beta='sparse' needs at least 4 variables, not 3"),
        (MarginalUniform("finite"), "AB", "beta='finite' needs at least 3 variables, not 2"),
        (VariableSelection(), "AB", "at least 3 variables, not 2"),
        (CasteloSiebes({("age", "B"): 0.2}), ["Age", "B"], "no variable 'age': did you mean 'Age'"),
        (IndegreeAtMost({"A": 1, "b": 1}), ["A", "B"], "no variable 'b'"),
        (IndegreeAtMost({"A": 1}), "AB", "the indegree of 'B' is missing: .*1 leaves it free"),
        (IndegreeEquals({"A": 0}), "AB", "the indegree of 'B' is missing"),
        (IndegreeEquals({"A": 1, "B": 1}), "AB", "no DAG has these indegrees: 'A' has 1"),
    ],
    ids=str,
)
def test_what_cannot_be_bound_is_refused(prior, names, message):
    with pytest.raises(InputError, match=message):
        prior.terms(list(names))


def test_data_size_needs_a_row():
    with pytest.raises(InputError, match=r"rows=0: .*at least one row"):
        DataSize().log(DAG.empty(["A"]), 0)


def test_numbers_of_numpy_are_numbers():
    assert repr(Edge(np.float64(0.25))) == "Edge(beta=0.25)"
    assert Edge(1) == Edge(1.0)
