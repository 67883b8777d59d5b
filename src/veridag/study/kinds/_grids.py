"""Grids that differ in some keys: a study's own, and those of its `also`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from veridag.study.kind import Spec


def grids(spec: Spec, keys: tuple[str, ...]) -> Iterator[Spec]:
    """The grid, and one for each table of `also`, whose keys replace those of the first; `keys` are those allowed."""
    spec.allow(*keys, "also")
    yield spec
    further = spec.grid.get("also", [])
    if not isinstance(further, list) or not all(isinstance(part, Mapping) for part in further):
        raise spec.mistake("also", further, "give tables of keys that replace those of the grid, as [[short.also]]")
    for part in further:
        grid = {key: value for key, value in spec.grid.items() if key != "also"} | dict(part)
        changed = replace(spec, grid=grid)
        changed.allow(*keys)
        yield changed
