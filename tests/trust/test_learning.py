from __future__ import annotations

import pytest

import veridag as vd


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: vd.learn(data, vd.Tabu()), r"^knowledge=Tabu\(.*must be a Knowledge, such as"),
        (lambda data: vd.learn(data, score="bdeu"), r"^score='bdeu' must be a score, such as BIC\(\), or None$"),
        (lambda data: vd.learn(data, prior="fair"), r"^prior='fair' must be a structure prior"),
        (lambda data: vd.learn(data, progress=3), r"^progress=3 must be a function of what, done, total and extra"),
        (lambda data: vd.Tabu().learn(data, [("asia", "tub")]), r"^knowledge=\[.*must be a Knowledge"),
    ],
)
def test_arguments_in_the_wrong_place_are_named(call, message):
    with pytest.raises(vd.InputError, match=message):
        call(vd.networks.load("asia").sample(50, seed=1))


def test_a_network_of_data_in_groups_is_refused_before_anything_is_learned():
    sample = vd.simulate.related(nodes=4, groups=3, rows=50, seed=1)
    with pytest.raises(vd.InputError, match=r"learn_network returns one network: use fit\(learn\(data\)\.dag, data"):
        vd.learn_network(sample.data)
    fitted = vd.fit(vd.learn(sample.data).dag, sample.data, method="hierarchical")  # the remedy
    assert set(fitted) == set(sample.data.groups)


def test_an_interrupt_of_learn_network_carries_the_structure():
    def stop(what, done, total, extra):
        raise KeyboardInterrupt

    with pytest.raises(vd.Interrupted) as caught:
        vd.learn_network(vd.networks.load("asia").sample(200, seed=1), vd.HillClimbing(restarts=10**6), progress=stop)
    assert caught.value.result.dag.names == vd.networks.load("asia").names
