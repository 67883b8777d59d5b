"""Variable elimination over discrete variables: relevant factors, a good order, and their contraction."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, speaks_flags
from veridag.network.network import Network

Floats = NDArray[np.float64]

#: The largest table, in entries, that inference makes: half a GiB.
MAX_ENTRIES = 2**26

#: An order whose tables have no more entries than this in all is good enough; no other is looked for.
GOOD_ORDER = 2**16

#: A product whose largest entry is below this is scaled up, so that much evidence does not underflow.
SMALL = 1e-100

#: More factors than these are multiplied by their logarithms.
MANY = 12


class TooLarge(InputError):
    """The exact answer needs a table that is too large; `variables` are those of the table, `entries` its size."""

    def __init__(self, message: str, variables: tuple[str, ...], entries: int) -> None:
        super().__init__(message)
        self.variables = variables
        self.entries = entries


@dataclass(frozen=True, eq=False)
class Factor:
    """A function of the variables in `scope`: an array with an axis for each."""

    scope: tuple[str, ...]
    values: Floats


def conditional(
    network: Network,
    targets: Sequence[str],
    evidence: Mapping[str, int],
    likelihoods: Sequence[Factor] = (),
    given: str | None = None,
) -> Floats:
    """P(targets | evidence) of discrete variables, an axis for each target; `evidence` has the numbers of states.

    Descendants of neither targets nor evidence are barren and left out. The moral graph of the rest, with the evidence
    taken away, falls into components, of which only those with a target matter: the others are d-separated from all
    targets (Lauritzen et al. 1990). Tables are normalised first, since published ones are rounded.

    `likelihoods` hold the logarithms of other knowledge, as functions of unobserved variables with more than one state;
    everything is then computed with logarithms, because densities can differ by any factor.
    `given` is the evidence in words, for a message.
    """
    fixed = known(network, evidence)
    asked = (*targets, *evidence, *(v for factor in likelihoods for v in factor.scope))
    factors = [_factor(network, v, fixed) for v in _relevant(network, asked)]
    given = given or ", ".join(f"{v} = {network.states[v][k]}" for v, k in evidence.items())
    free = [v for v in targets if v not in fixed]
    arithmetic = PLAIN
    if any(not f.scope and f.values == -np.inf for f in likelihoods):
        refuse_impossible(np.zeros(1), given)
    likelihoods = [f for f in likelihoods if f.scope]  # a constant says nothing else
    if likelihoods:
        arithmetic = LOGARITHMS
        with np.errstate(divide="ignore"):
            factors = [Factor(f.scope, np.log(f.values)) for f in factors] + list(likelihoods)
    here, elsewhere = _part(factors, free)
    for component in elsewhere:
        if not all((f.values > arithmetic.zero).all() for f in component):  # otherwise the evidence is possible there
            refuse_impossible(_eliminate(network, component, [], arithmetic), given)
    table = _eliminate(network, here, free, arithmetic)
    refuse_impossible(table, given)
    table = np.asarray(table / table.sum())
    return table.reshape([len(network.states[v]) for v in targets])


def known(network: Network, evidence: Mapping[str, int]) -> dict[str, int]:
    """The evidence, and every variable with one state: it is known, and needs no axis, of which numpy has few."""
    return {v: 0 for v, own in network.states.items() if len(own) == 1} | dict(evidence)


def _relevant(network: Network, names: Iterable[str]) -> list[str]:
    """These variables and their ancestors."""
    found: set[str] = set()
    left = list(names)
    while left:
        v = left.pop()
        if v not in found:
            found.add(v)
            left += network.cpds[v].parents
    return [v for v in network.names if v in found]


def _factor(network: Network, variable: str, fixed: Mapping[str, int]) -> Factor:
    """The table of a variable, where the fixed variables have their states."""
    table = network.table(variable)
    scope = (*table.parents, variable)
    p = table.probabilities / table.probabilities.sum(axis=-1, keepdims=True)
    where = tuple(fixed.get(v, slice(None)) for v in scope)
    return Factor(tuple(v for v in scope if v not in fixed), np.asarray(p[where]))


def _part(factors: Sequence[Factor], targets: Collection[str]) -> tuple[list[Factor], list[list[Factor]]]:
    """The factors of the components that hold a target, together, and those of each other component."""
    leader: dict[str, str] = {}

    def find(v: str) -> str:
        while leader.setdefault(v, v) != v:
            leader[v] = v = leader[leader[v]]
        return v

    for factor in factors:
        for v in factor.scope[1:]:
            leader[find(v)] = find(factor.scope[0])
    wanted = {find(v) for v in targets}
    here: list[Factor] = []
    elsewhere: dict[str | None, list[Factor]] = {}
    for factor in factors:
        component = find(factor.scope[0]) if factor.scope else None
        if component in wanted:
            here.append(factor)
        else:
            elsewhere.setdefault(component, []).append(factor)
    return here, list(elsewhere.values())


def refuse_impossible(table: Floats, given: str) -> None:
    """Raise `InputError` if the table is zero throughout; `given` is the evidence in words."""
    if table.max() > 0:
        return
    raise InputError(
        f"evidence: {given} has probability zero under the network: change the evidence, or fit the network with a "
        "prior"
    )


# ---- the order


@dataclass(frozen=True)
class Order:
    """Variables in the order they are summed out; `cliques` are the scopes of the tables made on the way."""

    variables: tuple[str, ...]
    cliques: tuple[frozenset[str], ...]
    entries: int  # of all the tables


Cost = Callable[[str, Mapping[str, set[str]]], tuple[int, int]]


def find_order(scopes: Iterable[Collection[str]], hidden: Collection[str], arity: Mapping[str, int]) -> Order:
    """A good order to sum out the hidden variables: greedily the one with the least weighted fill next.

    The weight of an edge to be filled in is the product of its ends' numbers of states (Kjaerulff 1990). Where that
    leads to large tables, the order by the least table next is tried as well, and the cheaper of the two taken. An
    order ends early at the first table of more than `MAX_ENTRIES`, which is then the last of its `cliques`.
    """

    def size(v: str, near: Mapping[str, set[str]]) -> int:
        return arity[v] * prod([arity[u] for u in near[v]])

    def fill(v: str, near: Mapping[str, set[str]]) -> int:
        around = near[v]
        missing = [(a, around - near[a]) for a in around]  # each holds a itself, and each edge is there twice
        return sum(arity[a] * (sum([arity[b] for b in apart]) - arity[a]) for a, apart in missing) // 2

    scopes = [tuple(scope) for scope in scopes]
    order = _greedy(scopes, hidden, arity, lambda v, near: (fill(v, near), size(v, near)))
    if order.entries <= GOOD_ORDER:
        return order
    other = _greedy(scopes, hidden, arity, lambda v, near: (size(v, near), 0))
    return min(order, other, key=lambda o: (len(o.variables) < len(hidden), o.entries))


def _greedy(scopes: Sequence[Collection[str]], hidden: Collection[str], arity: Mapping[str, int], cost: Cost) -> Order:
    near: dict[str, set[str]] = {v: set() for scope in scopes for v in scope}
    for scope in scopes:
        for v in scope:
            near[v].update(u for u in scope if u != v)
    current = {v: cost(v, near) for v in hidden}
    heap = [(c, v) for v, c in current.items()]
    heapq.heapify(heap)
    variables: list[str] = []
    cliques: list[frozenset[str]] = []
    entries = 0
    while heap:
        c, v = heapq.heappop(heap)
        if current.get(v) != c:
            continue  # its cost has changed since, and it stands in the heap again
        around = near.pop(v)
        cliques.append(frozenset((v, *around)))
        size = prod([arity[u] for u in cliques[-1]])
        entries += size
        if size > MAX_ENTRIES:
            break
        del current[v]
        variables.append(v)
        for u in around:
            near[u] |= around
            near[u] -= {u, v}
        # What was filled in touches the neighbours, and the fill of every variable next to two of them.
        for u in set(around).union(*(near[u] for u in around)) & current.keys():
            fresh = cost(u, near)
            if fresh != current[u]:
                current[u] = fresh
                heapq.heappush(heap, (fresh, u))
    return Order(tuple(variables), tuple(cliques), entries)


def _refuse_large(network: Network, tables: Iterable[Collection[str]]) -> None:
    """Raise `TooLarge` before the first table is made, if one of them is."""
    sizes = {frozenset(scope): prod(len(network.states[v]) for v in scope) for scope in tables}
    worst, entries = max(sizes.items(), key=lambda item: item[1], default=(frozenset(), 1))
    refuse_large(network, worst, entries)


def in_bytes(entries: float) -> str:
    """The memory of a table of so many numbers, such as 4.2 GiB."""
    size, unit = float(entries) * 8, "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.3g} {unit}"


def by_sampling() -> str:
    """The remedy where exact answers are too large, as the caller would write it."""
    where = "in Python, use Network.estimate" if speaks_flags() else "use Network.estimate"
    return f"{where}, which samples rows and gives standard errors"


def refuse_large(network: Network, variables: Collection[str], entries: int) -> None:
    """Raise `TooLarge` if a table over these variables has too many entries."""
    if entries <= MAX_ENTRIES:
        return
    scope = tuple(v for v in network.names if v in variables)
    some = ", ".join(scope[:6]) + (f" and {len(scope) - 6} more" if len(scope) > 6 else "")
    raise TooLarge(
        f"targets: the exact answer needs a table of {float(entries):.3g} entries or more, over the {len(scope)} "
        f"variables {some}, of {in_bytes(entries)}; the limit is {MAX_ENTRIES:.3g}: ask for fewer targets, give more "
        f"evidence, or {by_sampling()}",
        scope,
        entries,
    )


# ---- the contraction


class Arithmetic(NamedTuple):
    """How factors are multiplied and summed over their last variable, and a result made a plain number."""

    zero: float
    product: Callable[[Sequence[Factor], Mapping[str, int]], tuple[tuple[str, ...], Floats]]
    sum: Callable[[Floats], Floats]
    plain: Callable[[Floats], Floats]


def _eliminate(network: Network, factors: Sequence[Factor], kept: Sequence[str], arithmetic: Arithmetic) -> Floats:
    """The product of the factors, summed over all variables but the kept ones, up to a positive factor."""
    arity = {v: len(network.states[v]) for v in (*kept, *(v for f in factors for v in f.scope))}
    hidden = [v for v in arity if v not in kept]
    order = find_order([f.scope for f in factors], hidden, arity)
    _refuse_large(network, [*order.cliques, kept])
    # With axes in this order the variable to be summed out is always the last, and tables align without transposing.
    place = {v: i for i, v in enumerate((*kept, *reversed(order.variables)))}
    ready = [_arranged(f, place) for f in factors]
    waiting: dict[str | None, list[Factor]] = {}
    for factor in ready:
        waiting.setdefault(_next(factor, kept), []).append(factor)
    for v in order.variables:
        scope, values = arithmetic.product(waiting.pop(v), place)
        made = Factor(scope[:-1], arithmetic.sum(values))
        waiting.setdefault(_next(made, kept), []).append(made)
    whole = arithmetic.product(waiting.get(None, []), place)
    ones = np.ones([arity[v] for v in kept])
    return np.asarray(arithmetic.plain(spread(whole[1], whole[0], kept)) * ones)


def _arranged(factor: Factor, place: Mapping[str, int]) -> Factor:
    axes = sorted(range(len(factor.scope)), key=lambda i: place[factor.scope[i]])
    return Factor(tuple(factor.scope[i] for i in axes), np.transpose(factor.values, axes))


def _next(factor: Factor, kept: Sequence[str]) -> str | None:
    """The variable of the factor that is summed out first, if any."""
    return None if not factor.scope or factor.scope[-1] in kept else factor.scope[-1]


def _product(factors: Sequence[Factor], place: Mapping[str, int]) -> tuple[tuple[str, ...], Floats]:
    """The product of factors with arranged axes, small ones first, scaled so that it does not underflow."""
    if len(factors) > MANY:
        return _product_of_many(factors, place)
    scope: tuple[str, ...] = ()
    values: Floats = np.ones(())
    for factor in sorted(factors, key=lambda f: f.values.size):
        union = tuple(sorted({*scope, *factor.scope}, key=place.__getitem__))
        values = spread(values, scope, union) * spread(factor.values, factor.scope, union)
        scope = union
    largest = values.max()
    return scope, values / largest if 0 < largest < SMALL else values


def _product_of_many(factors: Sequence[Factor], place: Mapping[str, int]) -> tuple[tuple[str, ...], Floats]:
    """The same by logarithms: factors that favour one state first and another later would underflow on the way."""
    with np.errstate(divide="ignore"):
        scope, total = _log_product([Factor(f.scope, np.log(f.values)) for f in factors], place)
    return scope, _exponential(total)


def _log_product(factors: Sequence[Factor], place: Mapping[str, int]) -> tuple[tuple[str, ...], Floats]:
    """The logarithm of the product of factors that are logarithms themselves."""
    scope: tuple[str, ...] = ()
    total: Floats = np.zeros(())
    for factor in sorted(factors, key=lambda f: f.values.size):
        union = tuple(sorted({*scope, *factor.scope}, key=place.__getitem__))
        total = spread(total, scope, union) + spread(factor.values, factor.scope, union)
        scope = union
    return scope, total


def _log_sum(values: Floats) -> Floats:
    """The logarithm of the sum along the last axis."""
    largest = values.max(axis=-1)
    base = np.where(largest > -np.inf, largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(base + np.log(np.exp(values - base[..., None]).sum(axis=-1)))


def _exponential(total: Floats) -> Floats:
    """What the logarithms stand for, up to a positive factor: the largest is one."""
    largest = total.max()
    return np.exp(total - largest) if largest > -np.inf else np.zeros(total.shape)


def spread(values: Floats, scope: Sequence[str], union: Sequence[str]) -> Floats:
    """The values with an axis of length one for every variable of the union that is not in the scope."""
    length = dict(zip(scope, values.shape, strict=True))
    return values.reshape([length.get(v, 1) for v in union])


PLAIN = Arithmetic(0.0, _product, lambda values: np.asarray(values.sum(axis=-1)), lambda values: values)
LOGARITHMS = Arithmetic(-np.inf, _log_product, _log_sum, _exponential)
