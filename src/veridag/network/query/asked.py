"""What a query asks for, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from veridag.checks import texts
from veridag.errors import InputError
from veridag.network.values import check_known, check_values


class Asked(NamedTuple):
    """Targets, evidence as numbers of states and as values of continuous variables, and what is set from outside."""

    targets: tuple[str, ...]
    discrete: tuple[str, ...]  # of the targets
    continuous: tuple[str, ...]
    codes: dict[str, int]
    values: dict[str, float]
    given: tuple[tuple[str, str | float], ...]  # the evidence, as it was given
    done: tuple[tuple[str, str | float], ...] = ()  # what is set, likewise

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        states: Mapping[str, Sequence[str]],
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None,
        do: Mapping[str, str | float] | None = None,
    ) -> Asked:
        """What is asked of a network with these variables; raises `InputError` if it has no such variable or state."""
        wanted = check_targets(names, targets)
        asked = cls.of_evidence(names, states, evidence, do)
        known, done = dict(asked.given), dict(asked.done)
        for argument, given in (("evidence", known), ("do", done)):
            both = [name for name in wanted if name in given]
            if both:
                part = "also part of the evidence" if argument == "evidence" else "set by do"
                raise InputError(f"targets: {both[0]!r} is {part}: leave it out of one of them")
        return asked._replace(
            targets=wanted,
            discrete=tuple(v for v in wanted if v in states),
            continuous=tuple(v for v in wanted if v not in states),
        )

    @classmethod
    def of_evidence(
        cls,
        names: Sequence[str],
        states: Mapping[str, Sequence[str]],
        evidence: Mapping[str, str | float] | None,
        do: Mapping[str, str | float] | None = None,
    ) -> Asked:
        """The same without targets, for what is asked of all variables."""
        known, done = check_values(names, states, "evidence", evidence), check_values(names, states, "do", do)
        both = [name for name in known if name in done]
        if both:
            raise InputError(
                f"evidence: {both[0]!r} is set by do, so evidence on it has no effect: leave it out of one of them"
            )
        codes = {v: list(states[v]).index(str(value)) for v, value in known.items() if v in states}
        values = {v: float(value) for v, value in known.items() if v not in states}
        return cls((), (), (), codes, values, tuple(known.items()), tuple(done.items()))


def check_targets(names: Sequence[str], targets: str | Iterable[str]) -> tuple[str, ...]:
    """The targets as a tuple, if each is a variable and there only once."""
    wanted = (targets,) if isinstance(targets, str) else texts("targets", targets)
    if not wanted:
        raise InputError("targets: name at least one variable")
    check_known(names, "targets", wanted)
    if len(set(wanted)) < len(wanted):
        raise InputError(f"targets: give each variable only once, not {wanted}")
    return wanted
