"""What a score is: a formula for one family.

A score is a frozen dataclass: a value without data that can be compared, hashed and pickled. `Score.bind` applies it to
data, in the compiled core if the formula has a C++ version there.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import inf
from typing import ClassVar

from veridag import _core
from veridag.checks import Checked, Instance
from veridag.counts import (
    FamilyCounts,
    FamilyMoments,
    FamilyStrata,
    check_variables,
    family_counts,
    family_moments,
    family_strata,
    scatter_matrix,
)
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError, speaks_flags


class Score(Checked, ABC):
    """A decomposable network score: natural logarithms, higher is better.

    A subclass is a frozen dataclass with a method `discrete`, `continuous`, or both, and `mixed` if it scores mixed
    data. A score with a C++ version also has `compiled`; others run in Python and are slower.

    On mixed data, the local score of a discrete variable $D$ with discrete parents $P$ and continuous parents $C$
    follows from the others by Bayes' rule: score(D | P) + score(C | D, P) - score(C | P), where score(C | ...) is the
    sum over the members of $C$, each given those before it. So equivalent networks have the same score, however their
    arcs are directed (Andrews et al. 2018).

    See also:
        `CustomScore`, docs/scores/index.md, docs/adding.md
    """

    #: Whether equivalent DAGs always have the same score.
    equivalent: ClassVar[bool]

    #: Whether a continuous column may be constant; the likelihood of such a column has no bound.
    scores_constants: ClassVar[bool] = False

    #: Whether searches let a discrete variable have continuous parents, which a `Network` has no parameters for.
    both_directions: ClassVar[bool] = False

    #: Whether values may be missing. `local` is then the score's own: the formulas of counts and moments see no gaps.
    scores_incomplete: ClassVar[bool] = False

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        raise InputError(f"{self} does not score discrete data")

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of continuous variables."""
        raise InputError(f"{self} does not score continuous data")

    def mixed(self, family: FamilyStrata) -> float:
        """The local score of a continuous variable with discrete parents, and possibly continuous ones."""
        raise InputError(f"{self} does not score mixed data")

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family of the data, by the readable formula in Python.

        With interventions, only rows in which the child was not set count (Cooper and Yoo 1999).
        """
        data = rows_for(child, data)
        if self.check(data) == "mixed":
            return self._local_of_mixed(child, check_variables(data, child, parents), data)
        if data.kind == "discrete":
            return self.discrete(family_counts(data, child, parents))
        return self.continuous(family_moments(data, child, parents))

    def _local_of_mixed(self, child: str, parents: Sequence[str], data: Data) -> float:
        discrete = [p for p in parents if data.kinds[p] == "discrete"]
        continuous = [p for p in parents if data.kinds[p] == "continuous"]
        if data.kinds[child] == "continuous":
            return self._of_continuous(child, discrete, continuous, data)
        score = self.discrete(family_counts(data, child, discrete))
        for i, name in enumerate(continuous):  # Bayes' rule
            beside = self._of_continuous(name, [*discrete, child], continuous[:i], data)
            if beside == inf:
                return inf
            score += beside - self._of_continuous(name, discrete, continuous[:i], data)
        return score

    def _of_continuous(self, child: str, discrete: Sequence[str], continuous: Sequence[str], data: Data) -> float:
        """The local score of a continuous variable of mixed data, by its discrete and its continuous parents."""
        if discrete:
            return self.mixed(family_strata(data, child, (*discrete, *continuous)))
        return self.continuous(family_moments(data, child, continuous))

    def widths(self, data: Data) -> list[int] | None:
        """The number of columns of each variable in a regression on all rows.

        None if there is a regression in each configuration of discrete variables instead, as on mixed data.
        """
        return None if data.kind == "mixed" else [1] * len(data.names)

    def check(self, data: Data) -> DataKind:
        """Return the kind of the data; raise `InputError` if the score cannot be used on it."""
        kind = data.kind
        if not self.handles(kind):
            others = {
                "discrete": "BIC, BDeu, BDs, K2, QNML or another discrete score",
                "continuous": "BIC, AIC, LogLik, BGe or DegenerateGaussian",
                "mixed": "BCG, BIC, AIC, LogLik or DegenerateGaussian",
            }
            raise InputError(f"{self} does not score {kind} data; use {others[kind]}{_of_one_kind(data)}")
        if data.n == 0:
            raise InputError("the data has no rows")
        if not self.scores_incomplete:
            score, em = ("the score pnal", "") if speaks_flags() else ("the score PNAL", ", or learn with StructuralEM")
            data.require_complete(type(self).__name__, f"use {score}{em}")
        return kind

    @classmethod
    def handles(cls, kind: DataKind) -> bool:
        """Whether the score has a formula for this kind of data."""
        return getattr(cls, kind) is not getattr(Score, kind)

    def bind(self, data: Data) -> _core.Scorer:
        """The score on this data, for the C++ core: its C++ version, or a callback to the readable formula."""
        self.check(data)
        if data.targets is not None:
            return self._bind_by_child(data)
        if self.is_compiled():
            return self.compiled(data)
        names = data.names

        def local(child: int, parents: list[int]) -> float:
            return self.local(names[child], [names[p] for p in parents], data)

        return _core.callback_scorer(local, len(names))

    def _bind_by_child(self, data: Data) -> _core.Scorer:
        """The score of data with interventions: each child has its own rows, and variables set together share them."""
        parts: dict[int, Data] = {}
        for name in data.names:
            part = rows_for(name, data)
            parts.setdefault(id(part), part)
        place = {key: k for k, key in enumerate(parts)}
        which = [place[id(rows_for(name, data))] for name in data.names]
        return _core.by_child_scorer([self.bind(part) for part in parts.values()], which)

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether this class itself has a C++ version.

        It is not inherited, because it would ignore what a subclass changes in the formula.
        """
        return "compiled" in vars(cls)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version for data that `check` has accepted. `compiled_formula` finds it by name."""
        raise NotImplementedError(f"{self} has no C++ version")


def rows_for(child: str, data: Data) -> Data:
    """The rows that tell what a variable depends on: those in which it was not set."""
    if data.targets is None:
        return data
    part = data.not_set(child)
    if part.n == 0:
        raise InputError(
            f"targets: {child!r} was set in every row, so no row shows what it depends on: leave it out of the "
            "targets, and forbid arcs into it"
        )
    return part


#: The check of an argument or a field that is a score.
SCORE = Instance(Score, "a score, such as BIC()")


def _of_one_kind(data: Data) -> str:
    """How mixed data becomes data of one kind."""
    if data.kind != "mixed":
        return ""
    discrete = len(data.states)
    return (
        f" (the data has {discrete} discrete and {len(data.names) - discrete} continuous columns: discretize() the "
        "continuous ones, or select() those of one kind)"
    )


def compiled_formula(name: str, data: Data, *parameters: float) -> _core.Scorer:
    """The formula that the core knows by this name, with its parameters, bound to data of one kind."""
    if data.kind == "discrete":
        return _core.discrete_scorer(data.core_table, name, list(parameters))
    return _core.gaussian_scorer(scatter_matrix(data), float(data.n), name, list(parameters))


def compiled_likelihood(data: Data, penalty: float) -> _core.Scorer:
    """The likelihood of mixed data less a penalty for each parameter."""
    return _core.mixed_likelihood_scorer(data.core_mixed_table, scatter_matrix(continuous_part(data)), penalty)


def continuous_part(data: Data) -> Data:
    """The continuous variables of mixed data."""
    return data.select([name for name in data.names if data.kinds[name] == "continuous"])
