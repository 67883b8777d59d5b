"""Where related data sets differ: the evidence for each arc of a common structure in each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from veridag.checks import PROGRESS, SECONDS, Instance, Number
from veridag.criteria.scores import BHD
from veridag.data import Data
from veridag.display import drawing, paragraph, table
from veridag.errors import InputError
from veridag.files.writing import write_text
from veridag.graph import DAG
from veridag.progress import Progress
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, deadline_after, run_pieces

if TYPE_CHECKING:
    from distributed import Client

Arc = tuple[str, str]
Verdict = Literal["present", "absent", "undecided"]

DEFAULT = BHD()


@dataclass(frozen=True, eq=False, repr=False)
class GroupDifferences:
    """In which groups each arc of a common structure is present, as `group_differences` returns it.

    Attributes:
        dag: The common structure.
        arcs: Its arcs, in the order of the rows of `evidence`.
        groups: The groups, in the order of its columns.
        evidence: ``evidence[i, f]`` is the log ratio for arc i in group f: the natural logarithm of how many times more
            probable the group's rows are with the arc than without it.
        threshold: Above this the arc is present in the group, below its negative it is absent, and between it is
            undecided.

    See also:
        `group_differences`, docs/related.md
    """

    dag: DAG
    arcs: tuple[Arc, ...]
    groups: tuple[str, ...]
    evidence: NDArray[np.float64]
    threshold: float

    def __post_init__(self) -> None:
        self.evidence.flags.writeable = False

    def verdict(self, arc: Arc, group: str) -> Verdict:
        """Return whether the arc is present in the group."""
        if arc not in self.arcs or group not in self.groups:
            raise InputError(f"there is no arc {arc!r} or no group {group!r}: see .arcs and .groups")
        value = self.evidence[self.arcs.index(arc), self.groups.index(group)]
        return "present" if value > self.threshold else "absent" if value < -self.threshold else "undecided"

    def _where(self, verdict: Verdict) -> dict[Arc, tuple[str, ...]]:
        found = {arc: tuple(g for g in self.groups if self.verdict(arc, g) == verdict) for arc in self.arcs}
        return {arc: groups for arc, groups in found.items() if groups}

    @property
    def absent(self) -> dict[Arc, tuple[str, ...]]:
        """The arcs that are absent in some groups, and in which."""
        return self._where("absent")

    @property
    def present(self) -> dict[Arc, tuple[str, ...]]:
        """The arcs that are present in some groups, and in which."""
        return self._where("present")

    @property
    def common(self) -> tuple[Arc, ...]:
        """The arcs that are absent in no group."""
        return tuple(arc for arc in self.arcs if arc not in self.absent)

    @property
    def specific(self) -> tuple[Arc, ...]:
        """The arcs that are present in some groups and absent in others."""
        return tuple(arc for arc in self.arcs if arc in self.absent and arc in self.present)

    def dags(self) -> dict[str, DAG]:
        """The structure of each group: the common one without the arcs that are absent there."""
        return {
            g: DAG.from_arcs([a for a in self.dag.arcs if g not in self.absent.get(a, ())], names=self.dag.names)
            for g in self.groups
        }

    def to_svg(self, title: str = "") -> str:
        """One drawing of all arcs; those that are absent in some groups are dashed (CSS class ``partial``)."""
        from veridag.graph.drawing import svg

        at = {name: i for i, name in enumerate(self.dag.names)}
        classes = {(at[a], at[b]): "partial" for a, b in self.absent}
        return svg(self.dag.names, [(at[a], at[b]) for a, b in self.dag.arcs], title=title, arc_classes=classes)

    def draw(self, path: str | Path, title: str = "") -> Path:
        """Write the drawing to an .svg file."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise InputError(f"path {str(path)!r}: drawings are written as SVG, so the name must end in .svg")
        write_text(target, self.to_svg(title))
        return target

    def __repr__(self) -> str:
        differ = f"{len(self.absent)} of {len(self.arcs)} arcs are absent in some of {len(self.groups)} groups"
        return f"<GroupDifferences: {differ}>"

    def _rows(self) -> list[list[str]]:
        """The table as text: the evidence for each arc in each group, with a mark for the verdict."""
        return [
            [
                f"{a} -> {b}",
                *(f"{value:.1f}{_MARK[self.verdict((a, b), g)]}" for g, value in zip(self.groups, row, strict=True)),
            ]
            for (a, b), row in zip(self.arcs, self.evidence, strict=True)
        ]

    def _repr_html_(self) -> str:
        drawn = drawing(self.to_svg, len(self.dag.names))
        return paragraph(repr(self).strip("<>")) + drawn + table(["arc", *self.groups], self._rows())

    def __str__(self) -> str:
        head, body = ["arc", *self.groups], self._rows()
        widths = [max(len(line[j]) for line in [head, *body]) for j in range(len(head))]
        lines = ["  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=True)) for line in [head, *body]]
        return "\n".join(
            [*lines, f"log ratios with and without the arc; - absent, ? undecided within {self.threshold:g}"]
        )


_MARK: dict[Verdict, str] = {"present": " ", "absent": "-", "undecided": "?"}


def group_differences(
    dag: DAG,
    data: Data,
    score: BHD = DEFAULT,
    threshold: float = 1.0,
    *,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> GroupDifferences:
    """Find in which groups each arc of a common structure is present.

    For an arc U -> X and a group f, the log ratio compares the group's factor in the BHD score of X with all its
    parents to that without U (Azzimonti, Corani and Scutari 2020, eq. 9): it is the logarithm of their ratio. In both,
    the shared part is estimated from all groups; the sum over the groups is the contribution of the arc to the BHD
    score of the structure.

    Each arc is evaluated given the other parents and in its direction. If two parents can replace each other, or the
    structure does not have an arc that a group has, look at what `learn` finds in that group alone.

    Args:
        dag: The common structure.
        data: The table, as a `Data` with groups.
        score: The score: `BHD`.
        threshold: Log ratio above which an arc is present. The default, a factor of e, is where evidence is usually
            called positive.
        jobs, client: As in `bootstrap`.
        progress: Progress callback, see `ProgressBar`.
        seconds: Time limit in seconds; no limit if None.

    Raises:
        InputError: If the time limit ends the work before all arcs are evaluated.

    See also:
        `GroupDifferences`, `BHD`, docs/related.md
    """
    if not isinstance(dag, DAG):
        raise InputError(f"dag: a DAG is needed, not a {type(dag).__name__}; a PDAG's extension() is one")
    Instance(BHD, "BHD(), which has a factor for each group")("score", score)
    threshold = Number(least=0)("threshold", threshold)
    score.check(data)
    groups = data.observed_groups
    children = [name for name in dag.names if dag.parents(name)]
    done: dict[int, dict[Arc, NDArray[np.float64]]] = {}
    complete = run_pieces(
        _IntoOne(dag, data, score, tuple(children)),
        len(children),
        executor_of(jobs, client),
        done,
        describe=lambda i: f"arcs into {children[i]}",
        progress=PROGRESS("progress", progress),
        deadline=deadline_after(SECONDS("seconds", seconds)),
    )
    found = {arc: evidence for own in done.values() for arc, evidence in own.items()}
    if not complete:
        raise OutOfTime(
            f"seconds={seconds:g}: there was time for only {len(found)} of {len(dag.arcs)} arcs: allow more seconds"
        )
    evidence = np.array([found[arc] for arc in dag.arcs]).reshape(len(dag.arcs), len(groups))
    return GroupDifferences(dag, dag.arcs, groups, evidence, threshold)


@dataclass(frozen=True)
class _IntoOne:
    """The evidence for the arcs into one variable, which share the family with all its parents."""

    dag: DAG
    data: Data
    score: BHD
    children: tuple[str, ...]

    def __call__(self, i: int, heartbeat: Progress) -> dict[Arc, NDArray[np.float64]]:
        child = self.children[i]
        parents = sorted(self.dag.parents(child))
        with_all = self._factors(child, parents)
        found: dict[Arc, NDArray[np.float64]] = {}
        for parent in parents:
            heartbeat("arc", len(found), len(parents), {})
            found[parent, child] = with_all - self._factors(child, [other for other in parents if other != parent])
        return found

    def _factors(self, child: str, parents: list[str]) -> NDArray[np.float64]:
        found = self.score.by_group(child, parents, self.data)
        return np.array([found[group] for group in self.data.observed_groups])
