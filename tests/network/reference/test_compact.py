"""The compact file format: exact, and no damage goes unnoticed."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import many
from veridag.errors import InputError
from veridag.network import LinearGaussian, Network, Table
from veridag.network.reference import compact

MAGIC = b"veridag network 1\n"
names = st.text(min_size=1, max_size=5)


@st.composite
def discrete_networks(draw: st.DrawFn) -> Network:
    variables = draw(st.lists(names, max_size=4, unique=True))
    states = {v: draw(st.lists(st.text(max_size=3), min_size=1, max_size=3, unique=True)) for v in variables}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cpds = {}
    for i, v in enumerate(variables):
        parents = draw(st.lists(st.sampled_from(variables[:i]), unique=True)) if i else []
        shape = [len(states[p]) for p in parents]
        cpds[v] = Table(tuple(parents), rng.dirichlet(np.full(len(states[v]), 0.2), size=shape))
    return Network(cpds, states, name=draw(st.text(max_size=3)))


@st.composite
def gaussian_networks(draw: st.DrawFn) -> Network:
    variables = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    number = st.floats(allow_nan=False, allow_infinity=False)
    cpds = {}
    for i, v in enumerate(variables):
        parents = draw(st.lists(st.sampled_from(variables[:i]), unique=True)) if i else []
        coefficients = np.array([draw(number) for _ in parents])
        cpds[v] = LinearGaussian(tuple(parents), draw(number), coefficients, draw(st.floats(0, 1e9)))
    return Network(cpds)


def bits(network: Network) -> list[bytes]:
    """Every number of the network; -0.0 is not 0.0 here."""
    if not network.is_gaussian:
        return [network.table(v).probabilities.tobytes() for v in network.names]
    cpds = [network.gaussian(v) for v in network.names]
    return [np.array([c.intercept, *c.coefficients, c.sd]).tobytes() for c in cpds]


@given(discrete_networks() | gaussian_networks())
def test_writing_and_reading_gives_the_same_network_bit_for_bit(network: Network) -> None:
    back = compact.read(compact.write(network), "x.vdn")
    assert back == network
    assert back.name == network.name
    assert bits(back) == bits(network)


@pytest.mark.medium
@pytest.mark.parametrize("rows", [100, 30_000, 70_000])
def test_indices_grow_with_the_number_of_distinct_values(rows: int) -> None:
    p = np.linspace(0, 1, rows)
    states = {"A": [str(i) for i in range(rows // 10)], "B": [str(i) for i in range(10)], "C": ["a", "b"]}
    cpds = {
        "A": Table((), np.full(rows // 10, 10 / rows)),
        "B": Table((), np.full(10, 0.1)),
        "C": Table(("A", "B"), np.stack([p, 1 - p], axis=1).reshape(-1, 10, 2)),
    }
    network = Network(cpds, states)
    back = compact.read(compact.write(network), "x.vdn")
    assert bits(back) == bits(network)


def example() -> bytes:
    cpds = {"A": Table((), np.array([0.25, 0.75])), "B": Table(("A",), np.array([[0.5, 0.5], [0.1, 0.9]]))}
    return compact.write(Network(cpds, {"A": ["a", "b"], "B": ["c", "d"]}))


@many
@given(st.data())
def test_any_changed_byte_is_noticed(data: st.DataObject) -> None:
    content = bytearray(example())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4, unique=True)):
        content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(InputError, match=r"^x\.vdn: "):
        compact.read(bytes(content), "x.vdn")


def test_any_cut_is_noticed() -> None:
    content = example()
    for end in range(len(content)):
        with pytest.raises(InputError, match=r"^x\.vdn: "):
            compact.read(content[:end], "x.vdn")


def pack(header: object, indices: bytes = b"") -> bytes:
    """A file whose checksum is right, whatever it holds."""
    stream = zlib.compress(json.dumps(header).encode() + b"\n" + indices)
    return MAGIC + zlib.crc32(stream).to_bytes(4, "little") + stream


HEADER = {"name": "", "variables": ["A"], "parents": [[]], "states": [["a", "b"]], "values": [0.25, 0.75]}


def test_the_hand_made_example_is_a_network() -> None:
    np.testing.assert_array_equal(compact.read(pack(HEADER, b"\x00\x01"), "x").table("A").probabilities, [0.25, 0.75])


@pytest.mark.parametrize(
    ("change", "indices"),
    [
        ({}, b"\x00"),
        ({}, b"\x00\x01\x01"),
        ({}, b"\x00\x02"),
        ({}, b"\x00\x00"),
        ({"values": ["x", 1]}, b"\x00\x01"),
        ({"values": [-0.5, 1.5]}, b"\x00\x01"),
        ({"values": None}, b"\x00\x01"),
        ({"parents": [[0]]}, b"\x00\x01\x00\x01"),
        ({"parents": [[1]]}, b"\x00\x01"),
        ({"parents": []}, b"\x00\x01"),
        ({"states": [["a", "a"]]}, b"\x00\x01"),
        ({"states": [[1, 2]]}, b"\x00\x01"),
        ({"states": []}, b"\x00\x01"),
        ({"variables": [""]}, b"\x00\x01"),
        ({"variables": 3}, b"\x00\x01"),
    ],
)
def test_a_file_that_describes_no_network_is_refused(change: dict[str, object], indices: bytes) -> None:
    with pytest.raises(InputError, match=r"^x\.vdn: the file does not describe a network"):
        compact.read(pack(HEADER | change, indices), "x.vdn")


@pytest.mark.parametrize("header", [[], 1, None, {}, "x"])
def test_a_file_with_another_header_is_refused(header: object) -> None:
    with pytest.raises(InputError, match=r"^x\.vdn: the file does not describe a network"):
        compact.read(pack(header), "x.vdn")


def test_a_stream_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match="unpacks to more than 1000 bytes"):
        compact.read(pack(HEADER, b"\x00" * 100_000), "x.vdn")
