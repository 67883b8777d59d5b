"""`Network`: a DAG with its parameters, probability tables and regressions, to sample from and to evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from veridag.checks import JOBS, SEED, IntegralNumber, Optional
from veridag.data import Column, Data
from veridag.display import ROWS as SHOWN
from veridag.display import drawing, folded, more, paragraph, table
from veridag.errors import InputError, suggest
from veridag.graph import check_names

from .frames import data_for
from .likelihood import log_likelihood_rows
from .parameters import CPD, ConditionalGaussian, Floats, LinearGaussian, Table
from .sampling import Sampler
from .spread import Spread
from .tables import ConditionalTable, RegressionTable, equation
from .validity import check_parameters, check_states, structure

if TYPE_CHECKING:
    from veridag.progress import Progress

    from .explanation import Explanation, MostProbable, Sensitivity
    from .incomplete.record import EMRecord
    from .intervals import ParameterIntervals
    from .prediction import Prediction
    from .query import JointGaussian, JointMixture, JointTable, Marginals
    from .query.weighting import Estimates, Target

#: A number of rows; 1e4 is accepted.
ROWS = IntegralNumber(0, 2**63 - 1)


class Network:
    """A Bayesian network with parameters: discrete, Gaussian or mixed.

    A discrete variable has a `Table`. A continuous one has a `LinearGaussian` or, if some of its parents are discrete,
    a `ConditionalGaussian`. No discrete variable has a continuous parent (Lauritzen 1992): given all discrete
    variables, the others are jointly normal.

    The attribute `fitted` describes how EM estimated the parameters; it is None if EM did not. `spread` is what `fit`
    keeps for `intervals`.

    Args:
        cpds: The parameters of each variable, in the order of the variables.
        states: The names of the states of every discrete variable; None for a Gaussian network.
        name: The name of the network.

    Raises:
        InputError: If the parameters do not fit together: a cycle, wrong shapes, probabilities that do not sum to 1, or
            a discrete variable with a continuous parent.

    See also:
        `fit`, `read_network`, `networks.load`, docs/inference.md
    """

    def __init__(
        self,
        cpds: Mapping[str, CPD],
        states: Mapping[str, Sequence[str]] | None = None,
        *,
        name: str = "",
    ) -> None:
        if not isinstance(cpds, Mapping):
            raise InputError(f"cpds={cpds!r} must give the parameters of each variable, {{name: Table(...)}}")
        self.names = check_names(tuple(cpds))
        self.name = name
        self.fitted: EMRecord | None = None
        self.spread: Mapping[str, Spread] | None = None  # set by fit, for intervals
        self.cpds: Mapping[str, CPD] = MappingProxyType(dict(cpds))
        for variable, cpd in cpds.items():
            if not isinstance(cpd, CPD):
                raise InputError(
                    f"cpds: {variable!r} has a {type(cpd).__name__}; give it a Table, a LinearGaussian or a "
                    f"ConditionalGaussian"
                )
        self.states = MappingProxyType(check_states(self, states or {}))
        self.dag = structure(self)
        for variable in self.names:
            check_parameters(self, variable)

    @property
    def kind(self) -> Literal["discrete", "gaussian", "mixed"]:
        """The kind of the network: "discrete", "gaussian", or "mixed" if it has variables of both kinds."""
        discrete = sum(isinstance(cpd, Table) for cpd in self.cpds.values())
        return "discrete" if discrete == len(self.cpds) else "mixed" if discrete else "gaussian"

    @property
    def is_gaussian(self) -> bool:
        """Whether all variables are normal."""
        return self.kind == "gaussian"

    @cached_property
    def nparams(self) -> int:
        """The number of free parameters: the sum of q_i (r_i - 1) over discrete and of q_i (m_i + 2) over continuous
        variables.

        r_i is the number of states, q_i the number of configurations of the discrete parents, and m_i the number of
        continuous parents: a regression has an intercept, a slope for each of them and a standard deviation.
        """
        return self.dag.nparams({v: len(self.states[v]) if v in self.states else None for v in self.names})

    def table(self, name: str) -> Table:
        """Return the probability table of a discrete variable."""
        cpd = self._cpd(name)
        if not isinstance(cpd, Table):
            raise InputError(f"{name!r} is continuous and has no probability table: use cpds[{name!r}]")
        return cpd

    def cpt(self, name: str) -> ConditionalTable:
        """Return the probability table of a discrete variable with the names of its states and parents, for display."""
        own = self.table(name)
        given = tuple(self.states[parent] for parent in own.parents)
        return ConditionalTable(name, own.parents, self.states[name], given, own.probabilities)

    def gaussian(self, name: str) -> LinearGaussian:
        """Return the parameters of a continuous variable without discrete parents."""
        cpd = self._cpd(name)
        if isinstance(cpd, ConditionalGaussian):
            raise InputError(f"{name!r} has several regressions: use conditional_gaussian({name!r})")
        if not isinstance(cpd, LinearGaussian):
            raise InputError(f"{name!r} is discrete and has no regression: use cpds[{name!r}]")
        return cpd

    def conditional_gaussian(self, name: str) -> ConditionalGaussian:
        """Return the parameters of a continuous variable: a regression for each configuration of its discrete parents.

        Without discrete parents, it is one regression, and the arrays have no axes for them.
        """
        cpd = self._cpd(name)
        if isinstance(cpd, Table):
            raise InputError(f"{name!r} is discrete and has no regression: use cpds[{name!r}]")
        return ConditionalGaussian.of(cpd)

    def regressions(self, name: str) -> RegressionTable:
        """Return the regressions of a continuous variable with the names of states and parents, for display."""
        own = self.conditional_gaussian(name)
        return RegressionTable(name, own, tuple(self.states[parent] for parent in own.discrete))

    def intervals(self, name: str, level: float = 0.95) -> ParameterIntervals:
        """Compute credible intervals of the parameters of a variable, for a network made by `fit`.

        Each interval is for one parameter, and leaves out (1 - level) / 2 of the posterior on each side;
        `ParameterIntervals` describes the posterior. The structure is treated as known, and other parameters are not
        held fixed.

        Args:
            name: The variable.
            level: The probability of each interval.

        Raises:
            InputError: If the network was not fitted, or by EM, or if a table was fitted by maximum likelihood.
        """
        from .intervals import parameter_intervals

        self._cpd(name)
        return parameter_intervals(self, name, level)

    def _cpd(self, name: str) -> CPD:
        if name not in self.cpds:
            raise InputError(f"the network has no variable {name!r}: {suggest(name, self.names)}")
        return self.cpds[name]

    def sample(
        self, n: int, seed: int | None = None, *, do: Mapping[str, str | float] | None = None, jobs: int = 1
    ) -> Data:
        """Sample independent rows.

        Args:
            n: Number of rows.
            seed: Seed of the random numbers. The same seed gives the same rows with any number of jobs, and n rows are
                the first n of a longer sample. If None, the rows are new each time.
            do: Variables to set by intervention, as for `intervene`.
            jobs: Number of threads.
        """
        if do:
            return self.intervene(do).sample(n, seed, jobs=jobs)
        n, jobs = ROWS("n", n), JOBS("jobs", jobs)
        seed = Optional(SEED)("seed", seed)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        drawn = Sampler.of(self).columns(n, seed, jobs)
        return Data(
            [
                Column.discrete(v, x, self.states[v], "sampled")
                if v in self.states
                else Column.continuous(v, x, "sampled")
                for v, x in zip(self.names, drawn, strict=True)
            ]
        )

    @overload
    def log_likelihood(self, data: Data | Any) -> float: ...
    @overload
    def log_likelihood(self, data: Data | Any, *, by_row: bool) -> float | Floats: ...
    def log_likelihood(self, data: Data | Any, *, by_row: bool = False) -> float | Floats:
        """Compute log P(data), the natural logarithm.

        States are matched by name. A row that the network cannot produce has minus infinity. For a row with missing
        values, it is log P of the observed values, with the missing ones summed or integrated out.

        Args:
            data: The table: a `Data` or a data frame. It needs the network's variables, in any order; other columns are
                ignored.
            by_row: Return the value of each row, without its weight, instead of the sum.
        """
        data = data_for(self, data)
        rows = log_likelihood_rows(self, data)
        if by_row:
            return rows
        if data.weights is None:
            return float(rows.sum())
        present = data.weights > 0  # minus infinity times zero is not a number
        return float(rows[present] @ data.weights[present])

    def intervene(self, do: Mapping[str, str | float]) -> Network:
        """Return the network in which variables are set by intervention.

        They lose the arcs from their parents; all other parameters stay (the truncated factorization, Pearl 2009). A
        discrete variable gets a table without parents in which its state has probability 1. A continuous one gets the
        value as its intercept, and the standard deviation 0.

        Args:
            do: The variables and their values, such as ``{"smoke": "no", "age": 40}``.
        """
        from .intervention import intervene

        return intervene(self, do)

    def query(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None = None,
        *,
        do: Mapping[str, str | float] | None = None,
        likelihood: Mapping[str, Mapping[str, float]] | None = None,
    ) -> JointTable | JointGaussian | JointMixture:
        """Compute the joint distribution of the targets given the evidence, exactly.

        - Discrete targets have a `JointTable`. A small discrete network is answered by its junction tree; otherwise
          variables that do not matter are left out, and the others are summed out in a good order.
        - A Gaussian network gives a `JointGaussian`: mean and covariance.
        - Other targets of a mixed network have a `JointMixture`: the table of the discrete ones, and for each of its
          cells the exact mean and covariance of the continuous ones. Continuous variables are eliminated first
          (Lauritzen 1992) by arc reversal (Shachter and Kenley 1989), which also works if a standard deviation is zero
          (Lauritzen and Jensen 2001).

        Args:
            targets: The variables to ask about.
            evidence: The observed values: a state of a discrete variable or a value of a continuous one, such as
                ``{"smoke": "yes", "age": 40}``.
            do: Variables to set by intervention, as for `intervene`. The answer is P(targets | do, evidence), where the
                evidence is observed after the intervention.
            likelihood: Uncertain evidence, such as ``{"xray": {"yes": 0.8, "no": 0.2}}``: the likelihood of the
                observation in each state (the virtual evidence of Pearl 1988). Only the ratios of the numbers matter.

        Raises:
            InputError: If the evidence has probability zero.
            TooLarge: If a table would be too large; the message says how large.

        See also:
            `Network.marginals`, `Network.estimate`, docs/inference.md
        """
        from .query import query

        return query(self, targets, evidence, do, likelihood)

    def counterfactual(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None,
        do: Mapping[str, str | float],
    ) -> JointGaussian:
        """Compute what the targets would have been under an intervention, given what was observed without it.

        This is for Gaussian networks, whose equations v = a + b . parents + e are treated as causal mechanisms. The
        evidence determines the distribution of the errors e (abduction), the variables in `do` are set (action), and
        the equations give the targets with the same errors (prediction; Pearl 2009, section 7.1).

        Args:
            targets: The variables to ask about.
            evidence: What was observed. Unlike in a query, it can have the targets and the variables in `do`: y was 3
                with x = 0, what would it have been with x = 1?
            do: The variables to set, and their values.
        """
        from .query import counterfactual

        return counterfactual(self, targets, evidence, do)

    def marginals(
        self, evidence: Mapping[str, str | float] | None = None, *, do: Mapping[str, str | float] | None = None
    ) -> Marginals:
        """Compute the distribution of every variable given the evidence, exactly.

        A discrete variable has a `JointTable` of itself, a continuous one its mean and standard deviation. Variables
        that are observed or set are certain.

        A discrete network is answered by its `JunctionTree` in two passes. The network keeps the tree of the first
        call, and messages that the next evidence does not change; the numbers are the same as without. A Gaussian
        network is conditioned at once, and a mixed one by an elimination for each variable.

        Args:
            evidence: The observed values, as for `query`.
            do: Variables to set by intervention, as for `intervene`.

        Raises:
            TooLarge: If a table would be too large: use `estimate`.
        """
        from .query import marginals

        return marginals(self, evidence, do)

    def estimate(
        self,
        targets: str | Iterable[Target] | None = None,
        evidence: Mapping[str, str | float] | None = None,
        n: int = 100_000,
        seed: int = 0,
        *,
        do: Mapping[str, str | float] | None = None,
        error: float | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> Estimates:
        """Estimate the distribution of each target given the evidence from sampled rows, with standard errors.

        Use it if `query` and `marginals` need tables that are too large.

        The method is likelihood weighting (Fung and Chang 1990): variables are drawn parents first, observed ones keep
        their values, and a row has the weight w, the probability of these values given the drawn parents. With f = 1 if
        a row is in a cell, its probability p is estimated by sum w f / sum w, with the squared standard error sum w^2
        (f - p)^2 / (sum w)^2. Evidence that is improbable given the rest leaves few rows with weight: see
        `effective_size` of the result.

        Args:
            targets: Variables, or tuples of discrete variables for their joint distribution; every variable if None.
            evidence: The observed values, as for `query`.
            n: Number of rows, or the most rows with `error`.
            seed: Seed of the random numbers. The same seed gives the same numbers with any number of jobs.
            do: Variables to set by intervention, as for `intervene`.
            error: Stop once no standard error is larger; `largest_error` of the result shows whether this was reached.
            jobs: Number of threads.
            progress: Progress callback, see `ProgressBar`.

        Returns:
            By target an `EstimatedTable`, or `EstimatedMoments` for a continuous one.

        Raises:
            InputError: If the evidence has weight zero in all rows.
        """
        from .query import estimate

        return estimate(self, targets, evidence, n, seed, do=do, error=error, jobs=jobs, progress=progress)

    def predict(
        self,
        data: Data | Any,
        target: str,
        given: Iterable[str] | None = None,
        *,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> Prediction:
        """Predict a variable in each row, given the other values of the row.

        All answers are exact. A discrete target whose children are discrete is predicted from its Markov blanket alone
        in rows that have all of it, a million rows in about a second. Other rows of a discrete network use the junction
        tree, where equal rows share the work; rows of other networks use the missing values that are linked with the
        target. In data with interventions, a set variable is no evidence about its parents: the answer is P(target |
        do(set), seen).

        Args:
            data: The table: a `Data` or a data frame, which is read with the kinds and states of the network. Missing
                values are summed or integrated out. The column of the target, and columns that the network does not
                have, are ignored.
            target: The variable to predict.
            given: The columns to predict from; all other variables of the network if None.
            jobs: Number of threads.
            progress: Progress callback, see `ProgressBar`.

        Raises:
            InputError: If a row has probability zero; the message names it.

        See also:
            `Prediction`, `evaluate_prediction`, docs/prediction.md
        """
        from .prediction import predict

        return predict(self, data, target, given, jobs=jobs, progress=progress)

    def most_probable(self, evidence: Mapping[str, str | float] | None = None) -> MostProbable:
        """Find the most probable explanation: the jointly most probable values of all unobserved variables (Dawid
        1992).

        In a discrete network it is argmax P(x | evidence), which need not be the most probable state of each variable
        alone; of equally probable ones, the same is chosen each time. In a Gaussian network it is the conditional mean,
        where the density is highest. In a mixed one it is the most probable configuration of the discrete variables,
        argmax P(d | evidence), and then the mean of the continuous ones given it: the highest density would depend on
        the units of measurement.

        Args:
            evidence: The observed values, as for `query`.
        """
        from .explanation import most_probable

        return most_probable(self, evidence)

    def map(self, targets: str | Iterable[str], evidence: Mapping[str, str | float] | None = None) -> MostProbable:
        """Find the jointly most probable values of some variables, with the others summed out: marginal MAP.

        The answer is exact. In a Gaussian network it is the mean.

        Args:
            targets: The variables. In a mixed network, they must be discrete.
            evidence: The observed values, of any kind.

        Raises:
            TooLarge: If a table would be too large; the message says how large.
        """
        from .explanation import marginal_map

        return marginal_map(self, targets, evidence)

    def sensitivity(self, target: Mapping[str, str], evidence: Mapping[str, str] | None = None) -> Sensitivity:
        """Compute how P(target = state | evidence) depends on each table entry of a discrete network.

        For every entry: the derivative, the range of answers over all its values, and the nearest value at which
        another state of the target becomes the most probable. If an entry changes, the others of its row change in
        proportion (Chan and Darwiche 2002).

        Args:
            target: The variable and its state, such as ``{"lung": "yes"}``.
            evidence: The observed values, as for `query`.
        """
        from .explanation import sensitivity

        return sensitivity(self, target, evidence)

    def explain(self, target: str, evidence: Mapping[str, str | float], state: str | None = None) -> Explanation:
        """Explain which observations changed P(target = state), and by how much.

        For each observation: the answer given it alone, the answer without it, how much it changes the log-odds of the
        state after all others and, with up to ten observations, its Shapley value: the mean change over all orders of
        the observations. For a continuous target, it is the mean that changes. ``.sentence`` says it in words, and
        `veridag.figures.explanation_figure` draws it.

        Args:
            target: The variable.
            evidence: The observed values, as for `query`.
            state: The state of the target; the most probable one given the evidence if None.
        """
        from .explanation import explain

        return explain(self, target, evidence, state)

    def write(self, path: str | Path) -> Path:
        """Write the network to a file whose suffix decides the format, such as ``.bif``.

        Names that other programs cannot read are changed in the file, and a `NetworkWarning` says so; the original
        names are stored with them, and `read_network` restores them.
        """
        from .formats import write_network

        return write_network(self, path)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same variables in the same order, the same states and exactly the same numbers."""
        if not isinstance(other, Network):
            return NotImplemented
        return self.names == other.names and self.states == other.states and dict(self.cpds) == dict(other.cpds)

    def __hash__(self) -> int:
        return hash((self.names, self.dag))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (
            dict(self.cpds),
            dict(self.states),
            self.name,
            self.fitted,
            dict(self.spread) if self.spread is not None else None,
        )

    def __repr__(self) -> str:
        discrete = len(self.states)
        mixed = f"{discrete} discrete and {len(self.names) - discrete} continuous"
        kind = {"gaussian": "Gaussian, ", "discrete": "discrete, ", "mixed": ""}[self.kind]
        number = mixed if self.kind == "mixed" else str(len(self.names))
        title = f"Network {self.name!r}" if self.name else "Network"
        return f"<{title}: {kind}{number} variables, {len(self.dag.arcs)} arcs, {self.nparams} parameters>"

    def _repr_svg_(self) -> str:
        return self.dag.to_svg(self.name)

    def _repr_html_(self) -> str:
        drawn = drawing(lambda: self.dag.to_svg(self.name), len(self.names))
        return paragraph(repr(self).strip("<>")) + drawn + folded("parameters", self._html_parameters())

    def _html_parameters(self) -> str:
        if self.is_gaussian:
            given = [(v, self.gaussian(v)) for v in self.names]
            rows = [(v, equation((c.intercept, *c.coefficients), c.parents), f"{c.sd:.6g}") for v, c in given]
            return table(("variable", "mean", "sd"), rows)
        families = [self.cpt(v) if v in self.states else self.regressions(v) for v in self.names[:SHOWN]]
        return "".join(family._repr_html_() for family in families) + more(len(self.names))


def _rebuild(
    cpds: dict[str, CPD],
    states: dict[str, tuple[str, ...]],
    name: str,
    fitted: EMRecord | None = None,
    spread: dict[str, Spread] | None = None,
) -> Network:
    network = Network(cpds, states, name=name)
    network.fitted = fitted
    network.spread = None if spread is None else MappingProxyType(spread)
    return network
