"""What is said about the choice of a learner."""

from __future__ import annotations

import pytest

import veridag as vd
from veridag.report.rendering import environment
from veridag.report.sections.choice import Criterion, View

BOOTSTRAP, MEDIAN = vd.Averaged(), vd.PosteriorMedian()


def said(algorithm: vd.Algorithm) -> str:
    """The first paragraph, as one line."""
    view = View(
        learner="this one",
        is_unanimous=True,
        criterion=Criterion.of(algorithm),
        expected=1.0,
        level="high",
        within_one=0.9,
        rates={},
        is_default=True,
        rows=(1, 2),
        variables=(1, 2),
        stopped=None,
        reason=None,
        learners=2,
        joined=1,
        apart=0.0,
        companions=[],
        words=frozenset(),
        one_way=0,
        is_calibrated=True,
    )
    page = environment().get_template("choice.html.j2").render(view=view)
    return " ".join(page.split("</p>")[0].split())


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (BOOTSTRAP, "the network of the links that are found from most bootstrap samples."),
        (MEDIAN, "are in most draws from the posterior with the BDeu score and the Fair prior."),
        (
            vd.ModelAverage((vd.ModelAverage((BOOTSTRAP, BOOTSTRAP)), MEDIAN)),
            "the network of the links that most bootstrap samples and draws from the posterior agree on.",
        ),
        (vd.ModelAverage((BOOTSTRAP, BOOTSTRAP)), "found from most bootstrap samples."),
        (
            vd.Imputed(vd.ModelAverage((BOOTSTRAP, MEDIAN))),
            "draws from the posterior agree on, from tables in which missing values are filled in at random by what a "
            "first network expects.",
        ),
    ],
)
def test_averages_are_explained_in_words(algorithm, words):
    text = said(algorithm)
    assert text.endswith(words)
    assert type(algorithm).__name__ not in text
