"""From a table as it was read to coded columns: choice of columns, careful reading, and what is to be changed."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from veridag.checks import Integer, OneOf
from veridag.errors import InputError, setting, suggest

from .columns import Array, Column, code_type, frozen
from .discretization import MDL, Blanket, Method, choose, discretized, parse_method
from .reading import CodedColumns, Finding, RawTable, Rules, careful, code_columns, notes_of, remarks, select_columns
from .transform import TRANSFORMS, transformed


class DataWarning(UserWarning):
    """A warning about data that is accepted but may be a mistake.

    See also:
        `inspect`, docs/data.md
    """


@dataclass(frozen=True)
class Changes:
    """What is to be changed in the columns: see `veridag.read`."""

    discretize: str | Mapping[str, str] | None = None
    transform: Mapping[str, str] | None = None
    merge_rare: Mapping[str, int] | None = None
    later: str | Mapping[str, str] | None = None  # like `discretize`, but done by the caller

    def postponed(self) -> Changes:
        """The same with methods that learn networks kept for later, for a caller who can do that."""
        given = self.discretize
        if given is None or isinstance(given, str):
            learns = given is not None and isinstance(parse_method(given), Blanket)
            return replace(self, discretize=None, later=given) if learns else self
        later = {name: spec for name, spec in given.items() if isinstance(parse_method(spec), Blanket)}
        return replace(self, discretize={k: v for k, v in given.items() if k not in later}, later=later or None)

    def cut_by(self, names: Collection[str]) -> set[str]:
        """The discrete columns that these columns are cut by."""
        given = self.discretize or {}
        specs = [given] if isinstance(given, str) else [spec for name, spec in given.items() if name in names]
        return {method.by for method in map(parse_method, specs) if isinstance(method, MDL)}

    def __post_init__(self) -> None:
        if not isinstance(self.discretize, str):
            _check_mapping("discretize", self.discretize)
        _check_mapping("transform", self.transform)
        _check_mapping("merge_rare", self.merge_rare)


def _check_mapping(argument: str, given: object) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{argument}={given!r} must be a dictionary from column names")


def prepare(
    table: RawTable, rules: Rules, changes: Changes, stacklevel: int = 3
) -> tuple[CodedColumns, tuple[Finding, ...]]:
    """The arguments of `Data`, and all that was found; warnings point at the caller of the caller."""
    table = select_columns(table, rules)
    findings: tuple[Finding, ...] = ()
    if not rules.strict:
        table, findings = careful(table, rules)
        table = replace(table, notes=(*table.notes, *notes_of(findings)))
    coded = _changed(code_columns(table, rules), changes)
    for text in remarks(coded.columns, coded.weights):
        if rules.strict:
            warnings.warn(text, DataWarning, stacklevel=stacklevel)
        else:
            coded = coded._replace(notes=(*coded.notes, text))
    return coded, findings


def with_gaps(table: RawTable, rules: Rules) -> CodedColumns:
    """The columns that these rules give, with missing values kept as missing, and nothing else changed."""
    table = select_columns(table, rules)
    return code_columns(table if rules.strict else careful(table, rules)[0], replace(rules, missing="keep"))


def _changed(coded: CodedColumns, changes: Changes) -> CodedColumns:
    columns = {column.name: column for column in coded.columns}
    notes = list(coded.notes)
    for name, least in (changes.merge_rare or {}).items():
        column = _named(columns, name, "merge_rare", "discrete")
        columns[name], note = merged(column, coded.weights, Integer(2)("merge_rare", least))
        notes.append(note)
    for name, method in (changes.transform or {}).items():
        column = _named(columns, name, "transform", "continuous")
        OneOf(TRANSFORMS)("transform", method)
        columns[name], note = transformed(column, coded.weights, method)
        notes.append(note)
    columns, said = discretized(columns, coded.weights, _methods(columns, changes))
    notes += said
    return coded._replace(columns=tuple(columns.values()), notes=tuple(notes))


def _methods(columns: Mapping[str, Column], changes: Changes) -> dict[str, Method]:
    """The method of each column to discretize."""
    if changes.later is not None:
        choose(columns, changes.later)  # so that mistakes come to light now
    return {} if changes.discretize is None else choose(columns, changes.discretize)


def _named(columns: Mapping[str, Column], name: str, argument: str, kind: str) -> Column:
    if name not in columns:
        raise InputError(
            f"{setting(argument)} names the column {name!r}, which is not a variable: {suggest(name, columns)}"
        )
    if columns[name].kind != kind:
        raise InputError(f"{setting(argument)} is for {kind} columns, and {name!r} is {columns[name].kind}")
    return columns[name]


def merged(column: Column, weights: Array | None, least: int) -> tuple[Column, str]:
    """A discrete column whose states of fewer observations are one state "other", and the note that says so."""
    there = column.present()
    counts = np.bincount(there.values, weights=column.present_among(weights), minlength=len(column.states))
    rare = counts < least
    if rare.sum() < 2:
        return column, f"merged no states of {column.name!r}: at most one has fewer than {least} observations"
    kept = [state for state, is_rare in zip(column.states, rare, strict=True) if not is_rare and state != "other"]
    states = (*kept, "other")
    place = {state: code for code, state in enumerate(states)}
    lut = np.array(
        [place["other" if r else s] for s, r in zip(column.states, rare, strict=True)], dtype=code_type(len(states))
    )
    note = f"merged {int(rare.sum())} states of {column.name!r} with fewer than {least} observations into 'other'"
    merged = Column.discrete(column.name, frozen(lut[there.values]), states, "rare states merged")
    return merged.spread_over(column.observed), note
