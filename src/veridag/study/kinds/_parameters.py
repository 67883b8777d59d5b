"""The learners that a study names, and a parameter of theirs that it varies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from veridag.data import Data
from veridag.errors import InputError
from veridag.search import Algorithm
from veridag.specs import parse
from veridag.study.kind import Spec
from veridag.trust.defaults import default_learner

T = TypeVar("T")

#: The spec of the learner that is taken where none is named.
DEFAULT = "default"


def learner_for(spec: str, data: Data) -> Algorithm:
    """The algorithm that a spec names, or the default learner of this data."""
    return default_learner(data) if spec == DEFAULT else read_learner(spec)


def whole_spec(spec: Spec, label: str, text: str) -> str:
    """The spec of one entry of `learners` with all its settings, so that the key of a cell tells what was done."""
    return DEFAULT if text == DEFAULT else repr(named_learner(spec, label, text))


def read_learner(spec: str) -> Algorithm:
    """The algorithm that a spec names."""
    algorithm = parse(spec, "algorithm")
    assert isinstance(algorithm, Algorithm)
    return algorithm


def learner_table(spec: Spec) -> Mapping[str, object]:
    """The grid's `learners`: a table of labels, with at least one entry."""
    given = spec.grid.get("learners")
    if not isinstance(given, Mapping) or not given:
        raise spec.mistake("learners", given, 'give a table of labels and specs, such as BIC = "tabu(score=bic)"')
    return given


def named_learner(spec: Spec, label: str, text: str) -> Algorithm:
    """The algorithm of one entry of `learners`; a mistake names the study and the label."""
    try:
        return read_learner(text)
    except InputError as error:
        raise InputError(f"{spec.name}: learners.{label}: {error}") from None


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
