"""The evidence that an assessment has on a sample of a known network, with the truth.

A cell is one sample of one network. Its rows are of three sorts, `what`:

- `pair`: two variables that some source joins, with the shares of each source, how each learner joins them (`found`, a
  letter for each), and the `truth`. Letters are f for forward, b for backward, u for undirected and n for not joined.
- `rest`: all other pairs, with their number (`pairs`) and how many of them are joined in truth (`joined`).
- `learner`: a learner that was compared, by its place in `found`, with its structural Hamming distance to the truth
  and, with `repeats` above 0, its mean partial Hamming distance in intersection-validation.

`part` says what the sample is for: networks of `train` and of `test` have nothing in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph import PDAG
from veridag.metrics import shd
from veridag.network import networks
from veridag.study.kind import Figure, Kind, Row, Settings, Spec, Value, derive_seed
from veridag.study.kinds._grids import grids
from veridag.study.shared import Shared
from veridag.trust.assessment.evidence import SOURCES, collect
from veridag.trust.assessment.learners import assessed_learners, chosen_score
from veridag.trust.assessment.recommending import pair_types
from veridag.trust.intersection_validation import intersection_validation
from veridag.trust.learners import default_companions
from veridag.trust.subsampling import Learner

from .designs import DESIGNS, REFERENCE, draw_network
from .tables import LETTERS

if TYPE_CHECKING:
    import polars as pl

PARTS = ("train", "test")
_KEYS = ("part", "designs", "networks", "variables", "sizes", "repetitions", "first", "repeats")
#: Pairs that no source joins in a larger share are counted together.
LEAST = 0.02


class Trust(Kind):
    """Designs of networks x repetitions; each repetition is another network, and takes the next of the sizes."""

    name = "trust"

    def cells(self, spec: Spec) -> Iterator[dict[str, Value | tuple[str, ...]]]:
        """One cell for each design and repetition of every grid."""
        for part in grids(spec, _KEYS):
            sources = part.texts("networks", ())
            for name in sources:
                if name not in networks.names():
                    raise part.mistake("networks", name, "give names of reference networks")
            low, high = _range(part)
            sizes, first = part.counts("sizes", least=20), part.count("first", 0, least=0)
            for design in part.texts("designs"):
                if design not in DESIGNS:
                    raise part.mistake("designs", design, f"give one of {', '.join(DESIGNS)}")
                if design in REFERENCE and not sources:
                    raise part.mistake("networks", sources, f"name reference networks for the design {design}")
                for repetition in range(first, first + part.count("repetitions")):
                    yield {
                        "part": part.text("part", among=PARTS),
                        "design": design,
                        "networks": sources if design in REFERENCE else (),
                        "fewest": low,
                        "most": high,
                        "n": sizes[repetition % len(sizes)],
                        "repetition": repetition,
                        "repeats": part.count("repeats", 0, least=0),
                        "seed": spec.seed,
                    }

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """Draw a network and a sample, and assess it."""
        del shared
        s: Mapping[str, Any] = settings
        truth = derive_seed("truth", s["part"], s["design"], s["fewest"], s["most"], s["repetition"], s["seed"])
        network = draw_network(s["design"], s["networks"], (s["fewest"], s["most"]), truth)
        data = network.sample(s["n"], derive_seed("sample", truth, s["n"]))
        return seen(data, network.dag.cpdag().reorder(data.names), s["repeats"], seed)

    def figures(self, spec: Spec, rows: pl.DataFrame) -> Iterator[Figure]:
        """Reliability diagrams, and verdicts against outcomes."""
        from .figures import draw_all

        del spec
        yield from draw_all(rows)

    def sort(self, settings: Settings) -> Hashable:
        """The design."""
        return settings["design"], settings["most"]

    def effort(self, settings: Settings) -> float:
        """Rows are counted for each family."""
        s: Mapping[str, Any] = settings
        return float(200 + s["n"])


def _range(spec: Spec) -> tuple[int, int]:
    found = spec.counts("variables", least=3)
    if len(found) != 2 or found[0] > found[1]:
        raise spec.mistake("variables", list(found), "give the fewest and the most, such as [5, 26]")
    return found[0], found[1]


def seen(data: Data, truth: PDAG, repeats: int, seed: int) -> list[Row]:
    """The rows of one table, with the true class."""
    score = chosen_score(data)
    learners, distances = _learned(data, score, repeats, seed)
    evidence = collect(data, learners, score, seed=seed)
    compared = [x for x in learners if x.result is not None and not x.companion]
    places = list(zip(*np.triu_indices(len(data.names), 1), strict=True))
    true = letters(truth.adjacency)
    found = [
        "".join(own) for own in zip(*(letters(x.cpdag.reorder(data.names).adjacency) for x in compared), strict=True)
    ]
    rows: list[Row] = [
        {
            "what": "learner",
            "place": k,
            "label": x.label,
            "shd": shd(truth, x.cpdag),
            "distance": distances.get(x.label),
        }
        for k, x in enumerate(compared)
    ]
    rest = joined = 0
    for k, (i, j) in enumerate(places):
        shares = {
            f"{source}_{letter}": round(float(share), 4)
            for source, own in zip(SOURCES, evidence.shares, strict=True)
            if own is not None
            for letter, share in zip("fbu", (own.directed[i, j], own.directed[j, i], own.undirected[i, j]), strict=True)
        }
        if set(found[k]) == {"n"} and sum(shares.values()) < LEAST:
            rest, joined = rest + 1, joined + (true[k] != "n")
            continue
        rows.append({"what": "pair", "first": int(i), "second": int(j), "found": found[k], "truth": true[k], **shares})
    rows.append({"what": "rest", "pairs": rest, "joined": joined, "variables": len(data.names), "kind": data.kind})
    return rows


def _learned(data: Data, score: Score, repeats: int, seed: int) -> tuple[list[Learner], dict[str, float]]:
    """The learners that an assessment compares, and PC-stable beside them; with their distances if asked for."""
    ranked = assessed_learners(data, score=score)
    beside = {label: each for label, each in default_companions(data).items() if not hasattr(each, "score")}
    if repeats:
        found = intersection_validation(data, ranked, repeats=repeats, seed=seed, companions=beside)
        return list(found.learners), dict(zip(found.labels, found.overall.tolist(), strict=True))
    every = [
        *((label, each, False) for label, each in ranked.items()),
        *((label, each, True) for label, each in beside.items()),
    ]
    return [Learner.of(label, each, each.learn(data, seed=seed), aside) for label, each, aside in every], {}


def letters(adjacency: NDArray[np.bool_]) -> list[str]:
    """How each pair is joined, in the order of the upper triangle."""
    return [LETTERS[k] for k in pair_types(adjacency)]


KIND = Trust()
