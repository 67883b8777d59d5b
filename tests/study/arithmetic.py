"""A kind of study for tests: sums that take as long, and go as wrong, as they are told to."""

from __future__ import annotations

import os
import signal
import time

from veridag.study.kind import Figure, Kind
from veridag.study.style import curve, legend, panels, repetitions, style, summary


class Arithmetic(Kind):
    name = "arithmetic"

    def cells(self, spec):
        spec.allow("numbers", "repetitions", "seconds", "bad", "deadly", "log")
        for number in spec.counts("numbers", least=0):
            for repetition in range(spec.count("repetitions")):
                settings = {"number": number, "repetition": repetition, "seconds": spec.number("seconds", 0.0)}
                settings["bad"] = number in spec.counts("bad", [], least=0)
                settings["deadly"] = number in spec.counts("deadly", [], least=0)
                yield settings | {"path_log": spec.text("log", "")}

    def run(self, settings, seed, shared):
        if settings["path_log"]:
            with open(settings["path_log"], "a") as log:
                log.write(f"{settings['number']} {settings['repetition']} {os.getpid()}\n")
        if settings["bad"]:
            raise ValueError(f"{settings['number']} is a bad number")
        if settings["deadly"]:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(settings["seconds"])
        made = shared.get(settings["number"], time.monotonic_ns)
        value = (settings["number"] * 1000 + seed % 997) / 7
        rows = [{"line": line, "value": value + line, "calls": line, "seconds_made": made} for line in range(2)]
        return [*rows, {"line": 2, "value": None, "calls": 0, "text": "ü"}]

    def figures(self, spec, rows):
        table = summary(rows, ["number"], "value")
        with style():
            drawing, axes = panels([spec.title])
            curve(axes[0], table, "number", "value", 0)
            legend(drawing, axes, repetitions(table))
        yield Figure("values", drawing, table)

    def shares(self, settings):
        return settings["number"]


KIND = Arithmetic()
