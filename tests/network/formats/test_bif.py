"""BIF: what it reads, what it refuses, and that nothing changes on the way through a file."""

from __future__ import annotations

import gzip
import io
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import many
from strategies.networks import networks
from veridag.errors import InputError
from veridag.network import LinearGaussian, Network, Table
from veridag.network.formats import bif, read_network, write_network

JAVABAYES = """\
// Bayesian network in the Interchange Format
network "Dog-Problem" { //3 variables and 3 probability distributions
	property "credal-set constant-density-bounded 1.1" ;
}
variable  "dog-out" { //2 values
	type discrete[2] {  "true"  "false" };
	property "position = (155, 165)" ;
}
variable  "bowel-problem" { //2 values
	type discrete[2] {  "true"  "false" };
	property "position = (190, 69)" ;
}
variable  "family-out" { //2 values
	type discrete[2] {  "true"  "false" };
	property "position = (112, 69)" ;
}
probability (  "dog-out"  "bowel-problem"  "family-out" ) { //3 variable(s) and 8 values
	table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7 ;
}
probability (  "bowel-problem" ) { //1 variable(s) and 2 values
	table 0.01 0.99 ;
}
probability (  "family-out" ) { //1 variable(s) and 2 values
	table 0.15 0.85 ;
}
"""

PYAGRUM = """\
network "dog problem" {
// written by aGrUM 3.3.1
}

variable dog_out {
   type discrete[2] {true, false};
}

variable bowel {
   type discrete[2] {true, false};
}

variable family {
   type discrete[2] {true, false};
}

probability (dog_out | bowel, family) {
   (true, true) 0.99 0.01;
   (false, true) 0.9 0.1;
   (true, false) 0.97 0.03;
   (false, false) 0.3 0.7;
}
probability (bowel) {
   table 0.01 0.99;
}
probability (family) {
   table 0.15 0.85;
}

"""

PGMPY = """\
network unknown {
}
variable bowel problem {
    type discrete [ 2 ] { very bad, z(1) };
    property weight = None ;
}
variable dog-out {
    type discrete [ 2 ] { <5, 0-5 };
}
variable family {
    type discrete [ 2 ] { 1e3, it's };
}
probability ( bowel problem ) {
    table 0.01, 0.99 ;
}
probability ( dog-out | bowel problem, family ) {
    ( very bad, 1e3 ) 0.99, 0.01;
    ( very bad, it's ) 0.97, 0.03;
    ( z(1), 1e3 ) 0.9, 0.1;
    ( z(1), it's ) 0.3, 0.7;

}
probability ( family ) {
    table 0.15, 0.85 ;
}
"""

BNLEARN = """\
network unknown {
}
variable dog {
  type discrete [ 2 ] { yes, no };
}
variable bowel {
  type discrete [ 2 ] { yes, no };
}
variable family {
  type discrete [ 2 ] { yes, no };
}
probability ( dog | bowel, family ) {
  (yes, yes) 9.9e-01, 1.0e-02;
  (no, yes) 0.9, 0.1;
  (yes, no) 0.97, 0.03;
  (no, no) 0.3, 0.7;
}
probability ( bowel ) {
  table 0.01, 0.99;
}
probability ( family ) {
  table 0.15, 0.85;
}
"""

DOG = [[[0.99, 0.01], [0.97, 0.03]], [[0.9, 0.1], [0.3, 0.7]]]


@pytest.mark.parametrize(
    ("text", "child", "title"),
    [
        (JAVABAYES, "dog-out", "Dog-Problem"),
        (PYAGRUM, "dog_out", "dog problem"),
        (PGMPY, "dog-out", ""),
        (BNLEARN, "dog", ""),
    ],
    ids=["javabayes", "pyagrum", "pgmpy", "bnlearn"],
)
def test_files_of_other_programs_are_read(text: str, child: str, title: str) -> None:
    network = bif.read(text, "dog.bif")
    assert network.name == title
    assert len(network.names) == 3
    assert len(network.table(child).parents) == 2
    np.testing.assert_array_equal(network.table(child).probabilities, DOG)


def test_bare_names_of_pgmpy_keep_their_blanks_and_signs() -> None:
    network = bif.read(PGMPY, "dog.bif")
    assert network.names == ("bowel problem", "dog-out", "family")
    assert network.states["bowel problem"] == ("very bad", "z(1)")
    assert network.states["dog-out"] == ("<5", "0-5")
    assert network.states["family"] == ("1e3", "it's")


def test_the_order_of_the_variables_is_that_of_their_declarations() -> None:
    assert bif.read(BNLEARN, "x.bif").names == ("dog", "bowel", "family")
    assert bif.read(BNLEARN, "x.bif").table("dog").parents == ("bowel", "family")


def small(block: str, states: str = "[ 2 ] { yes, no }") -> str:
    """A file with A, B -> C, where A has three states, and the given block for C."""
    return (
        "network n { }\n"
        "variable A { type discrete [ 3 ] { a, b, c }; }\n"
        "variable B { type discrete [ 2 ] { yes, no }; }\n"
        f"variable C {{ type discrete {states}; }}\n"
        "probability ( A ) { table 0.2, 0.3, 0.5; }\n"
        "probability ( B ) { table 0.4, 0.6; }\n"
        f"probability ( C | A, B ) {{\n{block}\n}}\n"
    )


ROWS = [
    f"({a}, {b}) {p}, {1 - p};"
    for (a, b), p in zip(product("abc", ["yes", "no"]), [0.5, 0.25, 0.75, 0.125, 0, 1], strict=True)
]
TABLE = [[[0.5, 0.5], [0.25, 0.75]], [[0.75, 0.25], [0.125, 0.875]], [[0, 1], [1, 0]]]


@pytest.mark.parametrize(
    "block",
    [
        "\n".join(ROWS),
        "\n".join(reversed(ROWS)),
        "".join(ROWS).replace(" ", ""),
        "\n".join(ROWS).replace(", ", "  ").replace(";", " ;\n"),
        re.sub(r"\((\w+), (\w+)\)", r'( "\1" , "\2" )', "\n".join(ROWS)),
        re.sub(r"\((\w+), (\w+)\)", r'("\1" "\2")', "\n".join(ROWS)),
        "\r\n".join(ROWS) + "\r\n",
        "/* all of it; } */ " + " // next (a, yes) 1, 0;\n".join(ROWS) + 'property "p { ; // x";',
        "\n".join(ROWS[:-1]) + "default 1.0 0.0;",
        "default 1 0;" + "\n".join(ROWS[:-1]),
        "table 0.5 0.25 0.75 0.125 0 1  0.5 0.75 0.25 0.875 1 0;",
        "table .5, 2.5e-1, +0.75, 0.125, 0., 1E0, 0.5, 0.75, 0.25, 0.875, 1, 0;",
    ],
)
def test_a_table_may_be_spelled_in_many_ways(block: str) -> None:
    network = bif.read(small(block), "x.bif")
    np.testing.assert_array_equal(network.table("C").probabilities, TABLE)


def test_blocks_may_come_in_any_order_and_after_a_byte_order_mark() -> None:
    blocks = [block + "}\n" for block in BNLEARN.split("}\n")[:-1]]
    network = bif.read("\ufeff" + "".join(reversed(blocks)), "x.bif")
    assert network.names == ("family", "bowel", "dog")
    assert network.cpds["dog"] == bif.read(BNLEARN, "x.bif").cpds["dog"]


BROKEN = {
    "missing row": ("\n".join(ROWS[1:]), 7, "'C' given A = a, B = yes is missing"),
    "row twice": ("\n".join([*ROWS, ROWS[2]]), 14, "'C' given A = b, B = yes is given twice"),
    "row twice instead of another": ("\n".join([*ROWS[:5], ROWS[2]]), 13, "given twice"),
    "unknown state": ("\n".join(ROWS).replace("(b, no)", "(d, no)"), 11, "'A' has no state 'd'"),
    "states of the parents swapped": ("(yes, a) 1, 0;", 8, "'A' has no state 'yes'"),
    "too few states": ("(a) 1, 0;", 8, "names 1 states, but 'C' has 2 parents"),
    "too many probabilities": ("(a, yes) 0.5, 0.25, 0.25;", 8, "3 probabilities for 'C', which has 2 states"),
    "too few probabilities": ("(a, yes) 1;", 8, "1 probabilities for 'C'"),
    "no sum of one": ("\n\n(a, yes) 0.5, 0.25;", 10, "sum to 0.75 instead of 1"),
    "negative": ("(a, yes) -0.5, 1.5;", 8, "-0.5 is not a probability"),
    "infinite": ("(a, yes) 1e999, 0;", 8, "inf is not a probability"),
    "not a number": ("(a, yes) nan, 1;", 8, "'nan' is not a number"),
    "underscore": ("(a, yes) 0_1, 0;", 8, "'0_1' is not a number"),
    "two points": ("(a, yes) 0.5.0, 0.5;", 8, "'0.5.0' is not a number"),
    "table too short": ("table 1 0 1 0;", 8, "has 4 numbers, but 2 states and 6 parent configurations need 12"),
    "table in the other order": ("table .5 .5 .25 .75 .75 .25 .125 .875 0 1 1 0;", 8, "slowest, sum to"),
    "table and row": ("table .5 .25 .75 .125 0 1  .5 .75 .25 .875 1 0;" + ROWS[3], 8, "given twice"),
    "two defaults": ("default 1 0;\ndefault 1 0;", 9, "a second 'default'"),
    "no semicolon": ("\n".join(ROWS)[:-1], 13, "expected ';' after"),
    "other words": ("tabel 1 0;", 8, "but found 'tabel 1 0'"),
    "open comment": ("/* (a, yes) 1, 0;", 8, "the comment that starts here is not closed"),
    "open quote": ('("a, yes) 1, 0;', 8, "the quote that starts here is not closed"),
    "brace inside": ("\n".join(ROWS) + "{ }", 13, "expected ';'"),
}


@pytest.mark.parametrize(("block", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_table_is_refused_with_its_line(block: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        bif.read(small(block), "x.bif")
    assert str(caught.value).startswith(f"x.bif:{line}: ")


GOOD = small("\n".join(ROWS))
BROKEN_FILES = {
    "declared number": (GOOD.replace("[ 3 ]", "[ 4 ]"), 2, "declares 4 states, but lists 3"),
    "number of states": (GOOD.replace("[ 3 ]", "[ x ]"), 2, "instead of its number of states"),
    "state twice": (GOOD.replace("a, b, c", "a, b, a"), 2, "lists the state 'a' twice"),
    "no states": (GOOD.replace("type discrete [ 2 ] { yes, no };", "", 1), 3, "needs one 'type' line, but has 0"),
    "continuous": (GOOD.replace("discrete", "continuous", 1), 2, "instead of 'type discrete"),
    "variable twice": (GOOD.replace("variable B", "variable A"), 3, "'A' is declared twice"),
    "unknown variable": (GOOD.replace("( B )", "( D )"), 6, "there is no variable 'D'"),
    "unknown parent": (GOOD.replace("| A, B", "| A, D"), 7, "there is no variable 'D'"),
    "parent twice": (GOOD.replace("| A, B", "| A, A"), 7, "names a variable twice"),
    "own parent": (GOOD.replace("| A, B", "| A, C"), 7, "names a variable twice"),
    "two children": (GOOD.replace("( C | A, B )", "( C A | B )"), 7, "expected one variable"),
    "no child": (GOOD.replace("( C | A, B )", "( | A, B )"), 7, "expected one variable"),
    "two bars": (GOOD.replace("( C | A, B )", "( C | A | B )"), 7, "expected '( variable | parents )'"),
    "no parenthesis": (GOOD.replace("( B )", "( B "), 6, "expected '( variable | parents )'"),
    "no block": (GOOD.replace("probability ( B ) { table 0.4, 0.6; }\n", ""), 14, "'B' has no 'probability' block"),
    "block twice": (GOOD.replace("( B )", "( A )"), 6, "a second 'probability' block for 'A'"),
    "cycle": (GOOD.replace("( B ) {", "( B | C ) { default 1 0; "), 7, "the arcs form a cycle: C -> B -> C"),
    "never closed": (GOOD.rstrip()[:-1], 7, "'probability' block that starts here has no end"),
    "closed twice": (GOOD + "}", 15, "but found '}'"),
    "other keyword": (GOOD.replace("variable B", "varable B"), 3, "but found 'varable'"),
    "two networks": (GOOD + "network m { }", 15, "a second 'network' block"),
    "half a quote": (GOOD.replace("variable B", 'variable B"x"'), 3, "expected a name"),
    "no variable": ("network n { }", 1, "declares no variable"),
    "empty file": ("", 1, "declares no variable"),
    "type of a network": (GOOD.replace("n { }", "n { type discrete; }"), 1, "can only have properties"),
    "no name": (GOOD.replace("variable B", "variable"), 3, "expected a name"),
    "empty name": (GOOD.replace(" B ", ' "" '), 3, "non-empty"),
}


@pytest.mark.parametrize(("text", "line", "message"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        bif.read(text, "x.bif")
    assert str(caught.value).startswith(f"x.bif:{line}: ")


def test_a_table_too_large_for_memory_is_refused_by_name() -> None:
    names = [f"v{i}" for i in range(20)]
    variables = "".join(f"variable {v} {{ type discrete [ 10 ] {{ {' '.join('abcdefghij')} }}; }}\n" for v in names)
    head = f"probability ( v0 | {', '.join(names[1:])} ) {{ default {'0.1 ' * 10}; }}"
    with pytest.raises(InputError, match=r"x\.bif:21: the table of 'v0' with 19 parents .* limit"):
        bif.read(variables + head, "x.bif")


# ---- there and back


@given(networks())
def test_writing_and_reading_gives_the_same_network_bit_for_bit(network: Network) -> None:
    back = bif.read(bif.write(network), "x.bif")
    assert back == network
    assert back.name == network.name
    for v in network.names:
        assert back.table(v).probabilities.tobytes() == network.table(v).probabilities.tobytes()


@given(networks())
def test_the_fast_reader_of_rows_agrees_with_the_general_one(network: Network) -> None:
    text = bif.write(network)
    other = ("// a comment\n" + text).replace(";\n}\nprobability", ';\nproperty "p";\n}\nprobability')
    assert bif.read(other, "x.bif") == bif.read(text, "x.bif") == network


@many
@given(st.data())
def test_damaged_text_gives_a_network_or_an_error_with_a_line(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([JAVABAYES, PYAGRUM, PGMPY, BNLEARN, GOOD]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        junk = data.draw(st.text('{}()[];,|"\\/*. \n\t0e-_ax', max_size=4) | st.text(max_size=2))
        text = text[:start] + junk + text[end:]
    try:
        network = bif.read(text, "x.bif")
    except InputError as error:
        assert re.match(r"x\.bif:\d+: ", str(error))  # noqa: PT017 (not every damage is an error)
    else:
        assert bif.read(bif.write(network), "x.bif") == network


@given(st.sampled_from([JAVABAYES, PYAGRUM, PGMPY, BNLEARN, GOOD]), st.data())
def test_a_file_cut_short_is_never_read(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text.rstrip()) - 1))
    with pytest.raises(InputError, match=r"^x\.bif:\d+: "):
        bif.read(text[:end], "x.bif")


@given(st.sampled_from([PYAGRUM, PGMPY, BNLEARN, GOOD]), st.data())
def test_a_lost_number_is_never_overlooked(text: str, data: st.DataObject) -> None:
    numbers = [m for m in re.finditer(r"(?<=[\s(])[\d.]+(?=[,;\s])", text) if m.start() > text.index("probability")]
    lost = data.draw(st.sampled_from([m for m in numbers if float(m[0]) > 0]))
    with pytest.raises(InputError, match=r"^x\.bif:\d+: "):
        bif.read(text[: lost.start()] + text[lost.end() :], "x.bif")


def test_names_that_others_cannot_read_are_changed_and_restored() -> None:
    states = {
        "sepal length (cm)": ["<=5.4", "(5.4,6.3]", ">6.3"],
        "0-5": ["a b", 'c"d\\', "1"],
        "x.y-z": ["a", "b", "-1"],
    }
    network = Network({v: Table((), np.array([0.25, 0.25, 0.5])) for v in states}, states, name="Iris data")
    text = bif.write(network)
    assert 'network unknown {\n  property veridag_name = "Iris%20data";' in text
    assert "variable sepal_length_cm {" in text
    assert "{ le_5.4, s_5.4_6.3, gt_6.3 }" in text
    assert 'property veridag_states = "%3C%3D5.4,%285.4%2C6.3%5D,%3E6.3";' in text
    assert "{ a_b, c_d, 1 }" in text
    assert "variable x.y-z {\n  type discrete [ 3 ] { a, b, -1 };\n}" in text
    back = bif.read(text, "x")
    assert back == network
    assert back.name == "Iris data"


def test_changed_names_stay_different_from_all_others() -> None:
    names = ["a_b", "a b", "a-b", "a(b", "A_B", "a_b_2", "table", "v_table"]
    states = {v: ["x y", "x_y", "x,y", "", " "] for v in names}
    network = Network({v: Table((), np.full(5, 0.2)) for v in states}, states)
    text = bif.write(network)
    written = re.findall("^variable (.*) {", text, re.MULTILINE)
    assert len({name.casefold() for name in written}) == len(names)  # pgmpy does not tell cases apart
    assert {"a_b", "a-b", "a_b_2", "v_table"} <= set(written)
    assert "{ x_y_2, x_y, x_y_3, s_1, s_1_2 }" in text
    assert bif.read(text, "x") == network


DAMAGED = {
    "another variable": ('veridag_name = "a%20b"', 'veridag_name = "c"', 5, "is 'c', the name of another variable"),
    "empty": ('veridag_name = "a%20b"', 'veridag_name = ""', 5, "the true name of variable 'a_b' is empty"),
    "too few states": ('"x%20y,z"', '"x%20y"', 5, "has 2 states, but their true names are ('x y',)"),
    "states twice": ('"x%20y,z"', '"z,z"', 5, "has 2 states, but their true names are ('z', 'z')"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), DAMAGED.values(), ids=DAMAGED)
def test_true_names_that_do_not_fit_are_refused_with_their_line(old: str, new: str, line: int, message: str) -> None:
    table = Table((), np.array([0.5, 0.5]))
    text = bif.write(Network({"c": table, "a b": table}, {"c": ["p", "q"], "a b": ["x y", "z"]}))
    assert old in text
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        bif.read(text.replace(old, new), "x")
    assert str(caught.value).startswith(f"x:{line + 1}: ")


def test_numbers_are_written_in_their_shortest_exact_form() -> None:
    network = Network({"A": Table((), np.array([0.1, 0.9]))}, {"A": ["a", "b"]})
    assert "table 0.1, 0.9;" in bif.write(network)


# ---- files and streams


def test_files_plain_and_compressed(tmp_path: Path) -> None:
    network = bif.read(GOOD, "x.bif")
    for name in ("x.bif", "x.BIF", "x.bif.gz"):
        assert write_network(network, tmp_path / name) == tmp_path / name
        assert read_network(tmp_path / name) == read_network(str(tmp_path / name)) == network
    assert gzip.decompress((tmp_path / "x.bif.gz").read_bytes()) == (tmp_path / "x.bif").read_bytes()
    assert network.write(tmp_path / "y.bif") == tmp_path / "y.bif"


def test_streams_need_their_format_named() -> None:
    network, stream = bif.read(GOOD, "x.bif"), io.BytesIO()
    write_network(network, stream, "bif")
    stream.seek(0)
    assert read_network(stream, "bif") == network
    with pytest.raises(InputError, match="pass one of"):
        read_network(stream)
    with pytest.raises(InputError, match="mode 'rb'"):
        read_network(io.StringIO(GOOD), "bif")  # type: ignore[arg-type]


def test_an_unknown_ending_or_format_lists_the_accepted_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"use one of .*\.bif, \.bif\.gz"):
        read_network(tmp_path / "x.doc")
    with pytest.raises(InputError, match="no format 'bfi': did you mean 'bif'"):
        read_network(tmp_path / "x.doc", "bfi")


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_network(tmp_path / "none.bif")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_network(bif.read(GOOD, "x.bif"), tmp_path / "none" / "x.bif")


def test_another_encoding_is_not_guessed_but_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.bif"
    path.write_bytes(GOOD.replace(" c }", " ç }").replace("(c,", "(ç,").encode("latin-1"))
    with pytest.raises(InputError, match=r"x\.bif:2: byte \d+ \(0xe7\) is not utf-8 text: .*encoding='latin-1'"):
        read_network(path)
    assert read_network(path, encoding="latin-1").states["A"] == ("a", "b", "ç")
    with pytest.raises(InputError, match="'latin-7000' is unknown"):
        read_network(path, encoding="latin-7000")


def test_damaged_gzip_data_is_an_input_error(tmp_path: Path) -> None:
    whole = gzip.compress(GOOD.encode())
    for content in (whole[:-9], whole[:30] + b"\x00\x00" + whole[32:], whole[:2]):
        (tmp_path / "x.bif.gz").write_bytes(content)
        with pytest.raises(InputError, match="gzip data is damaged"):
            read_network(tmp_path / "x.bif.gz")


def test_a_gaussian_network_is_refused_with_an_alternative() -> None:
    with pytest.raises(InputError, match=r"can only hold discrete networks.*JSON"):
        bif.write(Network({"A": LinearGaussian((), 0.0, np.empty(0), 1.0)}))


def test_a_name_that_no_file_can_hold_is_an_input_error(tmp_path: Path) -> None:
    network = Network({"\ud800": Table((), np.array([1.0]))}, {"\ud800": ["a"]})
    with pytest.raises(InputError, match="UTF-8"):
        write_network(network, tmp_path / "x.json")
    assert bif.read(bif.write(network), "x") == network  # which has its code there
