"""Damaged files and specs are refused by InputError, or read; nothing else comes out of a reader."""

from __future__ import annotations

import random

import pytest

from .mutation import CORPUS, mutated, seeds
from .readers import READERS, attack

#: Inputs for each reader.
INPUTS = 150


@pytest.mark.slow
@pytest.mark.parametrize("ending", READERS)
def test_nothing_but_an_input_error_comes_out_of_a_reader(ending):
    for seed in range(INPUTS):
        content, error = attack(ending, seed)
        assert error is None, f"seed {seed}: {error!r} for {content!r}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", READERS)
def test_the_corpus_itself_is_read(ending):
    found = seeds(".csv" if ending == ".strict.csv" else ending)
    assert found
    for content in found:
        if b'"na;me"' not in content:  # which is a beginning for changes, and refused as it is
            READERS[ending](content)


def test_every_file_of_the_corpus_has_a_reader():
    assert [path.name for path in CORPUS.iterdir() if not path.name.endswith(tuple(READERS))] == []


def test_changes_depend_on_the_seed_alone():
    (one, *_) = own = seeds(".bif")
    assert mutated(one, own, random.Random(5)) == mutated(one, own, random.Random(5))
    assert len({mutated(one, own, random.Random(k)) for k in range(20)}) > 15
