"""Calls with what no function can work with are an `InputError` in each of them, and never an error of Python's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import veridag as vd

NET = vd.networks.load("cancer")
DATA = NET.sample(60, seed=1)
DAG = NET.dag
A, B = DAG.names[:2]

#: What is given in the place of one argument.
WRONG = {"object": object(), "None": None, "complex": np.array([[1j, 2], [3, 4]]), "bytes": b"xy", "number": 3.5}

CALLS: dict[str, Callable[[object], object]] = {
    "Data.from_numpy": vd.Data.from_numpy,
    "Data.from_frame": vd.Data.from_frame,
    "Data.write": DATA.write,
    "read": vd.read,
    "inspect": vd.inspect,
    "read_network": vd.read_network,
    "read_graph": vd.read_graph,
    "read_table": vd.read_table,
    "networks.load": vd.networks.load,
    "score, graph": lambda x: vd.score(x, DATA, vd.BIC()),
    "score, data": lambda x: vd.score(DAG, x, vd.BIC()),
    "score, score": lambda x: vd.score(DAG, DATA, x),
    "local_score, child": lambda x: vd.local_score(x, [], DATA, vd.BIC()),
    "local_score, parents": lambda x: vd.local_score(A, x, DATA, vd.BIC()),
    "test, x": lambda x: vd.test(x, B, [], DATA),
    "test, given": lambda x: vd.test(A, B, x, DATA),
    "test, data": lambda x: vd.test(A, B, [], x),
    "test, test": lambda x: vd.test(A, B, [], DATA, x),
    "learn": vd.learn,
    "Tabu.learn": lambda x: vd.Tabu().learn(x),
    "Tabu, score": lambda x: vd.Tabu(score=x),
    "fit, graph": lambda x: vd.fit(x, DATA),
    "fit, data": lambda x: vd.fit(DAG, x),
    "shd": lambda x: vd.shd(DAG, x),
    "sid": lambda x: vd.sid(x, DAG),
    "confusion": lambda x: vd.confusion(DAG, x),
    "cross_entropy": lambda x: vd.cross_entropy(NET, x, 100, 1),
    "log_loss": lambda x: vd.log_loss(NET, x),
    "intersection_validation": lambda x: vd.intersection_validation(x, [vd.Tabu(), vd.GES()]),
    "bootstrap": lambda x: vd.bootstrap(x, vd.HillClimbing()),
    "assess": vd.assess,
    "posterior": vd.posterior,
    "best_networks": vd.best_networks,
    "score_table": lambda x: vd.score_table(x, vd.BIC()),
    "solve": vd.solve,
    "count_dags": vd.count_dags,
    "indegree_distribution": lambda x: vd.indegree_distribution(x, n=5),
    "DAG.from_arcs": vd.DAG.from_arcs,
    "DAG.from_arcs, one": lambda x: vd.DAG.from_arcs([x]),
    "DAG.from_modelstring": vd.DAG.from_modelstring,
    "DAG.from_dot": vd.DAG.from_dot,
    "DAG.parents": DAG.parents,
    "Network": vd.Network,
    "Network.sample": NET.sample,
    "Network.query": NET.query,
    "Network.write": NET.write,
    "impute": lambda x: vd.impute(NET, x),
    "parse": lambda x: vd.parse(x, "score"),
    "make_report": vd.make_report,
    "cross_validate": lambda x: vd.cross_validate(x, [vd.Tabu()]),
}


@pytest.mark.filterwarnings("ignore::veridag.DataWarning")
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("call", CALLS)
def test_a_hostile_call_is_an_input_error(call, wrong):
    with pytest.raises(vd.InputError):
        CALLS[call](WRONG[wrong])


@pytest.mark.parametrize("wrong", ["object", "complex", "bytes", "number"])
@pytest.mark.parametrize("argument", ["evidence", "do"])
def test_what_is_no_mapping_is_no_evidence(argument, wrong):
    with pytest.raises(vd.InputError, match=argument):
        NET.query(A, **{argument: WRONG[wrong]})


#: Integers that no machine counts to.
HUGE: dict[str, Callable[[int], object]] = {
    "jobs": lambda n: vd.bootstrap(DATA, vd.HillClimbing(), jobs=n),
    "seed": lambda n: NET.sample(5, seed=n),
    "n": NET.sample,
    "max_indegree": lambda n: vd.Tabu(max_indegree=n),
    "max_iter": lambda n: vd.HillClimbing(max_iter=n),
    "tabu": lambda n: vd.Tabu(tabu=n),
    "max_tabu": lambda n: vd.Tabu(max_tabu=n),
    "restarts": lambda n: vd.HillClimbing(restarts=n),
    "perturb": lambda n: vd.HillClimbing(perturb=n),
    "steps": lambda n: vd.OrderAnnealing(steps=n),
    "max_conditioning": lambda n: vd.PCStable(max_conditioning=n),
    "ess": lambda n: vd.BDeu(ess=n * 10**400),
    "count_dags": vd.count_dags,
}


@pytest.mark.parametrize("bits", [64, 100, 20_000])
@pytest.mark.parametrize("call", HUGE)
def test_an_integer_beyond_64_bits_is_an_input_error_of_one_short_line(call, bits):
    with pytest.raises(vd.InputError) as error:
        HUGE[call](2**bits)
    assert len(str(error.value)) < 5000


@pytest.mark.parametrize("setting", ["tabu", "max_tabu", "restarts", "perturb", "max_iter"])
def test_what_a_setting_accepts_the_core_takes(setting):
    most = 2**31 - 1
    with pytest.raises(vd.InputError, match=rf"{setting}=2147483648 must be an integer from \d to 2\^31 - 1"):
        vd.Tabu(**{setting: most + 1})
    if setting in ("tabu", "max_iter"):
        vd.Tabu(**{setting: most}).learn(DATA)
