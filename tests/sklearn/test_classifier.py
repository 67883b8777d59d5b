"""The classifier for scikit-learn: its rules, and its probabilities against those of networks made by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import veridag as vd
from veridag.sklearn import BayesianNetworkClassifier

# A check that cannot run here, because of a setting of the environment, says so.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")

SETTINGS = [
    {},
    {"structure": "naive-bayes"},
    {"structure": "tan"},
    {"numeric": "gaussian"},
    {"numeric": "gaussian", "structure": "naive-bayes"},
    {"algorithm": "hill-climbing(score=bic)"},
]


@pytest.mark.medium
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_it_passes_all_checks_of_scikit_learn(settings):
    check_estimator(BayesianNetworkClassifier(**settings))


def asia(rows: int = 500, seed: int = 1) -> tuple[pd.DataFrame, pd.Series]:
    frame = vd.networks.load("asia").sample(rows, seed=seed).to_pandas()
    return frame.drop(columns="bronc"), frame["bronc"]


def test_probabilities_are_those_of_the_learned_network():
    X, y = asia()
    learner = vd.Tabu(score=vd.BIC())
    model = BayesianNetworkClassifier(algorithm=learner, ess=2.0).fit(X, y)
    frame = X.assign(**{"class": y})
    data = vd.Data.from_frame(frame[["class", *X.columns]])
    expected = vd.fit(learner.learn(data).dag, data, ess=2.0)
    assert model.network_.dag.arcs == expected.dag.arcs
    p = expected.predict(X.head(50), "class")
    order = [expected.states["class"].index(c) for c in model.classes_]
    np.testing.assert_allclose(model.predict_proba(X.head(50)), p.probabilities[:, order])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.75


def test_naive_bayes_is_the_product_of_shares():
    X = pd.DataFrame({"a": list("xxyyyx"), "b": list("uvuvuu")})
    y = np.array([0, 0, 1, 1, 1, 1])
    model = BayesianNetworkClassifier("naive-bayes", ess=0).fit(X, y)
    # P(class) P(a = x | class) P(b = u | class): 1/3 * 1 * 1/2, and 2/3 * 1/4 * 3/4.
    found = model.predict_proba(pd.DataFrame({"a": ["x"], "b": ["u"]}))[0]
    np.testing.assert_allclose(found, np.array([1 / 6, 1 / 8]) / (1 / 6 + 1 / 8))


def test_gaussian_naive_bayes_is_that_of_scikit_learn_up_to_the_degrees_of_freedom():
    X, y = load_iris(return_X_y=True)
    ours = BayesianNetworkClassifier("naive-bayes", numeric="gaussian", ess=0).fit(X, y)
    theirs = GaussianNB().fit(X, y)
    for v in ours.network_.names:
        if v != "class":
            own = ours.network_.conditional_gaussian(v)
            np.testing.assert_allclose(own.intercepts, theirs.theta_[:, int(v[1:])])
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98


@pytest.mark.parametrize("seed", range(3))
def test_tan_has_the_tree_of_largest_conditional_information(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 400)
    a = (rng.random(400) < 0.3 + 0.4 * y).astype(int)
    b, c = (np.where(rng.random(400) < 0.7, a, rng.integers(0, 2, 400)) for _ in range(2))
    d = np.where(rng.random(400) < 0.6, c, y)
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).astype(str)
    model = BayesianNetworkClassifier("tan").fit(X, y)

    def information(u: str, v: str) -> float:
        total = 0.0
        for k in (0, 1):
            table = pd.crosstab(X[u][y == k], X[v][y == k]).to_numpy() / len(y)
            expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
            there = table > 0
            total += float((table[there] * np.log(table[there] / expected[there])).sum())
        return total

    pairs = {frozenset(pair): information(*pair) for pair in combinations("abcd", 2)}
    trees = [  # every tree has an order in which each joins one before it
        {frozenset((order[i], order[parents[i - 1]])) for i in (1, 2, 3)}
        for order in permutations("abcd")
        for parents in ((0, j, k) for j in range(2) for k in range(3))
    ]
    best = max(trees, key=lambda tree: sum(pairs[edge] for edge in tree))
    found = {frozenset((u, v)) for u, v in model.network_.dag.arcs if u != "class"}
    assert found == best
    assert {v for u, v in model.network_.dag.arcs if u == "class"} == set("abcd")
    assert all(len(model.network_.dag.parents(v)) <= 2 for v in "abcd")


def test_missing_values_are_summed_out_and_unseen_categories_count_as_missing():
    X, y = asia()
    model = BayesianNetworkClassifier().fit(X, y)
    row = X.head(1)
    hole = model.predict_proba(row.assign(dysp=None))
    known = {v: row[v].iloc[0] for v in X.columns if v != "dysp"}
    answer = model.network_.query("class", known)
    np.testing.assert_allclose(hole[0], [answer[str(c)] for c in model.classes_])
    np.testing.assert_allclose(model.predict_proba(row.assign(dysp="never seen")), hole)


def test_it_learns_from_tables_with_gaps_and_of_several_kinds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(3)
    X = X.mask(rng.random(X.shape) < 0.1).assign(kind=np.where(rng.random(len(X)) < 0.5, "a", None), flag=y > 1)
    model = BayesianNetworkClassifier("naive-bayes").fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.network_.states["kind"] == ("a",)
    assert model.network_.states["flag"] == ("False", "True")


@pytest.mark.parametrize("settings", SETTINGS[:2], ids=str)
def test_tables_of_pandas_keep_the_kinds_of_their_columns(settings):
    X, y = load_iris(return_X_y=True, as_frame=True)
    kinds = {
        "empty": np.nan,
        "category": pd.Categorical(np.where(X.iloc[:, 0] > 6, 1, 2)),
        "integer": pd.array(np.arange(len(X)) % 7, dtype="Int64"),
    }
    X = X.assign(**kinds)
    model = BayesianNetworkClassifier(**settings).fit(X, y)
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.network_.states["category"] == ("1", "2")
    assert model.network_.states["empty"] == ("any",)
    assert model.network_.states["integer"][0].startswith("<= ")
    assert model.score(X, y) > 0.9
    nothing = X.head(1).astype(object).mask(np.ones((1, X.shape[1]), bool))
    np.testing.assert_allclose(model.predict_proba(nothing), model.network_.query("class").probabilities[None])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"empty": "other"}))


def test_numbers_are_cut_where_the_classes_differ():
    x = np.arange(100.0)
    y = np.where(x < 37, "low", "high")
    model = BayesianNetworkClassifier().fit(x[:, None], y)
    assert model.features_[0].edges == (36.0,)
    assert model.predict([[36.0], [36.5], [-1e9], [1e9]]).tolist() == ["low", "high", "low", "high"]


def test_a_number_that_repeats_another_has_no_influence():
    X, y = load_iris(return_X_y=True)
    twice = np.column_stack([X, 2.0 * X[:, 0] + 1])
    one, two = (BayesianNetworkClassifier(numeric="gaussian").fit(x, y).predict_proba(x) for x in (X, twice))
    np.testing.assert_allclose(one, two)


def test_a_class_with_one_value_of_a_number_does_not_rule_out_others():
    x = np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    model = BayesianNetworkClassifier("naive-bayes", numeric="gaussian").fit(x[:, None], y)
    assert np.isfinite(model.predict_proba([[1.0], [1.5], [9.0]])).all()


def test_it_works_within_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), BayesianNetworkClassifier("naive-bayes"))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.93
    again = clone(BayesianNetworkClassifier("tan", ess=3.0))
    assert again.get_params()["ess"] == 3.0


@pytest.mark.slow
def test_learned_structures_predict_as_well_as_naive_bayes():
    X, y = load_breast_cancer(return_X_y=True)
    for settings in ({}, {"structure": "tan"}):
        assert cross_val_score(BayesianNetworkClassifier(**settings), X, y, cv=3).mean() > 0.93


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": "forest"}, "structure='forest'"),
        ({"numeric": "cut"}, "numeric='cut'"),
        ({"ess": -1}, "ess=-1"),
        ({"algorithm": "tabuu"}, "did you mean 'tabu'"),
        ({"algorithm": 3}, "algorithm=3"),
    ],
)
def test_wrong_settings_are_refused_at_fitting(settings, message):
    X, y = asia(60)
    with pytest.raises(ValueError, match=message):
        BayesianNetworkClassifier(**settings).fit(X, y)


def test_a_tree_over_numbers_and_categories_is_refused():
    X, y = load_iris(return_X_y=True, as_frame=True)
    mixed = X.assign(kind=np.where(X.iloc[:, 0] > 6, "a", "b"))
    with pytest.raises(ValueError, match="numeric='discretize'"):
        BayesianNetworkClassifier("tan", numeric="gaussian").fit(mixed, y)
    assert BayesianNetworkClassifier("tan", numeric="gaussian").fit(X, y).score(X, y) > 0.9


def test_infinity_in_a_table_of_several_kinds_is_refused():
    X = pd.DataFrame({"a": [1.0, np.inf, 2.0], "b": ["x", "y", "x"]})
    with pytest.raises(ValueError, match="infinity"):
        BayesianNetworkClassifier().fit(X, [0, 1, 0])


def test_classes_with_one_name_are_kept_apart():
    X = pd.DataFrame({"class": ["a", "b"] * 20})
    y = np.array([1, 2] * 20)
    model = BayesianNetworkClassifier().fit(X, y)
    assert model.class_name_ == "class_"
    assert model.predict(X).tolist() == y.tolist()
    assert BayesianNetworkClassifier(n_jobs=-1).fit(X, y)._jobs() >= 1
