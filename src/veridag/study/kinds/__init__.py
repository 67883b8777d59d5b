"""The kinds of study, a folder each, with the kind as its `KIND`; modules with an underscore serve several kinds.

What every kind of study has in common does not live here, but in `veridag.study`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from veridag.errors import InputError, setting, suggest
from veridag.study.kind import Kind


def names() -> tuple[str, ...]:
    """The kinds there are, in alphabetical order; a folder here is a kind unless its name starts with _."""
    return tuple(sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_")))


def load(name: object, *, trusted: bool = True) -> Kind:
    """The kind that a study file names: one of `names`, or ``module:object`` if that is `trusted`."""
    if isinstance(name, str) and name in names():
        kind = import_module(f"{__name__}.{name}").KIND
        assert isinstance(kind, Kind)
        return kind
    if isinstance(name, str) and ":" in name:
        if not trusted:
            raise InputError(
                f"kind = {name!r}: importing the module {name.partition(':')[0]!r} runs its code with your "
                f"permissions: read it first, and if you trust it, give {setting('trust_kinds', True)}"
            )
        return _own(name)
    raise InputError(
        f"kind = {name!r}: there is no such kind of study; {suggest(str(name), names())}; for your own kind, use "
        "'module:object'"
    )


def _own(name: str) -> Kind:
    module, _, attribute = name.partition(":")
    try:
        kind = getattr(import_module(module), attribute, None)
    except ImportError as error:
        raise InputError(f"kind = {name!r}: {error}: install the module, or put its folder on PYTHONPATH") from None
    except Exception as error:  # whatever a stranger's module does when it is imported
        raise InputError(f"kind = {name!r}: {module!r} cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(kind, Kind):
        raise InputError(f"kind = {name!r}: {attribute!r} of {module!r} must be an instance of a subclass of Kind")
    return kind
