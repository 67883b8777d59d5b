"""Each writer with a fault at every step: ``python -m faults.writers FOLDER NAME ...``.

Whatever happens, each file is the old one or the new one as a whole, and an error leaves no other file behind. Prints
the number of faults of each writer, as JSON.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import veridag as vd
from faults.injection import FAILURES, KILLS, Fault, run
from writers import WRITERS, few_draws

OLD = b"old"
FAULTS = (*KILLS, *FAILURES, Fault(lines_of=("veridag.files.writing",)))


def files_in(folder: Path) -> dict[str, bytes]:
    """What is in a folder, without the drafts."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def faults_of(name: str, net: vd.Network, data: vd.Data, place: Path) -> Counter[str]:
    """Write with each fault at every step."""
    ending, write = WRITERS[name]

    def work(*_: object) -> None:
        write(net, data, place / f"result{ending}")

    def attempt(fault: Fault | None, step: int) -> tuple[bool, dict[str, bytes]]:
        place.mkdir()
        for file in before:
            (place / file).write_bytes(OLD)
        ended = run(work, fault, step)
        after = files_in(place)
        if ended.error is not None:
            check_error(fault, ended.error, ended.message, place)
        elif fault is None or fault.end not in ("kills", "kills half way"):
            assert OLD not in after.values(), "no error, and no new file"
        shutil.rmtree(place)
        return ended.reached, after

    before: tuple[str, ...] = ()
    _, new = attempt(None, 0)
    before = tuple(new)
    made: Counter[str] = Counter()
    for fault in FAULTS:
        for step in itertools.count():
            try:
                reached, after = attempt(fault, step)
                assert all(after[file] in (OLD, new[file]) for file in new), "a file is neither the old nor the new one"
                assert set(after) == set(new)
            except BaseException as error:
                error.add_note(f"{name}: {fault} at step {step}")
                raise
            if not reached:
                break
            made[str(fault)] += 1
    return made


def check_error(fault: Fault | None, error: str, message: str, place: Path) -> None:
    """It says which file could not be written, and only a draft that could not be removed is left behind."""
    if fault is not None and fault.lines_of:
        assert error == "MemoryError"
        return
    assert fault is not None, f"{error}: {message}"
    assert error in ("OSError", "InputError"), f"{error}: {message}"
    assert str(place) in message
    assert fault.calls == ("remove",) or not [path for path in place.iterdir() if path.name.startswith(".")]


def main(folder: Path, names: list[str]) -> None:
    time.localtime = lambda *_: time.gmtime(10**9)  # which is written into archives
    few_draws()  # made once, for they hold the seconds that it took
    net = vd.networks.load("asia")
    data = net.sample(100, seed=1)
    print(json.dumps({name: faults_of(name, net, data, folder / "place") for name in names}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(WRITERS))
