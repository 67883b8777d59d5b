"""Short names of learners for figures: only what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass

from veridag.search import Algorithm, SearchSpacePenalty
from veridag.search.labels import changed_settings
from veridag.specs import parse


def short_labels(specs: Sequence[str]) -> dict[str, str]:
    """A label for every spec: the score, the prior or the algorithm where that is enough, more where it is not."""
    learners = {spec: parse(spec, "algorithm") for spec in specs}
    told = {spec: _told(learner) for spec, learner in learners.items()}
    for parts in (("score",), ("prior",), ("algorithm",), ("algorithm", "score"), ("score", "prior")):
        labels = {spec: ", ".join(own[part] for part in parts if own[part]) for spec, own in told.items()}
        if all(labels.values()) and len(set(labels.values())) == len(specs):
            return labels
    return {spec: learner.label for spec, learner in learners.items()}


def _told(learner: Algorithm) -> dict[str, str]:
    """The search space penalty counts as a prior, since that is what it stands for."""
    inner: object = learner
    if isinstance(learner, SearchSpacePenalty):
        inner = learner.algorithm
    prior = "SSP" if isinstance(learner, SearchSpacePenalty) else _plain(getattr(inner, "prior", ""))
    return {"score": _plain(getattr(inner, "score", "")), "prior": prior, "algorithm": type(inner).__name__}


def _plain(value: object) -> str:
    """The name, with the parameters that are not the default."""
    if not is_dataclass(value):
        return str(value)
    changed = [f"{setting}={_number(own)}" for setting, own in changed_settings(value)]
    name = type(value).__name__
    return f"{name}({', '.join(changed)})" if changed else name


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
