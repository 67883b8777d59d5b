"""What people get who install veridag without extras: in an environment of its own, from a wheel."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_BYTES = 300_000_000
SOLVE = "vd.solve(vd.score_table(data, vd.BDeu(ess=1), max_indegree=2), method='integer')"


def run(*words: object, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """A fresh environment with veridag and what it needs; the core is the one that `make` compiled."""
    folder = tmp_path_factory.mktemp("base")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    options = ("--no-deps", "--no-build-isolation", "--config-settings=build-dir=build/core")
    made = run(*pip, "wheel", *options, "--wheel-dir", folder, ROOT)
    assert made.returncode == 0, made.stderr
    venv.create(folder / "venv", with_pip=False)
    [wheel] = folder.glob("*.whl")
    done = run(*pip, "--python", folder / "venv/bin/python", "install", "--no-compile", wheel)
    assert done.returncode == 0, done.stderr
    return folder / "venv"


@pytest.mark.slow
def test_a_base_installation_is_small(base):
    [packages] = base.glob("lib/python*/site-packages")
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert size < MOST_BYTES
    names = {path.name for path in packages.iterdir()}
    assert names.isdisjoint({"polars", "matplotlib", "pyscipopt", "pandas", "pyarrow", "duckdb", "sklearn"})


@pytest.mark.slow
def test_a_base_installation_does_all_that_needs_no_extra(base, tmp_path):
    for line in (
        "--help",
        "sample asia -n 300 --seed 1 -o cases.csv",
        "describe cases.csv",
        "learn cases.csv -o graph.json --draw graph.svg",
        "learn cases.csv --algorithm exact",
        "fit cases.csv --graph graph.json -o net.bif",
        "score cases.csv graph.json",
        "compare graph.json asia",
        "predict net.bif cases.csv lung -o predicted.csv",
        "query net.bif lung -e smoke=yes",
        "posterior cases.csv",
        "report cases.csv -o report.html",
    ):
        done = run(base / "bin/veridag", *line.split(), folder=tmp_path)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("vd.networks.load('asia').sample(9, seed=1).write('t.parquet')", "files"),
        ("vd.networks.load('asia').sample(9, seed=1).to_polars()", "files"),
        ("from veridag.figures import indegree_figure as draw; draw('f.svg')", "figures"),
        ("data = vd.networks.load('alarm').sample(300, seed=1)\n" + SOLVE, "exact"),
        ("import veridag.sklearn", "sklearn"),
    ],
)
def test_what_a_base_installation_lacks_is_named_with_its_extra(base, code, extra, tmp_path):
    done = run(base / "bin/python", "-c", f"import veridag as vd\n{code}", folder=tmp_path)
    assert f"which is not installed: pip install 'veridag[{extra}]'" in done.stderr.splitlines()[-1]
