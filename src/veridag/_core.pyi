"""
The compiled part of veridag. Its callers have checked what they pass; users call veridag itself.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def cpdag(dag: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
    """The completed PDAG of a DAG's equivalence class."""

def extend(pdag: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    A DAG that extends the PDAG, and the variables on which the search was stuck (none if it succeeded).
    """

def meek(pdag: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
    """The closure of a PDAG under Meek's rules."""

def wrong_effects(truth: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], estimate: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
    """
    Whether the effect of i on j is wrong when i is adjusted for its parents in the estimate, a DAG.
    """

def intervention_bounds(truth: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], cpdag: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], limit: int) -> tuple[int, int, list[int]]:
    """
    The least and greatest number of wrong effects in the class of a CPDAG, and the component that was too large (empty if none was).
    """

def chain_dag(n: int, arcs: int, steps: int, seed: int) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
    """
    A DAG by a Markov chain that is uniform in the end; arcs is -1 for any number.
    """

class LikelihoodWeighting:
    """
    Rows of a network, given as to sample_network, with some variables held at a state or value and weighted by its probability. Weights are divided by exp(log_scale).
    """

    def __init__(self, parents: Sequence[Sequence[int]], arities: Sequence[int], parameters: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], order: Sequence[int], streams: Sequence[int], observed: Sequence[float | None], scopes: Sequence[Sequence[int]], values: Sequence[int], seed: int) -> None: ...

    def add(self, rows: int, threads: int) -> None:
        """Draw more rows; before the last call a multiple of 4096 at a time."""

    @property
    def rows(self) -> int: ...

    @property
    def log_scale(self) -> float: ...

    @property
    def total(self) -> float:
        """The sum of the weights."""

    @property
    def squares(self) -> float:
        """The sum of their squares."""

    @property
    def cells(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The weights by the cells of each scope, one after the other."""

    @property
    def cell_squares(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The same for the squares."""

    @property
    def moments(self) -> list[tuple[float, float, float]]:
        """
        Of each continuous target the mean, the sum of w (x - mean)^2 and that of w^2 (x - mean)^2.
        """

def sample_network(parents: Sequence[Sequence[int]], arities: Sequence[int], parameters: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], order: Sequence[int], n: int, seed: int, threads: int) -> list[Any]:
    """
    Rows from a network: an array of states or values a variable. Continuous variables have the arity 0 and, for each configuration of their discrete parents, intercept, coefficients and standard deviation.
    """

class JunctionTree:
    """
    The junction tree of a discrete network. Its methods take the table of every variable, flat with the child's states last, and evidence as rows of states, -1 where nothing is observed. An OverflowError has the entries of the largest table, of all, and the variables of the largest.
    """

    def __init__(self, arities: Sequence[int], parents: Sequence[Sequence[int]], together: Sequence[Sequence[int]], thorough: bool) -> None: ...

    @property
    def cliques(self) -> list[list[int]]:
        """The variables of each clique, children before parents."""

    @property
    def parents(self) -> list[int]:
        """The clique that each is joined to; -1 for a root."""

    @property
    def entries(self) -> float:
        """The entries of the tables over all cliques."""

    def entries_given(self, observed: Sequence[int]) -> float:
        """The same, if these variables are observed."""

    def covering(self, scope: Sequence[int]) -> int:
        """The smallest clique that holds these variables, or -1."""

    def log_probabilities(self, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: tuple[float, float], threads: int, progress: Callable[[int, float, float], object] | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """log P(evidence) of each row."""

    def expected_counts(self, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, limits: tuple[float, float], threads: int, progress: Callable[[int, float, float], object] | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        Expected counts of all families, one after the other, and log P(evidence) of each row.
        """

    def posteriors(self, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], scopes: Sequence[Sequence[int]], limits: tuple[float, float], threads: int, progress: Callable[[int, float, float], object] | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        P(scope | evidence) of each row, one scope after the other, and log P(evidence).
        """

    def most_probable(self, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: tuple[float, float], threads: int, progress: Callable[[int, float, float], object] | None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """The rows with their most probable completion, and log P of both."""

    def sample(self, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], evidence: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int, limits: tuple[float, float], threads: int, progress: Callable[[int, float, float], object] | None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """The rows with what they lack drawn, and log P(evidence)."""

class MarginalEngine:
    """
    The marginals of all variables for one row of evidence after the other; what the next row can use is kept.
    """

    def __init__(self, tree: JunctionTree, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def marginals(self, evidence: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]:
        """
        P(variable | evidence) of each variable, one after the other, and log P(evidence).
        """

def predict_from_blanket(log_tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], columns: Sequence[list[Any]], arity: int, rows: int, threads: int, progress: Callable[[int, float, float], object] | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    P(target | row), rows x states, from the logarithms of the tables that hold the target, and the logarithm of the product's sum. Each table has its columns: pairs of codes and, for each code, how far it leads into the table, where the states of the target come last.
    """

class PackedStates:
    """The states of a variable, with as few bits each as they need."""

    def __init__(self, bits: int) -> None: ...

    @overload
    def append(self, states: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def append(self, states: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """More rows, at the end."""

    def unpack(self, start: int, stop: int) -> object:
        """The states of these rows: uint8, or uint16 if of 16 bits."""

    def __len__(self) -> int: ...

    @property
    def bits(self) -> int: ...

class FoldedRows:
    """Rows of states, each different one once, with its weight."""

    def __init__(self, variables: int) -> None: ...

    def add(self, rows: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Rows of uint16 states, which count once or as often as their weights say.
        """

    def states(self, variable: int) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')]:
        """The states of a variable in the different rows."""

    def weights(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """How often each different row counts."""

    def __len__(self) -> int: ...

class Table:
    """Discrete data as the core counts it: one array of states a variable."""

    def __init__(self, columns: list[Any], arities: Sequence[int], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, observed: Sequence[int] = []) -> None: ...

    def joint_counts(self, sets: Sequence[Sequence[int]]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        How often each joint state of these sets of variables occurs, in C order, one set after the other.
        """

    def select(self, variables: Sequence[int]) -> Table:
        """These variables in this order, over the same memory."""

    def family_counts(self, child: int, parents: Sequence[int]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """
        The counts of a family's cells and of its parents' configurations, in no particular order.
        """

    def strongest_associations(self, most: int, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        For each variable its strongest associations with others, the strongest first.
        """

class MixedTable:
    """Discrete and continuous data: arrays of states, and of doubles."""

    def __init__(self, columns: list[Any], arities: Sequence[int], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, observed: Sequence[int] = []) -> None: ...

class Scorer:
    """A score bound to data."""

    def local(self, children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The local scores of many families."""

def discrete_scorer(data: Table, name: str, parameters: Sequence[float]) -> Scorer:
    """A discrete score bound to data."""

def bhd_scorer(data: Table, ess: float, alpha0: float) -> Scorer:
    """BHD of data whose last column holds the groups."""

def incomplete_scorer(data: Table, penalty: float, least: float) -> Scorer:
    """PNAL of discrete data with missing values."""

def incomplete_mixed_scorer(data: MixedTable, penalty: float, least: float) -> Scorer:
    """PNAL of continuous or mixed data with missing values."""

def gaussian_scorer(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, name: str, parameters: Sequence[float]) -> Scorer:
    """LogLik, AIC or BIC of Gaussian data."""

def bge_scorer(prior: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], posterior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, iss_mu: float, iss_w: float) -> Scorer:
    """BGe with its prior and posterior matrices."""

def mixed_likelihood_scorer(data: MixedTable, scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], penalty: float) -> Scorer:
    """The likelihood of mixed data, less a penalty a parameter."""

def mixed_bayes_scorer(data: MixedTable, name: str, parameters: Sequence[float], prior: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], posterior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], iss_mu: float, iss_w: float) -> Scorer:
    """A discrete score, and BGe in each configuration of discrete parents."""

def embedded_scorer(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], widths: Sequence[int], n: float, penalty: float) -> Scorer:
    """The degenerate Gaussian score: variables as blocks of columns."""

def mean_scorer(scorers: list[Scorer]) -> Scorer:
    """The mean of several scores."""

def by_child_scorer(scorers: list[Scorer], which: Sequence[int]) -> Scorer:
    """One of several scores for each child, by its place in the list."""

def callback_scorer(function: Callable[[int, list[int]], float], variables: int) -> Scorer:
    """A Python function of child and parents as a score."""

class Completions:
    """What the gaps of discrete data may be under a network."""

    def __init__(self, data: Table, arities: Sequence[int], parents: Sequence[Sequence[int]], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], limit: float) -> None: ...

    @property
    def impossible(self) -> int:
        """A row that is impossible under the network, or -1."""

    def beyond_limit(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """The rows, one of each kind, with too many completions."""

    @property
    def number_beyond_limit(self) -> float:
        """How many observations these are."""

    def draw(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], number: int) -> None:
        """Equally probable completions of each row beyond the limit."""

    def family_counts(self, child: int, parents: Sequence[int]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        The expected counts of a family's cells and of its parents' configurations, in no particular order.
        """

def expected_scorer(data: Completions, name: str, parameters: Sequence[float], variables: int) -> Scorer:
    """
    A discrete score of the expected counts of the first so many variables.
    """

def contingency(data: Table, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    G2, X2, the number of possible strata, the adjusted degrees of freedom and the observations of many tests.
    """

def partial_correlations(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    The partial correlations of many tests, and the ranks of their conditioning sets.
    """

def conditional_gaussian(data: MixedTable, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    G2 of many tests of mixed variables, their degrees of freedom by what occurs, and their observations.
    """

def observed_correlations(data: MixedTable, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    The partial correlations of many tests of the continuous columns, with missing values, the ranks of their conditioning sets, and their observations.
    """

def embedded_ratios(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], widths: Sequence[int], n: float, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """G2 of many tests of blocks of columns, and their degrees of freedom."""

class PairTest:
    """A test of independence bound to data, for searches."""

    def decide(self, x: int, y: int, given: Sequence[int]) -> tuple[float, bool, bool]:
        """
        The evidence for dependence, minus log p or what a score gains, whether x and y are independent, and whether there were rows enough to rely on a dependence.
        """

def g2_test(data: Table, df: str, alpha: float) -> PairTest:
    """G2 of discrete data."""

def x2_test(data: Table, df: str, alpha: float) -> PairTest:
    """Pearson's X2 of discrete data."""

def correlation_test(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, kind: str, alpha: float) -> PairTest:
    """A test of partial correlations: g2, student-t or fisher-z."""

def observed_correlation_test(data: MixedTable, kind: str, alpha: float) -> PairTest:
    """The same of data with missing values."""

def mixed_g2_test(data: MixedTable, scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, df: str, alpha: float) -> PairTest:
    """G2 of mixed data; no scatter matrix if values are missing."""

def degenerate_g2_test(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], widths: Sequence[int], n: float, alpha: float) -> PairTest:
    """G2 of variables as blocks of columns."""

def score_test(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n: float, widths: Sequence[int], strata: MixedTable | None, remember: bool) -> PairTest:
    """What a score gains by one more parent, as a test."""

def by_pair_test(tests: list[PairTest], which: Sequence[int], variables: int) -> PairTest:
    """
    One of several tests for each pair, by its place in the list; -1 if there are no rows to test it.
    """

def callback_test(function: Callable[[int, int, list[int]], tuple[float, float, bool, bool]], variables: int) -> PairTest:
    """
    A Python function of x, y and what is given, that answers (statistic, p-value, independent, reliable).
    """

class SearchProblem:
    """A score with a prior, and what is known of the graph."""

    def __init__(self, scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: Sequence[int]) -> None: ...

class GreedySettings:
    """How to climb; see search/greedy/greedy.hpp."""

    def __init__(self, *, tabu: int, max_tabu: int, restarts: int, perturb: int, max_steps: int, seed: int, trace: bool, look_ahead: bool, ranks: Sequence[int]) -> None: ...

class GesSettings:
    """How to go from class to class; see search/ges/ges.hpp."""

    def __init__(self, *, order: str, turning: bool, equivalent: bool, sizes: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None: ...

class OrderSettings:
    """How to anneal; see search/order/order.hpp."""

    def __init__(self, *, candidates: int, steps: int, initial_temperature: float, final_temperature: float, average: bool, descent: bool, seed: int) -> None: ...

class BossSettings:
    """How to search for the best order; see search/boss/boss.hpp."""

    def __init__(self, *, restarts: int, candidates: int, families: int, patience: int, time_limit: float, seed: int) -> None: ...

class Move:
    """A step of a greedy search: 0 adds, 1 removes, 2 reverses the arc."""

    @property
    def kind(self) -> int: ...

    @property
    def origin(self) -> int: ...

    @property
    def target(self) -> int: ...

    @property
    def gain(self) -> float: ...

class SearchOutcome:
    """What a search found, and what it took."""

    @property
    def dag(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]: ...

    @property
    def cpdag(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
        """The class, of a search over classes."""

    @property
    def score(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def calls(self) -> int: ...

    @property
    def distinct_calls(self) -> int: ...

    @property
    def interrupted(self) -> bool: ...

    @property
    def late(self) -> bool:
        """Stopped by its deadline."""

    @property
    def moves(self) -> list[Move]:
        """Of a greedy search that keeps a trace."""

    @property
    def ties(self) -> int:
        """
        How often a greedy search met an arc that was as good in the other direction.
        """

    @property
    def mirrored(self) -> int:
        """
        How many scores of a greedy search those of reverse arcs imply, if the score is score-equivalent.
        """

def search_greedy(problem: SearchProblem, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], settings: GreedySettings, progress: Callable[[int, float, float], object] | None, threads: int) -> SearchOutcome:
    """Hill climbing, tabu search and restarts."""

def search_ges(problem: SearchProblem, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], settings: GesSettings, progress: Callable[[int, float, float], object] | None, threads: int) -> SearchOutcome:
    """Greedy equivalence search."""

def search_orders(problem: SearchProblem, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, settings: OrderSettings, progress: Callable[[int, float, float], object] | None, threads: int) -> SearchOutcome:
    """Simulated annealing over orders."""

def search_boss(problem: SearchProblem, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], guess: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, settings: BossSettings, progress: Callable[[int, float, float], object] | None, threads: int) -> SearchOutcome:
    """Best order score search."""

class ConstraintProblem:
    """A test, and what is known of the graph."""

    def __init__(self, test: PairTest, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: Sequence[int], max_conditioning: int) -> None: ...

class ConstraintOutcome:
    """What a constraint-based search found, and what it took."""

    @property
    def pdag(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
        """The graph, or the skeleton as undirected edges."""

    @property
    def overruled(self) -> list[list[int]]:
        """v-structures x -> z <- y, as [x, z, y], that were given up."""

    @property
    def colliders(self) -> list[list[int]]:
        """
        v-structures x -> z <- y, as [x, z, y], that were directed before anything that follows from them.
        """

    @property
    def members(self) -> list[int]:
        """Of a search around one variable."""

    @property
    def looped(self) -> list[int]:
        """Variables whose tests contradict each other."""

    @property
    def calls(self) -> int: ...

    @property
    def distinct_calls(self) -> int: ...

    @property
    def repeats(self) -> int:
        """
        Tests that PC-stable would make again if it took the neighbours of either end by themselves.
        """

    @property
    def interrupted(self) -> bool: ...

def search_skeleton(problem: ConstraintProblem, method: str, progress: Callable[[int, float, float], object] | None, threads: int) -> ConstraintOutcome:
    """The skeleton by a constraint-based method."""

def search_constraints(problem: ConstraintProblem, method: str, progress: Callable[[int, float, float], object] | None, threads: int) -> ConstraintOutcome:
    """A graph by a constraint-based method."""

def search_neighbours(problem: ConstraintProblem, method: str, target: int, progress: Callable[[int, float, float], object] | None, threads: int) -> ConstraintOutcome:
    """One variable's neighbours."""

def search_blanket(problem: ConstraintProblem, method: str, target: int, progress: Callable[[int, float, float], object] | None, threads: int) -> ConstraintOutcome:
    """One variable's Markov blanket."""

class ParentSets:
    """
    Parent sets of all variables, one variable after the other, the best first.
    """

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def parent_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def parents(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def scored(self) -> int:
        """Families whose score was computed."""

    @property
    def interrupted(self) -> bool: ...

class ExactOutcome:
    """The networks that were found, the best first, and what it took."""

    @property
    def choices(self) -> list[list[int]]:
        """The row of each variable, network by network; none if there is none."""

    @property
    def scores(self) -> list[float]: ...

    @property
    def bound(self) -> float:
        """No network has a higher score, unless it was known before."""

    @property
    def steps(self) -> int: ...

    @property
    def share(self) -> float:
        """
        Of all sets of variables that dynamic programming came to: those that it kept.
        """

    @property
    def finished(self) -> bool:
        """Whether they are proven to be the best."""

    @property
    def gave_up(self) -> bool:
        """For want of memory or steps."""

    @property
    def interrupted(self) -> bool: ...

class Bound:
    """
    No network has a score above `score`, and none with a row has one above `score - loss[row]`.
    """

    @property
    def score(self) -> float: ...

    @property
    def loss(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def clusters(self) -> list[list[int]]:
        """Those that show it."""

    @property
    def order(self) -> list[int]:
        """One to start from."""

class Part:
    """A part of a table that can be solved alone."""

    @property
    def variables(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def rows(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def candidates(self) -> Candidates: ...

class Cut:
    """
    The sum of coefficient times weight, over these rows, is at most `most`.
    """

    @property
    def rows(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def coefficients(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def most(self) -> float: ...

def parent_sets(problem: SearchProblem, bounded: bool, dominated: bool, memory_limit: float, progress: Callable[[int, float, float], object] | None, threads: int) -> ParentSets:
    """
    The parent sets that no subset beats, or all of them. A MemoryError has the number of parents that was too large and the bytes needed.
    """

class Candidates:
    """Candidate parent sets of every variable with their scores, best first."""

    def __init__(self, variables: int, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def solve_dp(self, known: float, most_bytes: int, most_steps: int, threads: int, progress: Callable[[int, float, float], object] | None) -> ExactOutcome:
        """
        The best network of a score above what is known, by dynamic programming.
        """

    def k_best(self, k: int, progress: Callable[[int, float, float], object] | None) -> ExactOutcome:
        """The k best networks."""

    def climb(self, order: Sequence[int], rounds: int, seed: int, progress: Callable[[int, float, float], object] | None) -> ExactOutcome:
        """A good network, by local search over orders."""

    def dual_ascent(self, seed: int) -> Bound:
        """A bound on the score of every network."""

    def split(self, keep: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[Part]:
        """The strong components of the rows that are kept."""

    def violated_clusters(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, most: int) -> list[list[int]]:
        """Clusters that the weights of the rows violate, by heuristic."""

    def violated_facets(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, most: int) -> list[Cut]:
        """Constraints on three or four variables that the weights violate."""

    def order_by_weight(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> list[int]:
        """
        An order in which much of the weight is on rows whose parents come before.
        """

    def mutual_pairs(self) -> list[list[int]]:
        """Pairs of candidate parents of each other."""

    def cycles(self, choice: Sequence[int]) -> list[list[int]]:
        """Disjoint cycles of a graph, none if it is acyclic."""

    def order_of(self, choice: Sequence[int]) -> list[int]:
        """
        The variables in topological order, without those on a cycle or behind one.
        """

    def cluster_rows(self, members: Sequence[int], outside: bool) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        The rows of members whose parents lie outside the cluster, or the others.
        """

def dp_bytes(variables: int) -> float:
    """
    The memory that dynamic programming over so many variables needs if nothing is ruled out.
    """

MAX_DP_VARIABLES: int = 60

def k_best_bytes(variables: int, k: int) -> float:
    """
    The memory that the k best networks over so many variables need at most.
    """

MAX_K_BEST_VARIABLES: int = 20

MAX_K_BEST: int = 16777215

class ExactPosterior:
    """The exact posterior over DAGs, or over DAGs and orders."""

    def __init__(self, variables: int, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], priors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], orders: bool, threads: int, progress: Callable[[int, float, float], object] | None) -> None: ...

    @property
    def finished(self) -> bool: ...

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of all weights."""

    @property
    def residual(self) -> float:
        """How far apart are numbers that are the same without rounding."""

    def arcs(self, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """P(u -> v)."""

    def ancestors(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """P(there is a path from u to v); only where each DAG counts once."""

    def probability(self, present: Sequence[int], absent: Sequence[int], threads: int, progress: Callable[[int, float, float], object] | None) -> float:
        """
        P(each variable has these parents, and none of those): sets of variables as bits.
        """

    def log_prior_sum(self, threads: int, progress: Callable[[int, float, float], object] | None) -> float:
        """The logarithm of the sum of the prior's weights alone."""

def posterior_bytes(variables: int, orders: bool) -> float:
    """The memory that the exact posterior needs, without the score table."""

def dag_sum_terms(variables: int) -> float:
    """The terms of the sums over all DAGs, at most."""

def dag_sum_error(variables: int) -> float:
    """A bound on the rounding error of the sums over all DAGs."""

MAX_DAG_SUM_VARIABLES: int = 22

MAX_POSTERIOR_VARIABLES: int = 25

class PartitionSampler:
    """Draws of DAGs by Markov chains over partitions."""

    def __init__(self, candidates: Sequence[Sequence[int]], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def log_sum(self, variable: int, before: Sequence[int], last: Sequence[int] | None) -> float:
        """
        The logarithm of the sum of the weights of the parent sets within `before` that meet `last`.
        """

    def draw(self, powers: Sequence[float], thin: int, seed: int, places: Annotated[NDArray[numpy.int32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], first: int, number: int, threads: int, progress: Callable[[int, float, float], object] | None, first_chain: int = 0) -> object:
        """
        Parent sets, scores, where the chains are now, and exchanges; None if interrupted. The places are those of `first_chain` and the chains after it.
        """

@overload
def log(x: float) -> float:
    """The natural logarithm, the same bits on every machine."""

@overload
def log(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Of each number."""

def log1p(x: float) -> float:
    """The natural logarithm of 1 + x, the same bits on every machine."""

def scatter(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    The sums of products of any two columns, each a row of the array, the same bits on every machine.
    """

def log_chi_square_tail(statistic: float, df: float) -> float:
    """The logarithm of the upper tail of chi-square."""

def log_student_tail(t: float, df: float) -> float:
    """The logarithm of both tails of Student's distribution."""

def log_gamma(x: float) -> float:
    """The logarithm of the gamma function."""

def log_complexity(n: int, k: float) -> float:
    """The logarithm of the multinomial complexity C(n, k)."""

def bit_kernels() -> str:
    """Which instructions count bits."""

def use_bit_kernels(name: str) -> bool:
    """
    Count bits by these instructions from now on; false if the machine lacks them.
    """
