"""Every algorithm obeys random knowledge, or says that nothing does; checked against all DAGs."""

from __future__ import annotations

import pytest

from .knowledge import ALL, wrong

#: Kinds of knowledge for each algorithm.
INPUTS = 20


@pytest.mark.slow
@pytest.mark.parametrize("label", ALL)
def test_random_knowledge_is_obeyed(label):
    assert [said for seed in range(INPUTS) if (said := wrong(label, seed)) is not None] == []
