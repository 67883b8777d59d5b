from __future__ import annotations

import pickle
from functools import partial
from math import log

import numpy as np
import pytest

from veridag import Data, InputError
from veridag.counts import family_counts, family_moments
from veridag.criteria.scores import CustomScore
from veridag.criteria.scores.base import Score
from veridag.data import Column

DATA = Data([Column.discrete(v, np.array([0, 1, 1]), "ab") for v in "ABC"])
GAUSSIAN = Data([Column.continuous(v, np.array([0.5, 1.5, 2.5])) for v in "AB"])


def sized(child: str, parents: tuple[str, ...], data: Data) -> float:
    del child
    return -len(parents) * log(data.n)


def position(child: str, parents: tuple[str, ...], data: Data) -> float:
    """Tells the order of the parents."""
    del child
    return float("".join(str(data.names.index(p)) for p in parents))


def not_a_number(child: str, parents: tuple[str, ...], data: Data) -> float:
    del child, parents, data
    return float("nan")


def no_number(child: str, parents: tuple[str, ...], data: Data) -> str:
    del child, parents, data
    return "high"


class Family:
    @staticmethod
    def nested(child: str, parents: tuple[str, ...], data: Data) -> float:
        del child, data
        return float(len(parents))

    def method(self, child: str, parents: tuple[str, ...], data: Data) -> float:
        del child, data
        return float(len(parents))

    def __call__(self, child: str, parents: tuple[str, ...], data: Data) -> float:
        del child, data
        return float(len(parents))


def test_the_function_sees_child_parents_and_data() -> None:
    assert CustomScore(sized).local("A", ["B", "C"], DATA) == -2 * log(3)
    assert CustomScore(Family.nested).local("A", ["B"], DATA) == 1


def test_parents_come_in_column_order() -> None:
    assert (
        CustomScore(position).local("A", ["C", "B"], DATA) == CustomScore(position).local("A", ["B", "C"], DATA) == 12
    )


def test_is_a_value() -> None:
    score = CustomScore(sized)
    assert isinstance(score, Score)
    assert score == CustomScore(sized) != CustomScore(position)
    assert hash(score) == hash(CustomScore(sized))
    assert pickle.loads(pickle.dumps(score)) == score
    assert repr(score) == f"CustomScore({__name__}.sized)"
    assert not score.equivalent
    assert not score.is_compiled()


@pytest.mark.parametrize(
    "function",
    [lambda child, parents, data: 0.0, partial(sized, "A"), Family().method, Family()],
    ids=["lambda", "partial", "method", "object"],
)
def test_what_cannot_be_imported_is_refused(function: object) -> None:
    with pytest.raises(
        InputError, match=r"cannot be imported by name.*define it with def at the top level of a module"
    ):
        CustomScore(function)  # type: ignore[arg-type]


def test_closures_are_refused() -> None:
    def closure(child: str, parents: tuple[str, ...], data: Data) -> float:
        del child, parents, data
        return 0.0

    with pytest.raises(InputError, match="cannot be imported"):
        CustomScore(closure)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InputError, match="function='bic' must be a function"):
        CustomScore("bic")  # type: ignore[arg-type]


def test_both_kinds_of_data_are_left_to_the_function() -> None:
    for data in (DATA, GAUSSIAN):
        assert CustomScore(sized).check(data) == data.kind
        assert CustomScore.handles(data.kind)  # type: ignore[arg-type]
        assert CustomScore(sized).local("A", ["B"], data) == -log(3)


def test_no_rows_are_an_error() -> None:
    with pytest.raises(InputError, match="no rows"):
        CustomScore(sized).local("A", [], DATA.rows([]))


def test_counts_and_moments_alone_are_refused() -> None:
    with pytest.raises(InputError, match="use local"):
        CustomScore(sized).discrete(family_counts(DATA, "A", []))
    with pytest.raises(InputError, match="use local"):
        CustomScore(sized).continuous(family_moments(GAUSSIAN, "A", []))


def test_a_result_that_is_no_number_is_refused_with_the_family() -> None:
    with pytest.raises(InputError, match=r"not_a_number\) returned nan for 'A' given \('B',\)"):
        CustomScore(not_a_number).local("A", ["B"], DATA)
    with pytest.raises(InputError, match=r"no_number\) returned 'high'"):
        CustomScore(no_number).local("A", [], DATA)  # type: ignore[arg-type]


def test_wrong_families_are_refused() -> None:
    with pytest.raises(InputError, match="no column 'AA'"):
        CustomScore(sized).local("AA", [], DATA)
    with pytest.raises(InputError, match="must be different"):
        CustomScore(sized).local("A", ["A"], DATA)
    with pytest.raises(InputError, match="must be different"):
        CustomScore(sized).local("A", ["B", "B"], DATA)
