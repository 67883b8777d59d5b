"""Samples, scores, statistics and graphs as digests of their bytes, for `contract/test_machines.py`.

``machines.py`` prints one line for each, and for each kind of instructions that count bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

import veridag as vd
from learners import LEARNERS
from veridag import _core
from veridag.criteria.scorer import Scorer
from veridag.criteria.tester import Tester
from veridag.data import Data

KERNELS = ["portable", "popcnt", "avx2", "avx512"]

DISCRETE = [vd.LogLik(), vd.AIC(), vd.BIC(gamma=0.7), vd.K2(), vd.BDeu(ess=3), vd.BDs(), vd.BDJeffreys(), vd.FNML()]
DISCRETE += [vd.QNML(), vd.PNAL(), vd.BHD()]
GAUSSIAN = [vd.LogLik(), vd.BIC(), vd.BGe(), vd.BGe(T="scaled"), vd.PNAL(), vd.DegenerateGaussian()]
MIXED = [vd.LogLik(), vd.BIC(), vd.BCG(), vd.PNAL(), vd.DegenerateGaussian()]
PRIORS = [vd.VariableSelection(), vd.Fair(), vd.Factorial(), vd.MarginalUniform(0.3), vd.Edge(), vd.DataSize()]


def families(p: int, seed: int) -> list[tuple[int, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(p, int(rng.integers(1, 5)), replace=False).tolist() for _ in range(100)]
    return [(child, tuple(sorted(parents))) for child, *parents in chosen]


def results() -> Iterator[tuple[str, bytes]]:
    """A name for each, and the bytes that must be the same on every machine."""
    discrete = vd.networks.load("insurance").sample(700, seed=1)
    discrete = Data(discrete.columns, None, np.arange(700) % 4, "abcd")
    mixed = vd.networks.load("clinic").sample(500, seed=1)
    gaussian = vd.networks.load("ecoli70").sample(300, seed=1)
    for kind, data in (("mixed", mixed), ("gaussian", gaussian)):
        yield f"sample, {kind}", b"".join(np.asarray(column.values).tobytes() for column in data.columns)
    weighted = Data(gaussian.columns, np.arange(300) % 3)
    tables = {"discrete": (discrete, DISCRETE), "gaussian": (gaussian, GAUSSIAN), "mixed": (mixed, MIXED)}
    tables["weighted"] = (weighted, GAUSSIAN)
    for kind, (data, scores) in tables.items():
        for score in scores:
            yield f"{score}, {kind}", Scorer(data, score).unbounded_many(families(len(data.names), 1)).tobytes()
    numbers = np.arange(1, 100_000) / 7919  # of glibc's logarithms of these, 3 and 12 depend on the processor
    yield "log", _core.log(numbers).tobytes()
    yield "log1p", np.array([_core.log1p(x) for x in numbers[:50_000]]).tobytes()
    for prior in PRIORS:
        yield f"{prior}", prior.log_weights(30, 1000).tobytes()
    for test, kind in ((vd.G2(), "discrete"), (vd.X2(), "discrete"), (vd.G2(), "mixed"), (vd.DegenerateG2(), "mixed")):
        data = tables[kind][0]
        asked = [(child, parents[0], parents[1:]) for child, parents in families(len(data.names), 2) if parents]
        yield f"{test}, {kind}", Tester(data, test).many(asked).statistic.tobytes()
    points = [(x, df) for x in np.arange(1, 60) / 7 for df in (1.0, 2.5, 40.0)]
    for tail in (_core.log_chi_square_tail, _core.log_student_tail):
        yield tail.__name__, np.array([tail(x, df) for x, df in points]).tobytes()
    asia = vd.networks.load("asia").sample(300, seed=1)
    for name, learner in LEARNERS.items():
        found = learner.learn(asia, seed=1, jobs=1)
        yield f"{name}, asia", f"{found.graph} {getattr(found, 'score', None)!r}".encode()
    for kind, data in (("gaussian", weighted), ("mixed", mixed)):
        for learner in (vd.HillClimbing(vd.BIC(), max_indegree=3), vd.PCStable(vd.G2(), max_conditioning=1)):
            found = learner.learn(data, seed=1, jobs=1)
            yield f"{learner}, {kind}", f"{found.graph} {getattr(found, 'score', None)!r}".encode()
    found = vd.PCStable(vd.FisherZ(), max_conditioning=1).learn(gaussian, seed=1, jobs=1)
    yield "FisherZ", f"{found.graph}".encode()


def main() -> None:
    for kernels in KERNELS:
        if _core.use_bit_kernels(kernels):
            for name, found in results():
                print(kernels, name, hashlib.sha256(found).hexdigest(), sep="\t")


if __name__ == "__main__":
    main()
