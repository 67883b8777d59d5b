"""The settings of every score, prior, test and algorithm: numbers of any type, and nothing that only looks like one."""

from __future__ import annotations

import re
import typing
from dataclasses import fields, replace
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import veridag as vd
from veridag.specs import members


def no_score(child: str, parents: tuple[str, ...], data: vd.Data) -> float:
    return 0.0


#: What has settings without a default.
MADE: dict[type, Any] = {
    vd.BDe: vd.BDe(1, vd.networks.load("asia")),
    vd.CustomScore: vd.CustomScore(no_score),
    vd.CasteloSiebes: vd.CasteloSiebes({("A", "B"): 0.5}),
    vd.IndegreeEquals: vd.IndegreeEquals(0),
    vd.IndegreeAtMost: vd.IndegreeAtMost(2),
    vd.ScoreTest: vd.ScoreTest(vd.BIC()),
    vd.SearchSpacePenalty: vd.SearchSpacePenalty(vd.Tabu()),
}
CLASSES = [cls for kind in ("score", "prior", "test", "algorithm") for cls in members(kind).values()]


def parts(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def settings(number: type) -> list[Any]:
    """Every field of every class that is such a number. What may be a float is no integer, whatever ArrayLike is."""
    found = []
    for cls in CLASSES:
        hints = get_type_hints(cls, localns=vars(typing))
        numbers = {f.name: {int, float}.intersection(parts(hints[f.name])) for f in fields(cls)}
        own = [name for name, types in numbers.items() if number in types and not (number is int and float in types)]
        found += [pytest.param(cls, name, id=f"{cls.__name__}.{name}") for name in own]
    return found


INTEGERS, NUMBERS = settings(int), settings(float)


def made(cls: type) -> Any:
    return MADE[cls] if cls in MADE else cls()


def check_normalised(cls: type, name: str, given: Any, plain: float) -> None:
    value, expected = (replace(made(cls), **{name: x}) for x in (given, plain))
    assert type(getattr(value, name)) is type(plain)
    assert value == expected
    assert hash(value) == hash(expected)
    assert repr(value) == repr(expected)
    if cls is not vd.BDe:  # its network is too long to write
        assert eval(repr(value), {**vars(vd), **{c.__name__: c for c in CLASSES}}) == value


def test_the_settings_are_found():
    assert {p.id for p in INTEGERS} >= {
        "Tabu.restarts",
        "Exact.max_indegree",
        "IndegreeAtMost.d",
        "MMHC.max_conditioning",
    }
    assert {p.id for p in NUMBERS} >= {"BDe.ess", "BGe.T", "MarginalUniform.beta", "G2.alpha", "Exact.time_limit"}


def test_every_setting_declares_its_check_but_flags():
    unchecked = {(cls.__name__, f.name) for cls in CLASSES for f in fields(cls) if "check" not in f.metadata}
    assert unchecked == {("CustomScore", "function"), ("GES", "turning")}


@pytest.mark.parametrize("number", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize(("cls", "name"), INTEGERS)
def test_integers_of_numpy_are_integers(cls, name, number):
    plain = 0 if cls is vd.IndegreeEquals else 3
    check_normalised(cls, name, number(plain), plain)


@pytest.mark.parametrize("number", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(("cls", "name"), NUMBERS)
def test_numbers_of_numpy_are_numbers(cls, name, number):
    check_normalised(cls, name, number(0.5), 0.5)


@pytest.mark.parametrize("value", [True, np.True_, float("nan"), np.float32("nan"), "1", 1j], ids=repr)
@pytest.mark.parametrize(("cls", "name"), [*INTEGERS, *NUMBERS])
def test_what_is_no_number_is_refused_by_name(cls, name, value):
    with pytest.raises(vd.InputError, match=rf"^{name}\b"):
        replace(made(cls), **{name: value})


@pytest.mark.parametrize("value", [0.5, -1, 3.0], ids=repr)
@pytest.mark.parametrize(("cls", "name"), INTEGERS)
def test_what_is_no_integer_is_refused_by_name(cls, name, value):
    with pytest.raises(vd.InputError, match=rf"^{name}=.*integer"):
        replace(made(cls), **{name: value})


def test_a_whole_limit_of_time_is_shown_as_it_was_written():
    """The keys of stored results are made of it."""
    assert "time_limit=600)" in repr(vd.Exact(time_limit=600))
    assert "initial_temperature=5," in repr(vd.OrderAnnealing(initial_temperature=np.int64(5)))


DATA = vd.networks.load("asia").sample(50, seed=1)
TABLE = vd.score_table(DATA, vd.BIC(), max_indegree=1)
CALLS = {
    "learn": lambda **given: vd.HillClimbing().learn(DATA, **given),
    "score_table": lambda **given: vd.score_table(DATA, vd.BIC(), **{"max_indegree": 1, **given}),
    "solve": lambda **given: vd.solve(TABLE, **given),
    "best_networks": lambda **given: vd.best_networks(DATA, **{"max_indegree": 1, **given}),
    "neighbours": lambda **given: vd.neighbours(DATA, "lung", **given),
    "markov_blanket": lambda **given: vd.markov_blanket(DATA, "lung", **given),
    "Scorer": lambda **given: vd.Scorer(DATA, vd.BIC(), **given),
    "Tester": lambda **given: vd.Tester(DATA, vd.G2(), **given),
    "count_dags": lambda **given: vd.count_dags(**{"n": 3, **given}),
    "indegree_distribution": lambda **given: vd.indegree_distribution(vd.Fair(), **{"n": 3, **given}),
}
ARGUMENTS = [
    *[(name, "jobs") for name in CALLS if name not in ("solve", "count_dags", "indegree_distribution")],
    *[(name, "max_indegree") for name in ("score_table", "best_networks", "count_dags", "indegree_distribution")],
    *[
        ("learn", "seed"),
        ("solve", "seed"),
        ("best_networks", "k"),
        ("count_dags", "n"),
        ("indegree_distribution", "n"),
    ],
]


@pytest.mark.parametrize(("call", "name"), ARGUMENTS)
def test_arguments_of_functions_are_checked_in_the_same_way(call, name):
    CALLS[call](**{name: np.int64(2)})
    for value in (True, np.True_, 2.0, float("nan"), "2", -1):
        with pytest.raises(vd.InputError, match=rf"^{name}=.* must be an integer"):
            CALLS[call](**{name: value})


def test_a_matrix_of_booleans_is_no_scale():
    with pytest.raises(vd.InputError, match=r"^T=(.|\n)*square matrix of numbers"):
        vd.BGe(T=np.eye(2, dtype=bool))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_docstring_names_every_parameter(cls: type) -> None:
    documented = set(re.findall(r"`(\w+)", cls.__doc__ or ""))
    assert {field.name for field in fields(cls) if field.init} <= documented
