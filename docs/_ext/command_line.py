"""The reference of the command line, from the program's own help: `{commands}` documents every command and option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from public_names import keep_as_written
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from veridag.cli.app import ORDER, app

_CODE = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*|\btcp://[\w.:]*\w")  # options, and addresses that are no links


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its full name, such as `study run`, in the order of the program's help."""
    group = typer.main.get_command(app)
    for name in (name for names in ORDER.values() for name in names if name in group.commands):
        yield from _below(name, group.commands[name])


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for own, child in getattr(command, "commands", {}).items():
        yield from _below(f"{name} {own}", child)


def options(command: Any) -> list[Any]:
    """The options of a command that its help shows."""
    return [p for p in command.params if p.param_type_name == "option" and not p.hidden]


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        lines = [line for name, command in commands() for line in section(name, command)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def section(name: str, command: Any) -> Iterator[str]:
    """The section of a command, in Markdown."""
    context = typer.Context(command, info_name=f"veridag {name}")
    yield from (f"## {name}", "```{eval-rst}", f".. program:: veridag {name}", "")
    yield from (
        *_paragraphs(command.help or ""),
        "::",
        "",
        f"   {' '.join(command.get_usage(context).split()[1:])}",
        "",
    )
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield from (f"``{parameter.metavar or parameter.name.upper()}``", *_described(parameter.help or ""))
    for option in options(command):
        names, described = option.get_help_record(context)
        yield from (f".. option:: {names.replace(' / ', ', ')}", "", *_described(described))
    yield from ("```", "")
    examples = [line.strip() for line in (getattr(command, "epilog", None) or "").splitlines() if line.strip()]
    if examples:
        yield from ("```console", *(f"$ {line}" for line in examples), "```", "")


def _plain(text: str) -> str:
    """A paragraph of the help, with its options and addresses as code."""
    return _CODE.sub(r"``\g<0>``", keep_as_written(" ".join(text.split())))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "")):
        yield from (_plain(paragraph), "")


def _described(text: str) -> Iterator[str]:
    yield from (f"   {_plain(text)}", "")


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
