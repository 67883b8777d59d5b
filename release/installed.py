"""Try an installation of veridag as a user would, with its own Python: `python installed.py [VERSION]`.

It needs nothing of the source tree, so that it can be copied and run anywhere.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import veridag as vd


def command(folder: Path, line: str) -> str:
    """What a command prints; this Python's own `veridag` is run."""
    program = Path(sys.executable).with_name("veridag.exe" if sys.platform == "win32" else "veridag")
    done = subprocess.run([program, *line.split()], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"veridag {line} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Run commands and a search; stop at the first mistake."""
    if not Path(vd.__file__).is_relative_to(sys.prefix):
        sys.exit(f"veridag was imported from {vd.__file__}, and not from the installation in {sys.prefix}")
    if sys.argv[1:] not in ([], [vd.__version__]):
        sys.exit(f"version {vd.__version__} is installed, and not {sys.argv[1]}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if vd.__version__ not in command(folder, "--version"):
            sys.exit("veridag --version says something else")
        command(folder, "sample asia -n 2000 --seed 1 -o cases.csv")
        command(folder, "learn cases.csv -o learned.json --draw learned.svg")
        command(folder, "report cases.csv -o report.html")
        missing = [
            file for file in ("learned.json", "learned.svg", "report.html") if not (folder / file).stat().st_size
        ]
        if missing:
            sys.exit(f"empty: {missing}")
        data = vd.read(folder / "cases.csv")
    found = vd.HillClimbing(score=vd.BDeu(ess=1), max_indegree=3).learn(data, seed=1)
    again = vd.score(found.dag, data, vd.BDeu(ess=1))
    if not found.dag.arcs or abs(found.score - again) > 1e-6 * abs(again):
        sys.exit(f"hill climbing found {found.dag} with score {found.score}, but vd.score gives {again}")
    print(
        f"veridag {vd.__version__} on Python {sys.version.split()[0]}, {sys.platform}: commands, report and search work"
    )


if __name__ == "__main__":
    main()
