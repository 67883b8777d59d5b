"""Everything that works in threads, for the thread sanitizer: ``make sanitize-threads`` runs ``races.py CORE``.

`CORE` is the compiled core with the sanitizer in it, which takes the place of the installed one. Data races end the
process with an error when it is over; a result that depends on threads ends it at once.
"""

from __future__ import annotations

import importlib.util
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

JOBS = 3


def use(core: str) -> None:
    """Have the package take this file for its core."""
    spec = importlib.util.spec_from_file_location("veridag._core", core)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["veridag._core"] = module


use(sys.argv[1])

import pytest  # noqa: E402

import veridag as vd  # noqa: E402
from learners import LEARNERS  # noqa: E402

NET = vd.networks.load("asia")
DATA = NET.sample(300, seed=1)
MIXED = vd.networks.load("clinic").sample(200, seed=1)
GAPS = vd.simulate.remove_values(DATA, 0.1, seed=1)
LARGE = vd.networks.load("pigs").sample(5_000, seed=1)


def same(work: Callable[[int], object]) -> object:
    """What work gives in threads, which is what it gives in one."""
    found = work(JOBS)
    assert found == work(1)
    return found


def learn() -> None:
    """Every algorithm, and one on data of each kind."""
    for learner in LEARNERS.values():
        same(lambda jobs, learner=learner: learner.learn(DATA, seed=1, jobs=jobs).graph)
    for data, score in ((MIXED, vd.BIC()), (GAPS, vd.PNAL())):
        for learner in (vd.Tabu(score), vd.GES(score), vd.PCStable()):
            same(lambda jobs, learner=learner, data=data: learner.learn(data, seed=1, jobs=jobs).graph)


def weigh() -> None:
    """Score tables and probabilities of structures."""
    same(lambda jobs: list(vd.score_table(DATA, vd.BIC(), max_indegree=3, jobs=jobs).scores))
    same(lambda jobs: vd.posterior(DATA, max_indegree=3, jobs=jobs).arcs.tolist())
    same(lambda jobs: vd.sample_posterior(DATA, draws=10, chains=3, seed=1, jobs=jobs).log_posterior.tolist())


def predict() -> None:
    """Rows drawn, predicted and completed."""
    same(lambda jobs: NET.sample(20_000, seed=1, jobs=jobs))
    same(lambda jobs: NET.estimate("lung", {"xray": "yes"}, n=20_000, seed=1, jobs=jobs).log_probability)
    for data in (DATA, GAPS):
        same(lambda jobs, data=data: NET.predict(data, "lung", jobs=jobs).probabilities.tolist())
    same(lambda jobs: vd.fit(NET.dag, GAPS, jobs=jobs))


def learn_at_once() -> None:
    """Python threads that share data, scores and learners."""
    learners = [vd.Tabu(), vd.GES(), vd.PCStable(), vd.Tabu(), vd.Exact(max_indegree=3), vd.BOSS(restarts=1)] * 2
    with ThreadPoolExecutor(JOBS) as pool:
        found = list(pool.map(lambda learner: learner.learn(DATA, seed=1, jobs=2).graph, learners))
    assert found == [learner.learn(DATA, seed=1).graph for learner in learners]


def interrupt() -> None:
    """Ctrl-C while threads are at work."""
    for learner in (vd.Tabu(restarts=100_000), vd.PCStable(vd.G2(alpha=0.5)), vd.BOSS(restarts=10_000)):
        told = threading.Semaphore(0)
        other = threading.Thread(target=lambda told=told: (told.acquire(), signal.raise_signal(signal.SIGINT)))
        other.start()
        with pytest.raises(vd.Interrupted) as stopped:
            learner.learn(LARGE, seed=1, jobs=JOBS, progress=lambda *_, told=told: told.release())
        assert stopped.value.result is not None
        other.join()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background of a shell ignores it
    for part in (learn, weigh, predict, learn_at_once, interrupt):
        part()
        print(f"{part.__name__}: done", flush=True)
