"""What is said when a package is not there that veridag does without, and remedies in the language of the caller."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable

import numpy as np
import pytest

import veridag as vd
from veridag.errors import InputError, import_optional, setting, speaking_flags, speaking_page, speaks_flags

DAG = vd.DAG.from_arcs([("A", "B")])
HALVES = np.array([[0.0, 0.5], [0.5, 0.0]])
CALLS: dict[str, tuple[str, Callable[[], object]]] = {
    "graph": ("networkx", DAG.to_networkx),
    "query": ("pandas", lambda: vd.networks.load("asia").query("lung").to_pandas()),
    "gaussian query": ("pandas", lambda: vd.networks.load("ecoli70").query("lacA").to_pandas()),
    "strengths": ("pandas", lambda: vd.Strengths(("A", "B"), HALVES.copy(), HALVES.copy(), 2, "tabu()", 0).to_pandas()),
}


@pytest.mark.parametrize(("package", "call"), CALLS.values(), ids=CALLS)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    package: str, call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call() is not None
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        InputError, match=f"needs the package {package}, which is not installed: pip install {package}$"
    ):
        call()


def test_a_package_that_is_there_is_imported() -> None:
    assert import_optional("numpy", "this") is np


@pytest.mark.parametrize(
    ("argument", "value", "python", "flags", "page"),
    [
        (
            "kinds",
            {"age": "continuous"},
            "kinds={'age': 'continuous'}",
            "--kind age=continuous",
            "kind of 'age': continuous",
        ),
        ("sheet", "b c", "sheet='b c'", "--sheet 'b c'", "sheet or table: b c"),
        ("drop", ["a", "b"], "drop=['a', 'b']", "--drop a,b", "left out: a,b"),
        ("missing_values", None, "missing_values=", "--missing-values", "missing values"),
    ],
)
def test_a_setting_is_said_as_the_caller_would_and_remembers_what_it_is(argument, value, python, flags, page) -> None:
    said = setting(argument, value)
    assert said == python
    assert not speaks_flags()
    with speaking_flags():
        assert setting(argument, value) == flags
        with speaking_page():
            assert setting(argument, value) == page
            assert speaks_flags()
        assert setting(argument, value) == flags
    again = pickle.loads(pickle.dumps(said))
    assert (again, again.argument, again.value) == (said, argument, value)
