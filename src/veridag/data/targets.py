"""The targets of interventions: which variables were set in each row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, suggest

from .columns import Array, code_type, frozen, listed

#: The variables that were set in a row; none in a row that was only observed.
TargetSet = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Targets(Sequence[TargetSet]):
    """The targets of interventions: the variables that were set in each row, ``()`` where none was.

    Attributes:
        sets: The different sets of variables that were set together, with names in order.
        codes: The position in `sets` of each row's set.

    See also:
        docs/interventions.md
    """

    sets: Sequence[TargetSet]
    codes: Array

    def __post_init__(self) -> None:
        own = [tuple(sorted(set(names))) for names in self.sets]
        codes = np.asarray(self.codes, dtype=np.intp)
        used = sorted({own[k] for k in np.unique(codes).tolist()})
        place = {names: k for k, names in enumerate(used)}
        lut = np.array([place.get(names, 0) for names in own], dtype=code_type(max(1, len(used))))
        object.__setattr__(self, "sets", tuple(used))
        object.__setattr__(self, "codes", frozen(lut[codes]))

    @classmethod
    def of_rows(cls, rows: Iterable[object]) -> Targets:
        """Make targets from one entry for each row: a name, several names, or None."""
        sets: dict[TargetSet, int] = {}
        codes = [sets.setdefault(names_in(entry), len(sets)) for entry in rows]
        return cls(tuple(sets), np.array(codes, dtype=np.intp))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables that were set in some row, in order of their names."""
        return tuple(sorted({name for names in self.sets for name in names}))

    def is_set(self, names: Collection[str]) -> NDArray[np.bool_]:
        """A mask of the rows in which at least one of these variables was set."""
        return np.asarray(np.array(self.hit_by(names), dtype=bool)[self.codes])

    def hit_by(self, names: Collection[str]) -> tuple[bool, ...]:
        """Which of the sets contain at least one of these variables."""
        wanted = set(names)
        return tuple(not wanted.isdisjoint(own) for own in self.sets)

    def take(self, rows: Any) -> Targets:
        """The targets of some rows."""
        return Targets(self.sets, self.codes[rows])

    def only(self, names: Collection[str]) -> tuple[Targets, tuple[str, ...]]:
        """The targets restricted to these variables, and a note on each of the others."""
        kept = set(names)
        found = Targets([tuple(name for name in own if name in kept) for own in self.sets], self.codes)
        lost = (name for name in self.names if name not in kept)
        return found, tuple(
            f"{name!r} was set in some rows and is left out: these rows are used without it" for name in lost
        )

    def check(self, names: Sequence[str], nrows: int) -> None:
        """Raise `InputError` unless these targets fit the variables and the number of rows."""
        if len(self.codes) != nrows:
            raise InputError(f"targets= has {len(self.codes)} entries for {nrows} rows: give one for each row")
        for name in self.names:
            if name not in names:
                raise InputError(f"targets= names {name!r}, which is not a variable: {suggest(name, names)}")

    def counted(self, weights: Array | None = None) -> dict[TargetSet, int]:
        """The number of observations of each set of targets."""
        counts = np.bincount(self.codes, weights=weights, minlength=len(self.sets))
        return {own: int(count) for own, count in zip(self.sets, counts, strict=True)}

    def texts(self) -> list[str | None]:
        """The targets of each row as text, separated by semicolons; None for none."""
        joined = [";".join(own) or None for own in self.sets]
        return [joined[k] for k in self.codes.tolist()]

    @overload
    def __getitem__(self, index: int) -> TargetSet: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TargetSet]: ...
    def __getitem__(self, index: int | slice) -> TargetSet | Sequence[TargetSet]:
        if isinstance(index, slice):
            return [self.sets[k] for k in self.codes[index].tolist()]
        return self.sets[int(self.codes[index])]

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Targets):
            return NotImplemented
        return self.sets == other.sets and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment] # arrays are not hashable

    def __reduce__(self) -> tuple[Any, ...]:
        return Targets, (self.sets, self.codes)

    def __repr__(self) -> str:
        return f"<Targets: {listed(self.names)} set in {int(self.is_set(self.names).sum())} of {len(self)} rows>"


def names_in(entry: object) -> TargetSet:
    """The names in one entry of a list: a name, several names, or None; what frames have for missing is None, too."""
    if isinstance(entry, str):
        return (entry,) if entry else ()
    if isinstance(entry, Iterable):
        several = list(entry)
        names = {name for name in several if isinstance(name, str)}
        if all(isinstance(name, str) for name in several):
            return tuple(sorted(names))
    elif entry is None or (isinstance(entry, float) and isnan(entry)) or type(entry).__name__ == "NAType":
        return ()
    raise InputError(
        f"targets= has the entry {entry!r}: give the name of the variable that was set, a tuple of names, or None"
    )
