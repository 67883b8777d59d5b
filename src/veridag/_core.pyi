"""
The compiled part of veridag. Its callers have checked what they pass; users call veridag itself.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

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

def sample_discrete(parents: Sequence[Sequence[int]], arities: Sequence[int], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], order: Sequence[int], n: int, seed: int, threads: int) -> list[Any]:
    """Rows from a discrete network: one array of states a variable."""

def sample_gaussian(parents: Sequence[Sequence[int]], intercepts: Sequence[float], coefficients: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], sds: Sequence[float], order: Sequence[int], n: int, seed: int, threads: int) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """Rows from a Gaussian network: one array of values a variable."""

class Table:
    """Discrete data as the core counts it: one array of states a variable."""

    def __init__(self, columns: list[Any], arities: Sequence[int], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def family_counts(self, child: int, parents: Sequence[int]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """
        The counts of a family's cells and of its parents' configurations, in no particular order.
        """

class Scorer:
    """A score bound to data."""

    def local(self, children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """The local scores of many families."""

def discrete_scorer(data: Table, name: str, parameters: Sequence[float]) -> Scorer:
    """A discrete score bound to data."""

def bhd_scorer(data: Table, ess: float, alpha0: float) -> Scorer:
    """BHD of data whose last column holds the groups."""

def gaussian_scorer(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, name: str, parameters: Sequence[float]) -> Scorer:
    """LogLik, AIC or BIC of Gaussian data."""

def bge_scorer(prior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], posterior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, iss_mu: float, iss_w: float) -> Scorer:
    """BGe with its prior and posterior matrices."""

def callback_scorer(function: Callable[[int, list[int]], float], variables: int) -> Scorer:
    """A Python function of child and parents as a score."""

def contingency(data: Table, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    G2, X2, the number of possible strata and the adjusted degrees of freedom of many tests.
    """

def partial_correlations(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, x: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    The partial correlations of many tests, and the ranks of their conditioning sets.
    """

class PairTest:
    """A test of independence bound to data, for searches."""

    def decide(self, x: int, y: int, given: Sequence[int]) -> tuple[float, bool]:
        """
        The evidence for dependence, minus log p or what a score gains, and whether x and y are independent.
        """

def g2_test(data: Table, alpha: float) -> PairTest:
    """G2 of discrete data with degrees of freedom by declared states."""

def contingency_test(data: Table, pearson: bool, adjusted: bool, alpha: float) -> PairTest:
    """X2 or G2 of discrete data."""

def correlation_test(scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: float, kind: str, alpha: float) -> PairTest:
    """A test of partial correlations: g2, student-t or fisher-z."""

def score_test(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n: float, remember: bool) -> PairTest:
    """What a score gains by one more parent, as a test."""

def callback_test(function: Callable[[int, int, list[int]], tuple[float, float, bool]], variables: int) -> PairTest:
    """
    A Python function of x, y and what is given, that answers (statistic, p-value, independent).
    """

def search_greedy(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: int, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], tabu: int, max_tabu: int, restarts: int, perturb: int, max_steps: int, seed: int, trace: bool, progress: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], float, int, bool, int, int, list[Any]]:
    """
    Hill climbing, tabu search and restarts: DAG, score, steps, interrupted, calls, distinct calls, moves.
    """

def search_ges(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: int, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], turning: bool, progress: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], float, int, bool, int, int]:
    """
    Greedy equivalence search: CPDAG, DAG, score, steps, interrupted, calls, distinct calls.
    """

def search_orders(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: int, start: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, candidates: int, steps: int, initial_temperature: float, final_temperature: float, average: bool, seed: int, progress: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], float, int, bool, int, int]:
    """
    Simulated annealing over orders: DAG, score, steps, interrupted, calls, distinct calls.
    """

def search_skeleton(test: PairTest, method: str, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: Sequence[int], max_conditioning: int, progress: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], list[int], bool, int, int]:
    """
    The skeleton by a constraint-based method: matrix, variables that looped, interrupted, calls, distinct calls.
    """

def search_constraints(test: PairTest, method: str, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: Sequence[int], max_conditioning: int, progress: object | None, threads: int) -> tuple[Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')], list[tuple[int, int, int]], list[int], bool, int, int]:
    """
    A graph by a constraint-based method: PDAG, v-structures overruled, variables that looped, interrupted, calls, distinct calls.
    """

def search_neighbours(test: PairTest, method: str, target: int, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_conditioning: int, progress: object | None, threads: int) -> tuple[list[int], list[int], bool, int, int]:
    """
    One variable's neighbours: members, variables that looped, interrupted, calls, distinct calls.
    """

def search_blanket(test: PairTest, method: str, target: int, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_conditioning: int, progress: object | None, threads: int) -> tuple[list[int], list[int], bool, int, int]:
    """
    One variable's Markov blanket: members, variables that looped, interrupted, calls, distinct calls.
    """

def parent_sets(scorer: Scorer, prior_size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, prior_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, required: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounded: bool, memory_limit: float, progress: object | None, threads: int, dominated: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int, bool]:
    """
    The parent sets that no subset beats, or all of them: offsets, scores, offsets of parents, parents, families scored, interrupted. A MemoryError has the number of parents that was too large and the bytes needed.
    """

class Candidates:
    """Candidate parent sets of every variable with their scores, best first."""

    def __init__(self, variables: int, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parent_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def solve_dp(self, stop: object | None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], float, int, bool, bool]:
        """
        Dynamic programming: the row of each variable (none if no network is allowed), score, steps, finished, interrupted.
        """

    def k_best(self, k: int, stop: object | None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], bool, bool]:
        """
        The k best networks, best first: the row of each variable of one network after the other, scores, finished, interrupted.
        """

    def climb(self, order: Sequence[int], rounds: int, seed: int, stop: object | None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], float, int, bool]:
        """
        Local search over orders: the row of each variable, score, steps, interrupted.
        """

    def dual_ascent(self, seed: int) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], list[list[int]], list[int]]:
        """
        A bound on the score of every network, how much less those with a row have at most, the clusters that show it, and an order to start from.
        """

    def split(self, keep: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Candidates]]:
        """
        The strong components of the rows that are kept: variables, rows, candidates of each.
        """

    def violated_clusters(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, most: int) -> list[list[int]]:
        """Clusters that the weights of the rows violate, by heuristic."""

    def violated_facets(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, most: int) -> list[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]]:
        """
        Constraints on three or four variables that the weights violate: rows, coefficients, most.
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

def dp_bytes(variables: int) -> int:
    """The memory that dynamic programming over so many variables needs."""

MAX_DP_VARIABLES: int = 30

def k_best_bytes(variables: int, k: int) -> float:
    """
    The memory that the k best networks over so many variables need at most.
    """

MAX_K_BEST_VARIABLES: int = 20

MAX_K_BEST: int = 16777215

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
