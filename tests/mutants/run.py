"""Make one mistake at a time in a copy and run the test that should notice it: `make mutants`.

A mutant of the core is compiled with the files of its folder, as the installation compiles them, and linked in place of
that folder: into the C++ tests, or into the extension if a Python test is named. A mutant of a Python file is put into
a copy of the package made of links. Nothing in the tree is changed. A C++ test that does not end counts as failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants.table import ROOT, Mutant, load

#: Where the installation compiles; the C++ tests must have been built.
BUILD = ROOT / "build/core"
EXTENSION = next(path.name for path in BUILD.glob("_core.*") if path.suffix in (".so", ".pyd"))

#: More than ten times what the slowest test takes.
SECONDS = 300

#: Runs pytest with the package from a folder, whatever is installed.
WITH_PACKAGE_FROM = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, sys.argv[1])
import veridag
assert veridag.__file__.startswith(sys.argv[1]), veridag.__file__
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


class NotCompiled(Exception):
    """A mutant that the compiler refuses is none."""


def ninja(*arguments: str) -> str:
    command = ["ninja", "-C", str(BUILD), "--quiet", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Core:
    """How the objects of the build are compiled and linked."""

    def __init__(self) -> None:
        listed = json.loads(ninja("-t", "compdb"))
        self.commands = {entry["output"]: entry for entry in listed if entry["output"].endswith(".o")}
        self.sources: dict[str, set[Path]] = {}
        for block in ninja("-t", "deps").split("\n\n"):
            output, _, paths = block.partition(":")
            self.sources[output] = {(BUILD / line.strip()).resolve() for line in paths.splitlines()[1:]}
        self.links = {
            target: ninja("-t", "commands", target).splitlines()[-1].removeprefix(": && ").split(" && ")[0]
            for target in ("core_tests", EXTENSION)
        }

    def build(self, mutant: Mutant, target: str, folder: Path) -> Path:
        """The target with the mutant in it."""
        changed = folder / Path(mutant.file).relative_to("src/core")
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.source(), "utf-8")
        parts = ("veridag_core.dir", "core_tests.dir" if target == "core_tests" else "_core.dir")
        objects = {}
        for output, sources in self.sources.items():
            if ROOT / mutant.file in sources and output.split("/")[1] in parts:
                objects[output] = folder / f"{len(objects)}.o"
                self._compile(output, mutant, changed, folder, objects[output])
        link = shlex.split(self.links[target])
        link = [str(objects.pop(word)) if word in objects else word for word in link]
        library = link.index("libveridag_core.a")
        link[library:library] = map(str, objects.values())  # before the library's own, which are then not needed
        link[link.index("-o") + 1] = str(folder / target)
        subprocess.run(link, cwd=BUILD, check=True, capture_output=True)
        return folder / target

    def _compile(self, output: str, mutant: Mutant, changed: Path, folder: Path, to: Path) -> None:
        """The files of a folder are included by one file, by their full names; headers are looked for here first."""
        command = shlex.split(re.sub(r"-MD -MT \S+ -MF \S+|-Winvalid-pch", "", self.commands[output]["command"]))
        source = (BUILD / self.commands[output]["file"]).resolve()
        together = to.with_suffix(".cpp")
        together.write_text(source.read_text("utf-8").replace(str(ROOT / mutant.file), str(changed)), "utf-8")
        command[command.index("-o") + 1] = str(to)
        command[command.index("-c") + 1] = str(together)
        first = next(i for i, word in enumerate(command) if word.startswith("-"))
        command[first:first] = [f"-I{folder}", f"-I{source.parent}"]
        found = subprocess.run([*command, "-O0", "-w"], cwd=BUILD, capture_output=True, text=True, check=False)
        if found.returncode:
            raise NotCompiled(found.stderr)


def make_package(folder: Path, replaced: Mapping[Path, Path | str]) -> None:
    """The package in a folder, made of links but for some files, given by their paths in it as other files or texts."""

    def link(here: Path, original: Path, within: Path) -> None:
        here.mkdir()
        for entry in original.iterdir():
            path = within / entry.name
            if any(path in other.parents for other in replaced):
                link(here / entry.name, entry, path)
            elif entry.name != "__pycache__" and path not in replaced:
                (here / entry.name).symlink_to(entry)

    link(folder, ROOT / "src/veridag", Path())
    for path, content in replaced.items():
        if isinstance(content, Path):
            (folder / path).symlink_to(content)
        else:
            (folder / path).write_text(content, "utf-8")


def run_python(folder: Path, *tests: str) -> bool:
    """Whether the tests pass with the package in a folder."""
    command = [sys.executable, "-c", WITH_PACKAGE_FROM, str(folder), "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "examples")}
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if found.returncode not in (0, 1):  # neither passed nor failed
        raise RuntimeError(f"pytest {' '.join(tests)}: {found.stdout[-2000:]}{found.stderr[-2000:]}")
    return found.returncode == 0


def run_cpp(program: Path, *tests: str) -> bool:
    """Whether C++ tests pass."""
    try:
        return subprocess.run([program, *tests], capture_output=True, timeout=SECONDS, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def killers(program: Path) -> list[str]:
    """All C++ tests that fail."""
    names = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if not run_cpp(program, name)]


def survives(mutant: Mutant, core: Core) -> bool:
    """Whether the mutant's test passes all the same."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        if mutant.in_core and not mutant.by_python:
            return run_cpp(core.build(mutant, "core_tests", folder / "core"), mutant.killed_by)
        extension = BUILD / EXTENSION
        replaced: dict[Path, Path | str] = {}
        if mutant.in_core:
            extension = core.build(mutant, EXTENSION, folder / "core")
        else:
            replaced[Path(mutant.file).relative_to("src/veridag")] = mutant.source()
        make_package(folder / "veridag", {**replaced, Path(EXTENSION): extension})
        return run_python(folder, mutant.killed_by)


def check_tests_pass(mutants: Sequence[Mutant]) -> None:
    """A test that fails anyway would kill any mutant."""
    cpp = {mutant.killed_by for mutant in mutants if not mutant.by_python}
    python = {mutant.killed_by for mutant in mutants if mutant.by_python}
    if cpp and not run_cpp(BUILD / "core_tests", *cpp):
        raise SystemExit("a C++ test that is named in the table fails without any mutant: run make cpp-tests")
    with TemporaryDirectory() as name:
        make_package(Path(name) / "veridag", {Path(EXTENSION): BUILD / EXTENSION})
        if python and not run_python(Path(name), *python):
            raise SystemExit("a Python test that is named in the table fails without any mutant: run make test")


def report(mutant: Mutant, core: Core, find: bool) -> bool:
    """Tell what became of a mutant, and whether it was killed."""
    said = f"{mutant.file}: {mutant.why}"
    try:
        if find:
            with TemporaryDirectory() as name:
                found = killers(core.build(mutant, "core_tests", Path(name) / "core"))
            print(f"{'killed' if found else 'SURVIVED'}  {said}: {' '.join(found)}", flush=True)
            return bool(found)
        killed = not survives(mutant, core)
    except NotCompiled as error:
        print(f"NO MUTANT  {said}: {error}", flush=True)
        return False
    print(f"{'killed' if killed else 'SURVIVED'}  {said}: {mutant.killed_by}", flush=True)
    return killed


def main() -> int:
    """Run the mutants that are asked for; how many were not killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every so-many-th mutant")
    parser.add_argument("--only", default="", help="only mutants whose file or reason contains this")
    parser.add_argument("--find", action="store_true", help="run all C++ tests, and list those that fail")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    mutants = [one for one in load() if chosen.only in f"{one.file}: {one.why}" and (one.in_core or not chosen.find)]
    mutants = mutants[:: chosen.every]
    core = Core()
    if not chosen.find:
        check_tests_pass(mutants)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        killed = list(pool.map(lambda mutant: report(mutant, core, chosen.find), mutants))
    print(f"{sum(killed)} of {len(killed)} mutants were killed")
    return len(killed) - sum(killed)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
