"""A parameter of a learner that a study varies: the same learner with another value."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from veridag.errors import InputError
from veridag.search import Algorithm
from veridag.specs import parse

T = TypeVar("T")


def read_learner(spec: str) -> Algorithm:
    """The algorithm that a spec names."""
    algorithm = parse(spec, "algorithm")
    assert isinstance(algorithm, Algorithm)
    return algorithm


def has_parameter(value: object, name: str) -> bool:
    """Whether an algorithm, or a score, test or prior inside it, has a parameter of this name."""
    if not is_dataclass(value):
        return False
    return any(own.name == name or has_parameter(getattr(value, own.name), name) for own in fields(value))


def with_parameter(value: T, name: str, setting: float) -> T:
    """The same value with the parameter set wherever it is found, in nested scores, tests and priors too."""
    if not is_dataclass(value):
        return value
    if not has_parameter(value, name):
        raise InputError(f"{value!r} has no parameter {name!r}: leave it out, or name a criterion that has one")
    changed: dict[str, Any] = {}
    for own in fields(value):
        inner = getattr(value, own.name)
        if own.name == name:
            changed[name] = setting
        elif has_parameter(inner, name):
            changed[own.name] = with_parameter(inner, name, setting)
    return replace(value, **changed)  # type: ignore[type-var] # a dataclass, by the first line
