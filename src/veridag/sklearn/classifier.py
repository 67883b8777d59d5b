"""`BayesianNetworkClassifier`: a class predicted by a Bayesian network, as an estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from os import cpu_count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_random_state, check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from veridag.checks import Number, OneOf
from veridag.criteria.independence import G2
from veridag.criteria.tester import Tester
from veridag.data import Column, Data
from veridag.data.columns import code_type
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.network import ConditionalGaussian, LinearGaussian, Network
from veridag.network.fitting import fit
from veridag.search import Algorithm
from veridag.specs import parse
from veridag.trust.defaults import learner_or_default, taking_gaps
from veridag.trust.learning import learn_network

from .features import Feature, Measurement, as_array, find_features

#: A standard deviation within a class is at least this share of the feature's own, so that a class with one value of
#: it rules no other value out.
LEAST_SD = 1e-3

#: Features may be of any type, and values may be missing but not infinite.
_CHECKS: dict[str, Any] = {"dtype": None, "ensure_all_finite": "allow-nan"}


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # they have no types
    """A classifier that predicts the class from a Bayesian network of class and features.

    The probability of a class is that of the network given the observed features of a row; missing values are allowed
    and summed out. Texts, booleans and categories are discrete features; a category that was not seen during fitting
    counts as missing.

    Fitted attributes: ``classes_``, ``network_`` (a `veridag.Network`, whose variable ``class_name_`` is the class),
    ``features_`` and ``n_features_in_``.

    Args:
        structure: "learned" by the `algorithm`; "naive-bayes", features independent given the class; or "tan",
            tree-augmented naive Bayes, in which each feature has one other as a further parent, along the tree of the
            largest conditional mutual informations (Friedman et al. 1997).
        algorithm: The learner of a "learned" structure, as an object or a spec such as ``"tabu(score=bds)"``; the
            default learner of `learn` if None. If values are missing, it searches within structural EM, unless its
            score accepts missing values.
        ess: Equivalent sample size of the prior on parameters.
        numeric: "discretize" cuts numeric features where the classes differ (Fayyad and Irani 1993), or into three bins
            of equal counts if no cut helps, so that outliers and skewed distributions do no harm. "gaussian" keeps them
            as numbers, normal given the class and other parents.
        random_state: Seed of the search.
        n_jobs: Number of threads.

    See also:
        docs/prediction.md
    """

    def __init__(
        self,
        structure: str = "learned",
        algorithm: Algorithm | str | None = None,
        ess: float = 1.0,
        numeric: str = "discretize",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.structure = structure
        self.algorithm = algorithm
        self.ess = ess
        self.numeric = numeric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the network from features and classes."""
        OneOf(("learned", "naive-bayes", "tan"))("structure", self.structure)
        OneOf(("discretize", "gaussian"))("numeric", self.numeric)
        ess = Number(least=0)("ess", self.ess)
        X, y = self._training(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        names = self._names()
        self.class_name_ = _free_name("class", names)
        label = Column.discrete(self.class_name_, codes.astype(code_type(len(self.classes_))), _states(self.classes_))
        columns = [X[:, j] for j in range(X.shape[1])]
        self.features_ = tuple(find_features(names, columns, label, self.numeric == "gaussian"))
        data = Data([label, *(f.column(x) for f, x in zip(self.features_, columns, strict=True))])
        self.network_ = _floored(self._network(data, ess), data)
        return self

    def _training(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """X and y as arrays; the number and the names of the features are kept."""
        array = as_array(X)
        if array is X:
            array, y = validate_data(self, X, y, ensure_min_samples=2, **_CHECKS)
        else:
            validate_data(self, X, skip_check_array=True)
            array, y = check_X_y(array, y, ensure_min_samples=2, **_CHECKS)
        check_classification_targets(y)
        return array, y

    def _new_rows(self, X: Any) -> NDArray[Any]:
        """X as an array, with the features that were there at fitting."""
        array = as_array(X)
        if array is X:
            return np.asarray(validate_data(self, X, reset=False, **_CHECKS))
        validate_data(self, X, skip_check_array=True, reset=False)
        return np.asarray(check_array(array, **_CHECKS))

    def _names(self) -> tuple[str, ...]:
        named = getattr(self, "feature_names_in_", None)
        return tuple(map(str, named)) if named is not None else tuple(f"x{j}" for j in range(self.n_features_in_))

    def _network(self, data: Data, ess: float) -> Network:
        if self.structure == "learned":
            algorithm = parse(self.algorithm, "algorithm") if isinstance(self.algorithm, str) else self.algorithm
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            if algorithm is not None:
                algorithm = taking_gaps(learner_or_default(algorithm, data), data)
            return learn_network(data, algorithm, ess, seed=seed, jobs=self._jobs())
        arcs = [(self.class_name_, f.name) for f in self.features_]
        if self.structure == "tan":
            arcs += _tree(data, self.class_name_, self.features_)
        return fit(DAG.from_arcs(arcs, data.names), data, ess)

    def _jobs(self) -> int:
        jobs = self.n_jobs or 1
        return jobs if jobs > 0 else max(1, (cpu_count() or 1) + 1 + jobs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, in the order of ``classes_``, for each row."""
        check_is_fitted(self)
        X = self._new_rows(X)
        data = Data([f.column(X[:, j]) for j, f in enumerate(self.features_)])
        found = self.network_.predict(data, self.class_name_, jobs=self._jobs())
        return np.array(found.probabilities)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _states(classes: NDArray[Any]) -> tuple[str, ...]:
    """The names of the classes as states; by number if two have the same name."""
    names = tuple(str(one) for one in classes.tolist())
    return names if len(set(names)) == len(names) else tuple(map(str, range(len(names))))


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _tree(data: Data, label: str, features: Sequence[Feature]) -> list[tuple[str, str]]:
    """Arcs of the tree of features with the largest sum of I(X; Y | class), away from the first feature.

    The weight of a pair is G2 = 2 n I(X; Y | class), over the rows that have all three (Friedman et al. 1997).
    """
    names = [f.name for f in features]
    if len({isinstance(f, Measurement) for f in features}) > 1:
        raise InputError(
            "structure='tan': a tree over numbers and categories needs arcs from continuous to discrete variables, "
            "which a mixed network cannot have: use numeric='discretize'"
        )
    if len(names) < 2:
        return []
    at = {name: i for i, name in enumerate(data.names)}
    pairs = list(combinations(names, 2))
    tests = [(at[u], at[v], (at[label],)) for u, v in pairs]
    weights = dict(zip(map(frozenset, pairs), Tester(data, G2()).many(tests).statistic.tolist(), strict=True))
    joined, arcs = [names[0]], []
    best = {v: (weights[frozenset((names[0], v))], names[0]) for v in names[1:]}
    while best:
        v = max(best, key=lambda name: best[name][0])
        arcs.append((best.pop(v)[1], v))
        joined.append(v)
        for u, (weight, _) in best.items():
            if weights[frozenset((u, v))] > weight:
                best[u] = (weights[frozenset((u, v))], v)
    return arcs


def _floored(network: Network, data: Data) -> Network:
    """The network with standard deviations that are not tiny beside those of the features themselves."""
    if network.kind == "discrete":
        return network
    cpds = dict(network.cpds)
    for c in data.columns:
        if c.kind == "continuous":
            own = ConditionalGaussian.of(network.cpds[c.name])  # type: ignore[arg-type] # it is continuous
            sds = np.maximum(own.sds, LEAST_SD * float(np.std(c.present().values)))
            cpds[c.name] = (
                ConditionalGaussian(own.discrete, own.continuous, own.intercepts, own.coefficients, sds)
                if own.discrete
                else LinearGaussian(own.continuous, float(own.intercepts), own.coefficients, float(sds))
            )
    return Network(cpds, network.states, name=network.name)
