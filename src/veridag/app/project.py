"""Projects: a folder each, with a table, how it is read, what is known, and the runs.

The table has a fixed name there. What the user calls it is a text in `project.json` and never part of a path.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from veridag.data.data import Data
from veridag.data.files import load
from veridag.data.reading.formats import FORMATS
from veridag.data.settings import TableSettings, settings_path
from veridag.errors import InputError
from veridag.files.toml import as_toml, load_toml
from veridag.files.writing import whole_file, write_text
from veridag.graph.knowledge import Knowledge

_ID = re.compile(r"[a-z0-9]{12}")
_FACTS, _KNOWLEDGE = "project.json", "knowledge.toml"
_PARTS = ("tiers", "required", "forbidden")
_LONGEST_NAME = 200
_CHUNK = 2**20


class NoSuchProject(InputError):
    """There is no project of this name, or there is no more."""


@dataclass(frozen=True)
class Project:
    """One project; everything is read from its folder when it is asked for, since other processes write there, too."""

    folder: Path

    @property
    def id(self) -> str:
        """Its name in addresses, made by us."""
        return self.folder.name

    @cached_property
    def _facts(self) -> dict[str, str]:
        try:
            facts = json.loads((self.folder / _FACTS).read_text("utf-8"))
            suffix = suffix_of(str(facts["table"]))
            return {"name": str(facts["name"]), "created": str(facts["created"]), "suffix": suffix}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            raise NoSuchProject("This project does not exist any more: go back to the list of projects.") from None

    def check(self) -> None:
        """Raise `NoSuchProject` if the folder holds none."""
        assert self._facts

    @property
    def name(self) -> str:
        """What the user called the table."""
        return self._facts["name"]

    @property
    def created(self) -> str:
        """When it was made, as ISO 8601 in UTC."""
        return self._facts["created"]

    @property
    def table(self) -> Path:
        """The file of the table."""
        return self.folder / f"table{self._facts['suffix']}"

    @property
    def settings_file(self) -> Path:
        """How the table is read: the settings file next to the table, which every command finds."""
        return settings_path(self.table)

    @property
    def knowledge_file(self) -> Path:
        """What is known, if anything is."""
        return self.folder / _KNOWLEDGE

    @cached_property
    def lock(self) -> threading.Lock:
        """Held while settings or knowledge change, so that two tabs do not overwrite each other."""
        return _lock_of(self.folder)

    def settings(self) -> TableSettings:
        """How the table is read."""
        kept = TableSettings.beside(self.table)
        return TableSettings(strict=False) if kept is None else kept[1]

    def data(self) -> Data:
        """The table, as `settings` say."""
        loaded = load(self.table, TableSettings(strict=False))
        if loaded.later is None:
            return loaded.data
        from veridag.trust.discretizing import discretize

        return discretize(loaded.data, loaded.later)

    def knowledge(self) -> Knowledge | None:
        """What is known, or None if that is nothing; a run is given `knowledge_step.usable`."""
        if not self.knowledge_file.is_file():
            return None
        said = load_toml(self.knowledge_file).get("knowledge", {})
        if not isinstance(said, dict):
            raise InputError(f"{_KNOWLEDGE}: knowledge must be a section, [knowledge]")
        made = Knowledge(**{part: said.get(part, ()) for part in _PARTS})
        return None if made == Knowledge() else made

    def knowledge_text(self) -> str:
        """What is known, as TOML; empty if that is nothing."""
        return self.knowledge_file.read_text("utf-8") if self.knowledge_file.is_file() else ""

    def keep_settings(self, settings: TableSettings) -> None:
        """Read the table in another way from now on."""
        settings.write(self.settings_file)

    def keep_knowledge(self, knowledge: Knowledge) -> None:
        """Know something else from now on."""
        lines = [f"{part} = {as_toml(value)}" for part in _PARTS if (value := getattr(knowledge, part))]
        write_text(self.knowledge_file, "\n".join(["# What is known about the variables.", "[knowledge]", *lines, ""]))

    @property
    def version(self) -> str:
        """Differs whenever settings or knowledge do, so that a run can say what it was made from."""
        parts = [path.read_bytes() if path.is_file() else b"" for path in (self.settings_file, self.knowledge_file)]
        return sha256(b"\0".join(parts)).hexdigest()[:16]


class Projects:
    """All projects in a folder; other things in it are left alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def __iter__(self) -> Iterator[Project]:
        """The newest first."""
        if not self.folder.is_dir():
            return iter(())
        found = []
        for path in self.folder.iterdir():
            with suppress(NoSuchProject):  # what is left of one, or something else
                found.append(self.open(path.name))
        return iter(sorted(found, key=lambda project: project.created, reverse=True))

    def create(self, name: str, table: BinaryIO) -> Project:
        """A new project with this table; its name says the format, and nothing else depends on it."""
        shown = shown_name(name)
        suffix = suffix_of(shown)
        folder = self.folder / secrets.token_hex(6)
        folder.mkdir(parents=True, mode=0o700)
        try:
            with whole_file(folder / f"table{suffix}") as draft, draft.open("wb") as file:
                shutil.copyfileobj(table, file, _CHUNK)
            TableSettings(strict=False).write(settings_path(folder / f"table{suffix}"))
            facts = {"name": shown, "table": f"table{suffix}", "created": datetime.now(UTC).isoformat()}
            write_text(folder / _FACTS, json.dumps(facts, ensure_ascii=False))  # last: without it, it is no project
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Project(folder)

    def open(self, id: str) -> Project:
        """The project of this name; `NoSuchProject` if there is none."""
        if not _ID.fullmatch(id):
            raise NoSuchProject("There is no such project: go back to the list of projects.")
        project = Project(self.folder / id)
        project.check()
        return project

    def remove(self, id: str) -> None:
        """Delete a project and all that was learned in it."""
        project = self.open(id)
        (project.folder / _FACTS).unlink()  # first: what is left of it is no project
        shutil.rmtree(project.folder, ignore_errors=True)


def shown_name(name: str) -> str:
    """A file name as it is shown: without folders and control characters, and not too long."""
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(character for character in last if character.isprintable()).strip()
    return clean if len(clean) <= _LONGEST_NAME else f"{clean[:80]}…{clean[-80:]}"


def suffix_of(name: str) -> str:
    """The suffix of a table's format, packed or not, as veridag spells it; a name never gives more than that."""
    lower = name.lower()
    known = [suffix for format in FORMATS for suffix in format.suffixes]
    for suffix in sorted((*(f"{one}.gz" for one in known), *known, ".zip"), key=len, reverse=True):
        if lower.endswith(suffix):
            return suffix
    raise InputError(
        f"The name {name!r} does not say what kind of table it is. It must end in one of {', '.join(known)}, "
        "or in one of them with .gz or .zip: save it as CSV or as a workbook, for example."
    )


_locks: dict[Path, threading.Lock] = {}
_making = threading.Lock()


def _lock_of(folder: Path) -> threading.Lock:
    with _making:
        return _locks.setdefault(folder, threading.Lock())
