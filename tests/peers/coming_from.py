"""What docs/coming-from.md shows of pgmpy and pyAgrum: it runs as written, and agrees where the page says so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import chdir
from math import log
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import veridag as vd

from .comparing import Random, compares, same
from .page import PAGE, rows, starts, value

TIERS = [["asia", "smoke"], ["tub", "lung", "bronc", "either"], ["xray", "dysp"]]


class Page:
    """The values of a package's code and of veridag's, run from the top of the page to its end."""

    def __init__(self, package: str, folder: str) -> None:
        sys.path.insert(0, str(PAGE.parent / "_ext"))
        from examples import Session, examples_of

        session, self.scope = Session(PAGE), dict[str, Any]()
        with chdir(folder):
            for example in examples_of(PAGE.read_text("utf-8")):
                session.run(example)
            exec(starts()[package], self.scope)
            self.theirs, self.ours = dict[str, Any](), dict[str, Any]()
            for row in rows():
                if package in row:
                    self.theirs |= {code: frozen(value(code, self.scope)) for code in row[package]}
                    self.ours |= {code: value(code, session.scope) for code in row["here"]}
        self.data, self.asia = session.scope["data"], session.scope["asia"]
        self.bic = vd.BIC()

    def of(self, start: str) -> Any:
        """The value of the other package's code that starts so; of veridag's, if it is no code of the other one."""
        found = [v for code, v in (self.theirs | self.ours).items() if code.startswith(start)]
        assert len(found) == 1, f"{len(found)} pieces of code on the page start with {start}"
        return found[0]

    def dag(self, arcs: Iterable[Any]) -> vd.DAG:
        return vd.DAG.from_arcs(list(arcs), self.data.names)


def frozen(found: Any) -> Any:
    """What a later line of the page does not change: pgmpy fits networks in place."""
    return found.copy() if type(found).__name__ == "DiscreteBayesianNetwork" else found


def same_table(ours: vd.JointTable, theirs: Any) -> None:
    """Compare with a factor of pgmpy."""
    for state, probability in ours.to_dict().items():
        states = state if isinstance(state, tuple) else (state,)
        same(probability, theirs.get_value(**dict(zip(ours.names, states, strict=True))))


def same_parameters(
    network: vd.Network, name: str, theirs: Callable[[dict[str, str]], float], tolerance: float
) -> None:
    """Compare the conditional distributions of a variable."""
    own = network.table(name)
    for index in np.ndindex(own.probabilities.shape):
        states = {v: network.states[v][k] for v, k in zip((*own.parents, name), index, strict=True)}
        same(own.probabilities[index], theirs(states), tolerance)


@compares("pgmpy", "the code in docs/coming-from.md", 1)
def page_of_pgmpy(_: Random) -> str | None:
    with TemporaryDirectory() as folder:
        page = Page("pgmpy", folder)
    data, asia, of, model = page.data, page.asia, page.of, page.scope["model"]

    climbed, mmhc = page.dag(of("HillClimbSearch(").edges()), page.dag(of("MmhcEstimator(").edges())
    best = vd.Exact(page.bic).learn(data)
    same(vd.score(of("vd.HillClimbing(score=vd.BIC()).learn(data).dag"), data, page.bic), best.score)
    assert vd.score(climbed, data, page.bic) <= best.score + 1e-9
    assert mmhc.cpdag() != of("vd.MMHC(").cpdag()
    for theirs, ours in (("PC(", "vd.PCStable("), ("GES(", "vd.GES(")):
        found = of(theirs)
        assert vd.shd(vd.PDAG.from_arcs(found.directed_edges, found.undirected_edges, data.names), of(ours)) == 0
    three = vd.DAG.from_arcs(of("ExhaustiveSearch(").edges(), ["smoke", "lung", "bronc"])
    assert three.cpdag() == of("vd.Exact(").cpdag()
    with_tiers = vd.score(of("vd.HillClimbing(score=vd.BIC()).learn(data, knowledge=tiers)"), data, page.bic)
    assert vd.score(page.dag(of("learned = ").edges()), data, page.bic) <= with_tiers + 1e-9

    assert set(of("model.edges()")) == set(asia.dag.arcs)
    found = of("model.to_pdag()")
    assert vd.PDAG.from_arcs(found.directed_edges, found.undirected_edges, data.names) == asia.dag.cpdag()
    assert of("not model.is_dconnected(") == of("asia.dag.d_separated(")
    assert set(of("model.get_markov_blanket(")) == set(of("asia.dag.markov_blanket("))
    assert {tuple(s) for s in of("CausalInference(model).get_all_backdoor")} == set(of("asia.dag.adjustment_sets("))

    for theirs, ess in (("model.fit(df, estimator=DiscreteMLE", 0), ("model.fit(df, estimator=DiscreteBayesian", 10)):
        for name in data.names:
            cpd = of(theirs).get_cpds(name)
            same_parameters(vd.fit(asia.dag, data, ess=ess), name, lambda s, cpd=cpd: cpd.get_value(**s), 1e-8)
    network = vd.fit(asia.dag, data, ess=10)
    same_table(network.query("lung", {"smoke": "yes"}), of('VariableElimination(model).query(["lung"], '))
    same_table(network.query(["lung", "bronc"]), of('VariableElimination(model).query(["lung", "bronc"]'))
    same_table(network.query("lung", do={"smoke": "yes"}), of("CausalInference(model).query("))
    assert of("VariableElimination(model).map_query(") == network.map(["lung", "bronc"], {"dysp": "yes"}).values
    predicted = network.predict(data, "lung")
    assert list(of("model.predict(")) == list(predicted.values)
    same(predicted.to_pandas()["P(lung = yes)"], of("model.predict_probability(")["lung_yes"])
    same(network.query("lung")["yes"], (of("model.simulate(1000, seed=1)")["lung"] == "yes").mean(), 0.05)

    for theirs, score in (
        ("LogLikelihood(", vd.LogLik()),
        ("BIC(df).score(", vd.BIC()),
        ("AIC(", vd.AIC()),
        ("BDeu(", vd.BDeu(10)),
        ("K2(", vd.K2()),
    ):
        same(vd.score(asia.dag, data, score), of(theirs))
    same(vd.local_score("lung", ["smoke"], data, page.bic), of("BIC(df).local_score("))
    assert of("BDs(") < vd.score(asia.dag, data, vd.BDs(10)) - 1

    from pgmpy.ci_tests import GSq
    from pgmpy.inference import VariableElimination
    from pgmpy.parameter_estimator import DiscreteEM

    test = GSq(page.scope["df"])
    assert test("smoke", "xray", ["lung"]) == vd.test("smoke", "xray", ["lung"], data).independent
    same(test.statistic_, 0.0)
    assert VariableElimination(model).map_query(evidence={"dysp": "yes"}, show_progress=False)["dysp"] == "no"
    holes = page.scope["df"].mask(np.arange(500)[:, None] % 10 == np.arange(8))
    model.fit(holes, estimator=DiscreteEM(show_progress=False))
    complete = vd.Data.from_frame(holes.dropna(), states=asia.states)
    em = model.get_cpds("smoke")
    same_parameters(vd.fit(asia.dag, complete, ess=0), "smoke", lambda s: em.get_value(**s), 1e-8)
    return None


@compares("pyAgrum", "the code in docs/coming-from.md", 1)
def page_of_pyagrum(_: Random) -> str | None:
    import pyagrum as gum

    with TemporaryDirectory() as folder:
        page = Page("pyAgrum", folder)
        with chdir(folder):
            page.data.write("rows.csv")
            return compare_with_pyagrum(page, gum)


def compare_with_pyagrum(page: Page, gum: Any) -> None:
    data, asia, of, bn = page.data, page.asia, page.of, page.scope["bn"]

    def dag(found: Any) -> vd.DAG:
        return page.dag((bn.variable(u).name(), bn.variable(v).name()) for u, v in found.arcs())

    for search, ours in (("useGreedyHillClimbing", vd.HillClimbing), ("useLocalSearchWithTabuList", vd.Tabu)):
        learner = gum.BNLearner("rows.csv", bn)
        getattr(learner.useNoPrior().useScoreBIC(), search)()
        assert dag(learner.learnDAG()).cpdag() == ours(score=page.bic).learn(data).dag.cpdag()
    learner = gum.BNLearner("rows.csv", bn)  # by name: a chain of calls does not keep it
    learner.useNoPrior().useScoreBIC().useGreedyHillClimbing().setSliceOrder(TIERS)
    tiers = vd.Knowledge(tiers=TIERS)
    assert dag(learner.learnDAG()) == vd.HillClimbing(score=page.bic).learn(data, knowledge=tiers).dag
    assert dag(of("learner.useScoreBIC().useGreedy")).cpdag() == of("vd.HillClimbing(score=").cpdag()

    assert dag(bn) == asia.dag
    essential = of("gum.EssentialGraph(")
    edges = [(bn.variable(u).name(), bn.variable(v).name()) for u, v in essential.edges()]
    assert vd.PDAG.from_arcs(dag(essential).arcs, edges, data.names) == asia.dag.cpdag()
    assert of("bn.isIndependent(") == of("asia.dag.d_separated(")
    blanket = {bn.variable(v).name() for v in of("gum.MarkovBlanket(")}
    assert blanket == {"lung", *of("asia.dag.markov_blanket(")}
    assert of("GraphicalBNComparator(") == vd.shd(asia.dag, dag(page.scope["learned"]))

    for name in data.names:
        same_parameters(asia, name, bn.cpt(name).__getitem__, 1e-6)
        same_parameters(of("vd.fit(asia.dag, data"), name, of("learner.useBDeuPrior(10)").cpt(name).__getitem__, 1e-6)
        em = of("em.useBDeuPrior(1)").cpt(name)  # stops a little sooner
        same_parameters(of("vd.fit(asia.dag, incomplete"), name, em.__getitem__, 2e-3)
    same([[0.1, 0.9], [0.01, 0.99]], page.scope["own"].cpt("lung").tolist())
    for theirs, ours in (
        ("gum.getPosterior(", 'asia.query("lung", {"smoke"'),
        ('ie.posterior("lung")', 'asia.query("lung", {"dysp"'),
        ('ie.posterior("bronc")', 'asia.query("bronc", likelihood='),
    ):
        same(of(ours).probabilities, of(theirs).tolist(), 1e-6)  # pyAgrum reads single precision
    same(of('asia.query("lung", do=').probabilities, of("gum.causalImpact(")[1].tolist(), 1e-6)
    most, evidence = of("ie.mpe()").todict(withLabels=True), {"dysp": "yes"}
    assert most == evidence | dict(of("asia.most_probable(").values)

    for theirs, ours in (("BIC", vd.BIC()), ("K2", vd.K2())):
        bits = of(f"learner.useNoPrior().useScore{theirs}()")
        same(vd.local_score("either", ["tub", "lung"], data, ours), bits * log(2), 1e-6)
    for theirs, test in (("G2", vd.G2()), ("chi2", vd.X2())):
        found = vd.test("smoke", "xray", ["lung"], data, test)
        same([found.statistic, found.p_value], of(f"learner.{theirs}("))
