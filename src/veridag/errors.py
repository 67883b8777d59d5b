"""The errors that veridag raises."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal


class InputError(ValueError):
    """Invalid input. The message names the argument, its value and what to do.

    The command line prints the message on one line and exits with code 2.

    See also:
        `DataWarning`, `InvalidGraph`, docs/running.md
    """


class WrongResultError(RuntimeError):
    """An internal error: a learner produced a result that it must not return."""


def suggest(name: str, known: Iterable[str]) -> str:
    """A clause naming the nearest known name, or all of them when there are few, for the end of a message."""
    names = [str(k) for k in known]
    near = get_close_matches(str(name), names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    if len(names) <= 12:
        return f"choose from {', '.join(map(repr, names))}" if names else "there are none"
    return f"choose from {', '.join(map(repr, names[:10]))} and {len(names) - 10} more"


# --- remedies in the language of the caller -------------------------------------------------------------------------

Language = Literal["python", "flags", "page"]
_language: ContextVar[Language] = ContextVar("language", default="python")
_FLAGS = {"kinds": "--kind", "client": "--dask"}  # others are the argument with dashes
_LABELS = {"kinds": "kind", "drop": "left out", "discretize": "bins", "sheet": "sheet or table"}  # others with blanks


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Within, `setting` names arguments of Python, options of commands, or choices of a page."""
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def speaking_flags() -> AbstractContextManager[None]:
    """Within, `setting` names options of the command line and not arguments of Python."""
    return speaking("flags")


def speaking_page() -> AbstractContextManager[None]:
    """Within, `setting` names what the page of `veridag app` calls a choice."""
    return speaking("page")


def language() -> Language:
    """What the caller writes."""
    return _language.get()


def speaks_flags() -> bool:
    """Whether the caller writes no Python, but options of the command line, or clicks."""
    return language() != "python"


class Setting(str):
    """An argument as the caller would write it, for a message; programs find its name and value in it."""

    argument: str
    value: object

    def __new__(cls, argument: str, value: object = None) -> Setting:
        """The text in the language of the caller."""
        made = super().__new__(cls, _written(argument, value))
        made.argument, made.value = argument, value
        return made

    def __getnewargs__(self) -> tuple[str, object]:  # type: ignore[override] # what a copy is made from
        return self.argument, self.value


def setting(argument: str, value: object = None) -> Setting:
    """An argument, with a value if there is one, as the caller would write it.

    ``setting("kinds", {"age": "continuous"})`` is ``kinds={'age': 'continuous'}`` in Python, and
    ``--kind age=continuous`` on the command line.
    """
    return Setting(argument, value)


def _written(argument: str, value: object) -> str:
    if language() == "python":
        return f"{argument}=" if value is None else f"{argument}={value!r}"
    if language() == "page":
        return _labelled(_LABELS.get(argument, argument.replace("_", " ")), value)
    flag = _FLAGS.get(argument, f"--{argument.replace('_', '-')}")
    if value is None or value is True:
        return flag
    if isinstance(value, Mapping):
        return " ".join(f"{flag} {shlex.quote(f'{key}={_joined(item)}')}" for key, item in value.items())
    return f"{flag} {shlex.quote(_joined(value))}"


def _labelled(label: str, value: object) -> str:
    """A choice of the page: ``kind of 'age': continuous``."""
    if value is None or value is True:
        return label
    if isinstance(value, Mapping):
        return "; ".join(f"{label} of {key!r}: {_joined(item)}" for key, item in value.items())
    return f"{label}: {_joined(value)}"


def _joined(value: object) -> str:
    """A value as one word of the command line; members of a list are separated by commas."""
    if value == "\t":
        return "tab"
    if isinstance(value, Mapping):
        return ",".join(f"{escaped(str(key))}:{escaped(str(item))}" for key, item in value.items())
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(map(_member, value))


def _member(value: object) -> str:
    """A member of a list; one with a comma or a quote in it stands in double quotes."""
    text = str(value)
    return '"{}"'.format(text.replace('"', '""')) if "," in text or '"' in text or text != text.strip() else text


def escaped(text: str) -> str:
    """A text in which the marks of OLD:NEW,OLD:NEW are no marks."""
    return re.sub(r"([\\:,=])", r"\\\1", text)


def is_installed(package: str) -> bool:
    """Whether an optional package is installed; it is not loaded."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # something keeps it from being imported
        return False


def import_optional(package: str, needed_for: str, extra: str | None = None) -> Any:
    """An optional package, or an `InputError` with the command that installs it.

    If it is in one of veridag's extras, the command installs that.
    """
    try:
        return import_module(package)
    except ImportError:
        raise _missing(package, needed_for, extra) from None


def require(package: str, needed_for: str, extra: str) -> None:
    """Raise the error of `import_optional` before any work is done, without loading the package."""
    if not is_installed(package):
        raise _missing(package, needed_for, extra)


def _missing(package: str, needed_for: str, extra: str | None) -> InputError:
    install = package if extra is None else f"'veridag[{extra}]'"
    return InputError(f"{needed_for} needs the package {package}, which is not installed: pip install {install}")
