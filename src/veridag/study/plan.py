"""Study files: where they are, what may be in them, and the cells that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from veridag.checks import Integer, is_integer, is_number
from veridag.errors import InputError, require, suggest
from veridag.files.toml import load_toml

from . import kinds
from .kind import Kind, Settings, Spec, Value, content_key

#: The sizes that a study can be run in, from the one for tests to the published one.
SCALES = ("smoke", "short", "paper")

_KEYS = ("kind", "title", "notes", "seed", "grid", *SCALES)
_FOLDER = Path(__file__).parent / "files"


@dataclass(frozen=True)
class Cell:
    """One piece of work: what it is, and the key and the seed that follow from that."""

    key: str
    kind: str
    settings: Settings

    @property
    def seed(self) -> int:
        """From 0 to 2^63 - 1, from the key alone: the same wherever and whenever the cell is done."""
        return int(self.key[:16], 16) >> 1


@dataclass(frozen=True)
class Plan:
    """A study at one scale: its kind and all its cells, in the order they are done."""

    spec: Spec
    kind: Kind
    cells: tuple[Cell, ...]

    def only(self, conditions: Sequence[tuple[str, str]]) -> Plan:
        """The plan with the cells whose settings have these values; of several values of one setting, any."""
        wanted: dict[str, list[str]] = {}
        for name, value in conditions:
            wanted.setdefault(name, []).append(value)
            self._require_value(name, value)
        kept = [
            cell
            for cell in self.cells
            if all(any(_means(cell.settings.get(name), value) for value in any_of) for name, any_of in wanted.items())
        ]
        if not kept:
            shown = " and ".join(f"{name}={' or '.join(any_of)}" for name, any_of in wanted.items())
            raise InputError(f"{self.spec.name}: no cell has {shown}: leave one of these out")
        return replace(self, cells=tuple(kept))

    def _require_value(self, name: str, value: str) -> None:
        known = dict.fromkeys(setting for cell in self.cells for setting in cell.settings)
        if name not in known:
            raise InputError(f"{self.spec.name}: {name}={value}: cells have no such setting; {suggest(name, known)}")
        values = dict.fromkeys(cell.settings.get(name) for cell in self.cells)
        if not any(_means(own, value) for own in values):
            there = [shown(own) for own in values]
            raise InputError(f"{self.spec.name}: {name}={value}: no cell has this value; {suggest(value, there)}")

    def key(self, settings: Settings) -> str:
        """The key of the cell with these settings."""
        return content_key(self.kind.name, settings, self.spec.seed, self.kind.revision)


def names() -> tuple[str, ...]:
    """The studies that come with veridag."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def load(
    study: str | Path, scale: str | None = None, data: Sequence[str | Path] = (), *, trust_kinds: bool = False
) -> Plan:
    """The plan of a study, a file or the name of one that comes with veridag.

    Without `scale` it is "short", or the grid alone if the file has no scales. `data` are files that replace the
    grid's `data`. A kind of another module, ``module:object``, is imported only with `trust_kinds`, since importing
    runs its code: a study file from a stranger could name any module that is installed, or lies in this folder.
    """
    path = locate(study)
    spec = _spec(path, _read(path), scale)
    require("polars", "a study", "files")
    if data:
        given = [str(Path(item).resolve()) for item in data]
        spec = replace(spec, grid={**spec.grid, "data": given})
    kind = kinds.load(spec.kind, trusted=trust_kinds)
    return Plan(spec, kind, tuple(_cells(spec, kind)))


def describe(study: str | Path) -> Spec:
    """A study without its cells: its name, title, kind and notes, with the grid of all scales."""
    path = locate(study)
    return _spec(path, _read(path) | {"short": {}}, "short")


def scales(study: str | Path) -> tuple[str, ...]:
    """The scales that a study file has."""
    content = _read(locate(study))
    return tuple(scale for scale in SCALES if scale in content)


def locate(study: str | Path) -> Path:
    """The file of a study: a path, or the name of one that comes with veridag."""
    if isinstance(study, str) and study in names():
        return _FOLDER / f"{study}.toml"
    path = Path(study)
    if path.is_file():
        return path
    raise InputError(f"study {str(study)!r}: there is no such file, and no such study; {suggest(str(study), names())}")


def shown(value: Value | tuple[str, ...]) -> str:
    """A setting as text; nothing for one that a cell does not have."""
    return "; ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)


def _means(value: Value | tuple[str, ...], text: str) -> bool:
    """Whether a text is this value of a setting: the same text, or the same number, as 1 and 1.0 are."""
    if shown(value) == text:
        return True
    try:
        return is_number(value) and float(text) == value
    except ValueError:
        return False


def _read(path: Path) -> dict[str, Any]:
    content = load_toml(path)
    for key in content:
        if key not in _KEYS:
            raise InputError(f"{path}: the key {key!r} is unknown: {suggest(key, _KEYS)}")
    for key in ("grid", *SCALES):
        if not isinstance(content.get(key, {}), dict):
            raise InputError(f"{path}: {key} = {content[key]!r} must be a table, [{key}]")
    if "kind" not in content:
        raise InputError(f"{path}: the key 'kind' is missing: add kind = {kinds.names()[0]!r}, or another kind")
    return content


def _spec(path: Path, content: Mapping[str, Any], scale: str | None) -> Spec:
    seed, notes = content.get("seed", 0), content.get("notes", [])
    if not is_integer(seed) or seed < 0:
        raise InputError(f"{path}: seed = {seed!r} must be {Integer(0)}")
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise InputError(f"{path}: notes = {notes!r} must be a list of strings")
    chosen = _chosen_scale(path, content, scale)
    grid = _merged(content.get("grid", {}), content[chosen]) if chosen else content.get("grid", {})
    limit = grid.get("time_limit")
    if limit is not None and not (is_number(limit) and limit > 0):
        raise InputError(f"{path}: time_limit = {limit!r} must be a number of seconds above 0")
    own = {key: value for key, value in grid.items() if key != "time_limit"}
    title = str(content.get("title", path.stem))
    return Spec(path.stem, content["kind"], title, chosen, path.parent.resolve(), own, seed, tuple(notes), limit)


def _chosen_scale(path: Path, content: Mapping[str, Any], scale: str | None) -> str:
    there = [known for known in SCALES if known in content]
    if scale is None:
        return "short" if "short" in there else there[0] if there else ""
    if scale not in there:
        remedy = f"the file has {', '.join(there)}" if there else "the file has no scales: leave --scale out"
        raise InputError(f"{path}: scale {scale!r}: {remedy}")
    return scale


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of both, tables within tables too; where both have one, that of `over`."""
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _cells(spec: Spec, kind: Kind) -> Iterator[Cell]:
    """The cells, each once, though several parts of a study may ask for it."""
    seen = set()
    for settings in kind.cells(spec):
        key = content_key(kind.name, settings, spec.seed, kind.revision)
        if key not in seen:
            seen.add(key)
            yield Cell(key, spec.kind, settings)
    if not seen:
        raise InputError(f"{spec.name}: the grid at scale {spec.scale!r} has no cells: give its lists some values")
