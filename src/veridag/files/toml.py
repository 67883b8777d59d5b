"""TOML files. Errors are one line, including those that the standard library does not handle."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from veridag.errors import InputError


def load_toml(path: str | Path) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8-sig"))
    except RecursionError:
        reason = "its brackets are nested too deep"
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
    except ValueError:  # of int(), for thousands of digits
        reason = "a number has too many digits"
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    raise InputError(f"{path}: this is not a TOML file: {reason}")


def as_toml(value: object) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one that JSON leaves alone
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{as_toml(str(key))} = {as_toml(item)}' for key, item in value.items())}}}"
    if isinstance(value, Collection):
        return f"[{', '.join(as_toml(item) for item in value)}]"
    raise InputError(f"{value!r} cannot be saved to a file: name a column instead")
