"""The names of a study's figures, which may come from a stranger's file, cannot leave the output folder."""

from __future__ import annotations

import polars as pl
import pytest
from matplotlib.figure import Figure as Drawing

import veridag as vd
from veridag.study import plan, style
from veridag.study.kind import Figure

DATA = pl.DataFrame({"x": [1]})


@pytest.mark.parametrize(
    "name",
    ["../x", "/tmp/x", "a/b", "a\\b", "C:x", "..", ".", ".hidden", "", "a\0b", "a\nb", "x" * 101, "~root/x"],
)
def test_a_name_that_could_leave_the_folder_is_refused(name):
    with pytest.raises(vd.InputError, match="becomes a file name"):
        Figure(name, Drawing(), DATA)


@pytest.mark.parametrize("name", ["values", "data-1 (all), n=5", "tabu+bic", "Größe_2", "a..b"])
def test_other_names_are_files_in_the_folder(tmp_path, name):
    folder = tmp_path / "figures"
    written = style.write(Figure(name, Drawing(), DATA), folder)
    assert sorted(folder.iterdir()) == sorted(written)
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]


@pytest.mark.parametrize("name", ["../../outside", "/tmp/outside"])
def test_a_study_file_cannot_name_a_figure_elsewhere(tmp_path, name):
    path = tmp_path / "s.toml"
    path.write_text(
        f"""kind = "learning"
        [grid]
        networks = ["cancer"]
        sizes = [20]
        repetitions = 1
        learners = {{BIC = "hill-climbing(score=bic)"}}
        [[grid.figures]]
        type = "indegrees"
        name = "{name}"
        """,
        "utf-8",
    )
    with pytest.raises(vd.InputError, match="becomes a file name"):
        plan.load(path)
