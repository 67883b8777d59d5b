"""The command that summarises a table."""

from __future__ import annotations

import typer

from .app import command
from .options import DataSource, takes_data


@command("describe")
@takes_data
def describe(
    source: DataSource,
) -> None:
    """Summarise a table.

    Shows each column's kind and the rule that decided it, its states, and what was done about missing values.
    """
    typer.echo(str(source.read().describe()))
