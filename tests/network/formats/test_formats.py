"""What every format keeps to: nothing changes on the way through a file, and damage is an error with a line."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies.networks import gaussian_networks, mixed_networks, networks
from veridag.data.discretization.labels import bin_labels
from veridag.errors import InputError
from veridag.network import ConditionalGaussian, LinearGaussian, Network, Table
from veridag.network.formats import SUFFIXES, bif, dsc, json, net, network_text, read_network, write_network, xmlbif

FORMATS = {"bif": bif, "xmlbif": xmlbif, "net": net, "dsc": dsc, "json": json}
each_format = pytest.mark.parametrize("format", FORMATS)


def dog() -> Network:
    states = {"dog out": ["yes", 'n"o\\'], "bowel": ["bad", "well", "-"], "family": ["0", "1"]}
    given = np.linspace(0.125, 0.5, 6).reshape(3, 2)
    return Network(
        {
            "dog out": Table(("bowel", "family"), np.stack([given, 1 - given], axis=-1)),
            "bowel": Table((), np.array([0.25, 1 / 3, 1 - 0.25 - 1 / 3])),
            "family": Table(("bowel",), np.array([[0.1, 0.9], [0, 1], [1e-300, 1]])),
        },
        states,
        name="Dog problem & co",
    )


def same(one: Network, other: Network) -> bool:
    """Equal to the last bit, signs of zeros and names of the networks included."""
    numbers = [
        [(c.probabilities if isinstance(c, Table) else ConditionalGaussian.of(c).rows) for c in n.cpds.values()]
        for n in (one, other)
    ]
    return (
        one == other
        and one.name == other.name
        and all(a.tobytes() == b.tobytes() for a, b in zip(*numbers, strict=True))
    )


def test_every_ending_names_a_format_that_is_tested_here() -> None:
    assert set(SUFFIXES.values()) == set(FORMATS)


@each_format
@given(network=networks())
def test_writing_and_reading_gives_the_same_network_bit_for_bit(format: str, network: Network) -> None:
    assert same(FORMATS[format].read(FORMATS[format].write(network), "x"), network)


@given(gaussian_networks())
def test_json_holds_gaussian_networks_bit_for_bit(network: Network) -> None:
    assert same(json.read(json.write(network), "x"), network)


@pytest.mark.parametrize("format", ["json", "net"])
@given(network=mixed_networks())
def test_json_and_net_hold_mixed_networks_bit_for_bit(format: str, network: Network) -> None:
    assert same(FORMATS[format].read(FORMATS[format].write(network), "x"), network)


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in ("json", "net")])
def test_the_others_refuse_continuous_variables_and_name_those_that_can(format: str) -> None:
    x = LinearGaussian((), 0.0, np.empty(0), 1.0)
    for network, what in (
        (Network({"x": x}), "Gaussian"),
        (Network({**dog().cpds, "x": x}, dog().states), "continuous"),
    ):
        with pytest.raises(InputError, match=rf"{what}.*: write it as JSON or NET, .* \.json or \.net"):
            FORMATS[format].write(network)


@pytest.mark.parametrize("format", [f for f in FORMATS if f != "json"])
def test_the_others_refuse_a_network_without_variables(format: str) -> None:
    with pytest.raises(InputError, match="without variables: write it as JSON"):
        FORMATS[format].write(Network({}))


def test_json_holds_a_network_without_variables() -> None:
    assert same(json.read(json.write(Network({}, name="none")), "x"), Network({}, name="none"))


@each_format
@pytest.mark.parametrize("name", ["asia", "child", "hailfinder", "sachs"])
def test_reference_networks_survive(format: str, name: str, tmp_path: Path) -> None:
    network = vd.networks.load(name)
    path = tmp_path / f"{name}.{format}"
    path.write_text(network_text(network, format), "utf-8")
    assert same(read_network(path, format), network)


@pytest.mark.filterwarnings("ignore::veridag.NetworkWarning")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_ending_decides_and_gz_compresses(suffix: str, tmp_path: Path) -> None:
    network = dog()
    for ending in (suffix, suffix.upper(), f"{suffix}.gz"):
        assert same(read_network(network.write(tmp_path / f"x{ending}")), network)
    assert gzip.decompress((tmp_path / f"x{suffix}.gz").read_bytes()) == (tmp_path / f"x{suffix}").read_bytes()


def test_changed_names_are_counted_in_a_warning_about_the_line_that_writes(tmp_path: Path) -> None:
    with pytest.warns(vd.NetworkWarning, match=r"of 1 variable and 2 states, such as 'dog out' to 'dog_out'") as method:
        dog().write(tmp_path / "x.bif")
    with pytest.warns(vd.NetworkWarning, match="of 1 variable and 1 state,") as function:
        write_network(dog(), tmp_path / "x.net")
    assert [warning.filename for warning in (*method, *function)] == [__file__, __file__]
    for quiet in ("x.json", "x.xml"):  # which hold all of its names; a warning would be an error
        dog().write(tmp_path / quiet)
    vd.networks.load("alarm").write(tmp_path / "alarm.bif")


@each_format
def test_thirds_rounded_to_two_digits_can_be_read_back(format: str) -> None:
    network = Network({"A": Table((), np.array([0.33, 0.33, 0.33]))}, {"A": ["a", "b", "c"]})
    assert same(FORMATS[format].read(FORMATS[format].write(network), "x"), network)


@each_format
@given(data=st.data())
def test_damaged_text_gives_a_network_or_an_error_with_a_line(format: str, data: st.DataObject) -> None:
    text = FORMATS[format].write(dog())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        junk = data.draw(st.text('{}()[];,|"\\/*.%<>&=:! \n\t0e-_ax', max_size=4) | st.text(max_size=2))
        text = text[:start] + junk + text[end:]
    try:
        network = FORMATS[format].read(text, "x.y")
    except InputError as error:
        message = str(error)
    else:
        assert same(FORMATS[format].read(FORMATS[format].write(network), "x"), network)
        return
    assert re.match(r"x\.y:[1-9]\d*: [^\n]*$", message)
    assert int(message.split(":")[1]) <= text.count("\n") + 1


@each_format
@given(data=st.data())
def test_a_file_cut_short_is_never_read(format: str, data: st.DataObject) -> None:
    text = FORMATS[format].write(dog())
    end = data.draw(st.integers(0, len(text.rstrip()) - 1))
    with pytest.raises(InputError, match=r"^x\.y:\d+: "):
        FORMATS[format].read(text[:end], "x.y")


@each_format
@given(data=st.data())
def test_a_lost_or_changed_number_is_never_overlooked(format: str, data: st.DataObject) -> None:
    text = FORMATS[format].write(dog())
    numbers = [m for m in re.finditer(r"(?<![\w.\"-])0\.\d{2,}(?:e-?\d+)?", text) if float(m[0]) > 0.011]
    lost = data.draw(st.sampled_from(numbers))
    for other in ("", "0.9999", "-0.1", "nan", "1e999", "0.1.2", "x", f"0_{lost[0]}"):
        with pytest.raises(InputError, match=r"^x\.y:\d+: "):
            FORMATS[format].read(text[: lost.start()] + other + text[lost.end() :], "x.y")


@each_format
def test_a_byte_order_mark_is_passed_over(format: str, tmp_path: Path) -> None:
    text = FORMATS[format].write(dog())
    assert same(FORMATS[format].read("\ufeff" + text, "x"), dog())
    for encoding in ("utf-8-sig", "utf-16"):
        if format == "xmlbif" and encoding == "utf-16":
            text = text.replace("UTF-8", "UTF-16")
        path = tmp_path / "x"
        path.write_bytes(text.encode(encoding))
        assert same(read_network(path, format), dog())


@each_format
def test_a_table_too_large_for_memory_is_refused_before_it_is_made(format: str) -> None:
    text = FORMATS[format].write(chain(30))
    listed = [f"v{i}" for i in range(30)]
    parents = {
        "bif": (r"( v29 | v28 )", f"( v29 | {', '.join(listed[:29])} )"),
        "dsc": (r"( v29 | v28 )", f"( v29 | {', '.join(listed[:29])} )"),
        "net": (r"(v29 | v28)", f"(v29 | {' '.join(listed[:29])})"),
        "json": (
            '"v29", "states": ["a", "b"], "parents": ["v28"]',
            f'"v29", "states": ["a", "b"], "parents": {listed[:29]}'.replace("'", '"'),
        ),
        "xmlbif": (
            "<FOR>v29</FOR>\n<GIVEN>v28</GIVEN>",
            "<FOR>v29</FOR>" + "".join(f"<GIVEN>{v}</GIVEN>" for v in listed[:29]),
        ),
    }[format]
    assert parents[0] in text
    with pytest.raises(InputError, match=r"^x:\d+: the table of .*v29.*limit"):
        FORMATS[format].read(text.replace(*parents), "x")


def chain(n: int) -> Network:
    names = [f"v{i}" for i in range(n)]
    cpds = {v: Table((names[i - 1],) if i else (), np.full((2, 2) if i else 2, 0.5)) for i, v in enumerate(names)}
    return Network(cpds, {v: ["a", "b"] for v in names})


BROKEN = {
    "there is no variable 'bovel': did you mean 'bowel'?": {
        "bif": ("family | bowel )", "family | bovel )"),
        "dsc": ("family | bowel )", "family | bovel )"),
        "net": ("family | bowel)", "family | bovel)"),
        "json": ('["bowel"]', '["bovel"]'),
        "xmlbif": ("<FOR>family</FOR>\n<GIVEN>bowel", "<FOR>family</FOR>\n<GIVEN>bovel"),
    },
    "a variable twice": {
        "bif": ("| bowel, family", "| bowel, bowel"),
        "dsc": ("| bowel, family", "| bowel, bowel"),
        "net": ("| bowel family", "| bowel bowel"),
        "json": ('["bowel", "family"]', '["bowel", "bowel"]'),
        "xmlbif": ("<GIVEN>family", "<GIVEN>bowel"),
    },
    "the arcs form a cycle": {
        "bif": ("family | bowel )", "family | dog_out )"),
        "dsc": ("family | bowel )", "family | dog_out )"),
        "net": ("family | bowel)", "family | dog_out)"),
        "json": ('"parents": ["bowel"]', '"parents": ["dog out"]'),
        "xmlbif": ("<FOR>family</FOR>\n<GIVEN>bowel", "<FOR>family</FOR>\n<GIVEN>dog out"),
    },
    "the state 'bad' twice": {
        "bif": ("bad, well", "bad, bad"),
        "dsc": ('"bad", "well"', '"bad", "bad"'),
        "net": ('"bad" "well"', '"bad" "bad"'),
        "json": ('"bad", "well"', '"bad", "bad"'),
        "xmlbif": ("<OUTCOME>well", "<OUTCOME>bad"),
    },
}


@each_format
@pytest.mark.parametrize("message", BROKEN)
def test_mistakes_in_the_structure_are_named_with_their_line(format: str, message: str) -> None:
    text = FORMATS[format].write(dog())
    old, new = BROKEN[message][format]
    assert text.count(old) == 1
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        FORMATS[format].read(text.replace(old, new), "x")
    line = int(str(caught.value).split(":")[1])
    wrong = text[: text.index(old)].count("\n") + 1
    if "cycle" not in message:  # which can be found anywhere along it
        assert wrong - 4 <= line <= wrong  # of the part, which may start a little before what is wrong in it


@each_format
@given(edges=st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True, max_size=5))
def test_labels_of_bins_are_written_as_they_are(format: str, edges: list[float]) -> None:
    rule = FORMATS[format].RULE
    assert rule is None or all(map(rule.takes_state, bin_labels(np.unique(edges))))
