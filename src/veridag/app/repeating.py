"""A run as a command and as a Python script. Next to the table and its settings, both repeat the run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from veridag.data.settings import settings_path
from veridag.errors import InputError
from veridag.graph.knowledge import parse_arc

from .asked import Arc, Asked

#: What a command and a script write.
WRITTEN = {"report": "report.html", "learn": "graph.json"}
TIERS = "tiers.txt"

_PLAIN = re.compile(r"\w[\w .()+-]*", re.ASCII)


def file_of(asked: Asked) -> str:
    """The file name of the table in the command: as the user calls it, if that is the plain name of a file."""
    suffix = asked.table.partition(".")[2]
    is_plain = _PLAIN.fullmatch(asked.title) and asked.title.lower().partition(".")[2] == suffix
    return asked.title if is_plain else asked.table


def settings_of(asked: Asked) -> str:
    """The file name of the settings of the table."""
    return settings_path(file_of(asked)).name


def command_of(asked: Asked) -> str:
    """The command for a shell."""
    words = ["veridag", asked.mode, file_of(asked), *_known(asked), "--seed", str(asked.seed)]
    if asked.mode == "report" and asked.minutes is not None:
        words += ["--minutes", f"{asked.minutes:g}"]
    return shlex.join([*words, "-o", WRITTEN[asked.mode]])


def shell_of(asked: Asked) -> str:
    """The commands for a shell: the file of tiers is written first, so that the table and its settings are enough."""
    tiers = tiers_text(asked)
    if tiers is None:
        return command_of(asked)
    # Between quoted words nothing means anything to the shell, and no line of the text is the word that ends it.
    end = "END_OF_TIERS"
    while end in tiers.split("\n"):
        end += "_"
    return f"cat > {TIERS} <<'{end}'\n{tiers}{end}\n{command_of(asked)}"


def _known(asked: Asked) -> list[str]:
    """What is known, as options."""
    found: list[str] = []
    for option, arcs in (("--require", asked.required), ("--forbid", asked.forbidden)):
        for arc in arcs:
            found += [option, _arc(arc)]
    return [*found, "--tiers", TIERS] if asked.tiers else found


def _arc(arc: Arc) -> str:
    """An arc as the options take it; there are names for which there is no way to write it."""
    for text in (":".join(arc), "->".join(arc)):
        try:
            if parse_arc(text) == arc:
                return text
        except InputError:
            continue
    raise InputError(
        f"no command can name the arc from {arc[0]!r} to {arc[1]!r}: use the Python script, or rename the columns"
    )


def tiers_text(asked: Asked) -> str | None:
    """The file that `--tiers` reads; None if there are no tiers."""
    return "".join(f"{', '.join(map(_quoted, tier))}\n" for tier in asked.tiers) or None


def _quoted(name: str) -> str:
    """A name as a file of tiers has it: in quotes, where it is not plain."""
    if name != name.strip() or any(sign in name for sign in "\n\r\0"):
        raise InputError(f"a file of tiers cannot name {name!r}, with its spaces or line breaks: use the Python script")
    return name if re.fullmatch(r"[\w.-]+", name) else '"{}"'.format(name.replace('"', '""'))


def script_of(asked: Asked, later: Mapping[str, str] | None = None) -> str:
    """The same in Python; `later` are columns that are cut into bins by learning, which reading does not do."""
    known = asked.knowledge
    without = f", discretize={dict.fromkeys(later)!r}" if later else ""
    lines = [
        "# Repeats a run of veridag app: start it in the folder of the table and its settings.",
        "import veridag as vd",
        "",
        f"data = vd.read({file_of(asked)!r}, strict=False{without})",
        *([f"data = vd.discretize(data, {dict(later)!r})"] if later else []),
        f"knowledge = {'None' if known is None else f'vd.{known!r}'}",
    ]
    if asked.mode == "learn":
        lines += [
            f"result = vd.learn(data, knowledge, seed={asked.seed})",
            "graph = result.cpdag if knowledge is None else knowledge.orient(result.cpdag)",
            f"graph.write({WRITTEN['learn']!r})",
            "print(result)",
        ]
    else:
        seconds = "" if asked.seconds is None else f", seconds={asked.seconds:g}"
        lines += [
            f"report = vd.make_report(data, knowledge=knowledge, seed={asked.seed}, title={asked.title!r}{seconds})",
            f"report.write({WRITTEN['report']!r})",
            "print(report)",
        ]
    return "\n".join([*lines, ""])
