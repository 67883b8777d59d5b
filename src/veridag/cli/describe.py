"""The command that summarises a table."""

from __future__ import annotations

import typer

from .app import app
from .options import Table, takes_data


@app.command()
@takes_data
def describe(
    data: Table,
) -> None:
    """Summarise a table.

    Shows each column's kind and the rule that decided it, its states, and what was done about missing values.
    """
    typer.echo(str(data.read().describe()))
