"""`explain`: which pieces of evidence moved an answer, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.display import aligned, table
from veridag.errors import InputError, suggest
from veridag.network.network import Network
from veridag.network.parameters import Floats
from veridag.network.prediction import predict
from veridag.network.query import Asked

#: With more pieces of evidence than these there are no Shapley values: they take all subsets.
MOST_SHAPLEY = 10

#: Probabilities nearer to 0 or 1 than this count as this near, so that log-odds are finite.
NEAREST = 1e-12

#: A change of log-odds, or of a mean in standard deviations, that is called an effect in the sentence.
LEAST_EFFECT = 0.01


class Finding(NamedTuple):
    """One observation of the evidence, and how much it changes the answer.

    Attributes:
        name: The variable.
        value: Its observed value.
        alone: The answer given only this observation.
        without: The answer given all others.
        change: The change of the answer when it comes after all others: in log-odds, or in the mean of a continuous
            target.
        shapley: Its Shapley value; None with more than ten observations.
        certain: Whether it makes the state certain or impossible when it comes after some of the others. Its numbers in
            log-odds would then be infinite; here they count a probability of 1 as 1 - 10^-12.
    """

    name: str
    value: str | float
    alone: float
    without: float
    change: float
    shapley: float | None
    certain: bool = False

    @property
    def text(self) -> str:
        """The finding as ``smoke = yes``."""
        return f"{self.name} = {self.value if isinstance(self.value, str) else f'{self.value:.6g}'}"

    @property
    def contribution(self) -> float:
        """The Shapley value, or the change if there is none."""
        return self.change if self.shapley is None else self.shapley


@dataclass(frozen=True, repr=False)
class Explanation:
    """How each observation changed P(target = state), or the mean of a continuous target.

    Shapley values add up to the whole change.

    Attributes:
        target: The variable.
        state: Its state; None for a continuous target.
        prior: The answer without evidence.
        posterior: The answer given the evidence.
        measure: The unit of the contributions: "log-odds" or "mean".
        scale: The standard deviation of a continuous target without evidence.
        findings: The observations.

    See also:
        `Network.explain`, docs/prediction.md
    """

    target: str
    state: str | None
    prior: float
    posterior: float
    measure: str
    scale: float
    findings: tuple[Finding, ...]

    @property
    def ranked(self) -> tuple[Finding, ...]:
        """The pieces of evidence, those that contribute most first."""
        return tuple(sorted(self.findings, key=lambda finding: -abs(finding.contribution)))

    @property
    def sentence(self) -> str:
        """The explanation in words."""
        what = f"the expected value of {self.target}" if self.state is None else f"P({self.target} = {self.state})"
        if not self.findings:
            return f"There is no evidence: {what} is {self.prior:.3g}."
        verb = "raises" if self.posterior > self.prior else "lowers"
        if abs(self._move(self.posterior, self.prior)) < LEAST_EFFECT:
            verb = "barely changes"
        first = f"The evidence {verb} {what} from {self.prior:.3g} to {self.posterior:.3g}."
        return " ".join([first, *self._groups()])

    def _move(self, to: float, start: float) -> float:
        if self.measure == "mean":
            return (to - start) / (self.scale or 1.0)
        return float(log_odds(np.array(to)) - log_odds(np.array(start)))

    def _groups(self) -> list[str]:
        """A sentence for what raises the answer, what lowers it, and what has no effect."""
        unit = (self.scale or 1.0) if self.measure == "mean" else 1.0
        parts: dict[str, list[str]] = {"raises": [], "lowers": [], "has": []}
        for own in self.ranked:
            effect = own.contribution / unit
            verb = "has" if abs(effect) < LEAST_EFFECT else "raises" if effect > 0 else "lowers"
            amount = "" if verb == "has" else f" ({'certain' if own.certain else f'{own.contribution:+.3g}'})"
            parts[verb].append(f"{own.text}{amount}")
        words = {"raises": "raised by", "lowers": "lowered by"}
        if self.posterior < self.prior:
            words = dict(reversed(words.items()))
        found = [f"It is {words[verb]} {_listed(parts[verb])}." for verb in words if parts[verb]]
        if parts["has"]:
            found.append(f"Little effect: {_listed(parts['has'])}.")
        if found and any(parts[verb] for verb in words):
            kind = "Shapley values" if self.findings[0].shapley is not None else "changes when left out"
            unit_name = "log-odds" if self.measure == "log-odds" else f"units of {self.target}"
            if not all(own.certain for own in self.findings):
                found.append(f"Numbers in parentheses are {kind}, in {unit_name}.")
            if any(own.certain for own in self.findings):
                found.append('"Certain" marks evidence that determines the answer, alone or with others.')
        return found

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                own.text,
                f"{own.alone:.4g}",
                f"{own.without:.4g}",
                "certain" if own.certain and _is_certain(self.posterior, own.without) else f"{own.change:+.4g}",
                "" if own.shapley is None else "certain" if own.certain else f"{own.shapley:+.4g}",
            )
            for own in self.ranked
        ]

    def _repr_html_(self) -> str:
        return table(self._head(), self._rows(), self.sentence)

    def _head(self) -> tuple[str, ...]:
        return ("evidence", "alone", "without", f"change in {self.measure}", "Shapley value")

    def __repr__(self) -> str:
        return f"{self.sentence}\n" + (aligned([self._head(), *self._rows()]) if self.findings else "")


def explain(
    network: Network, target: str, evidence: Mapping[str, str | float], state: str | None = None
) -> Explanation:
    """Which evidence moved the answer about the target; `Network.explain` says more."""
    asked = Asked.of(network.names, network.states, target, evidence)
    network.query(target, evidence)  # refuses evidence that is impossible
    names = tuple(v for v, _ in asked.given)
    k = len(names)
    subsets = np.arange(2**k) if k <= MOST_SHAPLEY else None
    inside = _subsets(k) if subsets is None else (subsets[:, None] >> np.arange(k)) & 1 == 1
    found = predict(network, _rows(network, asked, names, inside), target, names)
    if target in network.states:
        state = _checked_state(network, target, state, found.probabilities[_full(inside)])
        answers = found.probabilities[:, list(network.states[target]).index(state)]
        measured, measure, scale = log_odds(answers), "log-odds", 1.0
    else:
        if state is not None:
            raise InputError(f"state={state!r}: {target!r} is continuous and has no states: leave it out")
        answers, measured, measure = found.mean, found.mean, "mean"
        scale = float(found.sd[_empty(inside)])
    values = None if subsets is None else _shapley(measured, k)
    findings = tuple(
        _finding(i, name, value, inside, answers, measured, None if values is None else float(values[i]))._replace(
            certain=measure == "log-odds" and _makes_certain(i, inside, answers)
        )
        for i, (name, value) in enumerate(asked.given)
    )
    ends = float(answers[_empty(inside)]), float(answers[_full(inside)])
    return Explanation(target, state, *ends, measure, scale, findings)


def log_odds(p: Floats) -> Floats:
    """log(p / (1 - p)), finite everywhere."""
    inner = np.clip(p, NEAREST, 1 - NEAREST)
    return np.asarray(np.log(inner) - np.log1p(-inner))


def _subsets(k: int) -> NDArray[np.bool_]:
    """Nothing, everything, each piece alone, and all but each."""
    return np.concatenate(
        [np.zeros((1, k), bool), np.ones((1, k), bool), np.eye(k, dtype=bool), ~np.eye(k, dtype=bool)]
    )


def _full(inside: NDArray[np.bool_]) -> int:
    return int(inside.all(axis=1).argmax())


def _empty(inside: NDArray[np.bool_]) -> int:
    return int((~inside).all(axis=1).argmax())


def _rows(network: Network, asked: Asked, names: Sequence[str], inside: NDArray[np.bool_]) -> Data:
    """A row for each subset of the evidence."""
    n = len(inside)
    columns = [
        Column.discrete(v, np.full(n, asked.codes[v], np.uint16), network.states[v], observed=inside[:, i])
        if v in asked.codes
        else Column.continuous(v, np.full(n, asked.values[v]), observed=inside[:, i])
        for i, v in enumerate(names)
    ]
    return Data(columns or [Column.continuous("row", np.zeros(n))])


def _checked_state(network: Network, target: str, state: str | None, probabilities: Floats) -> str:
    known = network.states[target]
    if state is None:
        return known[int((probabilities >= probabilities.max() * (1 - 1e-9)).argmax())]
    if state not in known:
        raise InputError(f"state: {target!r} has no state {state!r}: {suggest(str(state), known)}")
    return state


def _shapley(measured: Floats, k: int) -> Floats:
    """The Shapley value of each of k pieces; `measured` has the answer given each subset, numbered by its bits.

    It is the mean, over all orders in which the pieces could come, of how far a piece moves the answer when it comes:
    sum over subsets S without i of |S|! (k - |S| - 1)! / k! (v(S + i) - v(S)) (Shapley 1953).
    """
    subset = np.arange(2**k)
    size = np.array([int(s).bit_count() for s in subset])
    weight = np.array([factorial(s) * factorial(k - s - 1) / factorial(k) for s in range(k)])
    found = np.zeros(k)
    for i in range(k):
        before = subset[(subset >> i) & 1 == 0]
        found[i] = weight[size[before]] @ (measured[before | 1 << i] - measured[before])
    return found


def _finding(
    i: int,
    name: str,
    value: str | float,
    inside: NDArray[np.bool_],
    answers: Floats,
    measured: Floats,
    shapley: float | None,
) -> Finding:
    k = inside.shape[1]
    alone = int((inside == (np.arange(k) == i)).all(axis=1).argmax())
    without = int((inside == (np.arange(k) != i)).all(axis=1).argmax())
    change = float(measured[_full(inside)] - measured[without])
    return Finding(name, value, float(answers[alone]), float(answers[without]), change, shapley)


def _is_certain(answer: float, before: float) -> bool:
    """Whether the log-odds moved from a finite number to an infinite one."""
    return not NEAREST < answer < 1 - NEAREST and NEAREST < before < 1 - NEAREST


def _makes_certain(i: int, inside: NDArray[np.bool_], answers: Floats) -> bool:
    """Whether a piece of evidence makes the answer certain when it comes after some subset of the others."""
    at = {tuple(row): float(answer) for row, answer in zip(inside.tolist(), answers, strict=True)}
    pairs = ((row, (*row[:i], False, *row[i + 1 :])) for row in at if row[i])
    return any(_is_certain(at[row], at[before]) for row, before in pairs if before in at)


def _listed(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last
