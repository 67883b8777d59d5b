"""How long does the exact posterior over DAGs take, and how much memory?

Tables of ALARM's first variables, of which terms of the sums can be left out, and tables of independent variables, of
which hardly any can: that is as long as it gets. Each runs in a process of its own, so that the peak of its memory is
its own. On a busy machine, look at the time of the processor. The target for 20 variables on two cores is 10 minutes
and 12 GB, with the probabilities of all ancestors.

The peer is the sum over the DAGs that have one feature (Tian and He 2009, O(3^n) a feature), which takes one such sum
for every arc: the last column says how much longer all arcs would take in that way, ancestors not included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

import veridag as vd


def table(kind: str, variables: int, rows: int) -> vd.Data:
    if kind == "alarm":
        data = vd.networks.load("alarm").sample(rows, seed=1)
        return data.select(list(data.names)[:variables])
    states = np.random.default_rng(1).integers(0, 2, (variables, rows))
    return vd.Data.from_frame({f"v{i:02d}": [f"s{x}" for x in own] for i, own in enumerate(states)})


def measure(kind: str, variables: int, arguments: argparse.Namespace) -> dict[str, float]:
    """One posterior in this process."""
    data = table(kind, variables, arguments.rows)
    scored: list[float] = []

    def watch(what: str, done: int, total: int | None, extra: object) -> None:
        if what.startswith("sums") and not scored:
            scored.append(time.perf_counter())

    start, processor = time.perf_counter(), time.process_time()
    options = {"max_indegree": arguments.max_indegree, "order_modular": arguments.order_modular}
    found = vd.posterior(data, method="exact", jobs=arguments.jobs, progress=watch, **options)
    if not arguments.order_modular:
        assert found.ancestors.max() <= 1.0
    end, processor = time.perf_counter(), time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    # Two variables with a rule: one alone is answered from the descendants.
    a, b, c = found.names[:3]
    found.probability([(a, b)], [(b, c)])
    one = time.perf_counter() - end
    arcs = variables * (variables - 1)
    return {
        "seconds": end - start,
        "processor": processor,
        "scores": scored[0] - start if scored else end - start,
        "gigabytes": peak,
        "error": found.error_bound,
        "peer": one * arcs / max(end - (scored[0] if scored else start), 1e-9),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variables", type=int, nargs="+", default=[10, 13, 16])
    parser.add_argument("--kinds", nargs="+", default=["alarm", "independent"])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-indegree", type=int)
    parser.add_argument("--order-modular", action="store_true")
    parser.add_argument("--single", action="store_true", help="one, in this process, as JSON")
    arguments = parser.parse_args()
    if arguments.single:
        print(json.dumps(measure(arguments.kinds[0], arguments.variables[0], arguments)))
        return
    passed = sys.argv[1:]
    for kind in arguments.kinds:
        for variables in arguments.variables:
            one = ["--single", "--kinds", kind, "--variables", str(variables)]
            done = subprocess.run([sys.executable, __file__, *passed, *one], check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            print(
                f"{kind:12} {variables:3} variables {found['seconds']:8.2f} s (scores {found['scores']:6.2f} s), "
                f"{found['processor']:8.2f} s of the processor, {found['gigabytes']:5.2f} GB, "
                f"error below {found['error']:.1e}; one arc at a time: {found['peer']:6.1f} times as long",
                flush=True,
            )


if __name__ == "__main__":
    main()
