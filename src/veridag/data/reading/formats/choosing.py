"""Which table of a file that holds several: ``sheet=`` names it, in a database as in a workbook."""

from __future__ import annotations

from collections.abc import Sequence

from veridag.data.columns import listed
from veridag.errors import InputError, setting, suggest


def check_name(sheet: object, names: Sequence[str], word: str) -> None:
    """Refuse a name that is not there; `word` is what is named, a table or a sheet."""
    if not isinstance(sheet, str):
        raise InputError(f"sheet={sheet!r} must be the name of a {word}, as a string: {suggest('', names)}")
    if sheet not in names:
        raise InputError(f"{setting('sheet', sheet)} names no {word} of the file: {suggest(sheet, names)}")


def chosen_table(names: Sequence[str], sheet: object) -> str:
    """The table of a database that is named, or the only one."""
    if not names:
        raise InputError("the database has no tables: give another file")
    if sheet is not None:
        check_name(sheet, names, "table")
        return str(sheet)
    if len(names) > 1:
        raise InputError(
            f"the database has {len(names)} tables and views, {listed(names, 20)}: choose one, such as "
            f"{setting('sheet', names[0])}"
        )
    return names[0]
