"""What the options of the command line say of a learner and of what is known of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from veridag.errors import InputError

from .terminal import note

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.graph.knowledge import Knowledge
    from veridag.search import Algorithm


def parse_learner(
    algorithm: str | None,
    test: str | None,
    score: str | None,
    prior: str | None,
    max_indegree: int | None,
    time_limit: float | None = None,
) -> Callable[[Data, Knowledge], Algorithm]:
    """The algorithm of a spec, with what other options say of it; without a spec, the one that suits the data.

    Mistakes are found before the data is there.
    """
    if algorithm is None:
        return _parse_default(test, score, prior, max_indegree, time_limit)
    learner = _parse_named(algorithm, test, score, prior, max_indegree, time_limit)
    return lambda data, knowledge: _taking_gaps(learner, data)


def _taking_gaps(learner: Algorithm, data: Data) -> Algorithm:
    """The learner, or what it becomes where values are missing, with a note."""
    from veridag.trust.defaults import taking_gaps

    used = taking_gaps(learner, data)
    if used is not learner:
        note(f"values are missing, and {learner.label} needs complete data: used {used.label} instead")
    return used


def _parse_default(
    test: str | None, score: str | None, prior: str | None, max_indegree: int | None, time_limit: float | None
) -> Callable[[Data, Knowledge], Algorithm]:
    from dataclasses import replace

    from veridag.search import BOSS, StructuralEM
    from veridag.specs import parse
    from veridag.trust.defaults import default_learner

    if test is not None:
        raise InputError(f"--test {test}: name an algorithm that uses tests, such as --algorithm pc-stable")
    own_score = None if score is None else parse(score, "score")
    own_prior = None if prior is None else parse(prior, "prior")
    BOSS(max_indegree=max_indegree, time_limit=time_limit)  # complains of a wrong number

    def choose(data: Data, knowledge: Knowledge) -> Algorithm:
        learner = default_learner(data, own_score, own_prior, knowledge, max_indegree)
        if time_limit is None:
            return learner
        if not isinstance(learner, BOSS | StructuralEM):
            raise InputError(
                f"--time-limit {time_limit:g}: {learner.label}, the default for this table, has no time limit: name "
                "an algorithm that has one, such as --algorithm boss"
            )
        return replace(learner, time_limit=time_limit)

    return choose


def _parse_named(
    algorithm: str,
    test: str | None,
    score: str | None,
    prior: str | None,
    max_indegree: int | None,
    time_limit: float | None,
) -> Algorithm:
    from dataclasses import replace

    from veridag.search import StructuralEM
    from veridag.specs import parse

    learner: Algorithm = parse(algorithm, "algorithm")
    chosen: dict[str, Any] = {}
    if test is not None:
        chosen["test"] = parse(test, "test")
        _note_df(test, chosen["test"], getattr(learner, "test", None), algorithm)
    if score is not None:
        chosen["score"] = parse(score, "score")
    if prior is not None:
        chosen["prior"] = parse(prior, "prior")
    if max_indegree is not None:
        chosen["max_indegree"] = max_indegree
    if time_limit is not None:
        chosen["time_limit"] = time_limit
    if isinstance(learner, StructuralEM) and chosen:
        limits = {name: chosen.pop(name) for name in ("time_limit",) if name in chosen}
        inner = _with_settings(learner.algorithm, chosen, algorithm)
        return replace(learner, algorithm=inner, **limits)
    return _with_settings(learner, chosen, algorithm)


def _with_settings(learner: Algorithm, chosen: dict[str, Any], algorithm: str) -> Algorithm:
    """The learner with the settings that options give it."""
    from dataclasses import fields, replace

    parameters = [field.name for field in fields(learner)]
    for name in chosen:
        if name not in parameters:
            flag, what = f"--{name.replace('_', '-')}", name.replace("_", " ")
            raise InputError(f"{flag}: {algorithm!r} has no {what}; its parameters are {', '.join(parameters)}")
    return replace(learner, **chosen)


def _note_df(spec: str, named: object, usual: object, algorithm: str) -> None:
    """Say that a test that is named has its own degrees of freedom, where the learner's own test has others."""
    from veridag.criteria.independence import G2, X2

    if isinstance(named, G2 | X2) and isinstance(usual, G2 | X2) and named.df != usual.df and "df" not in spec:
        note(
            f"--test {spec} has df={named.df}, but the default of {algorithm} is df={usual.df}: name df in --test to "
            "choose"
        )


def parse_knowledge(require: list[str] | None, forbid: list[str] | None, tiers: str | None) -> Knowledge:
    """What is known of the graph."""
    from veridag.graph.knowledge import Knowledge

    return Knowledge(
        required=_parse_arcs("--require", require),
        forbidden=_parse_arcs("--forbid", forbid),
        tiers=() if tiers is None else Knowledge.read_tiers(tiers).tiers,
    )


def _parse_arcs(option: str, arcs: list[str] | None) -> list[tuple[str, str]]:
    from veridag.graph.knowledge import parse_arc

    found = []
    for arc in arcs or []:
        try:
            found.append(parse_arc(arc))
        except InputError as error:
            raise InputError(str(error).replace("arc ", f"{option} ", 1)) from None
    return found


def parse_memory(gigabytes: float | None) -> float | None:
    """The limit in bytes."""
    if gigabytes is not None and not gigabytes > 0:
        raise InputError(f"--memory-limit {gigabytes:g} must be a number of GB above 0, such as 2")
    return None if gigabytes is None else 1e9 * gigabytes
