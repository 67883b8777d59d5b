"""Numbers of thousands of digits and deep nesting are one line in every reader, and never an error of Python's own."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.data.settings import TableSettings
from veridag.study import plan

DIGITS = "9" * 5000
NESTED = "[" * 50_000

#: How a file ends, what is in it, and who reads it.
FILES = {
    "jkl, variables": (".jkl", f"{DIGITS}\n", vd.read_table),
    "jkl, sets": (".jkl", f"1\na {DIGITS}\n", vd.read_table),
    "jkl, parents": (".jkl", f"1\na 1\n-1 {DIGITS}\n", vd.read_table),
    "bif, states": (".bif", f"network x {{ }} variable a {{ type discrete [ {DIGITS} ] {{ b }}; }}", vd.read_network),
    "json, number": (".json", DIGITS, vd.read_network),
    "json, nested": (".json", NESTED, vd.read_network),
    "graph, number": (".json", DIGITS, vd.read_graph),
    "graph, nested": (".json", NESTED, vd.read_graph),
    "study, seed": (".toml", f'kind = "learning"\nseed = {DIGITS}\n', plan.load),
    "study, nested": (".toml", f"grid = {NESTED}\n", plan.load),
    "settings, number": (".toml", f"drop = {DIGITS}\n", TableSettings.load),
    "settings, nested": (".toml", f"drop = {NESTED}\n", TableSettings.load),
    "table, nested": (".json", NESTED, vd.read),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_long_number_or_deep_nesting_is_one_short_line(tmp_path, name):
    ending, text, read = FILES[name]
    path = tmp_path / f"x{ending}"
    path.write_text(text, "utf-8")
    with pytest.raises(vd.InputError) as error:
        read(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("place", ["header", "cell", "both"])
def test_a_csv_with_a_long_integer_is_read_as_text_or_refused(tmp_path, strict, place):
    path = tmp_path / "x.csv"
    head, cell = (DIGITS if place in (where, "both") else short for where, short in (("header", "x"), ("cell", "3")))
    path.write_text(f"{head},y\n" + f"{cell},a\n1,b\n" * 4, "utf-8")
    try:
        data = vd.read(path, strict=strict)
    except vd.InputError:
        return
    assert data.n in (8, 9)  # the first line may be taken for data


def test_a_long_integer_in_an_array_is_refused():
    array = np.array([[10**5000, 1], [2, 3]], dtype=object)
    with pytest.raises(vd.InputError):
        vd.Data.from_numpy(array)


def test_a_spec_with_a_long_number_says_which_parameter():
    with pytest.raises(vd.InputError, match="ess has a number of 5000 characters"):
        vd.parse(f"bdeu(ess={DIGITS})", "score")


def test_toml_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf[table]\n")
    assert TableSettings.load(path) is None or TableSettings.load(path) == TableSettings()
