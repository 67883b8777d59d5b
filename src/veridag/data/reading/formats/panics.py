"""Libraries written in Rust print a panic on standard error before Python can catch it as an exception."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from veridag.errors import InputError

from .content import damaged

_STDERR = 2  # the descriptor; sys.stderr may be something else, as in a notebook
_turn = threading.Lock()  # or one thread could restore what another has redirected


@contextmanager
def one_line(what: str, remedy: str, *errors: type[BaseException]) -> Iterator[None]:
    """Within, `errors` and panics of a reader become one message, and nothing of them is printed."""
    try:
        with _turn, _held_back():
            yield
    except InputError:
        raise
    except errors as error:
        raise damaged(what, error, remedy) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # each library has its own, and not all export it
            raise
        raise damaged(what, error, remedy) from None


@contextmanager
def _held_back() -> Iterator[None]:
    """What is written to standard error within comes after it, unless there is an exception."""
    import tempfile

    try:
        saved = os.dup(_STDERR)
    except OSError:  # there is no standard error
        yield
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), _STDERR)
        try:
            yield
        except BaseException:
            kept.truncate(0)
            raise
        finally:
            os.dup2(saved, _STDERR)
            os.close(saved)
            kept.seek(0)
            if text := kept.read():
                os.write(_STDERR, text)
