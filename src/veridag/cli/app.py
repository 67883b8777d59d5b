"""The program `veridag`: its commands in the order of work, the options that all have, and how errors are shown."""

from __future__ import annotations

import errno
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from inspect import Parameter, signature
from types import TracebackType
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from veridag.errors import InputError, speaking_flags

from .plain_values import PlainValues
from .streams import abandon_output, prepare_streams
from .terminal import Volume, complain, detail, echo, set_volume, warnings_as_notes
from .wording import in_flags, set_flags

#: Where a shell puts what it wants to have completed.
COMPLETE_VARIABLE = "_VERIDAG_COMPLETE"

#: The commands by what they are for, in the order in which one comes to need them.
ORDER = {
    "Learn a network from a table": ("app", "describe", "learn", "fit", "impute", "draw"),
    "Query a network": ("query", "predict", "explain", "most-probable", "adjust", "effect"),
    "Check how reliable it is": (
        "report",
        "assess",
        "validate",
        "cross-validate",
        "bootstrap",
        "posterior",
        "best-networks",
    ),
    "Score, test and compare": ("compare", "score", "test", "differences", "pooling"),
    "Networks and files": ("networks", "sample", "simulate", "convert"),
    "Experiments and exact search": ("study", "count", "table", "solve"),
    "Shell": ("completion",),
}

#: The heading of options that every command has.
COMMON = "Every command"

QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only results and errors.", rich_help_panel=COMMON)
]
VerboseOption = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Print more: all settings and the run time.", rich_help_panel=COMMON),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", hidden=True)]


class Commands(PlainValues, TyperGroup):
    """A group that lists its commands by what they are for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, in the order of work."""
        placed = [name for names in ORDER.values() for name in names if name in self.commands]
        return [*placed, *(name for name in self.commands if name not in placed)]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A part of the help for each purpose."""
        width = max(map(len, self.commands))
        for heading, names in ORDER.items():
            rows = [
                (f"{name:{width}}", self.commands[name].get_short_help_str(formatter.width - width - 6))
                for name in names
                if name in self.commands
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


class Command(PlainValues, TyperCommand):
    """A command whose options are listed by what they are about, and whose help ends with examples.

    The heading of an option is its `rich_help_panel`; an example is a line of the epilog.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, the command's own options, and those that it shares with others."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                own = "Arguments" if param.param_type_name == "argument" else "Options"
                common = COMMON if param.name == "help" else getattr(param, "rich_help_panel", None)
                rows.setdefault(common or own, []).append((_without_types(record[0]), record[1]))
        for heading, records in rows.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments by their names alone."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they can be typed."""
        if not self.epilog:
            return
        with formatter.section("Examples"):
            for example in self.epilog.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def _without_types(name: str) -> str:
    """An option without the names of Python's types, which typer adds: `--jobs <int>` is `--jobs N`."""
    for python, plain in ((" <list[str]>", ""), (" <str>", ""), ("<int>", "N"), ("<float>", "X")):
        name = name.replace(python, plain)
    return name


app = typer.Typer(
    name="veridag",
    cls=Commands,
    help="Learn the structure of Bayesian networks from data, and check how reliable the result is.",
    epilog="`veridag COMMAND -h` shows the arguments and options of a command, with examples. A file given as - is "
    "standard input or output. Results go to standard output or to a file; summaries, notes and errors go to "
    "standard error.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version and exit.")] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options that may also come after the command."""
    del debug  # main() has looked for it, wherever it stands
    _choose_volume(quiet, verbose)
    if version:
        from importlib.metadata import version as installed

        echo(f"veridag {installed('veridag')}")
        raise typer.Exit


def command(
    name: str, *examples: str, group: typer.Typer | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command, with the options that all commands have; the tests run its examples."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(function).parameters.values())
        hints = get_type_hints(function, include_extras=True)

        @wraps(function)
        def run(context: typer.Context, **given: Any) -> None:
            given.pop("debug")
            _choose_volume(given.pop("quiet"), given.pop("verbose"))
            flags = {str(p.name): max(p.opts, key=len) for p in context.command.params}
            set_flags(flags.items())
            detail(f"{name} with {_settings(flags, given)}")
            start = time.perf_counter()
            try:
                function(**given)
            finally:
                detail(f"{name} took {time.perf_counter() - start:.3f} s")

        hints |= {"context": typer.Context, "quiet": QuietOption, "verbose": VerboseOption, "debug": DebugOption}
        common = [Parameter(key, Parameter.KEYWORD_ONLY, default=False) for key in ("quiet", "verbose", "debug")]
        shown = [Parameter("context", Parameter.KEYWORD_ONLY), *own, *common]
        run.__signature__ = signature(function).replace(  # type: ignore[attr-defined] # typer reads it
            parameters=[p.replace(annotation=hints[p.name], kind=Parameter.KEYWORD_ONLY) for p in shown],
            return_annotation=None,
        )
        run.__annotations__ = {p.name: hints[p.name] for p in shown}
        (app if group is None else group).command(name, cls=Command, epilog="\n".join(examples))(run)
        return function

    return register


def _settings(flags: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """All that a command goes by, defaults included; arguments without a flag are in capitals."""
    shown = {key: flag if flag.startswith("-") else key.upper() for key, flag in flags.items()}
    used = {key: value for key, value in given.items() if value is not None and value is not False}
    return ", ".join(f"{shown[key]} {value}" for key, value in used.items())


def _choose_volume(quiet: bool, verbose: bool) -> None:
    if quiet and verbose:
        raise InputError("--quiet and --verbose: give only one of them")
    if quiet or verbose:
        set_volume(Volume.QUIET if quiet else Volume.VERBOSE)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: a user's mistake is one line on standard error and exit code 2."""
    if COMPLETE_VARIABLE in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        prepare_streams()
        with warnings_as_notes(), speaking_flags():
            code = _program(words[0])(args=words, prog_name="veridag", standalone_mode=False)
        sys.stdout.flush()  # a full disk is noticed here, and not when the program ends
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        abandon_output()  # the reader has gone, as `| head` does; nothing more can be said to it
        sys.exit(141)
    except Exception as error:
        if "--debug" in words:
            sys.excepthook = _show_traceback
            raise
        _complain(error)
    finally:
        set_volume(Volume.NORMAL)
        set_flags(())
    sys.exit(code if isinstance(code, int) else 0)


def _program(word: str) -> Any:
    """The command of that name alone if there is one, which is made in a fraction of the time that all of them take."""
    asked = [one for one in app.registered_commands if one.name == word]
    if not asked or COMPLETE_VARIABLE in os.environ:
        return typer.main.get_command(app)
    alone = copy(app)
    alone.registered_commands, alone.registered_groups = asked, []
    return typer.main.get_command(alone)


def _show_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Python prints of an error that nothing catches, with control characters in it shown."""
    echo("".join(traceback.format_exception(kind, error, trace)), err=True, nl=False)


def _complain(error: Exception) -> None:
    """One line and exit code 2 for what a user can mend; anything else is a defect of veridag and says so."""
    if hasattr(error, "format_message"):  # the words of the command line itself are wrong
        message = error.format_message()
        context = getattr(error, "ctx", None)
        if context is not None:
            message = f"{message.rstrip('.')} (see `{context.command_path} -h`)"
    elif isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        abandon_output()
        message = "standard output cannot be written: no space left on the device"
    elif isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        message = f"not enough memory: {in_flags(str(error))}" if str(error) else "not enough memory"
    elif isinstance(error, InputError | OSError):
        message = in_flags(str(error))
    else:
        complain(f"unexpected {type(error).__name__}: {error} (--debug shows where)")
        sys.exit(1)
    complain(" ".join(message.split()))
    sys.exit(2)
