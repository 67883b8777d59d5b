"""Options whose values need no conversion: typer would load pydantic for them, which takes as long as numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self


class PlainValues:
    """A command, or a group of them, whose parameters take a value as it is where conversion would not change it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc] # beside a class of typer
        for parameter in parameters:
            converter = getattr(parameter, "get_runtime_param", None)  # versions without pydantic have none
            if converter is not None and not isinstance(converter, _Converter):
                parameter.get_runtime_param = _Converter(parameter.type_descriptor.annotation, converter)
        return parameters


@dataclass(frozen=True)
class _Converter:
    annotation: Any
    converter: Callable[[], Any]  # of typer

    def __call__(self) -> Self:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, by typer if it is of another type than the parameter."""
        if value is None and not param.multiple and param.nargs == 1:
            return None
        if value is not None and type(value) is self.annotation:
            return value
        if self.annotation == list[str] and all(type(item) is str for item in value or ()):
            return list(value or ())
        return self.converter().coerce(value, param=param, ctx=ctx)
