"""Short names of learners, scores, priors and tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from veridag.network import Network
from veridag.network.reference.naming import text_of

if TYPE_CHECKING:
    from .base import Algorithm


def changed_settings(value: Any, always: Collection[str] = ()) -> Iterator[tuple[str, object]]:
    """The names and values of the settings that are not the default, and of those that are `always` shown."""
    for field in fields(value):
        own = getattr(value, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if own != default or field.name in always:
            yield field.name, own


def label(value: object) -> str:
    """In short: name, criterion, and the settings that are not the default; `veridag.parse` reads it."""
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, Network):
        return text_of(value)
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    shown = [f"{name}={label(own)}" for name, own in changed_settings(value, always=("score", "test"))]
    name = type(value).__name__
    return f"{name}({', '.join(shown)})" if shown else name


@dataclass(frozen=True)
class Traits:
    """What distinguishes learners; empty if a learner has none."""

    score: str
    prior: str
    algorithm: str


def distinct_labels(learners: Sequence[Algorithm]) -> list[str]:
    """Labels as short as can be: the scores, the priors or the algorithms where they differ, more where they do not."""
    for parts in (("score",), ("prior",), ("algorithm",), ("algorithm", "score"), ("score", "prior")):
        named = [[getattr(learner.traits, part) for part in parts] for learner in learners]
        labels = [", ".join(filter(None, own)) for own in named]
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [learner.label for learner in learners]


def plain_label(value: object) -> str:
    """The name, with the settings that are not the default, as figures show them: texts without quotes."""
    if not is_dataclass(value):
        return f"{value:g}" if isinstance(value, float) else str(value)
    changed = [f"{name}={plain_label(own)}" for name, own in changed_settings(value)]
    name = type(value).__name__
    return f"{name}({', '.join(changed)})" if changed else name
