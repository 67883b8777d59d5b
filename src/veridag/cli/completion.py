"""Completion of what is typed in a shell: the command that prints the script for it, and the names it offers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from veridag.display import visible_line

from .app import COMPLETE_VARIABLE, command
from .terminal import echo

if TYPE_CHECKING:
    from veridag.specs import Family


@command(
    "completion",
    "veridag completion bash",
    "veridag completion zsh",
    "veridag completion fish",
)
def print_completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(help="The shell: bash, zsh or fish.", metavar="SHELL")
    ],
) -> None:
    """Print a script for completion with the Tab key.

    It completes commands, options, and the names of networks, scores, priors, tests and algorithms.

    For bash, add the line `eval "$(veridag completion bash)"` to ~/.bashrc. For zsh, add the same line with zsh to
    ~/.zshrc, after compinit. For fish: `veridag completion fish > ~/.config/fish/completions/veridag.fish`.
    """
    from typer._completion_shared import get_completion_script

    echo(get_completion_script(prog_name="veridag", complete_var=COMPLETE_VARIABLE, shell=shell))


def network_names(incomplete: str) -> list[str]:
    """Reference networks, and files, that begin so."""
    from veridag.network.reference import names

    files = [str(path) for path in sorted(Path().glob(f"{incomplete}*"))] if "/" not in incomplete else []
    safe = [file for file in files if visible_line(file) == file]  # a shell prints them
    return [name for name in names() if name.startswith(incomplete)] + safe


def spec_names(family: Family) -> Callable[[str], list[str]]:
    """What completes the name of a score, a prior, a test or an algorithm."""

    def complete(incomplete: str) -> list[str]:
        from veridag.specs import members

        return [name for name in members(family) if name.startswith(incomplete)]

    return complete
