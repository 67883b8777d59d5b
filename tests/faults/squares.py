"""A kind of study whose cells take no time, and end their worker once, where a file says so."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from veridag.study.kind import Kind
from veridag.work import processes

#: Where a worker is ended: before a cell, after it, or half way through its answer; or memory runs out in the cell.
PLACES = ("before", "after", "answer", "memory")


class Squares(Kind):
    """``NUMBER PLACE`` in the file `orders` ends the worker that does this number; the file is removed first."""

    name = "squares"

    def cells(self, spec):
        spec.allow("numbers", "orders")
        for number in spec.counts("numbers"):
            yield {"number": number, "path_orders": spec.text("orders", "")}

    def run(self, settings, seed, shared):
        place = _order(settings["path_orders"], settings["number"])
        if place == "before":
            _die()
        if place == "memory":
            raise MemoryError
        if place == "answer":
            processes._answer = _answer_half
        value = settings["number"] ** 2 + (seed % 997) / 7
        rows = [{"line": line, "value": value + line, "text": "ü" * 1000, "seconds_x": line} for line in range(3)]
        if place == "after":
            _die()
        return rows

    def figures(self, spec, rows):
        return iter(())


def _order(path: str, number: int) -> str | None:
    """Where the worker is to end in this cell."""
    orders = Path(path)
    if not path or not orders.exists():
        return None
    wanted, place = orders.read_text("utf-8").split()
    if int(wanted) != number:
        return None
    orders.unlink()
    return place


def _answer_half(answers, content) -> None:
    answers.write(json.dumps(content)[:1000])
    answers.flush()
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


KIND = Squares()
