"""JSON: what is refused, with its line, and that graphs and networks are told apart."""

from __future__ import annotations

import json as standard
import re

import numpy as np
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.graph import graph_from_json
from veridag.network import ConditionalGaussian, Table
from veridag.network.formats import json

RAIN = """\
{"format": "veridag network", "version": 1, "name": "rain", "kind": "discrete",
 "variables": [
  {"name": "wet", "states": ["no", "yes"], "parents": ["rain"], "probabilities": [[0.9, 0.1], [0, 1]]},
  {"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]}
 ]}
"""
LINE = """\
{"format": "veridag network", "version": 1, "kind": "gaussian",
 "variables": [
  {"name": "y", "parents": ["x"], "intercept": 1, "coefficients": [2.5], "sd": 0.5},
  {"name": "x", "parents": [], "intercept": -1.0, "coefficients": [], "sd": 2}
 ]}
"""
MIXED = """\
{"format": "veridag network", "version": 1, "kind": "mixed",
 "variables": [
  {"name": "wind", "parents": ["height", "rain"],"intercepts": [1, 2.5], "coefficients": [[0.1], [0.2]], "sds": [1, 2]},
  {"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]},
  {"name": "height", "parents": [], "intercept": 5, "coefficients": [], "sd": 3}
 ]}
"""


def test_mixed_networks_have_a_regression_for_each_configuration() -> None:
    network = json.read(MIXED, "x")
    assert network.kind == "mixed"
    assert network.cpds["wind"] == ConditionalGaussian(("rain",), ("height",), [1, 2.5], [[0.1], [0.2]], [1, 2])
    assert network.gaussian("height").sd == 3


def test_what_the_page_shows_is_read() -> None:
    network = json.read(RAIN, "x")
    assert network.name == "rain"
    assert network.table("wet") == Table(("rain",), np.array([[0.9, 0.1], [0, 1]]))
    line = json.read(LINE, "x")
    assert line.gaussian("y").coefficients.tolist() == [2.5]
    assert line.gaussian("x").sd == 2


def test_it_is_json_in_whatever_layout() -> None:
    network = vd.networks.load("asia")
    content = standard.loads(json.write(network))
    assert json.read(standard.dumps(content, indent=4), "x") == network
    assert json.read(standard.dumps(dict(reversed(content.items())), separators=(",", ":")), "x") == network
    assert len(json.write(network).splitlines()) == len(network.names) + 3


BROKEN = {
    "sum": (RAIN.replace("0.9, 0.1", "0.9, 0.2"), 3, "'wet' given rain = no sum to 1.1"),
    "row missing": (RAIN.replace(", [0, 1]", ""), 3, "has 1 rows of probabilities, but its parents have 2"),
    "row too long": (RAIN.replace("[0, 1]", "[0, 1, 0]"), 3, "given rain = yes has 3 numbers, but 2 states"),
    "text": (RAIN.replace("0.8", '"0.8"'), 4, "must be a list of numbers"),
    "truth": (RAIN.replace("[0, 1]", "[false, true]"), 3, "must be a list of numbers"),
    "nan": (RAIN.replace("0.8", "NaN"), 4, "NaN is not a valid number"),
    "infinite": (RAIN.replace("0.8", "1e999"), 4, "inf is not a probability"),
    "huge": (RAIN.replace("0.8", "9" * 400), 4, "too large for a float"),
    "too many digits": (RAIN.replace("0.8", "9" * 5000), 4, "digits"),
    "flat": (RAIN.replace("[[0.8, 0.2]]", "[0.8, 0.2]"), 4, "must be a list of rows"),
    "unknown key": (
        RAIN.replace('"parents": []', '"parent": []'),
        4,
        "'parent' of a variable is not known: did you mean 'parents'",
    ),
    "missing key": (RAIN.replace('"parents": [], ', ""), 4, "lacks the key 'parents'"),
    "key twice": (
        RAIN.replace('"parents": [], ', '"parents": [], "parents": [], '),
        4,
        "'parents' is given twice",
    ),
    "field twice": (
        RAIN.replace('"version": 1,', '"version": 1,\n"version": 1,'),
        2,
        "'version' is given twice",
    ),
    "unknown field": (RAIN.replace('"name": "rain", "kind"', '"nmae": "rain", "kind"'), 1, "'nmae' is not known"),
    "missing field": (RAIN.replace('"version": 1, ', ""), 5, "'version' is missing"),
    "states": (
        RAIN.replace('["no", "yes"], "parents": []', '["no", 1], "parents": []'),
        4,
        "the states of 'rain' must be a list of strings",
    ),
    "name": (RAIN.replace('"name": "wet"', '"name": 1'), 3, "a name must be a string"),
    "not an object": (RAIN.replace('"variables": [', '"variables": [ 1,'), 2, "a variable must be an object"),
    "not a list": (
        '{"format": "veridag network", "version": 1, "kind": "discrete",\n"variables": {}}',
        2,
        "must be a list",
    ),
    "version": (RAIN.replace('"version": 1', '"version": 2'), 1, "version '2' of the format is not known, only 1"),
    "version true": (RAIN.replace('"version": 1', '"version": true'), 1, "version 'True' of the format is not known"),
    "format": (RAIN.replace("veridag network", "other"), 1, "the format is 'other' instead of"),
    "kind": (RAIN.replace('"discrete"', '"both"'), 1, "the kind is 'both' instead of"),
    "cut": (RAIN[:-5], 4, "expected"),
    "more": (RAIN + "{}", 6, "expected the end of the file"),
    "comma": (RAIN.replace("]]},", "]]}"), 4, "expected ','"),
    "nested": ('{"format": ' + "[" * 100000, 1, "too deep"),
    "not json": ("network unknown { }", 1, "expected '{'"),
    "slopes": (LINE.replace("[2.5]", "[]"), 3, "'y' has 0 coefficients but 1 parents"),
    "sd": (LINE.replace('"sd": 2', '"sd": -2'), 4, "its sd not negative"),
    "gaussian text": (LINE.replace("-1.0", '"-1"'), 4, "must be numbers"),
    "gaussian infinite": (LINE.replace("-1.0", "1e999"), 4, "must be finite"),
    "gaussian parent": (LINE.replace('["x"]', '["z"]'), 3, "there is no variable 'z'"),
    "gaussian cycle": (
        LINE.replace(
            '"parents": [], "intercept": -1.0, "coefficients": []',
            '"parents": ["y"], "intercept": -1.0, "coefficients": [1]',
        ),
        3,
        "the arcs form a cycle",
    ),
    "continuous parent": (
        MIXED.replace('"parents": [], "prob', '"parents": ["height"], "prob'),
        4,
        "'rain' is discrete and has the continuous parent 'height'",
    ),
    "one regression": (
        MIXED.replace('"intercept": 5', '"intercepts": [5]').replace('"sd": 3', '"sds": [3]'),
        5,
        "'height' has 0 discrete parents, and so needs 'intercept' and 'sd'",
    ),
    "many regressions": (
        MIXED.replace('"parents": [], "intercept": 5', '"parents": ["rain"], "intercept": 5'),
        5,
        "'height' has 1 discrete parents, and so needs 'intercepts'",
    ),
    "configurations": (
        MIXED.replace("[1, 2.5]", "[1]"),
        3,
        "'wind' has 1 intercepts, 2 rows of coefficients and 2 sds",
    ),
    "mixed slopes": (MIXED.replace("[0.1]", "[0.1, 2]"), 3, "'wind' has 1 continuous parents, but another number"),
    "mixed text": (MIXED.replace("[0.1]", '["0.1"]'), 3, "must be lists of numbers"),
    "mixed sd": (MIXED.replace("[1, 2]}", "[1, -2]}"), 3, "its sds not negative"),
    "mixed huge": (MIXED.replace("2.5", "1" + "0" * 400), 3, "must be finite"),
    "mixed key": (MIXED.replace('"sds"', '"sd"'), 3, "the key 'sd' of a variable is not known"),
    "gaussian twice": (LINE.replace('"name": "x"', '"name": "y"'), 4, "declared twice"),
}


@pytest.mark.parametrize(("text", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        json.read(text, "x.json")
    assert str(caught.value).startswith(f"x.json:{line}: ")


def test_a_graph_read_as_a_network_is_told() -> None:
    dag = vd.networks.load("asia").dag
    for graph in (dag, dag.cpdag()):
        with pytest.raises(InputError, match=r"x\.json:2: this JSON holds a graph \(P?DAG\) without parameters"):
            json.read(graph.to_json(), "x.json")


def test_a_network_read_as_a_graph_is_told() -> None:
    with pytest.raises(InputError, match=r"holds a network with parameters.*read_network.*\.dag"):
        graph_from_json(RAIN)
