"""Files appear whole or not at all, whoever writes them and whatever goes wrong."""

from __future__ import annotations

import ast
import errno
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from veridag.files.writing import whole_file, write_text
from veridag.graph.files import write_graph
from writers import WRITERS, few_draws

SOURCE = Path(vd.__file__).parent


@pytest.fixture(scope="module")
def asia() -> vd.Network:
    return vd.networks.load("asia")


@pytest.fixture(scope="module")
def data(asia) -> vd.Data:
    return asia.sample(100, seed=1)


@contextmanager
def nearly_full_disk(left: int = 64) -> Iterator[None]:
    """Within, the system refuses to write more than a few bytes to a file, as a full disk does.

    Python would write the first bytes of a module that is imported meanwhile into its cache, and never read it again.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = before


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.medium
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("fault", ["write", "flush", "rename", "interrupt"])
def test_a_writer_that_fails_leaves_the_old_file_whole_and_nothing_else(tmp_path, monkeypatch, asia, data, name, fault):
    ending, write = WRITERS[name]
    path = tmp_path / f"result{ending}"
    path.write_text("old", "utf-8")
    if fault == "write":
        with nearly_full_disk(), pytest.raises((OSError, vd.InputError)) as error:
            write(asia, data, path)
    else:
        target = {"flush": "fsync", "rename": "replace", "interrupt": "fsync"}[fault]
        with monkeypatch.context() as patch:
            patch.setattr(os, target, _interrupt if fault == "interrupt" else _full)
            with pytest.raises((OSError, vd.InputError, KeyboardInterrupt)) as error:
                write(asia, data, path)
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    if fault != "interrupt":
        assert str(path) in str(error.value)


@pytest.mark.medium
@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_flushes_before_it_renames(tmp_path, monkeypatch, asia, data, name):
    done: list[str] = []
    for step in ("fsync", "replace"):
        own = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *words, step=step, own=own: (done.append(step), own(*words))[1])
    ending, write = WRITERS[name]
    write(asia, data, tmp_path / f"result{ending}")
    assert done
    assert done == ["fsync", "replace"] * (len(done) // 2)


#: Calls that write to a file by themselves. A reader's temporary file is no result, and streams are not files.
DIRECT = {
    "write_bytes",
    "write_text",
    "savefig",
    "write_csv",
    "write_parquet",
    "write_ipc",
    "savez",
    "savez_compressed",
}
ALLOWED = {
    "files/writing.py": {"write_bytes"},
    "cli/outputs.py": {"write_bytes"},  # of a draft
    "figures.py": {"savefig"},  # of a draft
    "posteriors/draws.py": {"savez_compressed"},  # of a draft
    "data/writing.py": {"write_parquet", "write_ipc"},  # into memory
    "data/reading/formats/content.py": {"write_bytes"},  # a temporary file
    "study/tables.py": {"write_csv", "write_parquet"},  # into memory
}


def test_no_module_writes_files_in_another_way():
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        if not any(f".{name}(" in text for name in DIRECT):
            continue
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        names = {node.func.attr for node in calls if isinstance(node.func, ast.Attribute)} & DIRECT
        if names:
            found[path.relative_to(SOURCE).as_posix()] = names
    assert found == ALLOWED


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain").touch()
    write_text(tmp_path / "new.txt", "x")
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_draft_within_a_draft_is_written_directly(tmp_path):
    path = tmp_path / "x.txt"
    with whole_file(path) as draft:
        write_text(draft, "inner")
        assert [p.name for p in tmp_path.iterdir()] == [draft.name]
    assert path.read_text("utf-8") == "inner"


def test_names_as_long_as_the_file_system_takes_can_be_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".txt")
    write_text(path, "x")
    assert path.read_text("utf-8") == "x"


@pytest.mark.parametrize("path", ["no/such/folder/x.txt", "x" * 300])
def test_a_path_that_cannot_be_written_is_named(tmp_path, path):
    with pytest.raises(OSError, match=path):
        write_text(tmp_path / path, "x")


def test_a_null_character_is_no_part_of_a_name(tmp_path):
    with pytest.raises(vd.InputError, match="null character"):
        write_text(tmp_path / "a\0b.txt", "x")


def test_half_a_surrogate_pair_is_named(tmp_path):
    with pytest.raises(vd.InputError, match="UTF-8"):
        write_graph(vd.DAG.from_arcs([("a\ud800", "b")]), tmp_path / "x.txt")
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_draws_are_what_was_saved(tmp_path):
    draws = few_draws()
    path = draws.save(tmp_path / "draws.npz")
    assert np.array_equal(vd.Draws.load(path).log_posterior, draws.log_posterior)
