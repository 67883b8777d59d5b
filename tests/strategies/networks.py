"""Networks with names, states and numbers of any kind, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from veridag.network import LinearGaussian, Network, Table

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
