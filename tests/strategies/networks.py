"""Networks with names, states and numbers of any kind, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from veridag.network import CPD, ConditionalGaussian, LinearGaussian, Network, Table

SIGNS = [
    "a b",
    "a,b",
    "a|b",
    "//",
    "a/*b",
    '"',
    '\\"',
    "\\",
    "a\\",
    "(",
    ")",
    "[",
    "]",
    "}",
    "{",
    ";",
    " ",
    "\n",
    "\r\n",
    "\x1c",
    "\x00",
]
WORDS = ["0-5", "<5", "1e3", "table", "default", "property", "unknown", "network", "é", "it's", "\ufeff"]
names_of_any_kind = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6) | st.sampled_from(
    SIGNS + WORDS
)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    names = draw(st.lists(names_of_any_kind, min_size=1, max_size=4, unique=True))
    states = {v: draw(st.lists(names_of_any_kind | st.just(""), min_size=1, max_size=3, unique=True)) for v in names}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cpds: dict[str, Table | LinearGaussian] = {}
    for i, v in enumerate(names):
        parents = draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else []
        shape = [len(states[p]) for p in parents]
        cpds[v] = Table(tuple(parents), rng.dirichlet(np.full(len(states[v]), 0.2), size=shape))
    shuffled = {v: cpds[v] for v in draw(st.permutations(names))}
    return Network(shuffled, states, name=draw(st.just("") | names_of_any_kind))


@st.composite
def gaussian_networks(draw: st.DrawFn) -> Network:
    names = draw(st.lists(names_of_any_kind, min_size=1, max_size=4, unique=True))
    number = st.floats(allow_nan=False, allow_infinity=False)
    cpds: dict[str, Table | LinearGaussian] = {}
    for i, v in enumerate(names):
        parents = draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else []
        slopes = np.array([draw(number) for _ in parents])
        cpds[v] = LinearGaussian(tuple(parents), draw(number), slopes, abs(draw(number)))
    return Network({v: cpds[v] for v in draw(st.permutations(names))}, name=draw(st.just("") | names_of_any_kind))


@st.composite
def mixed_networks(draw: st.DrawFn) -> Network:
    """Variables of both kinds, with standard deviations that are zero or whose squares are floats."""
    names = draw(st.lists(names_of_any_kind, min_size=2, max_size=5, unique=True))
    cut = draw(st.integers(1, len(names)))
    states = {v: draw(st.lists(names_of_any_kind, min_size=1, max_size=3, unique=True)) for v in names[:cut]}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    number = st.floats(allow_nan=False, allow_infinity=False)
    spread = st.just(0.0) | st.floats(1e-150, 1e150)
    cpds: dict[str, CPD] = {}
    for i, v in enumerate(names):
        parents = draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else []
        discrete = [p for p in parents if p in states]
        shape = [len(states[p]) for p in discrete]
        if v in states:
            cpds[v] = Table(tuple(parents), rng.dirichlet(np.full(len(states[v]), 0.2), size=shape))
            continue
        others = [p for p in parents if p not in states]
        rows = [[draw(number), *(draw(number) for _ in others), draw(spread)] for _ in range(int(np.prod(shape)))]
        if discrete:
            cpds[v] = ConditionalGaussian.from_rows(discrete, others, shape, rows)
        else:
            cpds[v] = LinearGaussian(tuple(others), rows[0][0], np.array(rows[0][1:-1]), rows[0][-1])
    shuffled = {v: cpds[v] for v in draw(st.permutations(names))}
    return Network(shuffled, states, name=draw(st.just("") | names_of_any_kind))
