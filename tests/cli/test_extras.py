"""What the command line does where the packages of the extras are not installed, and what it loads where they are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError

EXTRAS = {
    "app": ("python_multipart", "starlette", "uvicorn"),
    "exact": ("pyscipopt",),
    "figures": ("matplotlib",),
    "files": ("duckdb", "fastexcel", "polars", "pyreadstat"),
    "sklearn": ("sklearn",),
}
BEYOND = ("distributed", "networkx", "pandas", "pyarrow")  # what a base installation does not have either


@pytest.fixture
def bare(monkeypatch) -> pytest.MonkeyPatch:
    """An environment in which no package of an extra can be imported."""
    for package in (*BEYOND, *(name for names in EXTRAS.values() for name in names)):
        monkeypatch.setitem(sys.modules, package, None)
    return monkeypatch


@pytest.mark.parametrize(
    ("line", "package", "extra"),
    [
        ("sample asia -n 9 -o {folder}/t.parquet", "polars", "files"),
        ("sample asia -n 9 -o {folder}/t.arrow", "polars", "files"),
        ("learn {folder}/old.parquet", "polars", "files"),
        ("learn {folder}/old.arrow", "polars", "files"),
        ("describe {asia} --figure {folder}/f.svg", "matplotlib", "figures"),
        ("bootstrap {asia} --figure {folder}/f.svg", "matplotlib", "figures"),
        ("posterior {asia} --figure {folder}/f.png", "matplotlib", "figures"),
        ("explain asia lung -e smoke=yes --figure {folder}/f.svg", "matplotlib", "figures"),
        ("count --figure -o {folder}/f.svg", "matplotlib", "figures"),
        ("study run structure-priors --scale smoke --plan", "polars", "files"),
        ("study status structure-priors", "polars", "files"),
        ("app {asia} --folder {folder}/projects --no-browser", "starlette", "app"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(line, package, extra, asia_csv, tmp_path, call, bare):
    frame = vd.networks.load("asia").sample(9, seed=1)
    with bare.context() as patch:
        patch.setitem(sys.modules, "polars", pl)
        frame.write(tmp_path / "old.parquet")
        frame.write(tmp_path / "old.arrow")
    before = sorted(tmp_path.iterdir())
    code, _, complaint = call(*line.format(folder=tmp_path, asia=asia_csv).split())
    assert code == 2
    assert complaint.endswith(
        f"needs the package {package}, which is not installed: pip install 'veridag[{extra}]'\n"
    ), complaint
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "line",
    [
        "describe {asia}",
        "learn {asia} -o {folder}/g.json --draw {folder}/g.svg",
        "learn {asia} --algorithm exact -o {folder}/net.bif",
        "fit {asia} --graph asia -o {folder}/net.bif",
        "score {asia} asia",
        "compare asia asia",
        "sample alarm -n 50 -o {folder}/t.csv.gz",
        "predict asia {asia} lung -o {folder}/p.csv",
        "study list",
        "--help",
    ],
)
def test_what_needs_no_extra_works_without_them(line, asia_csv, tmp_path, call, bare):
    code, _, complaint = call(*line.format(folder=tmp_path, asia=asia_csv).split())
    assert code == 0, complaint


def test_results_do_not_depend_on_the_extras(asia_csv, tmp_path, bare):
    def found() -> list[object]:
        data = vd.read(asia_csv)
        data.write(tmp_path / "again.csv")
        again = (tmp_path / "again.csv").read_bytes()
        columns = {name: [data.states[name][v] for v in data.column(name)] for name in data.names}
        exact = vd.Exact().learn(data)
        return [data, again, vd.learn(data).settings, vd.Data.from_frame(columns), exact.graph, exact.score]

    bare.setattr("veridag.data.reading.delimited._SMALL", 0)
    without = found()
    bare.undo()
    bare.setattr("veridag.data.reading.delimited._SMALL", 0)
    assert found() == without


def test_exact_search_without_scip_does_what_it_can(bare):
    data = vd.networks.load("alarm").sample(300, seed=1)
    table = vd.score_table(data.select(data.names[:20]), vd.BDeu(ess=1), max_indegree=2)
    with pytest.raises(InputError, match=r"'integer' needs the package pyscipopt, .*pip install 'veridag\[exact\]'"):
        vd.solve(table, method="integer")
    with pytest.raises(InputError, match=r"a component of 19 variables is left, .* pip install 'veridag\[exact\]'"):
        vd.solve(table, memory_limit=1e4)
    alone = vd.solve(table)
    assert alone.optimal
    bare.undo()
    assert vd.solve(table, method="integer").score == pytest.approx(alone.score, rel=1e-12)


def test_a_frame_of_polars_needs_the_extra(bare):
    with pytest.raises(InputError, match=r"to_polars needs the package polars, .*'veridag\[files\]'"):
        vd.Data.from_numpy(np.eye(2)).to_polars()


def loaded(*words: str) -> set[str]:
    """The packages that a command loads, and the parts of scipy."""
    code = (
        "import sys\nfrom veridag.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit as stop:\n"
        "    assert not stop.code, stop.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_the_help_loads_no_package_but_that_of_the_command_line():
    heavy = {"numpy", "scipy", "polars", "matplotlib", "pandas", "jinja2", "narwhals", "rich", "pydantic"}
    assert loaded("--help") & heavy == set()


def test_learning_from_a_small_file_loads_numpy_and_the_core_alone(asia_csv):
    modules = loaded("learn", asia_csv)
    assert {"numpy", "veridag._core"} <= modules
    heavy = {"scipy", "polars", "matplotlib", "pyscipopt", "pandas", "pyarrow", "jinja2", "narwhals", "pydantic"}
    assert modules & heavy == set()
    assert not [name for name in modules if name.startswith(("veridag.posteriors", "veridag.report", "numpy.f2py"))]
