"""What a report is about: the data, the assessment of what can be learned from it, and how it was made."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veridag.data import Data
from veridag.display import paragraph
from veridag.files.writing import write_text
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network import Network
from veridag.network.fitting import RelatedNetworks
from veridag.progress import Interrupted, Progress
from veridag.trust.assessment.assess import REPEATS, assess_learners
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.differences import GroupDifferences
from veridag.trust.learners import Learners
from veridag.trust.subsampling import STOPPED
from veridag.trust.validation import Validation
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor

from .stages import SHARE_FOR_ASSESSMENT, Stages

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What the report page shows. `write` makes the page.

    Attributes:
        title: The name of the table on the page.
        data: The table.
        assessment: Which learner is recommended, and how likely each arc is.
        command: The command or call that reproduces the page.
        made: When it was made.
        seconds: How long that took.
        network: The network of the recommended learner with parameters fitted to all of the data.
        differences: How the groups differ, if the data has groups.
        group_networks: The networks of the groups with partially pooled parameters.
        losses: The log-loss of each learner on unseen rows.
        missing: Why a part of the page is missing, by part.
        cut_short: The missing parts that a time limit or an interrupt prevented.
        default_learners: Whether the learners were chosen by default.

    See also:
        `make_report`, `assess`, docs/validation.md
    """

    title: str
    data: Data
    assessment: Assessment
    command: str
    made: datetime
    seconds: float
    network: Network | None = None
    differences: GroupDifferences | None = None
    group_networks: RelatedNetworks | None = None
    losses: Mapping[str, Estimate] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    cut_short: tuple[str, ...] = ()
    default_learners: bool = True

    @property
    def validation(self) -> Validation:
        """The comparison of the learners by intersection-validation."""
        return self.assessment.validation

    @cached_property
    def graph(self) -> PDAG:
        """What the recommended learner found on all of the data, directed as far as that and what is known allow."""
        best = self.assessment.learner
        if best.result is None or not best.result.valid:
            return self.assessment.graph
        return best.algorithm.obeyed(self.validation.knowledge, self.data).orient(best.cpdag)

    @property
    def versions(self) -> dict[str, str]:
        """Of what made it."""
        return {name: version(name) for name in ("veridag", "numpy")} | {"Python": platform.python_version()}

    def to_html(self) -> str:
        """The page, one self-contained text."""
        from .page import page

        return page(self)

    def write(self, path: str | Path) -> Path:
        """Write the page to an .html file."""
        target = Path(path)
        write_text(target, self.to_html())
        return target

    def __repr__(self) -> str:
        about = f"{self.data.n} rows of {len(self.data.names)} variables"
        verdict = f"{self.assessment.recommended} is recommended, trust is {self.assessment.level}"
        return f"<Report on {self.title!r}: {about}, {verdict}, {self.seconds:.3g} s>"

    def __str__(self) -> str:
        return f"{repr(self).strip('<>')}\n{self.assessment}\nwrite('report.html') makes the page."

    def _repr_html_(self) -> str:
        end = "write('report.html') makes the page with all of it."
        return paragraph(repr(self).strip("<>")) + self.assessment._repr_html_() + paragraph(end)


def make_report(
    data: Data | Any,
    algorithms: Learners | None = None,
    *,
    companions: Learners | None = None,
    truth: DAG | PDAG | None = None,
    knowledge: Knowledge | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = REPEATS,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    title: str = "data",
    command: str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Report:
    """Assess what can be learned from a table, as a page: the network, how certain it is, and what would help.

    ``vd.make_report(data).write("report.html")`` writes the page. It shows the assessment of `assess`, the fitted
    network of the recommended learner, cross-validated losses of all learners and, if the data has groups, how they
    differ. An interrupt carries the page so far as `.result`.

    Args:
        data: The table: a `Data` or a data frame.
        algorithms: The learners to choose from; those of `assess` if None.
        companions: Learners to compare with them, but not to choose from.
        truth: The true graph, if it is known; the page then shows the distances to it.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        sizes: Sizes of the subsamples in intersection-validation; chosen by the number of rows if None.
        repeats: Subsamples of each size.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads, or `Processes(n)` for n processes.
        client: Dask client, or the address of its scheduler; the work then runs on that cluster.
        title: The name of the table on the page.
        command: The command that reproduces the page; this call if None.
        progress: Progress callback, see `ProgressBar`.
        seconds: Time limit; the assessment gets 80 % of it. No limit if None.

    Returns:
        The report. Its `write` makes the page.

    Raises:
        InputError: If fewer than two learners find a network.

    See also:
        `assess`, `intersection_validation`, `cross_validate`, docs/validation.md
    """
    data = Data.of(data)
    call = f"vd.make_report(data, seed={seed}, repeats={repeats})" if command is None else command
    start = time.perf_counter()

    def made_of(assessment: Assessment, extras: dict[str, Any]) -> Report:
        seconds, extras["default_learners"] = time.perf_counter() - start, algorithms is None
        return Report(title, data, assessment, call, datetime.now(UTC), seconds, **extras)

    with executor_of(jobs, client).open() as executor:
        stages = Stages.on(data, knowledge, seed, executor, progress, seconds)
        try:
            assessment = assess_learners(
                data,
                algorithms,
                companions=companions,
                truth=truth,
                knowledge=knowledge,
                sizes=sizes,
                repeats=repeats,
                seed=seed,
                jobs=executor,
                progress=stages.progress_of_assessment,
                seconds=None if seconds is None else SHARE_FOR_ASSESSMENT * seconds,
            )
        except Interrupted as stop:
            stop.result = made_of(stop.result, {"missing": {"rest": STOPPED}, "cut_short": ("rest",)})
            raise
        extras: dict[str, Any] = {"losses": {}, "missing": {}, "cut_short": ()}
        try:
            stages.run(assessment, extras)
        except KeyboardInterrupt:
            extras["missing"]["rest"] = STOPPED
            extras["cut_short"] += ("rest",)
            rest = made_of(assessment, extras)
            raise Interrupted("the report was stopped; .result is the page of what is there", rest) from None
    return made_of(assessment, extras)
