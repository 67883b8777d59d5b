"""What a query asks for, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from veridag.errors import InputError, suggest


class Asked(NamedTuple):
    """Targets, and evidence as numbers of states and as values of continuous variables."""

    targets: tuple[str, ...]
    discrete: tuple[str, ...]  # of the targets
    continuous: tuple[str, ...]
    codes: dict[str, int]
    values: dict[str, float]
    given: tuple[tuple[str, str | float], ...]  # the evidence, as it was given

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        states: Mapping[str, Sequence[str]],
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None,
    ) -> Asked:
        """What is asked of a network with these variables; raises `InputError` if it has no such variable or state."""
        wanted = (targets,) if isinstance(targets, str) else tuple(targets)
        _check_variables(names, wanted, evidence or {})
        return cls.of_evidence(names, states, evidence)._replace(
            targets=wanted,
            discrete=tuple(v for v in wanted if v in states),
            continuous=tuple(v for v in wanted if v not in states),
        )

    @classmethod
    def of_evidence(
        cls, names: Sequence[str], states: Mapping[str, Sequence[str]], evidence: Mapping[str, str | float] | None
    ) -> Asked:
        """The same without targets, for what is asked of all variables."""
        known = dict(evidence or {})
        _check_known(names, "evidence", known)
        codes = {v: _state(states, v, value) for v, value in known.items() if v in states}
        values = {v: _number(v, value) for v, value in known.items() if v not in states}
        given = tuple((v, states[v][codes[v]] if v in codes else values[v]) for v in known)
        return cls((), (), (), codes, values, given)


def _check_variables(names: Sequence[str], targets: tuple[str, ...], evidence: Mapping[str, object]) -> None:
    if not targets:
        raise InputError("targets: name at least one variable")
    _check_known(names, "targets", targets)
    _check_known(names, "evidence", evidence)
    if len(set(targets)) < len(targets):
        raise InputError(f"targets: each variable can be there only once: {targets}")
    both = [name for name in targets if name in evidence]
    if both:
        raise InputError(f"targets: {both[0]!r} is part of the evidence too: leave it out of one of them")


def _check_known(names: Sequence[str], argument: str, given: Iterable[str]) -> None:
    for name in given:
        if name not in names:
            raise InputError(f"{argument}: the network has no variable {name!r}: {suggest(str(name), names)}")


def _state(states: Mapping[str, Sequence[str]], name: str, value: object) -> int:
    own = states[name]
    if not isinstance(value, str) or value not in own:
        raise InputError(f"evidence: {name!r} has no state {value!r}: {suggest(str(value), own)}")
    return list(own).index(value)


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type] # what cannot be converted is caught
    except (TypeError, ValueError):
        number = float("nan")
    if not abs(number) < float("inf"):
        raise InputError(f"evidence: {name!r} needs a finite number, not {value!r}")
    return number
