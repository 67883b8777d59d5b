"""Check what `make wheel` built, as those who install it would: the last part of `make release-check`.

Every wheel in `dist/` is installed for every Python that is found and that it fits, in a fresh environment without a
compiler and without the source tree; the source archive is compiled and installed from itself. All of them must compute
the same bits.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from zipfile import ZipFile

import changelog

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "zig")
PYTHONS = [f"python3.{minor}" for minor in range(11, 20)]
SYSTEMS = {"linux": "manylinux", "darwin": "macosx", "win32": "win"}
TAGS = re.compile(r"-cp3(\d+)-(abi3|cp3\d+)-(manylinux|macosx|win)[\w.]*_(x86_64|aarch64|arm64|amd64)\.whl$")
OUTSIDE = (".ci/", ".github/")  # what is for the repository alone


def step(words: str) -> None:
    """Say what is done now."""
    print(f"== {words}", flush=True)


def run(*words: object, folder: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; it is shown if the command fails, and nothing comes after that."""
    done = subprocess.run(list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n== Failed: {' '.join(map(str, words))}")
    return done.stdout


def git(*words: str) -> list[str]:
    """The lines that git prints; none where there is no repository."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return []
    return run("git", *words).splitlines()


def project_files() -> set[str]:
    """The files that belong into the source archive, as git knows them."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard")
    return {name for name in listed if not name.startswith(OUTSIDE) and (ROOT / name).exists()}


def archived(archive: Path) -> dict[str, bytes]:
    """The files of a source archive, without what the build adds."""
    with tarfile.open(archive) as opened:
        members = [member for member in opened.getmembers() if member.isfile()]
        files = {member.name.split("/", 1)[1]: opened.extractfile(member).read() for member in members}  # type: ignore[union-attr]
    files.pop("PKG-INFO")
    return files


def packaged(wheel: Path) -> dict[str, bytes]:
    """The files of the package in a wheel, without the compiled core."""
    with ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if re.fullmatch(r"veridag/.*(?<!/)(?<!\.so)(?<!\.pyd)", name)]
        return {name: opened.read(name) for name in names}


def fits(wheel: str, minor: int, system: str = sys.platform, machine: str = platform.machine()) -> bool:
    """Whether a wheel is for Python 3.`minor` on this machine."""
    tags = TAGS.search(wheel)
    if tags is None or tags[3] != SYSTEMS.get(system) or tags[4] != machine.lower():
        return False
    return int(tags[1]) <= minor if tags[2] == "abi3" else int(tags[1]) == minor


def pythons() -> Iterator[tuple[int, str]]:
    """The Pythons that are installed here, each by the second part of its version."""
    for name in PYTHONS:
        path = shutil.which(name)
        words = [path, "-c", "import sys; print(sys.version_info[1])"]
        done = subprocess.run(words, capture_output=True, text=True, check=False) if path else None
        if path and done and not done.returncode:
            yield int(done.stdout), path


def results(python: str, package: Path, *, compiling: bool) -> str:
    """Install a package in a fresh environment, try it there, and return the digests of all that it computes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "venv")
        env = {
            name: value for name, value in os.environ.items() if not re.match(r"PYTHON|CMAKE|C\w*FLAGS|LDFLAGS", name)
        }
        if not compiling:
            env["PATH"] = str(folder / "venv" / "bin")
            if found := [one for one in COMPILERS if shutil.which(one, path=env["PATH"])]:
                sys.exit(f"== There is a compiler: {found}")
        own = folder / "venv" / "bin" / "python"
        pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        run(
            *pip,
            "--only-binary=:all:",
            "--require-hashes",
            "-r",
            ROOT / "requirements/base.txt",
            folder=folder,
            env=env,
        )
        run(*pip, "--no-deps", package, folder=folder, env=env)
        for script in ("release/installed.py", "tests/machines.py", "tests/learners.py"):
            shutil.copy(ROOT / script, folder)
        print(run(own, "installed.py", VERSION, folder=folder, env=env), end="", flush=True)
        return run(own, "-W", "ignore", "machines.py", folder=folder, env=env)


def check_contents(archive: Path, wheels: list[Path]) -> None:
    """Archive and wheels have the files of the project, in the same version."""
    own = archived(archive)
    if listed := project_files():
        step(f"{archive.name} has the {len(listed)} files of the project and no others")
        if strays := own.keys() ^ listed:
            sys.exit(f"== Only in the archive, or only in the project: {sorted(strays)}")
    else:
        step(f"{archive.name}: not compared with the project, whose files only git knows")
    sources = {name.removeprefix("src/"): text for name, text in own.items() if name.startswith("src/veridag/")}
    for wheel in wheels:
        step(f"{wheel.name} has the files of the package in the archive")
        if packaged(wheel) != sources:
            sys.exit("== It was built from other sources: remove it, and run make wheel with its Python")


def check_metadata(wheels: list[Path]) -> None:
    """The registry would accept all files, and abi3 wheels keep what their name promises."""
    step("twine: the metadata is what the registry asks for")
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    for wheel in wheels:
        if "-abi3-" in wheel.name:
            step(f"abi3audit: {wheel.name} uses nothing but the stable ABI")
            run(sys.executable, "-m", "abi3audit", "--strict", "--report", wheel)


def installations(archive: Path, wheels: list[Path]) -> Iterator[tuple[str, str]]:
    """What was installed, and the digests that it gave; whatever cannot be tried here is said."""
    found = list(pythons())
    for wheel in wheels:
        fitting = [(minor, python) for minor, python in found if fits(wheel.name, minor)]
        if not fitting:
            step(f"{wheel.name}: not tried, for no Python here is one that it is for")
        for minor, python in fitting:
            step(f"{wheel.name} on Python 3.{minor}, without a compiler (1 minute)")
            yield f"{wheel.name} on 3.{minor}", results(python, wheel, compiling=False)
    absent = [name for name in PYTHONS[:4] if int(name.split(".")[1]) not in dict(found)]
    if absent:
        step(f"Not tried, for they are not here: {', '.join(absent)}")
    if any(shutil.which(compiler) for compiler in COMPILERS[:4]):
        step(f"{archive.name}, compiled and installed from itself (3 minutes)")
        yield archive.name, results(sys.executable, archive, compiling=True)
    else:
        step(f"{archive.name}: not installed from itself, for there is no compiler")


def main() -> None:
    """All checks; the first that fails ends it."""
    archive, wheels = DIST / f"veridag-{VERSION}.tar.gz", sorted(DIST.glob("*.whl"))
    if foreign := [path.name for path in DIST.iterdir() if not path.name.startswith(f"veridag-{VERSION}")]:
        sys.exit(f"== dist/ has files of other versions: {foreign}")
    check_contents(archive, wheels)
    check_metadata(wheels)
    digests = dict(installations(archive, wheels))
    if len(set(digests.values())) != 1:
        sys.exit("\n".join(["== The installations compute different results:", *digests]))
    [text] = set(digests.values())
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    step(
        f"Installations tried: {len(digests)}. All computed the same {len(text.splitlines())} results, digest {digest}"
    )
    tags = git("tag", "--points-at", "HEAD", "v*")
    left = changelog.hindrances(changelog.newest((ROOT / "CHANGELOG.md").read_text("utf-8")), VERSION, tags)
    if tags and left:
        sys.exit("\n   ".join(["== Tagged as a release, but:", *left]))
    step("\n   ".join(["All checks passed. Left to do for a release:", *left]) if left else f"Ready: {VERSION}")


if __name__ == "__main__":
    main()
