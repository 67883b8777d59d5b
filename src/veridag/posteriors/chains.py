"""The chains of a sampler of networks: in threads of the core, or each a piece of work for another executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.progress import Progress
from veridag.work.pieces import Executor, Stopped, Team, run_with
from veridag.work.threads import Threads

from .families import WeightedFamilies

#: Parent sets, [chain, draw, variable, word], log posteriors, [chain, draw], and where the chains are after these.
Drawn = tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int32]]


class Chains(Protocol):
    """Draws of all chains, in blocks; how the draws are split into blocks makes no difference to them."""

    #: How long a block should take: that much is lost on an interrupt.
    seconds: float

    def draw(self, places: NDArray[np.int32], made: int, number: int, report: Callable[[], object]) -> Drawn | None:
        """So many draws of each chain, after those made, from these places; None if interrupted."""
        ...


@contextmanager
def chains_on(
    executor: Executor,
    families: WeightedFamilies,
    sampler: _core.PartitionSampler,
    powers: list[float],
    thin: int,
    seed: int,
) -> Iterator[Chains]:
    """Chains that the executor draws."""
    if isinstance(executor, Threads):
        yield _Here(sampler, powers, thin, seed, executor.jobs)
    else:
        with executor.open() as opened, opened.team(_Chain(families, powers, thin, seed)) as team:
            yield _Elsewhere(team)


@dataclass
class _Here:
    sampler: _core.PartitionSampler
    powers: list[float]
    thin: int
    seed: int
    threads: int
    seconds = 0.25

    def draw(self, places: NDArray[np.int32], made: int, number: int, report: Callable[[], object]) -> Drawn | None:
        def tell(draws: int, best: float, bound: float) -> None:
            del draws, best, bound
            report()

        found: Any = self.sampler.draw(self.powers, self.thin, self.seed, places, made, number, self.threads, tell)
        return None if found is None else found[:3]


@dataclass
class _Elsewhere:
    team: Team
    seconds = 1.0

    def draw(self, places: NDArray[np.int32], made: int, number: int, report: Callable[[], object]) -> Drawn | None:
        done: dict[int, Drawn] = {}
        run_with(
            self.team,
            len(places),
            done,
            describe=lambda chain: f"chain {chain + 1} of {len(places)}",
            progress=lambda what, count, total, extra: report(),
            piece=lambda chain: _Block(chain, places[chain : chain + 1], made, number),
        )
        parents, log_posteriors, places = (np.concatenate([done[c][k] for c in sorted(done)]) for k in range(3))
        return parents, log_posteriors, places


class _Block(NamedTuple):
    """So many draws of one chain, after those made, from its place."""

    chain: int
    place: NDArray[np.int32]
    made: int
    number: int


@dataclass(frozen=True)
class _Chain:
    """Draws a block."""

    families: WeightedFamilies
    powers: list[float]
    thin: int
    seed: int

    def __call__(self, block: _Block, heartbeat: Progress) -> Drawn:
        def tell(draws: int, best: float, bound: float) -> None:
            del best, bound
            heartbeat("draws", draws, None, {})

        place = np.ascontiguousarray(block.place)
        found: Any = self._sampler.draw(
            self.powers, self.thin, self.seed, place, block.made, block.number, 1, tell, block.chain
        )
        if found is None:
            raise Stopped
        drawn: Drawn = found[:3]
        return drawn

    @cached_property
    def _sampler(self) -> _core.PartitionSampler:
        return self.families.sampler

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_sampler"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
