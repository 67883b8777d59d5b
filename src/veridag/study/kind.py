"""What a kind of study is: it makes the cells of a grid, does one cell, and draws the figures."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from veridag.checks import Integer, is_number
from veridag.errors import InputError, suggest

from .shared import Shared

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure as Drawing

Value: TypeAlias = str | int | float | bool | None
#: What one cell is: a flat mapping, from which its key and its seed follow. A tuple of texts is allowed too.
Settings: TypeAlias = Mapping[str, Value | tuple[str, ...]]
#: What was measured: one line. A cell may give several, for instance one a learner.
Row: TypeAlias = dict[str, Value]

_NOTHING = object()

#: No separator of folders, no drive, nothing hidden.
_FIGURE_NAME = re.compile(r"(?!\.)[^/\\:*?\"<>|\x00-\x1f\x7f]{1,100}")


@dataclass(frozen=True)
class Spec:
    """A study file read at one scale: the keys of the scale over those of [grid]."""

    name: str
    kind: str
    title: str
    scale: str
    #: the folder that relative paths in the file refer to
    base: Path
    grid: Mapping[str, object]
    seed: int = 0
    notes: tuple[str, ...] = field(default=())
    #: seconds after which a cell is stopped, unless whoever runs it says otherwise
    time_limit: float | None = None

    def allow(self, *keys: str) -> None:
        """Complain about a key of the grid that is none of these."""
        for key in self.grid:
            if key not in keys:
                raise InputError(f"{self.name}: grid key {key!r} is unknown: {suggest(key, keys)}")

    def texts(self, key: str, default: object = _NOTHING) -> tuple[str, ...]:
        """A list of texts, not empty unless the default is."""
        return tuple(str(v) for v in self._listed(key, default, (str,), "texts"))

    def numbers(self, key: str, default: object = _NOTHING) -> tuple[float, ...]:
        """A list of numbers."""
        return tuple(float(v) for v in self._listed(key, default, (int, float), "numbers"))  # type: ignore[arg-type]

    def counts(self, key: str, default: object = _NOTHING, least: int = 1) -> tuple[int, ...]:
        """A list of integers."""
        return tuple(self._integer(key, v, least) for v in self._listed(key, default, (int,), "integers"))

    def count(self, key: str, default: object = _NOTHING, least: int = 1) -> int:
        """One integer."""
        return self._integer(key, self._get(key, default), least)

    def _integer(self, key: str, value: object, least: int) -> int:
        try:
            return Integer(least)(key, value)
        except InputError:
            raise self.mistake(key, value, f"give {Integer(least)}") from None

    def number(self, key: str, default: object = _NOTHING) -> float:
        """One number."""
        value = self._get(key, default)
        if not is_number(value):
            raise self.mistake(key, value, "give a number")
        return float(value)

    def text(self, key: str, default: object = _NOTHING, among: Sequence[str] | None = None) -> str:
        """One text."""
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.mistake(key, value, "give a string")
        if among is not None and value not in among:
            raise self.mistake(key, value, suggest(value, among))
        return value

    def paths(self, key: str = "data", default: object = _NOTHING) -> tuple[Path, ...]:
        """Files that exist; relative names refer to the folder of the study file."""
        found = tuple((self.base / text).resolve() for text in self.texts(key, default))
        for path in found:
            if not path.is_file():
                raise self.mistake(key, str(path), "there is no such file; give its path with --data")
        return found

    def mistake(self, key: str, value: object, remedy: str) -> InputError:
        """An error that names the study, the key, its value and the remedy."""
        return InputError(f"{self.name}: {key} = {value!r}: {remedy}")

    def _get(self, key: str, default: object) -> object:
        value = self.grid.get(key, default)
        if value is _NOTHING:
            raise InputError(f"{self.name}: grid key {key!r} is missing at scale {self.scale!r}: add it to the file")
        return value

    def _listed(self, key: str, default: object, kinds: tuple[type, ...], what: str) -> list[object]:
        value = self._get(key, default)
        if not isinstance(value, list | tuple):
            raise self.mistake(key, value, f"give a list of {what}")
        for item in value:
            if isinstance(item, bool) or not isinstance(item, kinds):
                raise self.mistake(key, item, f"give a list of {what}")
        if not value and default is _NOTHING:
            raise self.mistake(key, value, f"give at least one of the {what}")
        twice = [item for item in value if value.count(item) > 1]
        if twice:
            raise self.mistake(key, twice[0], "it is given twice: leave one out")
        return list(value)


@dataclass(frozen=True)
class Figure:
    """A drawing, and the numbers behind it; `name` is that of its files."""

    name: str
    drawing: Drawing
    data: pl.DataFrame

    def __post_init__(self) -> None:
        figure_name(self.name)


def figure_name(name: str) -> str:
    """The name, unless it would put the files elsewhere: it may come from a stranger's study file."""
    if not _FIGURE_NAME.fullmatch(name):
        raise InputError(
            f"figure {name!r}: its name becomes a file name: give 1 to 100 "
            'characters without / \\ : * ? " < > |, not starting with a full stop'
        )
    return name


class Kind(ABC):
    """A kind of study; each is a folder in `kinds`, which has an instance of its class as `KIND`."""

    #: what a study file calls it
    name: str
    #: raise it when the same settings would give other numbers than before: older results are then not taken up
    revision: int = 1

    @abstractmethod
    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """The settings of all cells; raises `InputError` for unknown keys and impossible combinations.

        A setting named `path` (or `path_...`) says where a file is: it is not in the key, so you can move the file.
        Put `fingerprint(path)` into another setting.
        """

    @abstractmethod
    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Do one cell. The rows follow from settings and seed, but for columns whose name starts with "seconds"."""

    @abstractmethod
    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """The figures; a row has the settings of its cell and what was measured. Only finished cells are there."""

    def labels(self, spec: Spec) -> Iterator[tuple[Settings, Mapping[str, str]]]:
        """The names that the study file gives to cells, such as `part` and `label`: columns of exported tables."""
        del spec
        yield from ()

    def shares(self, settings: Settings) -> Hashable:
        """Cells for which this is equal share work, such as a data set, and go to one worker where possible."""
        del settings
        return None

    def sort(self, settings: Settings) -> Hashable:
        """Cells for which this is equal are of one sort: the time they take goes with `effort`."""
        del settings
        return None

    def effort(self, settings: Settings) -> float:
        """How long a cell takes compared with others of its kind, in any unit, for the estimate before a run."""
        del settings
        return 1.0

    def memory(self, settings: Settings) -> int:
        """About how many bytes a cell needs, for the estimate before a run; 0 if unknown."""
        del settings
        return 0


def content_key(kind: str, settings: Settings, seed: int = 0, revision: int = 1) -> str:
    """The key of a cell: a digest of what it is, whatever the order of its settings."""
    content = {name: value for name, value in settings.items() if name != "path" and not name.startswith("path_")}
    text = json.dumps([kind, revision, seed, content], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def derive_seed(*parts: object) -> int:
    """A seed from 0 to 2^63 - 1 that follows from the parts alone: the same for all cells that share them."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.blake2b(text.encode("ascii"), digest_size=8).digest(), "big") >> 1


def fingerprint(path: Path) -> str:
    """A digest of what is in a file, to be a setting of the cells that read it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
