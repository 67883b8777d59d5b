"""Random discrete networks: posteriors, evidence, explanations, samples, parameters."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import veridag as vd

from . import inputs
from .comparing import Random, compares, same


def in_pyagrum(network: vd.Network) -> Any:
    """Table by table, in double precision."""
    import pyagrum as gum

    made = gum.BayesNet()
    for v in network.names:
        made.add(gum.LabelizedVariable(v, "", list(network.states[v])))
    for u, v in network.dag.arcs:
        made.addArc(u, v)
    for v in network.names:
        own = network.table(v)
        axes = {u: k for k, u in enumerate((*own.parents, v))}
        order = [axes[name] for name in reversed(made.cpt(v).names)]  # of the last the states vary slowest
        made.cpt(v).fillWith(np.transpose(own.probabilities, order).reshape(-1).tolist())
    return made


def in_pgmpy(network: vd.Network) -> Any:
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    made = DiscreteBayesianNetwork()
    made.add_nodes_from(network.names)
    made.add_edges_from(network.dag.arcs)
    for v in network.names:
        own = network.table(v)
        values = np.moveaxis(own.probabilities, -1, 0).reshape(len(network.states[v]), -1)
        names = {u: list(network.states[u]) for u in (v, *own.parents)}
        cards = [len(network.states[p]) for p in own.parents]
        made.add_cpds(TabularCPD(v, len(network.states[v]), values, list(own.parents), cards, state_names=names))
    return made


def evidence(random: Random, network: vd.Network, keep: tuple[str, ...]) -> dict[str, str]:
    """States of a row that the network made, of some variables but for those to keep."""
    row = network.sample(1, seed=inputs.seed(random)).to_pandas().iloc[0]
    return {v: str(row[v]) for v in inputs.subset(random, network.names) if v not in keep}


@compares("pyAgrum", "posterior marginals and the probability of the evidence", 60)
def marginals_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    network = inputs.network(random)
    given = evidence(random, network, ())
    engine = gum.LazyPropagation(in_pyagrum(network))
    engine.setEvidence(given)
    engine.makeInference()
    ours = network.marginals(given)
    for v in network.names:
        same(ours.probabilities(v), engine.posterior(v).toarray())
    if given:
        same(vd.JunctionTree(network).log_probability(given), np.log(engine.evidenceProbability()))
    return None


@compares("pyAgrum", "joint posteriors, and posteriors with likelihoods for evidence", 60)
def joints_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    network = inputs.network(random)
    targets = inputs.pair(random, network.names)
    given = evidence(random, network, targets)
    soft = {
        v: dict(zip(network.states[v], random.uniform(0.05, 1.0, len(network.states[v])).tolist(), strict=True))
        for v in inputs.subset(random, network.names)
        if v not in given
    }
    engine = gum.LazyPropagation(in_pyagrum(network))
    engine.addJointTarget(set(targets))
    engine.setEvidence({**given, **{v: list(own.values()) for v, own in soft.items()}})
    engine.makeInference()
    theirs = engine.jointPosterior(set(targets))
    found = network.query(targets, given, likelihood=soft)
    for states in product(*(network.states[v] for v in targets)):
        at = dict(zip(targets, states, strict=True))
        index = tuple(network.states[v].index(at[v]) for v in found.names)
        same(found.probabilities[index], theirs[at])
    return None


@compares("pgmpy", "joint posteriors, and the effects of interventions", 40)
def joints_of_pgmpy(random: Random) -> str | None:
    from pgmpy.inference import VariableElimination

    network = inputs.network(random)
    targets = inputs.pair(random, network.names)
    given = evidence(random, network, targets)
    forced = {v: given.pop(v) for v in list(given) if random.random() < 0.3}
    cut = in_pgmpy(network.intervene(forced)) if forced else in_pgmpy(network)
    if forced:
        own = in_pgmpy(network).do(list(forced))
        assert sorted(own.edges()) == sorted(cut.edges())
    theirs = VariableElimination(cut).query(list(targets), {**given, **forced}, show_progress=False)
    found = network.query(targets, given, do=forced)
    axes = [theirs.variables.index(v) for v in found.names]
    named = [[list(theirs.state_names[v]).index(s) for s in network.states[v]] for v in found.names]
    same(found.probabilities, np.transpose(theirs.values, axes)[np.ix_(*named)])
    return None


@compares("pyAgrum", "most probable explanation and its probability", 40)
def explanations_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    network = inputs.network(random, most=6)
    given = evidence(random, network, (str(random.choice(network.names)),))
    engine = gum.LazyPropagation(in_pyagrum(network))
    engine.setEvidence(given)
    theirs, log2 = engine.mpeLog2Posterior()
    ours = network.most_probable(given)
    same(ours.log_posterior, log2 * np.log(2.0))
    found = {v: theirs[v] for v in ours.values}
    assert {v: network.states[v][k] for v, k in found.items()} == dict(ours.values)
    return None


@compares("pgmpy", "most probable states of some variables together", 30)
def map_of_pgmpy(random: Random) -> str | None:
    from pgmpy.inference import VariableElimination

    network = inputs.network(random, most=6)
    targets = inputs.pair(random, network.names)
    given = evidence(random, network, targets)
    theirs = VariableElimination(in_pgmpy(network)).map_query(list(targets), given, show_progress=False)
    assert dict(network.map(targets, given).values) == {v: theirs[v] for v in targets}
    return None


@compares("pyAgrum", "frequencies of samples against exact marginals of the other program", 15)
def samples_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    network = inputs.network(random)
    n = 20_000
    frame = network.sample(n, seed=inputs.seed(random)).to_pandas()
    engine = gum.LazyPropagation(in_pyagrum(network))
    engine.makeInference()
    for v in network.names:
        p = engine.posterior(v).toarray()
        frequencies = np.array([(frame[v] == s).mean() for s in network.states[v]])
        # Six standard deviations: one in 10^9 of right samples is farther off.
        assert np.all(np.abs(frequencies - p) <= 6 * np.sqrt(p * (1 - p) / n) + 1e-12), (frequencies, p)
    return None


@compares("pgmpy", "log-likelihood of rows, and fitted parameters: maximum likelihood and BDeu", 30)
def parameters_of_pgmpy(random: Random) -> str | None:
    from pgmpy.estimators import BayesianEstimator, MaximumLikelihoodEstimator

    frame = inputs.table(random)
    data = vd.Data.of(frame)
    arcs = inputs.dag(random, len(frame.columns), len(frame.columns)).adjacency
    dag = vd.DAG(data.names, arcs)
    model = in_pgmpy(vd.fit(dag, data))
    for ess in (0.0, 3.0):
        fitted = vd.fit(dag, data, ess)
        for v in data.names:
            own = fitted.table(v)
            if ess:
                theirs = BayesianEstimator(model, frame).estimate_cpd(v, "BDeu", equivalent_sample_size=ess)
            else:
                theirs = MaximumLikelihoodEstimator(model, frame).estimate_cpd(v)
            names = (*own.parents, v)
            axes = [theirs.variables.index(u) for u in names]
            order = [[list(theirs.state_names[u]).index(s) for s in data.states[u]] for u in names]
            same(own.probabilities, np.transpose(theirs.values, axes)[np.ix_(*order)])
    return None
