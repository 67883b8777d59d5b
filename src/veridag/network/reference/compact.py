"""The project's own file format for networks of any kind: small, exact, and quick to load.

A file is, in this order,

- the line ``veridag network 1``, where 1 is the version of the format;
- the CRC-32 of all that follows, four bytes, little-endian;
- a zlib stream, which holds one line of JSON and then the indices.

The JSON object has ``name``, ``variables`` (their names in order), ``parents`` (for each variable, the numbers of its
parents in their order), ``states`` (for each variable the names of its states, or null if it is continuous; null for
a Gaussian network) and ``values``, the distinct numbers among the parameters in the shortest form that gives the float
back, ascending.

Each index stands for one parameter: its place in ``values``. The parameters come variable by variable: the table in C
order with the variable itself last and so fastest; for a continuous variable the intercept, the coefficients and the
standard deviation, for each configuration of its discrete parents in C order. An index has 1, 2 or 4 bytes, as few as
the number of values allows; the lowest bytes of all indices come first, then the next ones, which zlib compresses
better than whole indices. zlib rather than lzma since every Python has it; the files are a tenth larger.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError
from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, LinearGaussian, Table

Floats = NDArray[np.float64]

_MAGIC = b"veridag network 1\n"
#: What a stream may grow to: a small file can be made to ask for all memory.
MAX_BYTES = 2**30


def write(network: Network) -> bytes:
    """The network as bytes. `read` gives the same network back, bit for bit."""
    place = {name: i for i, name in enumerate(network.names)}
    values, indices = _distinct(np.concatenate([np.empty(0), *_parameters(network)]))
    header = {
        "name": network.name,
        "variables": network.names,
        "parents": [[place[p] for p in network.cpds[v].parents] for v in network.names],
        "states": None if network.is_gaussian else [network.states.get(v) for v in network.names],
        "values": values,
    }
    text = json.dumps(header, allow_nan=False, separators=(",", ":"))
    stream = zlib.compress(text.encode("ascii") + b"\n" + indices, level=9)
    return _MAGIC + zlib.crc32(stream).to_bytes(4, "little") + stream


def read(content: bytes, source: str) -> Network:
    """The network in the content of a file; `source` is the name of the file in messages."""
    payload = _unpack(content, source)
    try:
        return _build(payload)
    except (InputError, ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        # The checksum was right, so this was not written by `write`.
        raise InputError(f"{source}: the file does not describe a network: {error}") from error


def _parameters(network: Network) -> Iterator[Floats]:
    for cpd in network.cpds.values():
        if isinstance(cpd, Table):
            yield cpd.probabilities.ravel()
        else:
            yield ConditionalGaussian.of(cpd).rows.ravel()


def _distinct(parameters: Floats) -> tuple[list[float], bytes]:
    """The distinct values and, for every parameter, the place of its value, as bytes."""
    # Told apart by their bits, since 0.0 == -0.0.
    bits, indices = np.unique(parameters.view(np.uint64), return_inverse=True)
    values = bits.view(np.float64)
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values), dtype=np.uint32)
    place[order] = np.arange(len(values))
    planes = place[indices].astype("<u4").view(np.uint8).reshape(-1, 4)[:, : _index_width(len(values))]
    return values[order].tolist(), planes.T.tobytes()


def _index_width(values: int) -> int:
    return 1 if values <= 2**8 else 2 if values <= 2**16 else 4


def _unpack(content: bytes, source: str) -> bytes:
    """What was compressed, after the checks that tell a damaged file."""
    if not content.startswith(_MAGIC):
        raise InputError(f"{source}: this is not a compact network file of version 1, which starts with {_MAGIC!r}")
    checksum, stream = content[len(_MAGIC) :][:4], content[len(_MAGIC) + 4 :]
    if int.from_bytes(checksum, "little") != zlib.crc32(stream) or len(checksum) < 4:
        raise InputError(f"{source}: the file is damaged, its checksum is wrong: download it again")
    inflate = zlib.decompressobj()
    try:
        payload = inflate.decompress(stream, MAX_BYTES)
    except zlib.error as error:
        raise InputError(f"{source}: the file is damaged ({error}): download it again") from error
    if not inflate.eof:
        raise InputError(f"{source}: the file is truncated, or unpacks to more than {MAX_BYTES} bytes")
    return payload


def _build(payload: bytes) -> Network:
    line, _, planes = payload.partition(b"\n")
    header: dict[str, Any] = json.loads(line)
    names: list[str] = header["variables"]
    parents = [tuple(names[i] for i in given) for given in header["parents"]]
    listed = [None] * len(names) if header["states"] is None else header["states"]
    states = {v: tuple(own) for v, own in zip(names, listed, strict=True) if own is not None}
    families = list(zip(names, parents, strict=True))
    shapes = [_shape(name, given, states) for name, given in families]
    pieces = _split(_look_up(header["values"], planes), shapes)
    cpds = {name: _cpd(name, given, piece, states) for (name, given), piece in zip(families, pieces, strict=True)}
    return Network(cpds, states, name=header["name"])


def _shape(name: str, parents: tuple[str, ...], states: dict[str, tuple[str, ...]]) -> tuple[int, ...]:
    discrete = [len(states[v]) for v in parents if v in states]
    return (*discrete, len(states[name]) if name in states else len(parents) - len(discrete) + 2)


def _cpd(name: str, parents: tuple[str, ...], numbers: Floats, states: dict[str, tuple[str, ...]]) -> CPD:
    if name in states:
        return Table(parents, numbers)
    discrete = [v for v in parents if v in states]
    if not discrete:
        return LinearGaussian(parents, numbers[0], numbers[1:-1], numbers[-1])
    continuous = [v for v in parents if v not in states]
    return ConditionalGaussian.from_rows(discrete, continuous, numbers.shape[:-1], numbers)


def _look_up(values: Sequence[float], planes: bytes) -> Floats:
    width = _index_width(len(values))
    index = np.frombuffer(planes, dtype=np.uint8).reshape(width, -1)
    whole = np.zeros((index.shape[1], 4), dtype=np.uint8)
    whole[:, :width] = index.T
    parameters: Floats = np.array(values, dtype=np.float64)[whole.view("<u4")[:, 0]]
    return parameters


def _split(parameters: Floats, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
    ends = list(accumulate(map(prod, shapes), initial=0))
    if len(parameters) != ends[-1]:
        raise ValueError(f"{len(parameters)} parameters instead of {ends[-1]}")
    return [parameters[i:j].reshape(shape) for (i, j), shape in zip(pairwise(ends), shapes, strict=True)]
