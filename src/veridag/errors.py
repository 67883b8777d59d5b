"""What veridag raises when it is given something it cannot work with."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Something given by the user is wrong; the message names the argument, its value and the remedy.

    The command line prints the message on one line and exits with code 2.
    """


class WrongResultError(RuntimeError):
    """A learner came to a result that it must not return. This is a mistake of the learner, not of its user."""


def suggest(name: str, known: Iterable[str]) -> str:
    """A clause naming the nearest known name, or all of them when there are few, for the end of a message."""
    names = [str(k) for k in known]
    near = get_close_matches(str(name), names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    if len(names) <= 12:
        return f"known are {', '.join(map(repr, names))}" if names else "there are none"
    return f"known are {', '.join(map(repr, names[:10]))} and {len(names) - 10} more"
