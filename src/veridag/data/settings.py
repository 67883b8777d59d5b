"""Settings for reading a table, as one value: the arguments of `read`, the options of the command line, and the content
of the settings file next to the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from veridag.errors import InputError, setting, speaks_flags, suggest
from veridag.files.toml import as_toml, load_toml
from veridag.files.writing import write_text

from .columns import Kind
from .preparing import Changes
from .reading import FileOptions, Missing, Rules, indicated

_SECTION = "reading"
_ADDED, _ADDED_BY_COLUMN = ("drop", "as_written"), ("missing_values", "merge_states")  # to what is kept


@dataclass(frozen=True)
class TableSettings:
    """Settings for reading a table. The fields are the arguments of `read`.

    Args:
        states, kinds, group, weights, missing, missing_values, columns, drop, as_written, merge_states: As in `read`.
        discretize, transform, merge_rare, targets, separator, decimal, encoding, sheet, rows, blocks: As in `read`.
        strict: As in `read`.

    See also:
        `inspect`, `read`, docs/data.md
    """

    states: Mapping[str, Any] | None = None
    kinds: Mapping[str, Kind] | None = None
    group: str | None = None
    weights: Any = None
    missing: Missing | None = None
    missing_values: Collection[object] | Mapping[str, Any] | None = None
    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()
    as_written: Sequence[str] = ()
    merge_states: Mapping[str, Mapping[str, Any]] | None = None
    discretize: str | Mapping[str, str | None] | None = None
    transform: Mapping[str, str] | None = None
    merge_rare: Mapping[str, int] | None = None
    targets: Any = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    rows: int | tuple[int, int] | None = None
    blocks: bool | None = None
    strict: bool = True

    @property
    def rules(self) -> Rules:
        """The settings about columns."""
        return Rules(
            states=self.states,
            kinds=self.kinds,
            group=self.group,
            weights=self.weights,
            missing=self.missing,
            missing_values=self.missing_values,
            columns=self.columns,
            drop=self.drop,
            as_written=self.as_written,
            merge_states=self.merge_states,
            decimal=self.decimal,
            strict=self.strict,
            targets=self.targets,
        )

    @property
    def options(self) -> FileOptions:
        """The settings about the file."""
        return FileOptions(self.separator, self.encoding, self.sheet, self.rows, self.blocks)

    @property
    def changes(self) -> Changes:
        """The settings that change columns."""
        return Changes(_said(self.discretize), _said(self.transform), _said(self.merge_rare))

    def over(self, kept: TableSettings) -> TableSettings:
        """Combine with stored settings: these apply first, and the stored ones where these have the default.

        Settings by column are merged, and so are the lists `drop` and `as_written`. None for a column cancels its
        stored bins, transform or rare states.
        """
        chosen: dict[str, Any] = {}
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(kept, field.name)
            if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
                both = [name for name in theirs if name in mine] if field.name in _ADDED_BY_COLUMN else []
                chosen[field.name] = {**theirs, **mine, **{name: _together(theirs[name], mine[name]) for name in both}}
            elif field.name == "strict" and speaks_flags():
                continue  # there is a flag for one of the two, so that either was said
            elif field.name in _ADDED:
                chosen[field.name] = tuple(_together(theirs, mine))
            elif field.name == "missing_values" and isinstance(mine, Mapping) and theirs is not None:
                raise InputError(
                    f"{setting('missing_values', mine)} adds to the usual texts, but the file next to the table has a "
                    "list that replaces them: change the list there"
                )
            elif mine == field.default or (not mine and isinstance(mine, Mapping)):
                chosen[field.name] = theirs
        return replace(self, **chosen)

    def narrowed(self, only: Iterable[str], present: Sequence[str], *, optional: bool = False) -> TableSettings:
        """The same settings restricted to some of the columns that are present. Unless `optional`, all must be present.

        Other columns are dropped, except groups, weights, targets, columns used for discretization, and columns whose
        missing values an indicator marks.
        """
        wanted = [*dict.fromkeys(self._read_for(name, present) for name in only)]
        for name in wanted:
            if name not in present and not optional:
                raise InputError(f"there is no column {name!r}, which is needed here: {suggest(name, present)}")
        beside = {*self.rules.roles, *self.changes.cut_by(wanted)}
        gone = {*present} - {*wanted} - beside
        changes: dict[str, Any] = {
            name: {column: how for column, how in given.items() if column not in gone} or None
            for name in ("discretize", "transform", "merge_rare")
            if isinstance(given := getattr(self, name), Mapping)
        }
        return replace(self, drop=(*self.drop, *(name for name in present if name in gone)), **changes)

    def _read_for(self, name: str, present: Sequence[str]) -> str:
        """The column to read for a variable: itself, or the one that it says is missing or not."""
        about = indicated(name)
        return about if self.missing == "indicator" and name not in present and about in present else name

    def write(self, path: str | Path) -> None:
        """Write the settings that differ from the default, as TOML."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        lines = [f"# How veridag reads the table of this name.\n[{_SECTION}]"]
        lines += [f"{name} = {as_toml(value)}" for name, value in said.items() if not isinstance(value, Mapping)]
        for name, value in said.items():
            if isinstance(value, Mapping) and value:
                lines.append(f"\n[{_SECTION}.{name}]")
                lines += [f"{as_toml(str(key))} = {as_toml(item)}" for key, item in value.items()]
        write_text(path, "\n".join(lines) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> TableSettings | None:
        """Read settings from a TOML file; None if it has no section for them."""
        content = load_toml(path)
        given = content.get(_SECTION)
        if given is None:
            return None
        if not isinstance(given, dict):
            raise InputError(f"{path}: {_SECTION} must be a section, [{_SECTION}]")
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(f"{path}: there is no setting {name!r}: {suggest(name, known)}")
        if isinstance(given.get("rows"), list):
            given["rows"] = tuple(given["rows"])
        return cls(**given)

    @classmethod
    def beside(cls, table: str | Path | BinaryIO) -> tuple[Path, TableSettings] | None:
        """The settings stored next to a table, such as cases.toml next to cases.csv, and the path of their file."""
        if not isinstance(table, str | Path):
            return None
        path = settings_path(table)
        if not path.is_file():
            return None
        kept = cls.load(path)
        return None if kept is None else (path, kept)


def settings_path(table: str | Path) -> Path:
    """The path of a table's settings: cases.toml for cases.csv and cases.csv.gz."""
    path = Path(table)
    return path.with_name(f"{path.name.split('.')[0] or path.name}.toml")


def _said(by_column: Any) -> Any:
    """Without the columns of which nothing is to be done."""
    if not isinstance(by_column, Mapping):
        return by_column
    return {name: how for name, how in by_column.items() if how is not None} or None


def _together(kept: Any, given: Any) -> Any:
    if isinstance(kept, Mapping) and isinstance(given, Mapping):
        return {**kept, **given}
    return [*dict.fromkeys((*kept, *given))]
