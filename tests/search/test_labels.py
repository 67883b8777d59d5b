from __future__ import annotations

import pytest

import veridag as vd
from veridag.search.labels import distinct_labels


@pytest.mark.parametrize(
    ("learners", "labels"),
    [
        ([vd.Tabu(vd.BIC()), vd.Tabu(vd.BDeu(10))], ["BIC", "BDeu(ess=10)"]),
        ([vd.Tabu(), vd.Tabu(prior=vd.MarginalUniform("sparse"))], ["Uniform", "MarginalUniform(beta=sparse)"]),
        ([vd.Tabu(), vd.SearchSpacePenalty(vd.Tabu())], ["Uniform", "SSP"]),
        ([vd.Tabu(), vd.PCStable()], ["Tabu", "PCStable"]),
        ([vd.Tabu(), vd.GES(), vd.GES(vd.K2())], ["Tabu, BIC", "GES, BIC", "GES, K2"]),
        ([vd.PCStable(vd.G2()), vd.PCStable(vd.X2())], ["PCStable(test=G2)", "PCStable(test=X2)"]),
        ([vd.PCStable(), vd.PCStable(vd.X2())], ["PCStable(test=G2(df='observed'))", "PCStable(test=X2)"]),
    ],
)
def test_labels_name_only_what_tells_learners_apart(learners, labels):
    assert distinct_labels(learners) == labels


def test_a_label_names_the_criterion_and_what_is_not_the_default():
    learner = vd.Tabu(vd.BDeu(), vd.Edge(0.25), max_indegree=3)
    assert learner.label == "Tabu(score=BDeu, prior=Edge(beta=0.25), max_indegree=3)"
    assert vd.parse(learner.label, "algorithm") == learner
