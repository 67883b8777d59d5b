"""Draws that were made apart, by other processes or machines, as one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from veridag.errors import InputError

from .draws import Draws, Settings

#: What may differ between draws of the same posterior.
_OWN = ("seed", "chains")


def join_draws(parts: Iterable[Draws]) -> Draws:
    """Join the chains of several calls of `sample_posterior` into one sample, for work on many machines.

    The calls need the same data and arguments, except for `chains` and the `seed`, which must differ. All chains are
    cut to the length of the shortest. R-hat then shows whether they all agree. Joined draws cannot be resumed; resume
    the parts, and join them again.

    For example with Dask: ``join_draws(client.gather(client.map(lambda seed: vd.sample_posterior(data, seed=seed),
    range(8))))``

    Args:
        parts: The draws to join.

    See also:
        `sample_posterior`, docs/posterior-sampling.md
    """
    every = list(parts)
    if not every or not all(isinstance(part, Draws) for part in every):
        raise InputError(f"parts={every!r} must be draws, as sample_posterior returns them")
    first = every[0]
    for part in every[1:]:
        if part.names != first.names or part.core_names != first.core_names:
            raise InputError("parts: the draws have different variables: join draws of the same data")
        for name in (first.settings.values.keys() | part.settings.values.keys()) - set(_OWN):
            own, other = first.settings.values.get(name), part.settings.values.get(name)
            if own != other:
                raise InputError(f"parts: some draws were made with {name}={own}, others with {name}={other}")
    seeds = [part.settings.values["seed"] for part in every]
    if len(set(seeds)) < len(seeds):
        twice = next(seed for seed in seeds if seeds.count(seed) > 1)
        raise InputError(
            f"parts: seed={twice} is given twice, and the same seed gives the same chains: use different seeds"
        )
    length = min(part.per_chain for part in every)
    chains = sum(part.chains for part in every)
    settings = Settings({**first.settings.values, "seed": " and ".join(seeds), "chains": repr(chains)})
    return Draws(
        first.names,
        settings,
        np.concatenate([part.log_posterior[:, :length] for part in every]),
        np.concatenate([part.parents[:, :length] for part in every]),
        first.core_names,
        np.concatenate([part.places for part in every]),
        sum(part.seconds for part in every),
        "draws" if all(part.stopped == "draws" for part in every) else "time",
        first._source,
    )
