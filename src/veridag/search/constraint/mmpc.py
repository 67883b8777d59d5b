"""Max-min parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .local import LocalLearner


@dataclass(frozen=True)
class MMPC(LocalLearner):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis 2006): the neighbours of each variable.

    The variable enters whose weakest dependence on X, given any subset of those that are in, is the strongest; one that
    is independent of X given such a subset is out for good. Then those leave that a subset of the rest separates from
    X. X and Y are joined if each finds the other. Directions follow from the separating sets, as in `PCStable`.

    `test` decides on independence, and no more than `max_conditioning` variables are tried together as a separating set
    (None: any number).
    """

    method: ClassVar[str] = "mmpc"
