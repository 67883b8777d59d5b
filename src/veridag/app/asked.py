"""What a run is asked to do: everything that is needed to do it, and to do it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, get_args

from veridag.checks import Integer, Number, OneOf, Optional
from veridag.graph.knowledge import Knowledge

Mode = Literal["report", "learn"]
Arc = tuple[str, str]

#: A run may be given so many minutes at most: a week.
MOST_MINUTES = 7 * 24 * 60


@dataclass(frozen=True)
class Asked:
    """One run: of which table, in which way, for how long, and what is known.

    `report` compares learners and says how sure each link is, as ``veridag report`` does; `learn` takes the default
    learner alone, and has no time limit. `title` is what the user calls the table, and `table` the name of its file in
    the folder of the run.
    """

    title: str
    table: str
    mode: Mode = "report"
    minutes: float | None = None
    seed: int = 0
    required: tuple[Arc, ...] = ()
    forbidden: tuple[Arc, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        OneOf(get_args(Mode))("mode", self.mode)
        Optional(Number(above=0, most=MOST_MINUTES, example=5))("minutes", self.minutes)
        Integer(0)("seed", self.seed)

    @property
    def seconds(self) -> float | None:
        """How long it may take."""
        return None if self.minutes is None or self.mode == "learn" else 60 * self.minutes

    @property
    def knowledge(self) -> Knowledge | None:
        """What is known; None if that is nothing."""
        known = Knowledge(self.required, self.forbidden, self.tiers)
        return None if known == Knowledge() else known

    def knowing(self, known: Knowledge | None) -> Self:
        """The same with what is known."""
        said: Any = known or Knowledge()
        return type(self)(
            **{**asdict(self), "required": said.required, "forbidden": said.forbidden, "tiers": said.tiers}
        )

    def to_json(self) -> str:
        """As a text that `from_json` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        found: Mapping[str, Any] = json.loads(text)
        arcs = {name: tuple((a, b) for a, b in found[name]) for name in ("required", "forbidden")}
        return cls(**{**found, **arcs, "tiers": tuple(map(tuple, found["tiers"]))})
