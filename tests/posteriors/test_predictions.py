"""New rows under the average of networks: their likelihood, and one variable predicted from the others."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive.drawn import continuous, discrete, draws_of, gaps, mixed, score_for, some_dags


@pytest.mark.parametrize("make", [discrete, continuous, mixed])
def test_rows_have_the_logarithm_of_the_mean_likelihood(make) -> None:
    data, new = make(40, 1), make(25, 9)
    dags = some_dags(data, 12, 3)
    draws = draws_of(dags, data, score_for(data))
    rows = np.array([vd.fit(dag, data).log_likelihood(new, by_row=True) for dag in dags])
    wanted = np.log(np.exp(rows).mean(axis=0))
    assert draws.log_likelihood(new, by_row=True) == pytest.approx(wanted, rel=1e-10)
    weighted = vd.Data(new.columns, weights=np.arange(25))
    assert draws.log_likelihood(weighted) == pytest.approx(float(wanted @ np.arange(25)))
    assert draws.log_likelihood(new) == pytest.approx(wanted.sum())


@pytest.mark.parametrize("make", [discrete, continuous, mixed])
@pytest.mark.parametrize("target", [0, 3])
def test_a_prediction_is_the_query_given_the_rest_of_the_row(make, target: int) -> None:
    data, new = make(40, 1), make(6, 9)
    draws = draws_of(some_dags(data, 8, 3), data, score_for(data))
    name = data.names[target]
    for rows, given in ((new, None), (gaps(new, 4), None), (new, [data.names[1]])):
        found = draws.predict(rows, name, given)
        for i in range(rows.nrows):
            evidence = {
                c.name: c.states[c.values[i]] if c.kind == "discrete" else float(c.values[i])
                for c in rows.columns
                if c.name != name and (given is None or c.name in given) and (c.observed is None or c.observed[i])
            }
            answer = draws.query(name, evidence)
            if name in data.states:
                assert found[i] == pytest.approx(answer.probabilities, rel=1e-9)
            else:
                assert isinstance(found, vd.PredictedValues)
                assert (found.mean[i], found.sd[i]) == pytest.approx((answer.mean[0], answer.sd[0]), rel=1e-8)


def test_what_was_set_has_no_term_in_the_likelihood_and_rows_with_it_are_not_predicted() -> None:
    data, new = discrete(40, 1), discrete(25, 9)
    name = data.names[1]
    new = vd.Data(new.columns, targets=[name if i % 2 else None for i in range(25)])
    dags = some_dags(data, 12, 3)
    draws = draws_of(dags, data, score_for(data))
    rows = np.array([vd.fit(dag, data).log_likelihood(new, by_row=True) for dag in dags])
    assert draws.log_likelihood(new, by_row=True) == pytest.approx(np.log(np.exp(rows).mean(axis=0)), rel=1e-10)
    with pytest.raises(vd.InputError, match="prediction of an average is not for data with interventions, and 12 rows"):
        draws.predict(new, data.names[0])
