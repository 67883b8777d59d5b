"""DSC: files of other programs, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from veridag.errors import InputError
from veridag.network import Network, Table
from veridag.network.formats import dsc

MSBN = """\
// as Microsoft's editor writes it
belief network "Dog problem"
creator : "somebody";
version : 1.0;
properties { type colour = string; colour = "red { ; "; }
node dog_out
{
  name: "Dog is out";
  type : discrete [ 2 ] = { "yes", "no" };
  position: (110, 112);
}
node "bowel problem" {
  type: discrete[3]={ bad, "well", "-" };
}
probability ( dog_out | "bowel problem" ) {
  (0) : 0.99, 0.01;
  ("-") : .5, 5E-1; /* out of
  order */
  default : 0.9, 1e-1;
}
probability ( "bowel problem" ) {
  0.25, 0.25, 0.5;
}
"""


def test_files_of_other_programs_are_read() -> None:
    network = dsc.read(MSBN, "dog.dsc")
    assert network.name == "Dog problem"
    assert dict(network.states) == {"dog_out": ("yes", "no"), "bowel problem": ("bad", "well", "-")}
    assert network.table("dog_out") == Table(("bowel problem",), np.array([[0.99, 0.01], [0.9, 0.1], [0.5, 0.5]]))


#: After what GeNIe and Netica write: identifiers, their titles beside them, lists over several lines.
EDITORS = """\
belief network "My dogs: a network"
node Dog_Out
{
  name: "Dog out, or not?";
  type: discrete[2] =
  {
    "yes, it is",
    "n o"
  };
  position: (17321, 14098);
}

node Bowel
{
  name: "Bowel problem";
  category: 0;
  type: discrete[2] = {"(1.5, 2.5]", "> 2.5"};
}

probability(Dog_Out | Bowel)
{
  (0): 0.05, 0.95;
  ("> 2.5"): 0.01,
       0.99;
}

probability(Bowel)
{
  0.25, 0.75;
}
"""


def test_blanks_in_titles_and_states_are_read() -> None:
    network = dsc.read(EDITORS, "dog.dsc")
    assert network.name == "My dogs: a network"
    assert dict(network.states) == {"Dog_Out": ("yes, it is", "n o"), "Bowel": ("(1.5, 2.5]", "> 2.5")}
    assert network.table("Dog_Out").probabilities.tolist() == [[0.05, 0.95], [0.01, 0.99]]


def test_a_network_without_a_name() -> None:
    for head in ("belief network", "belief network unknown", 'belief network ""', "network"):
        assert dsc.read(MSBN.replace('belief network "Dog problem"', head), "x").name == ""


def test_the_fast_reader_of_rows_overlooks_nothing() -> None:
    text = dsc.write(dsc.read(MSBN, "x"))
    assert dsc.read(text, "x") == dsc.read(text.replace("(0) :", "( 0 ):"), "x") == dsc.read(MSBN, "x")
    with pytest.raises(InputError, match=r"x:\d+: .* given bowel_problem = bad is given twice"):
        dsc.read(text.replace("(1) :", "(0) :"), "x")
    for wrong in ("0.99, 0.05", "0.99", "0.99 0.01, 0", "0.99, 0_1", "inf, 0"):
        with pytest.raises(InputError, match=r"x:\d+: "):
            dsc.read(text.replace("0.99, 0.01", wrong), "x")


BROKEN = {
    "sum": (MSBN.replace(".5, 5E-1", ".5, .6"), 17, "bowel problem = - sum to 1.1"),
    "sum of the default": (MSBN.replace("0.9, 1e-1", "0.9, 0.2"), 19, "bowel problem = well sum to 1.1"),
    "sum without parents": (MSBN.replace("0.25, 0.5;", "0.25, 0.6;"), 22, "sum to 1.1"),
    "not a number": (MSBN.replace("1e-1", "1e-1x"), 19, "'1e-1x' is not a number"),
    "too many": (MSBN.replace("0.9, 1e-1", "0.9, 0.1, 0"), 19, "3 probabilities for 'dog_out', which has 2 states"),
    "state number": (MSBN.replace("(0)", "(3)"), 16, "'bowel problem' has no state number 3: they are 0 to 2"),
    "state name": (MSBN.replace('("-")', '("wel")'), 17, "has no state 'wel': did you mean 'well'?"),
    "parents": (MSBN.replace("(0)", "(0, 0)"), 16, "names 2 states, but 'dog_out' has 1 parents"),
    "row twice": (MSBN.replace('("-")', "(0)"), 17, "given bowel problem = bad is given twice"),
    "default twice": (MSBN.replace('("-")', "default"), 19, "a second 'default'"),
    "missing row": (MSBN.replace("default : 0.9, 1e-1;", ""), 15, "bowel problem = well is missing"),
    "table": (MSBN.replace("default : 0.9, 1e-1;", "0.9, 0.1;"), 19, "expected '(states) : numbers' or"),
    "function": (MSBN.replace("0.25, 0.25, 0.5;", "function uniform();"), 22, "expected numbers"),
    "number of states": (MSBN.replace("[ 2 ]", "[ 3 ]"), 9, "declares 3 states, but lists 2"),
    "type": (MSBN.replace("discrete[3]", "continuous"), 13, "instead of 'type : discrete"),
    "no type": (MSBN.replace("type: discrete", "tipe: discrete"), 12, "needs one 'type' line, but has 0"),
    "no header": (MSBN.replace("belief network", "belief netwrk"), 1, "expected 'belief network"),
    "open comment": (MSBN.replace("order */", "order"), 17, "the comment that starts here is not closed"),
}


@pytest.mark.parametrize(("text", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        dsc.read(text, "x.dsc")
    assert str(caught.value).startswith(f"x.dsc:{line}: ")


def test_names_that_others_may_not_read_are_changed_and_restored() -> None:
    states = {"dog out": ["y s", "<5"], "node": ["a", "b"]}
    network = Network({v: Table((), np.array([0.5, 0.5])) for v in states}, states)
    text = dsc.write(network)
    assert "properties {\n  type veridag_name = string;\n  type veridag_states = string;\n}" in text
    assert 'node dog_out {\n  type : discrete [ 2 ] = { "y_s", "<5" };\n  veridag_name = "dog%20out";' in text
    assert "node v_node {" in text
    assert dsc.read(text, "x") == network
    assert "properties" not in dsc.write(Network({"A": Table((), np.array([1.0]))}, {"A": ["a"]}))
