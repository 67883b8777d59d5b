"""Where groups differ: the evidence for each arc in each of them."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag import InputError
from veridag.data import Column, Data


def one_group_differs() -> Data:
    """X -> Y in the groups u and v, not in w; Z is on its own."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1, 2], 300)
    x, z = rng.integers(0, 2, 900), rng.integers(0, 2, 900)
    y = np.where(group == 2, rng.integers(0, 2, 900), np.where(rng.random(900) < 0.9, x, 1 - x))
    columns = [Column.discrete(v, codes, "ab") for v, codes in (("X", x), ("Y", y), ("Z", z))]
    return Data(columns, None, group, ["u", "v", "w"])


DATA = one_group_differs()
DAG = vd.DAG.from_arcs([("X", "Y"), ("Z", "Y")], names=["X", "Y", "Z"])


def test_an_arc_that_one_group_lacks_is_flagged_there():
    found = vd.group_differences(DAG, DATA)
    assert found.absent == {("X", "Y"): ("w",), ("Z", "Y"): ("u", "v", "w")}
    assert found.present == {("X", "Y"): ("u", "v")}
    assert found.specific == (("X", "Y"),)
    assert found.common == ()
    assert found.verdict(("X", "Y"), "w") == "absent"
    assert found.dags()["u"].arcs == (("X", "Y"),)
    assert found.dags()["w"].arcs == ()


def test_the_evidence_of_the_groups_adds_up_to_what_the_arc_is_worth():
    found = vd.group_differences(DAG, DATA, vd.BHD(ess=3))
    for i, (parent, child) in enumerate(found.arcs):
        others = [p for p in DAG.parents(child) if p != parent]
        gain = vd.local_score(child, [*others, parent], DATA, vd.BHD(ess=3))
        gain -= vd.local_score(child, others, DATA, vd.BHD(ess=3))
        assert found.evidence[i].sum() == pytest.approx(gain, rel=1e-9, abs=1e-9)


def test_between_the_thresholds_nothing_is_decided():
    found = vd.group_differences(DAG, DATA, threshold=1e6)
    assert found.absent == found.present == {}
    assert found.common == found.arcs
    assert found.verdict(("X", "Y"), "u") == "undecided"


@pytest.mark.slow
def test_arcs_removed_in_simulated_groups_are_found():
    """Scenario (b) of the paper: what is flagged as absent is what was removed, with few mistakes."""
    removed = flagged = both = kept = 0
    for seed in range(20):
        sample = vd.simulate.related(6, 6, states=2, changed_groups=2, removed_arcs=2, rows=1000, seed=seed)
        found = vd.group_differences(sample.dag, sample.data)
        truth = {(arc, g) for g, arcs in sample.removed.items() for arc in arcs}
        absent = {(arc, g) for arc, groups in found.absent.items() for g in groups}
        removed, flagged, both = removed + len(truth), flagged + len(absent), both + len(truth & absent)
        kept += len(sample.dag.arcs) * 6 - len(truth)
    assert both / removed > 0.9
    assert (flagged - both) / kept < 0.15  # an arc may be too weak to be seen in 1 000 rows


def test_it_is_shown_as_a_table_and_as_a_drawing(tmp_path):
    found = vd.group_differences(DAG, DATA)
    lines = str(found).splitlines()
    assert lines[0].split() == ["arc", "u", "v", "w"]
    assert lines[1].startswith("X -> Y")
    assert lines[1].endswith("-")
    text = found.draw(tmp_path / "groups.svg", "by group").read_text("utf-8")
    assert text.count('class="arc partial"') == 2
    with pytest.raises(InputError, match=r"must end in \.svg"):
        found.draw(tmp_path / "groups.png")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="a DAG is needed"):
        vd.group_differences(DAG.cpdag(), DATA)
    with pytest.raises(InputError, match="must be BHD"):
        vd.group_differences(DAG, DATA, vd.BDeu())
    with pytest.raises(InputError, match="threshold=-1"):
        vd.group_differences(DAG, DATA, threshold=-1)
    with pytest.raises(InputError, match="no groups"):
        vd.group_differences(DAG, Data(DATA.columns))
    with pytest.raises(InputError, match="no arc"):
        vd.group_differences(DAG, DATA).verdict(("Y", "X"), "u")


def test_it_ends_when_the_time_is_over():
    dag = vd.DAG.from_arcs([("X", "Y")], names=["X", "Y", "Z"])
    with pytest.raises(InputError, match="there was time for only 0 of 1 arcs"):
        vd.group_differences(dag, one_group_differs(), seconds=0.0)
