"""The program `veridag`: options that come before a command, and how errors reach the user."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from veridag.errors import InputError

app = typer.Typer(
    name="veridag",
    help="Learn the structure of Bayesian networks, and find out which learner to trust on your data.",
    epilog="A file given as - is standard input or output. --debug shows the traceback of an error.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
    """Options that come before the command."""
    del debug  # main() has looked for it, wherever it stands
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"veridag {installed('veridag')}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: a user's mistake is one line on standard error and exit code 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"] or ["--help"]
    try:
        code = typer.main.get_command(app)(args=words, prog_name="veridag", standalone_mode=False)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone, as `| head` does; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if debug:
            raise
        _complain(error)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: Exception) -> None:
    """One line and exit code 2 for what a user can mend; anything else is a defect of veridag and says so."""
    if hasattr(error, "format_message"):  # the words of the command line itself are wrong
        message = error.format_message()
    elif isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory: {error}" if str(error) else "not enough memory"
    elif isinstance(error, InputError | OSError):
        message = str(error)
    else:
        typer.echo(f"veridag: unexpected {type(error).__name__}: {error} (--debug shows where)", err=True)
        sys.exit(1)
    typer.echo(f"veridag: {' '.join(message.split())}", err=True)
    sys.exit(2)
