"""`fit`: the parameters of a network with a known structure, estimated from data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import Any, Literal, get_args, overload

from veridag.checks import Number, OneOf
from veridag.counts.hierarchy import ALPHA0, ESS
from veridag.data import Data
from veridag.display import ROWS, folded, more, paragraph
from veridag.errors import InputError, setting, suggest
from veridag.graph import DAG
from veridag.progress import Progress

from .incomplete.em import EM
from .network import Network
from .proportions import Method, Unobserved, fit_table, hierarchical_tables, uniform_table
from .regression import fit_regression, fit_regressions
from .spread import Fitted

Pooling = Literal["hierarchical", "pooled", "separate"]

#: The most parameters that a fitted network may have: half a GiB.
MAX_ENTRIES = 2**26


@dataclass(frozen=True)
class RelatedNetworks(Mapping[str, Network]):
    """Networks of related data sets, by group: one structure, and parameters for each group.

    Args:
        networks: The network of each group, by its label.

    See also:
        `fit`, docs/related.md
    """

    networks: Mapping[str, Network]

    def __post_init__(self) -> None:
        object.__setattr__(self, "networks", MappingProxyType(dict(self.networks)))

    def __getitem__(self, group: str) -> Network:
        if group not in self.networks:
            raise InputError(f"there is no group {group!r}: {suggest(group, self.networks)}")
        return self.networks[group]

    def __iter__(self) -> Iterator[str]:
        return iter(self.networks)

    def __len__(self) -> int:
        return len(self.networks)

    def __reduce__(self) -> tuple[object, ...]:
        return RelatedNetworks, (dict(self.networks),)

    def log_likelihood(self, data: Data) -> float:
        """log P(data) of data in groups, each row under the network of its own group; natural logarithm."""
        return float(sum(self[label].log_likelihood(part) for label, part in data.by_group().items()))

    def _repr_html_(self) -> str:
        shown = [folded(label, self[label]._repr_html_()) for label in list(self)[:ROWS]]
        return paragraph(repr(self).strip("<>")) + "".join(shown) + more(len(self))

    def __repr__(self) -> str:
        return f"<RelatedNetworks of {len(self)} groups: {', '.join(map(repr, self))}>"


@overload
def fit(
    dag: DAG,
    data: Data | Any,
    ess: float = 1.0,
    *,
    method: Method = "mean",
    alpha0: float = 1.0,
    unobserved: Unobserved = "uniform",
    name: str = "",
    starts: int = 1,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Network: ...
@overload
def fit(
    dag: DAG,
    data: Data | Any,
    ess: float = 1.0,
    *,
    method: Pooling,
    alpha0: float = 1.0,
    unobserved: Unobserved = "uniform",
    name: str = "",
    starts: int = 1,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> RelatedNetworks: ...
def fit(
    dag: DAG,
    data: Data | Any,
    ess: float = 1.0,
    *,
    method: Method | Pooling = "mean",
    alpha0: float = 1.0,
    unobserved: Unobserved = "uniform",
    name: str = "",
    starts: int = 1,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Network | RelatedNetworks:
    r"""Estimate the parameters of a network with a given structure.

    Discrete variables have a Dirichlet prior with $\alpha_{ijk} = \mathrm{ess} / (r_i q_i)$, as in `BDeu`, where $r_i$
    is the number of states of $X_i$, and $q_i$ the number of configurations of its parents (Viinikka 2019, section 2.4;
    Heckerman et al. 1995):

    - ``method="mean"``: the posterior mean, $(n_{ijk} + \alpha_{ijk}) / (n_{ij} + \alpha_{ij})$. With ``ess=0`` this is
      the maximum likelihood estimate $n_{ijk} / n_{ij}$.
    - ``method="map"``: the posterior mode, $(n_{ijk} + \alpha_{ijk} - 1) / (n_{ij} + \alpha_{ij} - r_i)$. If
      $n_{ijk} + \alpha_{ijk}$ is below one, the density is unbounded near zero, and the estimate is zero.

    Data in groups has a network for each group f, with one structure, in a `RelatedNetworks`:

    - ``method="hierarchical"``: partial pooling. The groups share $\alpha_{ijk} = \mathrm{ess}\, \kappa_{ijk}$,
      estimated from all of them, and the estimate is $(n_{ijk}^f + \alpha_{ijk}) / (n_{ij}^f + \alpha_{ij})$
      (Azzimonti, Corani and Scutari 2020, eq. 7). A group without rows gets the shared distribution.
    - ``method="separate"``: no pooling. The posterior mean of each group from its own rows; uniform without rows.
    - ``method="pooled"``: complete pooling. The posterior mean from all rows, the same network for every group.

    Continuous variables are regressed on their parents by least squares, which maximises the likelihood; the variance
    of the residuals is divided by n. `ess` has no effect. If parents are linear functions of each other, the
    coefficients are those with the smallest sum of squares in units of the parents' deviations. Each configuration of
    discrete parents has its own regression, from its rows (Lauritzen 1992). A configuration with fewer rows than the
    number of continuous parents plus 2, or without residual variance, gets the regression of all rows. A group without
    rows has no network if a variable is continuous.

    With interventions, the parameters of a variable come from the rows in which it was not set. Declared states count,
    observed or not, and a row of weight w counts w times. `Network.intervals` shows how certain each parameter is.

    **Missing values** are handled by EM (Dempster, Laird and Rubin 1977; Lauritzen 1995), which is valid for values
    that are missing at random. With the parameters $\theta$ and the observed part $x_r$ of row r, it maximises

    $$
    \sum_r \log P(x_r | \theta) + \sum_{ijk} a_{ijk} \log \theta_{ijk}
    $$

    where $a_{ijk}$ is $\alpha_{ijk}$ with ``method="mean"``, 0 with ``ess=0``, and $\alpha_{ijk} - 1$ with
    ``method="map"``, which must not be negative here. An E-step computes the expected counts of every family given the
    observed values, or the expected squares and products of continuous variables; an M-step uses them instead of
    counts. The value never decreases. A configuration that is too rare for its own regression gets that of all rows, or
    keeps its last one if that fits better. `Network.fitted` has the value after each iteration, as an `EMRecord`.
    ``method="hierarchical"`` needs complete data.

    Args:
        dag: The structure.
        data: The table: a `Data` or a data frame. It needs the variables of the graph, in any order, and can have
            others.
        ess: Equivalent sample size of the prior on parameters; 0 gives maximum likelihood.
        method: The estimate: "mean" or "map"; for data in groups "hierarchical", "separate" or "pooled".
        alpha0: The prior weight of each cell of $\kappa$ with ``method="hierarchical"``, as in `BHD`.
        unobserved: What to do with configurations that have no estimate because they were not observed: "uniform" gives
            them a uniform distribution, or the regression of all rows; "error" names them in an error.
        name: The name of the network.
        starts: Number of starts of EM. The first uses, for each family, the rows in which all of it is observed; the
            others are random, and the best is kept. A variable without any values needs several.
        tolerance: EM has converged when an iteration gains at most this much log-likelihood per observation.
        max_iterations: Most iterations of EM; if it does not converge, a `NetworkWarning` says so.
        seed: Seed of the random starts. The same seed gives the same result.
        jobs: Number of threads; they do not change the result.
        progress: Progress callback, see `ProgressBar`, called after each iteration of EM.

    Returns:
        A `Network`, or `RelatedNetworks` for data in groups.

    See also:
        `learn_network`, `Network.intervals`, `impute`, docs/incomplete.md, docs/related.md
    """
    data = Data.of(data)
    kind = _check(dag, data, ess, method, unobserved, alpha0)
    data.check_scales(dag.names)
    em = EM(starts, tolerance, max_iterations, seed, jobs, progress)
    _refuse_large(dag, data)
    if method == "hierarchical":
        return RelatedNetworks(_hierarchical(dag, data, float(ess), float(alpha0), name))
    if method == "separate":
        parts = {label: part for label, part in data.by_group().items() if part.n > 0}
        fitted = {
            label: _one_network(dag, part, float(ess), "mean", unobserved, name, em) for label, part in parts.items()
        }
        if kind == "discrete" and unobserved == "uniform":
            fitted = {label: fitted.get(label) or _uniform(dag, data, float(ess), name) for label in data.groups}
        return RelatedNetworks(fitted)
    if method == "pooled":
        together = replace(data, group=None, groups=())
        network = _one_network(dag, together, float(ess), "mean", unobserved, name, em)
        return RelatedNetworks(dict.fromkeys(data.groups, network))
    return _one_network(dag, data, float(ess), method, unobserved, name, em)


def fit_roughly(dag: DAG, data: Data, iterations: int, jobs: int = 1) -> Network:
    """As `fit` with its defaults, by so many iterations of EM if values are missing, converged or not."""
    _check(dag, data, 1.0, "mean", "uniform", 1.0)
    _refuse_large(dag, data)
    return _one_network(dag, data, 1.0, "mean", "uniform", "", EM(max_iterations=iterations, jobs=jobs, warn=False))


def _one_network(
    dag: DAG, data: Data, ess: float, method: Method, unobserved: Unobserved, name: str, em: EM
) -> Network:
    """The network of data without groups, complete or not."""
    if data.select(dag.names).incomplete:
        data.require_observational(
            "fitting a network to data with missing values", "leave rows out with data.complete_cases()"
        )
        return em.fit(dag, data, _imaginary(dag, data, ess, method), name, strict=unobserved == "error")
    return _assembled(
        {v: _parameters(_rows_for(v, data), v, dag.parents(v), ess, method, unobserved) for v in dag.names}, data, name
    )


def _assembled(parts: Mapping[str, Fitted[Any]], data: Data, name: str) -> Network:
    """The network of fitted variables, with what its intervals need."""
    states = {v: data.states[v] for v in parts if v in data.states}
    network = Network({v: part.cpd for v, part in parts.items()}, states, name=name)
    network.spread = MappingProxyType({v: part.spread for v, part in parts.items() if part.spread is not None})
    return network


def _rows_for(variable: str, data: Data) -> Data:
    """The rows that tell what a variable depends on: those in which it was not set."""
    part = data.not_set(variable)
    if part.n == 0:
        raise InputError(
            f"targets: {variable!r} was set in every row, so no row shows its distribution: leave it out of the targets"
        )
    return part


def _imaginary(dag: DAG, data: Data, ess: float, method: Method) -> dict[str, float]:
    """What the prior adds to each expected count of a discrete variable."""
    families = {v: (*dag.parents(v), v) for v in dag.names if v in data.states}
    cells = {v: prod(data.arities[u] for u in family) for v, family in families.items()}
    if method == "mean" or not cells:
        return {v: ess / size for v, size in cells.items()}
    most = max(cells, key=cells.__getitem__)
    if ess < cells[most]:
        raise InputError(
            f"method='map' and missing values need a bounded prior density, but ess={ess:g} is below the "
            f"{cells[most]} cells of {most!r}: use method='mean', or {setting('ess', cells[most])} or more"
        )
    return {v: ess / size - 1.0 for v, size in cells.items()}


def _parameters(
    data: Data, child: str, parents: Sequence[str], ess: float, method: Method, unobserved: Unobserved
) -> Fitted[Any]:
    if child in data.states:
        return fit_table(data, child, parents, ess, method, unobserved)
    discrete = [v for v in parents if v in data.states]
    continuous = [v for v in parents if v not in data.states]
    if not discrete:
        return fit_regression(data, child, continuous)
    return fit_regressions(data, child, discrete, continuous, borrow=unobserved == "uniform")


def _uniform(dag: DAG, data: Data, ess: float, name: str) -> Network:
    return _assembled({v: uniform_table(data, v, dag.parents(v), ess) for v in dag.names}, data, name)


def _hierarchical(dag: DAG, data: Data, ess: float, alpha0: float, name: str) -> dict[str, Network]:
    tables = {v: hierarchical_tables(_rows_for(v, data), v, dag.parents(v), ess, alpha0) for v in dag.names}
    return {label: _assembled({v: own[label] for v, own in tables.items()}, data, name) for label in data.groups}


def _check(dag: object, data: Data, ess: object, method: object, unobserved: object, alpha0: object) -> str:
    if not isinstance(dag, DAG):
        kind = type(dag).__name__
        remedy = f"{kind.lower()}.dag is one" if hasattr(type(dag), "dag") else "a PDAG's extension() is one"
        raise InputError(f"dag: a DAG is needed, not a {kind}; {remedy}")
    Number(least=0)("ess", ess)
    if method not in (*get_args(Method), *get_args(Pooling)):
        raise InputError(
            f"method={method!r} must be 'mean' or 'map', or for data in groups 'hierarchical', 'pooled' or 'separate'"
        )
    Number(above=0)("alpha0", alpha0)
    if method == "hierarchical" and ess == 0:
        raise InputError("method='hierarchical' needs a shared prior, but ess is 0: use method='separate'")
    if method == "hierarchical":
        ESS("ess", ess)
        ALPHA0("alpha0", alpha0)
    if method == "map" and ess == 0:
        raise InputError("method='map' needs a prior, but ess is 0: use method='mean' for maximum likelihood")
    OneOf(get_args(Unobserved))("unobserved", unobserved)
    for name in dag.names:
        if name not in data.kinds:
            raise InputError(f"the data has no column {name!r}, which the graph has: {suggest(name, data.names)}")
    if data.group is not None and method in get_args(Method):
        raise InputError(
            f"the data has {len(data.groups)} groups, whose parameters can differ: pass method='hierarchical', "
            "'separate' or 'pooled', or fit each of data.by_group()"
        )
    if data.group is None and method in get_args(Pooling):
        raise InputError(
            f"method={method!r} is for related data sets, but the data has no groups: name the column of the groups "
            "in group= when reading"
        )
    if data.n == 0:
        raise InputError("the data has no rows")
    for parent, child in dag.arcs:
        if child in data.states and parent not in data.states:
            cut = {parent: "quantile(4)"}
            raise InputError(
                f"dag: the arc {parent} -> {child} leads from a continuous to a discrete variable, which has no "
                f"parameters: reverse it, or cut {parent!r} into classes by {setting('discretize', cut)}"
            )
    kind = data.select(dag.names).kind
    if method == "hierarchical":
        data.select(dag.names).require_complete("method='hierarchical'", "use method='separate'")
    if kind != "discrete" and method == "hierarchical":
        raise InputError("method='hierarchical' is for discrete data: discretize() first, or use method='separate'")
    return kind


def _refuse_large(dag: DAG, data: Data) -> None:
    """Estimate the memory before a table is made."""
    sizes = {}
    for v in dag.names:
        discrete = [data.arities[u] for u in dag.parents(v) if u in data.states]
        own = data.arities[v] if v in data.states else len(dag.parents(v)) - len(discrete) + 2
        sizes[v] = prod(discrete) * own
    total = sum(sizes.values())
    if total <= MAX_ENTRIES:
        return
    worst = max(sizes, key=sizes.__getitem__)
    what = "probabilities" if len(data.states) == len(data.names) else "parameters"
    raise InputError(
        f"dag: the tables need {float(total):.3g} {what}, more than {MAX_ENTRIES:.3g}, most of them for {worst!r}, "
        f"whose {len(dag.parents(worst))} parents give it {float(sizes[worst]):.3g}: limit the number of parents with "
        "max_indegree, or give the variables fewer states"
    )
