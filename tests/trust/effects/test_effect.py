"""Effects in a known graph: those of the true network, from data that is exactly distributed by it."""

from __future__ import annotations

import numpy as np
import pytest

from naive import effects as naive
from veridag import (
    DAG,
    PDAG,
    Data,
    InputError,
    Interrupted,
    LinearGaussian,
    Network,
    Tabu,
    effect,
    networks,
    possible_effects,
    random_dag,
    random_mixed_network,
    random_network,
)
from veridag.data import Column

ASIA = networks.load("asia")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adjustment", ["optimal", "parents"])
def test_discrete_effects_are_those_of_the_truncated_factorization(seed: int, adjustment: str) -> None:
    network = random_network(random_dag(5, arcs=7, seed=seed), states=2 + seed % 2, seed=seed)
    data = naive.exact_table(network)
    for x in network.names:
        for y in set(network.names) - {x}:
            found = effect(data, network.dag, x, y, adjustment=adjustment, repeats=0)
            truth = naive.do_probabilities(network, x, y)
            assert (found.adjustment is None) == (y not in network.dag.descendants(x))
            for level in found.levels:
                i, j = network.states[x].index(level.value), network.states[y].index(level.outcome)
                assert level.estimate.value == pytest.approx(truth[i, j], abs=1e-9)
            for contrast in found.contrasts:
                i, j = network.states[x].index(contrast.value), network.states[y].index(contrast.outcome)
                assert contrast.baseline == network.states[x][0]
                assert contrast.difference.value == pytest.approx(truth[i, j] - truth[0, j], abs=1e-9)
                assert contrast.ratio.value == pytest.approx(truth[i, j] / truth[0, j], abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_conditional_effects_are_those_of_the_truncated_factorization(seed: int) -> None:
    network = random_network(random_dag(5, arcs=7, seed=seed), states=2, seed=seed)
    data, dag = naive.exact_table(network), network.dag
    tried = 0
    for x in dag.names:
        for y in dag.descendants(x):
            for g in set(dag.names) - {x, y} - set(dag.descendants(x)):
                found = effect(data, dag, x, y, given={g: network.states[g][1]}, repeats=0)
                truth = naive.do_probabilities(network, x, y, {g: 1})
                assert found.value == pytest.approx(truth[1, 1] - truth[0, 1], abs=1e-9)
                tried += 1
    assert tried > 5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adjustment", ["optimal", "parents"])
def test_slopes_are_the_sums_over_directed_paths(seed: int, adjustment: str) -> None:
    dag = random_dag(6, arcs=8, seed=seed)
    b = naive.random_coefficients(dag, seed)
    data = naive.exact_rows(naive.covariance(b, np.linspace(0.5, 2, 6)), dag.names, seed)
    truth = np.linalg.inv(np.eye(6) - b)
    for i, x in enumerate(dag.names):
        for j, y in enumerate(dag.names):
            if i != j:
                found = effect(data, dag, x, y, adjustment=adjustment, repeats=0)
                assert found.value == pytest.approx(truth[i, j], abs=1e-9)
                assert (found.adjustment is None) == (y not in dag.descendants(x))
    moved = effect(data, dag, *dag.arcs[0], values=(1, 4), repeats=0)
    assert moved.value == pytest.approx(3 * truth[dag.index(dag.arcs[0][0]), dag.index(dag.arcs[0][1])])


def test_seeing_is_doing_where_nothing_confounds() -> None:
    network = random_network(DAG.from_modelstring("[A][B|A][C|B]"), states=2, seed=1)
    data = network.sample(500, seed=1)
    found = effect(data, network.dag, "A", "C", repeats=0)
    codes = {v: data.column(v) for v in "AC"}
    means = [codes["C"][codes["A"] == k].mean() for k in (0, 1)]
    assert found.adjustment == ()
    assert [level.estimate.value for level in found.levels] == pytest.approx(means)


def mixed(rows: list[tuple], names: tuple[str, ...], discrete: str) -> Data:
    columns = []
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        if name in discrete:
            columns.append(Column.discrete(name, np.array(values, np.uint8), ["no", "yes"]))
        else:
            columns.append(Column.continuous(name, np.array(values, float)))
    return Data(columns)


def test_a_difference_of_means_in_strata_and_with_continuous_confounders() -> None:
    """y = 1 + 2 x + 3 d + (0.5 + x) c + noise of mean zero in every cell; c depends on x and on d."""
    rng = np.random.default_rng(0)
    rows = []
    for d, x, number in ((0, 0, 20), (0, 1, 10), (1, 0, 6), (1, 1, 30)):
        for c in rng.normal(d + x, 1, number):
            rows += [(x, 1 + 2 * x + 3 * d + (0.5 + x) * c + e, d, c) for e in (-1, 1)]
    data = mixed(rows, tuple("XYDC"), "XD")
    dag = DAG.from_arcs([("D", "X"), ("C", "X"), ("D", "C"), ("X", "Y"), ("D", "Y"), ("C", "Y")])
    found = effect(data, dag, "X", "Y", repeats=0)
    c = data.column("C").mean()
    assert found.adjustment == ("C", "D")
    assert found.value == pytest.approx(2 + c)
    assert found.ratio is None
    slope = effect(
        data, DAG.from_arcs([("X", "Y"), ("D", "Y"), ("C", "Y"), ("D", "C"), ("X", "C")]), "C", "Y", repeats=0
    )
    assert slope.value == pytest.approx(0.5 + data.column("X").mean())


@pytest.mark.medium
@pytest.mark.parametrize("seed", range(3))
def test_mixed_effects_are_those_of_do_queries(seed: int) -> None:
    network = random_mixed_network(random_dag(6, arcs=8, seed=seed), seed=seed)
    data = network.sample(20_000, seed=1)
    tried = 0
    for x in network.names:
        for y in set(network.dag.descendants(x)) - set(network.states):
            first, second = network.states[x][:2] if x in network.states else (0.0, 1.0)
            means = [network.query(y, do={x: value}).mean[0] for value in (first, second)]
            found = effect(data, network.dag, x, y, values=(first, second), repeats=20)
            assert abs(found.value - (means[1] - means[0])) < found.high - found.low
            tried += 1
    assert tried > 3


def test_a_continuous_cause_of_a_discrete_outcome_is_a_linear_probability() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=300)
    x = z + rng.normal(size=300)
    y = (x + z + rng.normal(size=300) > 0).astype(np.uint8)
    data = Data([Column.continuous("X", x), Column.continuous("Z", z), Column.discrete("Y", y, ["no", "yes"])])
    found = effect(data, DAG.from_arcs([("X", "Y"), ("Z", "X"), ("Z", "Y")]), "X", "Y", repeats=0)
    design = np.column_stack([x, z, np.ones(300)])
    assert found.value == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[0][0])
    assert found.sentence.startswith("One unit more of X changes P(Y = yes) by +")


def test_weights_order_and_repeated_rows_do_not_matter() -> None:
    data = ASIA.sample(300, seed=2)
    rows = np.random.default_rng(0).permutation(300)
    once = effect(data, ASIA.dag, "smoke", "dysp", repeats=20)
    weighted = Data(data.columns, np.full(300, 2)).rows(rows)
    twice = Data([Column.discrete(c.name, np.tile(c.values, 2), c.states) for c in data.columns])
    assert effect(data.rows(rows), ASIA.dag, "smoke", "dysp", repeats=20) == once
    assert effect(weighted, ASIA.dag, "smoke", "dysp", repeats=20) == effect(
        twice, ASIA.dag, "smoke", "dysp", repeats=20
    )
    assert effect(data.select(data.names[::-1]), ASIA.dag, "smoke", "dysp", repeats=20, jobs=3) == once


def test_groups_keep_their_sizes_in_bootstrap_samples() -> None:
    plain = networks.load("asia").sample(400, seed=1)
    group = np.repeat([0, 1], [100, 300])
    data = Data(plain.columns, None, group, ("a", "b"))
    found = effect(data, ASIA.dag, "smoke", "dysp", repeats=30)
    assert found.value == effect(plain, ASIA.dag, "smoke", "dysp", repeats=0).value
    assert found.low < found.value < found.high


def test_rows_with_missing_values_are_left_out_and_said() -> None:
    data = ASIA.sample(200, seed=1)
    observed = np.ones(200, bool)
    observed[:50] = False
    columns = [
        Column.discrete(c.name, c.values, c.states, observed=observed) if c.name in ("bronc", "xray") else c
        for c in data.columns
    ]
    found = effect(Data(columns), ASIA.dag, "smoke", "bronc", repeats=0)
    assert found.value == effect(data.rows(np.arange(50, 200)), ASIA.dag, "smoke", "bronc", repeats=0).value
    assert found.notes == ("uses the 150 of 200 observations in which bronc, smoke are all observed",)
    assert effect(Data(columns), ASIA.dag, "smoke", "lung", repeats=0).n == 200


def test_strata_without_a_comparison_are_left_out_and_said() -> None:
    rows = [(x, y, 0) for x in (0, 1) for y in (0, 1, 1) for _ in range(x + 1)] + [(0, 0, 1)] * 3
    data = mixed(rows, tuple("XYZ"), "XYZ")
    dag = DAG.from_arcs([("Z", "X"), ("Z", "Y"), ("X", "Y")])
    found = effect(data, dag, "X", "Y", repeats=50)
    assert found.value == pytest.approx(0.0)
    assert found.notes[1].startswith("25 % of the observations are in strata of Z in which X does not take all values")
    with pytest.raises(InputError, match="in no stratum of Z does 'X' take all values"):
        effect(mixed([(0, 0, 0), (1, 1, 1)], tuple("XYZ"), "XYZ"), dag, "X", "Y")
    with pytest.raises(InputError, match="x: 'X' is 'no' in every row"):
        effect(mixed([(0, 0, 0), (0, 1, 1)], tuple("XYZ"), "XYZ"), dag, "X", "Y")


def test_a_class_that_agrees_on_an_effect_is_enough() -> None:
    data = ASIA.sample(1000, seed=1)
    cpdag = ASIA.dag.cpdag()
    assert effect(data, cpdag, "either", "dysp", repeats=10) == effect(data, ASIA.dag, "either", "dysp", repeats=10)
    assert effect(data, cpdag, "dysp", "smoke").adjustment is None
    with pytest.raises(InputError, match=r"depends on directions.*smoke - bronc\): possible_effects\(data, graph, 's"):
        effect(data, cpdag, "smoke", "dysp")


def test_without_a_path_there_is_no_estimate_and_no_interval() -> None:
    found = effect(ASIA.sample(1000, seed=1), ASIA.dag, "dysp", "smoke", repeats=20)
    assert (found.value, found.low, found.high, found.levels) == (0.0, None, None, ())
    assert found.sentence.startswith(
        "In this graph, no directed path leads from dysp to smoke, so it implies no effect of dysp on smoke."
    )
    assert str(found) == found.sentence
    assert "<table" not in found._repr_html_()
    assert repr(found) == "<Effect of dysp on smoke: none, no directed path>"


def test_named_sets_have_to_be_valid() -> None:
    data = ASIA.sample(1000, seed=1)
    found = effect(data, ASIA.dag, "bronc", "dysp", adjustment=["smoke", "asia"], repeats=0)
    assert found.adjustment == ("asia", "smoke")
    with pytest.raises(InputError, match="adjust for nothing is not valid in this graph: adjustment='optimal' finds"):
        effect(data, ASIA.dag, "bronc", "dysp", adjustment=[])
    with pytest.raises(InputError, match="adjustment: 'dysp' is x or y"):
        effect(data, ASIA.dag, "bronc", "dysp", adjustment=["dysp"])
    with pytest.raises(InputError, match=r"adjustment='smoke' must be 'optimal', 'parents' or a list of names"):
        effect(data, ASIA.dag, "bronc", "dysp", adjustment="smoke")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": "smokes"}, "x: the data has no column 'smokes'"),
        ({"x": "dysp"}, "x and y are both 'dysp'"),
        ({"values": ("yes", "maybe")}, "values: 'smoke' has no state 'maybe'"),
        ({"values": ("yes",)}, "must be two values of 'smoke'"),
        ({"values": ("yes", "yes")}, "two different values"),
        ({"outcome": "often"}, "outcome: 'dysp' has no state 'often'"),
        ({"given": {"bronc": "yes"}}, "given: 'bronc' is an effect of 'smoke' itself"),
        ({"given": {"smoke": "yes"}}, "given: 'smoke' is the variable that is set"),
        ({"given": ["asia"]}, "given=.* must map names to values"),
        ({"level": 1.0}, "level=1.0"),
        ({"repeats": -1}, "repeats=-1"),
        ({"graph": ASIA}, "a DAG or a PDAG is needed, not a Network: a network has one, .dag"),
        ({"graph": Tabu().learn(ASIA.sample(50, seed=1))}, r"not a Result: \.cpdag has the class"),
        ({"graph": DAG.empty(["smoke"])}, "y: the graph has no variable 'dysp'"),
    ],
)
def test_mistakes_are_named(changed: dict, message: str) -> None:
    asked = {"data": ASIA.sample(50, seed=1), "graph": ASIA.dag, "x": "smoke", "y": "dysp", **changed}
    with pytest.raises(InputError, match=message):
        effect(**asked)


def test_numbers_as_conditions() -> None:
    dag = DAG.from_arcs([("A", "X"), ("X", "Y"), ("A", "Y")])
    data = naive.exact_rows(np.eye(3) + 0.3, dag.names)
    found = effect(data, dag, "X", "Y", given={"A": 2}, repeats=0)
    assert found.value == pytest.approx(effect(data, dag, "X", "Y", repeats=0).value)
    assert found.notes[0] == "A is adjusted for: in a linear model the effect is the same for all values of A"
    assert found.sentence.endswith("with nothing else to adjust for.")
    with pytest.raises(InputError, match=r"given\['A'\]='high' must be a number"):
        effect(data, dag, "X", "Y", given={"A": "high"})
    with pytest.raises(InputError, match="outcome='high': 'Y' is continuous"):
        effect(data, dag, "X", "Y", outcome="high")
    binary = Data([*data.columns[:1], Column.discrete("X", np.arange(data.nrows) % 2, ["a", "b"]), data.columns[2]])
    with pytest.raises(InputError, match=r"given: 'A' is continuous and 'X' discrete.*discretize it"):
        effect(binary, dag, "X", "Y", given={"A": 2})


def test_words_tables_and_frames() -> None:
    data = ASIA.sample(1000, seed=1)
    found = effect(
        data, ASIA.dag, "smoke", "dysp", values=("no", "yes"), outcome="yes", given={"asia": "no"}, repeats=50
    )
    assert found.sentence.startswith("Setting smoke to yes instead of no changes P(dysp = yes) given asia = no by +0.2")
    assert "adjusted for tub." in found.sentence
    assert "P(dysp | do(smoke), asia=no)" in str(found)
    assert "yes against no" in found._repr_html_()
    assert repr(found).startswith("<Effect of smoke on dysp: 0.2")
    frame = found.to_pandas()
    assert list(frame["value"]) == ["yes"]
    assert frame["difference"][0] == found.value
    assert frame["ratio"][0] == found.ratio.value
    assert found.ratio.low < found.ratio.value < found.ratio.high


def test_an_interrupt_keeps_the_samples_that_are_done(ctrl_c) -> None:
    data = ASIA.sample(2000, seed=1)
    with pytest.raises(Interrupted) as stopped:
        effect(data, ASIA.dag, "smoke", "dysp", repeats=20_000, progress=ctrl_c(5))
    partial = stopped.value.result
    assert partial.repeats < 20_000
    assert partial.value == effect(data, ASIA.dag, "smoke", "dysp", repeats=0).value


def coverage(network: Network, truth: float, data_sets: int) -> float:
    """How often intervals of 90 % hold the true effect of X on Y."""
    held = 0
    for seed in range(data_sets):
        found = effect(network.sample(1000, seed=seed), network.dag, "X", "Y", repeats=200, seed=seed, level=0.9)
        held += found.low <= truth <= found.high
    return held / data_sets


CONFOUNDED = DAG.from_arcs([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("W", "Y")])


@pytest.mark.slow
def test_intervals_of_slopes_hold_the_true_one_about_as_often_as_they_say() -> None:
    assert 0.86 <= coverage(networks_of_lines(CONFOUNDED), 0.7, 300) <= 0.94


@pytest.mark.slow
def test_intervals_of_risk_differences_do_so_if_no_stratum_is_small() -> None:
    """With alpha = 5 no stratum has fewer than 20 observations of either state of X; small strata have a note."""
    shares = []
    for seed in (4, 5, 6):
        network = random_network(CONFOUNDED, states=2, alpha=5, seed=seed)
        truth = float(np.diff(naive.do_probabilities(network, "X", "Y")[:, 1])[0])
        shares.append(coverage(network, truth, 150))
    assert 0.86 <= np.mean(shares) <= 0.94


def test_small_strata_have_a_note() -> None:
    network = random_network(CONFOUNDED, states=2, seed=4)
    found = effect(network.sample(400, seed=1), CONFOUNDED, "X", "Y", repeats=0)
    assert "with fewer than 10, intervals are too short" in found.notes[0]
    one = effect(mixed([(0, 0, 0), (1, 1, 0)], tuple("XYZ"), "XYZ"), DAG.from_arcs([("X", "Y")]), "X", "Y", repeats=0)
    assert one.notes[0].startswith("some strata have only 1 observation for each number")
    assert effect(network.sample(100_000, seed=1), CONFOUNDED, "X", "Y", repeats=0).notes == ()


def networks_of_lines(dag: DAG) -> Network:
    def cpd(v: str) -> LinearGaussian:
        parents = dag.parents(v)
        return LinearGaussian(parents, 0.0, [0.7] * len(parents), 1.0)

    return Network({v: cpd(v) for v in dag.names})


def test_a_pdag_that_is_no_class_is_refused() -> None:
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    data = naive.exact_rows(np.eye(4) + 0.1, tuple("ABCD"))
    with pytest.raises(InputError, match="graph: no DAG extends"):
        effect(data, square, "A", "C")


@pytest.mark.parametrize(
    ("x", "rows", "message"),
    [
        (lambda a: np.full_like(a, 1.5), 60, "x: 'X' is 1.5 in every row that can be used"),
        (lambda a: 2 * a + 1, 60, "adjustment: 'X' is a linear function of A, so that nothing is left to compare"),
        (lambda a: a**2, 8, "data: too few observations: there are 8, .* 3 coefficients takes at least 9"),
    ],
)
def test_why_there_is_no_slope_is_said(x, rows: int, message: str) -> None:
    a = np.linspace(-1, 2, rows)
    y = np.sin(7 * a)
    dag = DAG.from_arcs([("A", "X"), ("X", "Y"), ("A", "Y")])
    data = Data([Column.continuous("A", a), Column.continuous("X", x(a)), Column.continuous("Y", y)])
    with pytest.raises(InputError, match=message):
        effect(data, dag, "X", "Y")
    with pytest.raises(InputError, match=message):
        possible_effects(data, dag, "X", "Y")
    strata = Column.discrete("A", (np.arange(rows) % 4).astype(np.uint8), list("abcd"))
    by_strata = Data([strata, Column.continuous("X", strata.values.astype(float)), Column.continuous("Y", y)])
    expected = (
        "'X' is constant in every stratum of A with enough" if rows > 36 else "the largest stratum of A has 2, and"
    )
    with pytest.raises(InputError, match=expected):
        effect(by_strata, dag, "X", "Y")


def test_columns_that_the_data_lacks_are_not_adjusted_for_if_another_set_is_valid() -> None:
    data = ASIA.sample(1000, seed=1)
    part = data.select(["smoke", "dysp"])
    found = effect(part, ASIA.dag, "smoke", "dysp", repeats=0)
    assert found.value == effect(data, ASIA.dag, "smoke", "dysp", adjustment=[], repeats=0).value
    assert (found.adjustment, found.notes[0]) == ((), "adjusts for nothing, not for tub: the data has no column 'tub'")
    bronc = effect(data.select(["smoke", "bronc", "dysp"]), ASIA.dag, "bronc", "dysp", repeats=0)
    assert bronc.adjustment == ("smoke",)
    with pytest.raises(InputError, match=r"the data has no column 'either', and no set of the columns .* is valid"):
        effect(data.select(["bronc", "dysp"]), ASIA.dag, "bronc", "dysp")
    with pytest.raises(InputError, match="adjustment: the data has no column 'smoke'"):
        effect(data.select(["bronc", "dysp"]), ASIA.dag, "bronc", "dysp", adjustment="parents")


def test_few_repeats_have_a_note_and_one_gives_no_interval() -> None:
    data = ASIA.sample(2000, seed=1)
    one = effect(data, ASIA.dag, "smoke", "bronc", repeats=1)
    assert (one.low, one.high) == (None, None)
    assert one.notes == ("one bootstrap sample gives no interval: take more repeats, or 0 for none",)
    few = effect(data, ASIA.dag, "smoke", "bronc", repeats=5)
    assert few.low < few.high
    assert few.notes[0].startswith("the intervals are from only 5 bootstrap samples")
    assert effect(data, ASIA.dag, "smoke", "bronc", repeats=20).notes == ()
    possible = possible_effects(data, ASIA.dag.cpdag(), "smoke", "bronc", repeats=1)
    assert possible.interval is None
    assert possible.effects[0].estimate.low is None
    assert possible.notes == one.notes
