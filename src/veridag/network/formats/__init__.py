"""Networks in files: `read_network` and `write_network` choose the format by the file's ending.

One format is one module of this package with ``read(text, source) -> Network``, whose errors start with
``source:line:``, ``write(network) -> str``, and the `RULE` that says which names other programs can read. To add a
format, write that module and add a line to `SUFFIXES`. Any of them may be compressed: ``.gz`` after the ending. What
formats share is in `family`, `blocks` and `naming`; formats of graphs without parameters do not belong here.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast, overload

from .files import format_name, label, load_text, save_text
from .naming import Rule, note

if TYPE_CHECKING:
    from veridag.network.network import Network

#: The endings a file name may have, and the module that reads and writes such files.
SUFFIXES = {
    ".bif": "bif",
    ".xml": "xmlbif",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",
    ".net": "net",
    ".dsc": "dsc",
    ".json": "json",
}


class NetworkWarning(UserWarning):
    """A warning about a network: a file has changed names so that others can read it, or EM did not converge.

    See also:
        `fit`, `Network.write`, docs/formats.md
    """


class Format(Protocol):
    """What the module of a format offers."""

    RULE: Rule | None

    def read(self, text: str, source: str) -> Network:
        """The network described by `text`; `source` names the file in messages."""

    def write(self, network: Network) -> str:
        """The network as text."""


def read_network(path: str | Path | BinaryIO, format: str | None = None, *, encoding: str | None = None) -> Network:
    """Read a network from a file or a binary stream.

    Args:
        path: The file, or a binary stream.
        format: The format, such as "bif"; if None, from the suffix of the file: ``.bif``, ``.xml`` or ``.xmlbif``,
            ``.net``, ``.dsc`` or ``.json``, also with ``.gz``. A stream needs it.
        encoding: The encoding of the text; if None, UTF-8, unless the file has a byte order mark or an XML declaration.

    Raises:
        InputError: If the file cannot be read; the message names the line.

    See also:
        `Network.write`, `networks.load`, docs/formats.md
    """
    return _module(path, format).read(load_text(path, encoding), label(path))


@overload
def write_network(network: Network, path: str | Path, format: str | None = None) -> Path: ...
@overload
def write_network(network: Network, path: BinaryIO, format: str | None = None) -> None: ...
def write_network(network: Network, path: str | Path | BinaryIO, format: str | None = None) -> Path | None:
    """Write a network to a file and return its path, or to a binary stream with a given `format`.

    The text is in UTF-8. Names that other programs cannot read are changed in the file, and the original names are
    stored with them: `read_network` restores them, and a `NetworkWarning` says how many there are.
    """
    name = format_name(path, format, SUFFIXES, "networks")
    written = save_text(network_text(network, name), path)
    changed = changed_names(network, name)
    if changed:
        warnings.warn(changed, NetworkWarning, stacklevel=_level_of_caller())
    return written


def network_text(network: Network, format: str) -> str:
    """The text of a file with the network, its `format` named; `changed_names` says what it has otherwise."""
    return _module("", format).write(network)


def changed_names(network: Network, format: str) -> str | None:
    """What to say of names that are changed in a file of this format, if any are."""
    rule = _module("", format).RULE
    return None if rule is None else note(network, rule)


def _level_of_caller() -> int:
    """How far up the first caller is that is not veridag: the line that a warning is about."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "veridag":
        level, frame = level + 1, frame.f_back
    return level


def _module(path: str | Path | BinaryIO, format: str | None) -> Format:
    return cast(Format, import_module(f".{format_name(path, format, SUFFIXES, 'networks')}", __name__))
