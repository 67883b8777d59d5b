"""XMLBIF: files of other programs, what is refused, and that XML cannot be used to attack."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from veridag.errors import InputError
from veridag.network import Network, Table
from veridag.network.formats import read_network, xmlbif

#: As JavaBayes and Weka write it: the standard's own DTD inside, comments in the tables, properties.
STANDARD = """\
<?xml version="1.0" encoding="US-ASCII"?>

<!-- Bayesian network in XMLBIF v0.3 (BayesNet Interchange Format) -->

<!-- DTD for the XMLBIF 0.3 format -->
<!DOCTYPE BIF [
	<!ELEMENT BIF ( NETWORK )*>
	<!ATTLIST BIF VERSION CDATA #REQUIRED>
	<!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
	<!ELEMENT NAME (#PCDATA)>
	<!ELEMENT VARIABLE ( NAME, ( OUTCOME |  PROPERTY )* ) >
	<!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
	<!ELEMENT OUTCOME (#PCDATA)>
	<!ELEMENT DEFINITION ( FOR | GIVEN | TABLE | PROPERTY )* >
	<!ELEMENT FOR (#PCDATA)>
	<!ELEMENT GIVEN (#PCDATA)>
	<!ELEMENT TABLE (#PCDATA)>
	<!ELEMENT PROPERTY (#PCDATA)>
]>

<BIF VERSION="0.3">
<NETWORK>
<NAME>Dog-Problem</NAME>
<PROPERTY>credal-set constant-density-bounded 1.1</PROPERTY>

<!-- Variables -->
<VARIABLE TYPE="nature">
	<NAME>bowel &amp; problem</NAME>
	<OUTCOME>true</OUTCOME>
	<OUTCOME><![CDATA[<5]]></OUTCOME>
	<PROPERTY>position = (190, 69)</PROPERTY>
</VARIABLE>
<VARIABLE>
	<NAME> dog-out </NAME>
	<VALUE>true</VALUE>
	<VALUE>false</VALUE>
</VARIABLE>

<!-- Probability distributions -->
<DEFINITION>
	<FOR>dog-out</FOR>
	<GIVEN>bowel &amp; problem</GIVEN>
	<TABLE> <!-- first line
	and second -->
	0.99 0.01
	0.9  1e-1 <!-- given false -->
	</TABLE>
</DEFINITION>
<PROBABILITY>
	<FOR>bowel &amp; problem</FOR>
	<TABLE>0.01 0.99 </TABLE>
</PROBABILITY>
</NETWORK>
</BIF>
"""


def test_files_of_other_programs_are_read() -> None:
    network = xmlbif.read(STANDARD, "dog.xml")
    assert network.name == "Dog-Problem"
    assert dict(network.states) == {"bowel & problem": ("true", "<5"), "dog-out": ("true", "false")}
    assert network.table("dog-out") == Table(("bowel & problem",), np.array([[0.99, 0.01], [0.9, 0.1]]))


BROKEN = {
    "sum": (STANDARD.replace("0.9  1e-1", "0.9  0.2"), 46, "given bowel & problem = <5 sum to 1.1"),
    "number": (STANDARD.replace("0.9  1e-1", "0.9  I"), 46, "'I' is not a number"),
    "too few": (STANDARD.replace("0.9  1e-1", "0.9"), 43, "has 3 numbers, but 2 states and 2 parent"),
    "element": (STANDARD.replace("<TABLE>0.01 0.99 </TABLE>", "<CPT>1</CPT>"), 51, "'CPT' is not known in PROBABILITY"),
    "decision": (
        STANDARD.replace('<VARIABLE TYPE="nature">', '<VARIABLE TYPE="decision">'),
        27,
        "type 'decision' is not supported",
    ),
    "text": (
        STANDARD.replace("<!-- Variables -->", "Variables"),
        22,
        "NETWORK can only have elements, but found 'Variables'",
    ),
    "two names": (
        STANDARD.replace("<NAME> dog-out </NAME>", "<NAME>a</NAME><NAME>b</NAME>"),
        33,
        "VARIABLE needs one NAME, but has 2",
    ),
    "no table": (STANDARD.replace("<TABLE>0.01 0.99 </TABLE>", ""), 49, "PROBABILITY needs one TABLE, but has 0"),
    "not closed": (STANDARD.replace("</BIF>", ""), 55, "not well-formed"),
    "mismatch": (STANDARD.replace("</NETWORK>", "</NET>"), 53, "mismatched tag"),
    "two networks": (STANDARD.replace("</NETWORK>", "</NETWORK><NETWORK></NETWORK>"), 53, "a second NETWORK"),
    "other document": ("<html><body/></html>", 1, "'html' is not known as the outermost element"),
    "empty": ("", 1, "not well-formed"),
}


@pytest.mark.parametrize(("text", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        xmlbif.read(text, "x.xml")
    assert str(caught.value).startswith(f"x.xml:{line}: ")


BODY = STANDARD[STANDARD.index("<BIF VERSION") :]
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 10))
ATTACKS = {
    "billion laughs": (
        f'<!DOCTYPE BIF [\n<!ENTITY l0 "ha">\n{LAUGHS}]>\n' + BODY.replace("Dog-Problem", "&l9;"),
        2,
        "XML entity",
    ),
    "quadratic blow-up": (
        f'<!DOCTYPE BIF [\n<!ENTITY a "{"a" * 10000}">\n]>\n' + BODY.replace("Dog-Problem", "&a;" * 1000),
        2,
        "XML entity",
    ),
    "external entity": (
        '<!DOCTYPE BIF [\n<!ENTITY secret SYSTEM "file:///etc/passwd">\n]>\n' + BODY.replace("Dog-Problem", "&secret;"),
        2,
        "XML entity",
    ),
    "parameter entity": (
        '<!DOCTYPE BIF [\n<!ENTITY % remote SYSTEM "http://example.com/x.dtd"> %remote;\n]>\n' + BODY,
        2,
        "XML entity",
    ),
    "unparsed entity": (
        '<!DOCTYPE BIF [\n<!NOTATION gif SYSTEM "viewer">\n<!ENTITY pic SYSTEM "pic.gif" NDATA gif>\n]>\n' + BODY,
        3,
        "XML entity",
    ),
    "external DTD": (
        '<!DOCTYPE BIF SYSTEM "http://example.com/bif.dtd">\n' + BODY,
        1,
        "not loaded: remove the DOCTYPE line",
    ),
    "public DTD": ('\n<!DOCTYPE BIF PUBLIC "-//X//Y//EN" "http://example.com/bif.dtd">\n' + BODY, 2, "not loaded"),
    "undeclared entity": (BODY.replace("Dog-Problem", "&xxe;"), 3, "undefined entity"),
    "copied attributes": (f'<!DOCTYPE BIF [\n<!ATTLIST OUTCOME x CDATA "{"a" * 10**6}">\n]>\n' + BODY, 1, "more than"),
    "a long DTD": ("<!DOCTYPE BIF [\n" + "<!ELEMENT A (B)>\n" * 2000 + "]>\n" + BODY, 1, "more than"),
    "nesting": ("<BIF>" + "<NETWORK>" * 100000, 1, "'NETWORK' is not known in NETWORK"),
}


@pytest.mark.parametrize(("text", "line", "message"), ATTACKS.values(), ids=ATTACKS)
def test_xml_cannot_be_used_to_attack(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        xmlbif.read(text, "x.xml")
    assert str(caught.value).startswith(f"x.xml:{line}: ")
    assert len(str(caught.value)) < 300


def test_an_entity_is_refused_although_nothing_uses_it() -> None:
    with pytest.raises(InputError, match="XML entity"):
        xmlbif.read('<!DOCTYPE BIF [<!ENTITY a "b">]>\n' + BODY, "x.xml")


@pytest.mark.medium
def test_the_file_says_how_it_is_encoded(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    text = STANDARD.replace("Dog-Problem", "chien élevé")
    for name in ("ISO-8859-1", "windows-1252", "UTF-8"):
        path.write_bytes(text.replace("US-ASCII", name).encode(name))
        assert read_network(path).name == "chien élevé"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"x\.xml:23: .* is not US-ASCII text"):
        read_network(path)
    assert read_network(path, encoding="latin-1").name == "chien élevé"
    for name in ("unicode_escape", "punycode", "zlib_codec", "no-such"):
        path.write_bytes(text.replace("US-ASCII", name).encode("latin-1"))
        with pytest.raises(InputError, match=rf"x\.xml:1: the encoding '{name}' is not known"):
            read_network(path)


#: After pgmpy and pyAgrum, with a namespace and a schema as newer programs have them.
BLANKS = """\
<?xml version='1.0' encoding='utf-8'?>
<BIF VERSION="0.3" xmlns="http://www.cs.ubc.ca/labs/lci/fopi/ve/XMLBIFv0_3"
     xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="x y">
<NETWORK>
  <NAME>dog problem</NAME>
  <PROPERTY>software aGrUM</PROPERTY>
  <VARIABLE TYPE="nature">
    <NAME>bowel problem (1 = bad)</NAME>
    <PROPERTY>fast = bowel problem{very bad|well}</PROPERTY>
    <!-- outcomes -->
    <OUTCOME>very bad</OUTCOME>
    <OUTCOME>&lt;= 5.4</OUTCOME>
    <PROPERTY />
  </VARIABLE>
  <DEFINITION>
    <FOR>bowel problem (1 = bad)</FOR>
    <TABLE>0.25 0.75 </TABLE>
  </DEFINITION>
</NETWORK>
</BIF>
"""


def test_blanks_in_names_and_states_are_read() -> None:
    network = xmlbif.read(BLANKS, "dog.xml")
    assert dict(network.states) == {"bowel problem (1 = bad)": ("very bad", "<= 5.4")}
    assert network.name == "dog problem"


def test_blanks_around_a_name_are_read_where_the_element_says_so() -> None:
    plain = Network({"a": Table((), np.array([0.5, 0.5]))}, {"a": ["b", "c"]})
    text = xmlbif.write(plain).replace("<OUTCOME>b<", '<OUTCOME xml:space="preserve"> b\n<')
    assert xmlbif.read(text, "x").states["a"] == (" b\n", "c")


def test_names_that_xml_cannot_hold_or_others_do_not_keep_are_changed_and_restored() -> None:
    states = {" a\n": ["\r\n", "", "\x00"], "sepal length (cm)": ["<=5", "> 5 & é", '"']}
    network = Network({v: Table((), np.array([0.5, 0.25, 0.25])) for v in states}, states, name="\t")
    text = xmlbif.write(network)
    assert "<NAME>a</NAME>\n<OUTCOME>s_1</OUTCOME>\n<OUTCOME>s_1_2</OUTCOME>" in text
    assert "<PROPERTY>veridag_states = %0D%0A,,%00</PROPERTY>" in text
    assert "<NAME>sepal length (cm)</NAME>\n<OUTCOME>&lt;=5</OUTCOME>\n<OUTCOME>&gt; 5 &amp; é</OUTCOME>" in text
    back = xmlbif.read(text, "x")
    assert back == network
    assert back.name == "\t"
