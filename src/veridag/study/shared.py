"""The cache of a worker process, for what cells of a study share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import Any, TypeVar, cast

from cachetools import LRUCache

T = TypeVar("T")


class Shared:
    """A cache: values by key, of which the least recently used go when all together are above the limit in bytes.

    A value that is above the limit alone is made and handed out, and not kept.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._kept: LRUCache[Hashable, tuple[Any, int]] = LRUCache(limit_bytes, getsizeof=itemgetter(1))

    @property
    def held(self) -> int:
        """The bytes of all values in the cache."""
        return int(self._kept.currsize)

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int] | None = None) -> T:
        """The value of the key, made now if it is not there; `size` tells its bytes where numpy and Data do not."""
        if key in self._kept:
            return cast(T, self._kept[key][0])
        value = make()
        bytes_of_it = int((size or _size)(value))
        if bytes_of_it <= self._kept.maxsize:
            self._kept[key] = (value, bytes_of_it)
        return value

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
