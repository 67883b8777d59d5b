"""NET: files of other programs, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from veridag.errors import InputError
from veridag.network import LinearGaussian, Network, Table
from veridag.network.formats import net

HUGIN = """\
% written by hand { as Hugin writes it
net
{
  node_size = (80 40);
  name = "Dog problem";
  HR_Color_Interaction = "4;";
}

node dog_out
{
  label = "dog is % out";
  position = (110 112);
  states = ( "yes" "n\\"o" );
  HR_State_0 = "yes";
}
discrete node bowel
{
  states = ("bad" "well" "-");
}

potential (dog_out | bowel)
{
  data = ((0.99 0.01)	% bowel = bad
          (0.9  1e-1)
          (.5 5E-1));
}
potential ( bowel | )
{
  data = ( 0.25 0.25 0.5 );
  experience = (1);
}
"""


def test_files_of_other_programs_are_read() -> None:
    network = net.read(HUGIN, "dog.net")
    assert network.name == "Dog problem"
    assert dict(network.states) == {"dog_out": ("yes", 'n"o'), "bowel": ("bad", "well", "-")}
    assert network.table("dog_out") == Table(("bowel",), np.array([[0.99, 0.01], [0.9, 0.1], [0.5, 0.5]]))


#: After pyAgrum and pgmpy, which quote no names of nodes, and after Hugin's labels and states with blanks.
BLANKS = """\
net {
  name = Dog problem;
  software = "made by hand";
  node_size = (50 50);
}
node dog out {
   states = ("yes, it is" "n o");
   label = "dog out";
   ID = "dog out";
}
node bowel  problem{
    states = ("very bad"  "<=5.4" "(5.4 6.3]");
}
node "the family" { label = "who is (not) at home"; states = ("" "%"); }
potential ( dog out | bowel problem "the family"  ) {
   data = (((0.99 0.01)  % very bad
   (0.9 0.1)) ((0.5 0.5) (0.25 0.75)) ((0.2 0.8) (1 0)));
}
potential (bowel problem |){
 data = (0.25 0.25 0.5);
}
potential ("the family") { data = (0.5 0.5); }
"""


def test_blanks_in_names_and_states_are_read_with_and_without_quotes() -> None:
    network = net.read(BLANKS, "dog.net")
    assert network.name == "Dog problem"
    assert dict(network.states) == {
        "dog out": ("yes, it is", "n o"),
        "bowel problem": ("very bad", "<=5.4", "(5.4 6.3]"),
        "the family": ("", "%"),
    }
    assert network.table("dog out").parents == ("bowel problem", "the family")
    assert network.table("dog out").probabilities[2].tolist() == [[0.2, 0.8], [1, 0]]


def test_a_flat_list_is_read_as_well() -> None:
    flat = re.sub(r"data = \(\(.*?\)\);", "data = (0.99 0.01 0.9 0.1 0.5 0.5);", HUGIN, flags=re.DOTALL)
    assert net.read(flat, "x") == net.read(HUGIN, "x")


BROKEN = {
    "sum": (HUGIN.replace("0.9  1e-1", "0.9  0.2"), 24, "given bowel = well sum to 1.1"),
    "negative": (HUGIN.replace("0.9  1e-1", "1.1  -1e-1"), 24, "-0.1 is not a probability, in the distribution"),
    "not a number": (HUGIN.replace("1e-1", "1e-1x"), 24, "'1e-1x' is not a number"),
    "row of another length": (
        HUGIN.replace("  1e-1)\n          (.5", ")\n (1e-1 .5"),
        23,
        "bowel = well has 1 numbers",
    ),
    "nesting": (HUGIN.replace("((0.99", "(((0.99").replace("5E-1))", "5E-1)))"), 23, "the parentheses of the data of"),
    "a row too many": (HUGIN.replace("(.5 5E-1)", "(.5 5E-1)(1 0)"), 23, "do not fit a table of 3 x 2"),
    "flat and too short": (HUGIN.replace("0.25 0.25 0.5", "0.25 0.75"), 29, "has 2 numbers, but 3 states and 1"),
    "no data": (HUGIN.replace("data = ( 0.25 0.25 0.5 );", ""), 27, "the potential of 'bowel' has no 'data'"),
    "no states": (HUGIN.replace('states = ("bad" "well" "-");', ""), 16, "node 'bowel' has no 'states'"),
    "no such states": (HUGIN.replace('("bad" "well" "-")', "3"), 18, "has '3' where"),
    "continuous": (
        HUGIN.replace("discrete node", "continuous node"),
        21,
        "is discrete and has the continuous parent 'bowel'",
    ),
    "utility": (HUGIN.replace("discrete node", "utility"), 16, "only discrete and continuous nodes are"),
    "node twice": (HUGIN.replace("discrete node bowel", "node dog_out"), 16, "declared twice"),
    "field twice": (HUGIN.replace("experience", "data"), 30, "the field 'data' is given twice"),
    "two children": (HUGIN.replace("(dog_out | bowel)", "(dog_out bowel)"), 21, "expected '( node | parents )'"),
    "second potential": (HUGIN.replace("( bowel | )", "(dog_out)"), 27, "'dog_out' are given a second time"),
    "missing potential": (HUGIN[: HUGIN.index("potential ( bowel")], 27, "the probabilities of 'bowel' are missing"),
    "no semicolon": (HUGIN.replace("(1);", "(1)"), 30, "expected ';' after"),
    "object-oriented": ("class X { }", 1, "only discrete and continuous nodes are"),
    "other words": (HUGIN.replace("discrete node", "nod"), 16, "but found 'nod'"),
    "open quote": (HUGIN.replace('"-")', '"-)'), 18, "the quote that starts here is not closed"),
}


@pytest.mark.parametrize(("text", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        net.read(text, "x.net")
    assert str(caught.value).startswith(f"x.net:{line}: ")


def test_names_that_hugin_does_not_take_have_one_that_it_does_and_their_own_in_a_field() -> None:
    names = ["a b", "a_b", "a-b", "1st", "node", "plain", "", "é"]
    states = {name: ["x", "y"] for name in names if name}
    network = Network({name: Table((), np.array([0.5, 0.5])) for name in states}, states)
    text = net.write(network)
    nodes = re.findall(r"^node (.*)$", text, re.MULTILINE)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", node) for node in nodes)
    assert len(set(nodes)) == len(nodes)
    assert nodes[1] == "a_b"
    assert nodes[5] == "plain"
    assert "node" not in nodes
    assert net.read(text, "x") == network


WASTE = """\
net { }
node burning { states = ("stable" "unstable"); }
discrete node waste { states = ("industrial" "household"); }
continuous node CO2 { label = "CO2 emission"; }
continuous node dust { veridag_name = "dust%20in"; }
continuous node light { position = (1 2); }
potential (burning) { data = (0.85 0.15); }
potential (waste) { data = (0.3 0.7); }
potential (CO2 | burning) { data = ( normal ( -2, 0.1 ) normal(-1, .3) ); }
potential (dust | waste CO2 burning)
{
  data = (( normal ( 6.5 - CO2, 0.03 )  % industrial
            normal ( CO2 * 2 + 7.5, 0.1 ) )
          ( normal ( - 6 + 1e0 * "CO2" , 0.04 ) normal ( 7 , 0 ) ));
}
potential (light | dust) { data = ( normal ( 3 - 0.5 * dust, 0.25 ) ); }
"""


def test_continuous_nodes_have_a_normal_distribution_for_each_configuration() -> None:
    network = net.read(WASTE, "x.net")
    assert network.names == ("burning", "waste", "CO2", "dust in", "light")
    assert network.cpds["light"] == LinearGaussian(("dust in",), 3.0, [-0.5], 0.5)
    dust = network.conditional_gaussian("dust in")
    assert (dust.discrete, dust.continuous) == (("waste", "burning"), ("CO2",))
    assert dust.rows.tolist() == [
        [6.5, -1.0, 0.03**0.5],
        [7.5, 2.0, 0.1**0.5],
        [-6.0, 1.0, 0.2],
        [7.0, 0.0, 0.0],
    ]
    flat = WASTE.replace("(( normal", "( normal").replace("0.1 ) )", "0.1 )").replace("          ( normal", "normal")
    assert net.read(flat.replace("0 ) ))", "0 ) )"), "x.net") == network


NO_NORMAL = {
    "name": ("6.5 - CO2", 12, "the mean of 'dust' has 'CO3', which is not one of its continuous parents", "6.5 - CO3"),
    "discrete": ("6.5 - CO2", 12, "the mean of 'dust' has 'waste'", "6.5 - waste"),
    "product": ("6.5 - CO2", 12, "is not a sum of numbers", "6.5 CO2"),
    "no mean": ("6.5 - CO2", 12, "is not a sum of numbers", " "),
    "huge": ("6.5 - CO2", 12, "too large for a float", "1e999"),
    "variance": ("0.03", 12, "the variance of 'dust' must be a number, 0 or more: '-0.03'", "-0.03"),
    "no variance": ("0.25 )", 16, "the variance of 'light' must be a number, 0 or more: 'dust'", "dust )"),
    "infinite": ("0.25 )", 16, "0 or more: '1e999'", "1e999 )"),
    "too few": ("normal(-1, .3)", 9, "has 1 distributions 'normal', but its discrete parents have 2", ""),
    "nesting": ("0 ) ))", 12, "has parentheses that do not fit", "0 ) ) ( ))"),
    "numbers": ("normal ( 3 - 0.5 * dust, 0.25 )", 16, "is not a list of 'normal ( mean, variance )'", "1 2"),
    "other": ("normal ( 3", 16, "is not a list of 'normal ( mean, variance )'", "beta ( 3"),
}


@pytest.mark.parametrize(("old", "line", "message", "new"), NO_NORMAL.values(), ids=NO_NORMAL)
def test_a_broken_distribution_is_refused_with_its_line(old: str, line: int, message: str, new: str) -> None:
    assert old in WASTE
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        net.read(WASTE.replace(old, new), "x.net")
    assert str(caught.value).startswith(f"x.net:{line}: ")


def test_a_standard_deviation_whose_square_is_no_float_goes_to_json() -> None:
    for sd in (1e-200, 1e200):
        with pytest.raises(InputError, match=r"that of 'x', whose standard deviation is 1e.*\.json"):
            net.write(Network({"x": LinearGaussian((), 0.0, [], sd)}))
