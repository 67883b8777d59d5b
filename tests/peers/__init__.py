"""Comparisons with pyAgrum, pgmpy and causal-learn on random inputs: `make differential ROUNDS=1`.

They need the packages of the extra `bench` and are no part of `make test`. A difference that is understood is stated
where it is met: as the peer's own convention, which the comparison then follows, or as its mistake, which is counted.
"""
