from __future__ import annotations

import pytest

from strategies.data import continuous, discrete
from veridag.data import Data
from veridag.data.discretization import MDL, METHODS, Hartemink, Interval, Quantile, parse_method
from veridag.errors import InputError


@pytest.mark.parametrize(
    ("spec", "method"),
    [
        ("quantile", Quantile(3)),
        (" quantile ( 4 ) ", Quantile(4)),
        ("Quantile(bins=4)", Quantile(4)),
        ("interval(5)", Interval(5)),
        ("interval()", Interval()),
        (Interval(7), Interval(7)),
        ("hartemink", Hartemink(3, initial=20)),
        ("hartemink(4)", Hartemink(4, initial=20)),
        ("hartemink(4, initial=30)", Hartemink(4, initial=30)),
        ("hartemink(initial=30, bins=4)", Hartemink(4, initial=30)),
        ("mdl(by=species)", MDL("species")),
        ("mdl(species)", MDL("species")),
        ("mdl(by='a, b')", MDL("a, b")),
        ("mdl(by=sepal length (cm))", MDL("sepal length (cm)")),
        ("mdl(by=a=b)", MDL("a=b")),
    ],
)
def test_a_method_is_its_call_in_text(spec, method):
    assert parse_method(spec) == method


@pytest.mark.parametrize("method", [Quantile(4), Interval(5), Hartemink(4, initial=7), MDL("a, b(c)")])
def test_a_method_as_text_is_read_back(method):
    assert parse_method(str(method)) == method


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("quantil(3)", r"discretize='quantil\(3\)': there is no such method; did you mean 'quantile'\?"),
        ("quantile(3", "give a method"),
        (3, "discretize=3: give a method"),
        ("quantile(1)", "bins=1 must be an integer from 2 to 65535"),
        ("quantile(x)", "bins must be an integer, not 'x'"),
        ("quantile(2.5)", r"bins must be an integer, not '2\.5'"),
        ("quantile(3, 4)", "'4' is not a setting of quantile, which has bins"),
        ("quantile(width=3)", "'width=3' is not a setting of quantile, which has bins"),
        ("quantile(3, bins=3)", "'bins=3' is not a setting"),
        ("hartemink(5, initial=4)", "initial=4 must be at least bins=5"),
        ("hartemink(initial=x)", "initial must be an integer"),
        ("mdl", r"mdl needs a discrete column to cut by, such as mdl\(by=species\)"),
        ("mdl(by=)", "mdl needs a discrete column"),
    ],
)
def test_a_mistake_in_a_method_is_explained(spec, message):
    with pytest.raises(InputError, match=message):
        parse_method(spec)


def test_all_methods_are_known_by_their_names():
    assert all(parse_method(f"{name}({'X' if name == 'mdl' else ''})").name == name for name in METHODS)


def test_methods_by_column():
    data = Data([continuous("A"), continuous("B"), discrete()])
    cut = data.discretize(method={"A": "interval(2)", "B": Quantile(4)})
    assert dict(cut.arities) == {"A": 2, "B": 4, "X": 2}
    assert cut == data.discretize(2, "interval", ["A"]).discretize(method="quantile(4)")


@pytest.mark.parametrize("choice", ["quantile(2)", {"A": "quantile(2)"}])
def test_the_number_of_bins_is_given_once(choice):
    with pytest.raises(InputError, match=r"bins=3 and method=.*give the number of bins once"):
        Data([continuous("A")]).discretize(3, choice)
