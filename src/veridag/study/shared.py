"""What cells of a study share, kept in a worker's memory: made once, and let go when there is too much of it."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Shared:
    """Values by key, of which those not used for longest go when all together are above the limit in bytes.

    A value that is above the limit alone is made and handed out, and not kept.
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit = limit_bytes
        self.held = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int] | None = None) -> T:
        """The value of the key, made now if it is not there; `size` tells its bytes where numpy and Data do not."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return cast(T, self._kept[key][0])
        value = make()
        self._keep(key, value, int((size or _size)(value)))
        return value

    def _keep(self, key: Hashable, value: object, size: int) -> None:
        if size > self.limit:
            return
        while self._kept and self.held + size > self.limit:
            _, (_, freed) = self._kept.popitem(last=False)
            self.held -= freed
        self._kept[key] = (value, size)
        self.held += size

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept


def _size(value: object) -> int:
    from veridag.data import Data  # takes a while to load, and not every kind of study needs it

    if isinstance(value, Data):
        # The columns, and the core's table of them, which is of about the same size.
        return 2 * sum(_size(column.values) for column in value.columns)
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return int(getattr(value, "nbytes", sys.getsizeof(value)))
