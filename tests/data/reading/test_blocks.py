"""Tables read block by block: the same data, notes and refusals as if the whole file were read at once."""

from __future__ import annotations

import gzip
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies import few
from veridag.data import Data
from veridag.data.packed import PackedColumn
from veridag.data.reading import blocks, delimited
from veridag.errors import InputError

#: What fields of a column may be: the kind of a column may be decided by any of its rows, the last one too.
POOLS = [
    ["a", "b"],
    ["yes", "no", "NA", ""],
    ["0", "1", "2"],
    ["1", "2", "x"],
    ["1", "2.5"],
    ["1", "02"],
    ['"q,1"', '"two\nlines"', "plain"],
    ["True", "False"],
    ["1,5", "7"],
    ["ä", "ß", "z"],
    ["same"],
]
MISSING = st.sampled_from([None, "keep", "drop", "state", "indicator"])


def outcome(read: Callable[[], Data]) -> Data | str:
    """What is read, or that it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read()
        except InputError as error:
            return str(error)


def assert_same(path: Path, **arguments: Any) -> Data | str:
    """Reading by blocks and at once give the same, or are both refused."""
    whole = outcome(lambda: vd.read(path, blocks=False, **arguments))
    parts = outcome(lambda: vd.read(path, blocks=True, **arguments))
    if isinstance(whole, str) or isinstance(parts, str):
        assert isinstance(whole, str) == isinstance(parts, str), (whole, parts)
        return parts
    assert parts == whole
    assert parts.notes == whole.notes
    assert [c.reason for c in parts.columns] == [c.reason for c in whole.columns]
    return parts


@given(st.data())
def test_a_text_file_in_blocks_of_any_size_is_read_as_at_once(data: st.DataObject) -> None:
    pools = data.draw(st.lists(st.sampled_from(POOLS), min_size=2, max_size=4))
    rows = data.draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=1, max_size=30))
    names = [f"v{j}" for j in range(len(pools))]
    text = "\n".join(",".join(row) for row in [tuple(names), *rows]) + data.draw(st.sampled_from(["", "\n", "\n\n\n"]))
    arguments = {"missing": data.draw(MISSING), "strict": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        arguments["group"] = names[0]
    with tempfile.TemporaryDirectory() as folder, patch.object(blocks, "BYTES", data.draw(st.integers(1, 200))):
        path = Path(folder) / "table.csv"
        path.write_bytes(text.encode())
        found = outcome(lambda: vd.read(path, blocks=True, **arguments))
        if isinstance(found, str) and "corrected only if the file is read at once" in found:
            return  # blanks, a second header or other things that only the whole file tells
        assert_same(path, **arguments)


@pytest.mark.medium
@few  # each example starts a process
@given(st.data())
def test_a_parquet_file_in_blocks_of_any_size_is_read_as_at_once(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 40))
    kinds: list[tuple[Any, Any]] = [
        (pl.String, st.sampled_from(["a", "b", "", "NA"])),
        (pl.Int64, st.integers(-2, 12)),
        (pl.Float64, st.sampled_from([0.5, -1.0, 2.25])),
        (pl.Boolean, st.booleans()),
        (pl.Enum(["high", "low", "never"]), st.sampled_from(["high", "low"])),
        (pl.Date, st.dates()),
    ]
    columns = {}
    for j in range(data.draw(st.integers(1, 4))):
        dtype, values = data.draw(st.sampled_from(kinds))
        own = data.draw(st.lists(st.one_of(values, st.none()), min_size=rows, max_size=rows))
        columns[f"v{j}"] = pl.Series(own, dtype=dtype)
    arguments: dict[str, Any] = {"missing": data.draw(MISSING), "strict": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        arguments["drop"] = ["v0"]
    # Blocks see the rows that are asked for alone: of a column without a value in them, they do not know the kind.
    if not any(column.null_count() for column in columns.values()) and data.draw(st.booleans()):
        arguments["rows"] = data.draw(st.sampled_from([1, 7, (3, 9)]))
    with tempfile.TemporaryDirectory() as folder, patch.object(blocks, "VALUES", data.draw(st.integers(1, 200))):
        path = Path(folder) / "table.parquet"
        pl.DataFrame(columns).write_parquet(path)
        assert_same(path, **arguments)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".arrow", ".parquet"])
def test_states_that_only_the_last_rows_have_are_found(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With states enough for 1, 2, 4, 8 and 16 bits, the codes are packed anew with more bits."""
    monkeypatch.setattr(blocks, "BYTES", 3000)
    monkeypatch.setattr(blocks, "VALUES", 3000)
    rng = np.random.default_rng(0)
    columns = {f"v{r}": np.sort(rng.integers(0, r, 4000)).astype(str).tolist() for r in (2, 4, 16, 200, 390)}
    path = tmp_path / f"table{suffix}"
    write = {".csv": pl.DataFrame.write_csv, ".arrow": pl.DataFrame.write_ipc, ".parquet": pl.DataFrame.write_parquet}
    frame = pl.DataFrame(columns)
    if suffix == ".csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    else:
        write[suffix](frame, path)
    found = assert_same(path)
    assert isinstance(found, Data)
    assert all(isinstance(column, PackedColumn) for column in found.columns)
    assert [len(states) for states in found.states.values()] == [2, 4, 16, 200, 390]


def test_blank_lines_are_refused_or_left_out_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    for size in range(1, 24):
        monkeypatch.setattr(blocks, "BYTES", size)
        path.write_text("a,b\n0,1\n1,0\n\n\n0,0\n")
        with pytest.raises(InputError, match="line 4 is blank"):
            vd.read(path, blocks=True)
        path.write_text("a,b\n0,1\n1,0\n\n\n\n")
        assert vd.read(path, blocks=True).n == 2
        path.write_text("a\n0\n1\n\n\n0\n\n\n")
        assert vd.read(path, blocks=True, missing="drop").n == 3


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_of_which_no_column_is_wanted_is_refused_for_that(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    Data.from_frame({"a": [0, 1], "b": [1, 0]}).write(path)
    with pytest.raises(InputError, match="no columns are left: keep at least one"):
        vd.read(path, blocks=True, drop=["a", "b"])


def test_names_that_polars_would_take_for_patterns(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"^v.*$": [0, 1, 1], "v1": [1, 0, 1], "v2": [0, 1, 0]}).write_parquet(path)
    data = assert_same(path, drop=["v2"])
    assert isinstance(data, Data)
    assert data.names == ("^v.*$", "v1")


def test_text_is_read_in_blocks_without_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,x\n" + "".join(f"{i % 3},{i / 8}\n" for i in range(200)))
    monkeypatch.setattr(blocks, "BYTES", 500)
    monkeypatch.setattr(delimited, "_SMALL", 0)
    with_polars = vd.read(path, blocks=True)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert vd.read(path, blocks=True) == with_polars
    with pytest.raises(InputError, match=r"reading \.parquet needs the package polars.*veridag\[files\]"):
        vd.read_moments(path.rename(tmp_path / "table.parquet"))


def test_kinds_that_only_late_rows_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BYTES", 50)
    path = tmp_path / "table.csv"
    lines = [f"{i % 3},{i % 2},{i % 4}" for i in range(300)]
    path.write_text("\n".join(["integer,number,text", *lines, "2,0.5,none of these"]))
    data = assert_same(path)
    assert isinstance(data, Data)
    assert data.kinds == {"integer": "discrete", "number": "continuous", "text": "discrete"}


def test_a_column_of_more_values_than_states_is_one_of_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BYTES", 100)
    monkeypatch.setattr(blocks, "MAX_STATES", 50)
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["x,y", *(f"{i / 8},{'ab'[i % 2]}" for i in range(300)), "NA,a", "7,b"]))
    data = assert_same(path, missing="keep")
    assert isinstance(data, Data)
    assert data.kinds == {"x": "continuous", "y": "discrete"}
    path.write_text("\n".join(["x,y", *(f"{i / 8},a" for i in range(300)), "what,b"]))
    with pytest.raises(InputError, match=r"more than 50 different values, such as 'what' after numbers"):
        vd.read(path, blocks=True)
    path.write_text("\n".join(["x,y", *(f"name {i},{'ab'[i % 2]}" for i in range(300))]))
    with pytest.raises(InputError, match=r"drop=\['x'\]"):
        vd.read(path, blocks=True)
    assert vd.read(path, blocks=True, strict=False).names == ("y",)
    path.write_text("\n".join(["x,y", *(f"{i},{'ab'[i % 2]}" for i in range(300))]))
    with pytest.raises(InputError, match="looks continuous"):
        vd.read(path, blocks=True)
    assert vd.read(path, blocks=True, kinds={"x": "continuous"}) == vd.read(path, kinds={"x": "continuous"})


def test_a_folder_of_parquet_files_and_a_pattern_are_one_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", "y", "z", "x"] * 5, "b": [0, 1, 1, 2] * 5})
    for k, part in enumerate((frame[:7], frame[7:7], frame[7:])):
        part.write_parquet(tmp_path / f"part-{k}.parquet")
    whole = Data.from_frame(frame)
    assert vd.read(tmp_path) == whole
    assert vd.read(tmp_path / "part-*.parquet") == whole
    assert vd.read(tmp_path).notes == ("read from 3 files, part-0.parquet to part-2.parquet",)
    frame.rename({"b": "c"}).write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(InputError, match="different columns"):
        vd.read(tmp_path)
    with pytest.raises(InputError, match="several files can only be read block by block"):
        vd.read(tmp_path, blocks=False)


def test_rows_that_repeat_often_become_weighted_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "VALUES", 2000)
    rng = np.random.default_rng(3)
    columns = {name: rng.integers(0, 3, 20_000) for name in "abc"}
    columns["d"] = (columns["a"] + columns["b"] + rng.integers(0, 2, 20_000)) % 3
    columns["site"] = rng.integers(0, 2, 20_000)
    path = tmp_path / "table.parquet"
    pl.DataFrame(columns).write_parquet(path)
    whole, folded = vd.read(path, group="site", blocks=False), vd.read(path, group="site", blocks=True)
    assert folded.n == whole.n == 20_000
    assert folded.nrows == len(set(zip(*(c.tolist() for c in columns.values()), strict=True)))
    assert {label: part.n for label, part in folded.by_group().items()} == {
        label: part.n for label, part in whole.by_group().items()
    }
    first, second = (vd.HillClimbing().learn(data) for data in (whole, folded))
    assert first.dag == second.dag
    assert second.score == pytest.approx(first.score, rel=1e-12)


def test_learning_from_packed_rows_gives_the_same_bits(tmp_path: Path) -> None:
    network = vd.random_network(vd.random_dag(8, arcs=12, seed=1), states=(2, 5), seed=1)
    path = tmp_path / "table.parquet"
    network.sample(3000, seed=1).write(path)
    whole, packed = vd.read(path, blocks=False), vd.read(path, blocks=True)
    assert isinstance(packed.columns[0], PackedColumn)
    for learner in (vd.HillClimbing(), vd.GES(vd.BDeu()), vd.PCStable(), vd.HillClimbing(max_indegree=1, restarts=2)):
        first, second = learner.learn(whole), learner.learn(packed)
        assert (first.graph, first.score) == (second.graph, second.score)
    assert str(packed.describe()) == str(whole.describe())
    assert packed.subsample(500, seed=1) == whole.subsample(500, seed=1)
    assert vd.fit(network.dag, packed) == vd.fit(network.dag, whole)


def test_reading_tells_its_progress_and_can_be_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "VALUES", 100)
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [0, 1] * 200}).write_parquet(path)
    told: list[tuple[Any, ...]] = []
    vd.read(path, blocks=True, progress=lambda *given: told.append(given))
    assert told == [("reading", done, 400, {}) for done in (100, 200, 300, 400)]

    def stop(what: str, done: int, total: int | None, extra: object) -> None:
        if done == 200:
            raise KeyboardInterrupt

    before = {*Path(tempfile.gettempdir()).iterdir()}
    with pytest.raises(KeyboardInterrupt):
        vd.read(path, blocks=True, progress=stop)
    assert not {own for own in {*Path(tempfile.gettempdir()).iterdir()} - before if "veridag" in own.name}


def test_a_file_that_would_fill_the_memory_is_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": ["x", "y"] * 50}).write_parquet(path)
    assert not isinstance(vd.read(path).columns[0], PackedColumn)
    monkeypatch.setattr(blocks, "SMALL", 0)
    monkeypatch.setattr(blocks, "free_memory", lambda: 1000)
    assert isinstance(vd.read(path).columns[0], PackedColumn)
    assert not isinstance(vd.read(path, blocks=False).columns[0], PackedColumn)


def test_what_cannot_be_read_in_blocks_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text('[{"a": 1}]')
    with pytest.raises(InputError, match=r"leave out blocks=True"):
        vd.read(path, blocks=True)
    path = tmp_path / "table.csv"
    path.write_text("Cases of 2024\n\na,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match=r"pass blocks=False"):
        vd.read(path, blocks=True, strict=False)
    path = tmp_path / "dates.parquet"
    pl.DataFrame({"day": pl.Series(["2024-01-01", "2024-01-02"] * 9).str.to_date(), "b": [0, 1] * 9}).write_parquet(
        path
    )
    with pytest.raises(InputError, match=r"cannot be read block by block"):
        vd.read(path, blocks=True, kinds={"day": "continuous"})
