"""The tables of mutants."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mutant:
    """A text that occurs once in a file, what it becomes, why that is wrong, and the test that fails then.

    The test is the name of a C++ test, or of a Python test with its file, as pytest takes it.
    """

    file: str
    text: str
    becomes: str
    why: str
    killed_by: str

    @property
    def in_core(self) -> bool:
        return self.file.startswith("src/core/")

    @property
    def by_python(self) -> bool:
        return "::" in self.killed_by

    @property
    def occurrences(self) -> int:
        return (ROOT / self.file).read_text("utf-8").count(self.text)

    def source(self) -> str:
        """The file with the mistake in it."""
        if self.occurrences != 1:
            raise ValueError(f"{self.file}: {self.text!r} occurs {self.occurrences} times: correct the table")
        return (ROOT / self.file).read_text("utf-8").replace(self.text, self.becomes)


def load() -> list[Mutant]:
    """All mutants, those of the core first."""
    tables = [tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8")) for name in ("core", "python")]
    return [Mutant(**entry) for table in tables for entry in table["mutant"]]
