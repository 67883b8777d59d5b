"""The command that looks at a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from veridag.errors import InputError

from .app import command
from .options import DataSource, JsonOption, takes_data
from .outputs import check_figure, check_writable, whole
from .parsing import names_of
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.data import Inspection


@command(
    "describe",
    "veridag describe cases.csv",
    "veridag describe cases.csv --counts smoker",
    "veridag describe survey.csv --figure missing.svg",
    "veridag describe cases.csv --drop name --kind age=continuous --save",
)
@takes_data
def describe(
    source: DataSource,
    save: Annotated[
        bool, typer.Option("--save", help="Save the options to a file next to the table: cases.toml for cases.csv.")
    ] = False,
    counts: Annotated[
        list[str] | None,
        typer.Option(
            help="List the states of these columns with their counts, such as smoker,age; * means all columns.",
            metavar="A,B",
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(help="Plot which values are missing together to this file, .svg or .png.", metavar="FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Describe a table: its columns, and every problem in them.

    Shows the kind of each column and why, and what veridag will do about each problem. No table is refused. If values
    are missing, it shows where, which are missing together, and what this means for learning. With --missing drop or
    state, this describes the table before rows were dropped or missing values became a state.

    Every finding names the option that changes it. All commands that read a table take these options, and --save stores
    them, so that you do not have to give them again.
    """
    from veridag.data import inspect
    from veridag.data.settings import settings_path

    check_figure(figure)
    if save and source.path == "-":
        raise InputError("--save: standard input has no file to save next to: give the table as a file")
    if save:
        check_writable(str(settings_path(source.path)))
    inspection = inspect(source.file, source.settings)
    piped = figure == "-"
    echo(inspection.to_json() if as_json else str(inspection), err=piped)
    if counts is not None and not as_json:
        names = names_of(counts)
        echo(inspection.states_shown(None if "*" in names else names), err=piped)
    if figure is not None:
        _draw_missing(inspection, figure)
    if not save:
        return
    path = settings_path(source.path)
    with whole(str(path)) as draft:
        source.in_effect.write(draft)
    say(f"options saved in {path}")


def _draw_missing(inspection: Inspection, path: str) -> None:
    from veridag.figures import missing_figure

    if inspection.missing is None or not inspection.missing.variables:
        raise InputError(
            f"--figure {path}: no variable of {inspection.source} has missing values, so there is no figure"
        )
    with whole(path, ".svg") as draft:
        missing_figure(draft, inspection.missing)
