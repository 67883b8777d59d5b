"""Damaged Parquet and Arrow files are one clean line, also where their reader would end the whole process."""

from __future__ import annotations

import io
import random
from pathlib import Path

import polars as pl
import pytest

import veridag as vd
from veridag.data.reading.formats import apart

FRAME = pl.DataFrame(
    {
        "n": [1, 2, 3] * 8,
        "x": [0.5, 1.5, 2.5] * 8,
        "s": ["a", "bb", None] * 8,
        "e": pl.Series(["p", "q", "p"] * 8, dtype=pl.Enum(["p", "q"])),
    }
)
WRITERS = {"parquet": FRAME.write_parquet, "arrow": FRAME.write_ipc, "stream": FRAME.write_ipc_stream}


def _written(form: str) -> bytes:
    buffer = io.BytesIO()
    WRITERS[form](buffer)
    return buffer.getvalue()


def _is_read_or_refused(content: bytes, path: Path | None = None) -> bool:
    """Whether the file is still read, block by block if there is a path; everything but one line is a failure."""
    if path is not None:
        path.write_bytes(content)
    try:
        vd.read(path or io.BytesIO(content), missing="keep", blocks=path is not None)
    except vd.InputError as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")
        return False
    return True


@pytest.mark.medium
@pytest.mark.parametrize(
    ("form", "name"),
    [("parquet", None), ("arrow", None), ("stream", None), ("parquet", "cases.parquet"), ("arrow", "cases.arrow")],
)
def test_a_damaged_file_is_read_or_refused_in_one_line(form, name, tmp_path, capfd):
    good, path = _written(form), tmp_path / name if name else None
    assert _is_read_or_refused(good, path)
    rng = random.Random(27)
    refused = 0
    for _ in range(60):
        content = bytearray(good)
        for _ in range(rng.choice([1, 2, 8])):
            content[rng.randrange(4, len(content))] = rng.choice([0, 127, 128, 255, rng.randrange(256)])
        refused += not _is_read_or_refused(bytes(content), path)
    assert refused > 10
    assert not any(_is_read_or_refused(good[:cut], path) for cut in range(8, len(good) - 8, len(good) // 12))
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.medium
@pytest.mark.parametrize("by_blocks", [False, True])
@pytest.mark.parametrize(("form", "reader"), [("parquet", "parquet"), ("arrow", "ipc")])
def test_a_reader_that_ends_its_process_does_not_end_this_one(tmp_path, monkeypatch, form, reader, by_blocks):
    """The process is given a polars that aborts, as the true one does if a length in the file is absurd."""
    (tmp_path / "polars").mkdir()
    (tmp_path / "polars" / "__init__.py").write_text(
        f"import os\ndef read_{reader}(path):\n    os.abort()\nscan_{reader} = read_{reader}\n", "utf-8"
    )
    path = tmp_path / f"cases.{form}"
    path.write_bytes(_written(form))
    assert vd.read(path, missing="keep", blocks=by_blocks).n == 24
    apart._end()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(vd.InputError, match=r"cases.*its reader crashed.*save it again"):
        vd.read(path, missing="keep", blocks=by_blocks)
    monkeypatch.undo()
    assert vd.read(path, missing="keep", blocks=by_blocks).n == 24
