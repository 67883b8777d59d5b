"""The commands on studies: run them, see how far they are, and get their tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from veridag.errors import InputError
from veridag.progress import describe_seconds

from .app import app, command
from .options import DaskOption, executor_for
from .outputs import check_folder, check_one_pipe, check_writable, whole, write_text
from .progress_bar import progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.study.cost import Cost
    from veridag.study.plan import Plan
    from veridag.study.resuming import Found
    from veridag.study.runner import Executor, State
    from veridag.study.store import Store

study = typer.Typer(help="Run the experiments of a study file on all cores.", rich_markup_mode=None)
app.add_typer(study, name="study")


@study.callback(invoke_without_command=True)
def show_commands(context: typer.Context) -> None:
    """Without a command, the help lists them."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


StudyArgument = Annotated[
    str, typer.Argument(help="A study file (.toml), or a name from `veridag study list`.", metavar="FILE|NAME")
]
ScaleOption = Annotated[
    Literal["smoke", "short", "paper"] | None,
    typer.Option(
        help="Scale of the study: smoke for a quick test, short, or paper for the published size. Default: short."
    ),
]
DataOption = Annotated[
    list[str] | None, typer.Option(help="A table to use in the study. Repeat for several tables.", metavar="PATH")
]
StoreOption = Annotated[
    str | None,
    typer.Option(help="The file of results, such as mine.sqlite. Default: NAME.sqlite in this folder.", metavar="PATH"),
]

TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust-kinds",
        help="Import the module that the study file names as its kind. This runs the code of the module.",
    ),
]


@command(
    "run",
    "veridag study run mine.toml --jobs 2",
    "veridag study run structure-priors --scale smoke --plan",
    "veridag study run mine.toml --from cells.csv.gz",
    "veridag study run mine.toml --only network=asia --only repetition=0",
    group=study,
)
def run_study(
    name: StudyArgument,
    scale: ScaleOption = None,
    jobs: Annotated[int | None, typer.Option(help="Number of processes. Default: one per core.")] = None,
    processes: Annotated[bool, typer.Option("--processes", help="Use processes; studies always do.")] = False,
    dask: DaskOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Stop a cell after this many seconds. Default: the time limit of the study file.",
            metavar="SECONDS",
        ),
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option(
            help="Maximum memory for data that cells share, in GB. Default: three quarters of the free memory.",
            metavar="GB",
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Take over the finished cells of an exported CSV. Repeat for several files.",
            metavar="PATH",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only the cells with this value of a setting. Repeat for other values, or for other settings. "
            "Default: all cells.",
            metavar="SETTING=VALUE",
        ),
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run cells again that failed or were stopped.")] = False,
    trust_kinds: TrustOption = False,
    plan_only: Annotated[bool, typer.Option("--plan", help="Print the plan and its expected cost, and exit.")] = False,
) -> None:
    """Run a study, or continue it.

    Prints the plan and its expected cost first. Every finished cell is saved: after an interrupt, a crash or an error,
    run the same command again to continue. Exits with code 1 if cells failed or were stopped.
    """
    from veridag.study import plan, resuming, runner
    from veridag.study.store import Store

    _check_limits(time_limit, memory_limit)
    executor_for(1 if jobs is None else jobs, processes, dask)  # complains as it does in every command
    check_writable(store)
    whole_study = plan.load(name, scale, data or (), trust_kinds=trust_kinds)
    planned = whole_study.only([_condition(text) for text in only]) if only else whole_study
    exported = {path: resuming.read_cells(whole_study, path) for path in tables or ()}  # before there is a store
    with Store(_path(planned, store)) as results:
        limit = planned.spec.time_limit if time_limit is None else time_limit
        executor = _executor(jobs, dask, limit, memory_limit)
        taken = _take_over(results, exported, keep=not plan_only)
        _report_plan(planned, results, executor, retry, taken)
        if plan_only:
            return
        try:
            with progress_bar(planned.spec.name, lines=True, keeps="the finished cells") as progress:
                state = runner.run(planned, results, executor, progress, retry=retry)
        except KeyboardInterrupt:
            say("stopped: finished cells are saved, and the same command continues from there")
            raise
        _report_state(state, planned, results)
    if state.failed or state.stopped:
        raise typer.Exit(1)


@command(
    "status",
    "veridag study status mine.toml",
    group=study,
)
def status_of_study(
    name: StudyArgument,
    scale: ScaleOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    trust_kinds: TrustOption = False,
) -> None:
    """Show the progress and errors of a study."""
    from veridag.study import runner

    with _opened(name, scale, data, store, trust_kinds) as (planned, results):
        _report_state(runner.state(planned, results), planned, results)


@command(
    "export",
    "veridag study export mine.toml --csv results.csv",
    "veridag study export mine.toml --csv - --quiet",
    "veridag study export mine.toml --compact --csv cells.csv.gz",
    group=study,
)
def export_study(
    name: StudyArgument,
    scale: ScaleOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    trust_kinds: TrustOption = False,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            help="Write the table to this file as CSV, compressed if its name ends in .gz; - is standard output.",
            metavar="FILE",
        ),
    ] = None,
    parquet: Annotated[
        str | None, typer.Option("--parquet", help="Write the table to this file as Parquet.", metavar="FILE")
    ] = None,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact",
            help="Export only finished cells, without times and without settings that the study file implies. The "
            "table is small, and the same whenever you run the study.",
        ),
    ] = False,
) -> None:
    """Export the results of a study as a table.

    Each row is a measurement with the settings of its cell. Cells that failed or were stopped have a row with the
    error. If you run the study again, only the columns version, started and those whose names start with seconds
    change. `veridag study run --from` continues from a CSV, compact or not.
    """
    if csv is None and parquet is None:
        raise InputError("export: no output is given: give --csv FILE, --parquet FILE or both")
    check_writable(csv)
    check_writable(parquet)
    check_one_pipe(csv=csv, parquet=parquet)
    from veridag.study import tables, typed_csv
    from veridag.study.tables import write_parquet

    with _opened(name, scale, data, store, trust_kinds) as (planned, results):
        table = (tables.compact if compact else tables.exported)(planned, results)
    if csv is not None:
        write_text(typed_csv.write(table), csv)
    if parquet is not None:
        with whole(parquet, ".parquet") as draft:
            write_parquet(table.frame, draft)
    say(f"{len(table.lines)} rows and {len(table.columns)} columns")


@command(
    "figures",
    "veridag study figures mine.toml -o figures",
    group=study,
)
def figures_of_study(
    name: StudyArgument,
    scale: ScaleOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    trust_kinds: TrustOption = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Folder for the figures.", metavar="FOLDER")
    ] = "figures",
) -> None:
    """Draw the figures of a study as SVG and PNG, with their data as CSV."""
    check_folder(output)
    from veridag.study import style
    from veridag.study.tables import results as table_of

    with _opened(name, scale, data, store, trust_kinds) as (planned, results):
        table = table_of(planned, results, only_done=True)
    if table.is_empty():
        raise InputError(f"{planned.spec.name}: no cell is done yet: run the study first")
    for figure in planned.kind.figures(planned.spec, table):
        for path in style.write(figure, Path(output)):
            echo(path)


@command(
    "list",
    "veridag study list",
    group=study,
)
def list_studies() -> None:
    """List the studies included in veridag."""
    from veridag.study import plan

    names = plan.names()
    width = max(map(len, names))
    for name in names:
        echo(f"{name:{width}}  {', '.join(plan.scales(name))}  {plan.describe(name).title}")


def _check_limits(time_limit: float | None, memory_limit: float | None) -> None:
    for option, value in (("time-limit", time_limit), ("memory-limit", memory_limit)):
        if value is not None and not value > 0:
            raise InputError(f"--{option} {value:g} must be above 0")


def _executor(jobs: int | None, dask: str | None, time_limit: float | None, memory_limit: float | None) -> Executor:
    from os import cpu_count

    from veridag.work.memory import checked_limit

    if dask is not None:
        from veridag.study.cluster import DaskExecutor

        # How much is free on the workers is not known here.
        return DaskExecutor(dask, int(1e9 * (memory_limit or 0.5)), time_limit)
    from veridag.study.processes import ProcessExecutor

    workers = jobs or cpu_count() or 1
    limit = checked_limit(None if memory_limit is None else 1e9 * memory_limit)
    return ProcessExecutor(workers, limit // workers, time_limit)


def _condition(text: str) -> tuple[str, str]:
    setting, separator, value = text.partition("=")
    if not separator or not setting:
        raise InputError(f"--only {text}: give a setting and its value, such as --only repetition=0")
    return setting.strip(), value.strip()


def _path(planned: Plan, store: str | None) -> Path:
    return Path(f"{planned.spec.name}.sqlite" if store is None else store)


@contextmanager
def _opened(
    name: str, scale: str | None, data: list[str] | None, store: str | None, trust_kinds: bool
) -> Iterator[tuple[Plan, Store]]:
    from veridag.study import plan
    from veridag.study.store import Store

    planned = plan.load(name, scale, data or (), trust_kinds=trust_kinds)
    with Store(_path(planned, store), read_only=True) as results:
        yield planned, results


def _take_over(results: Store, exported: Mapping[str, Found], keep: bool) -> set[str]:
    """The keys of the cells that the store did not have and the files have; now the store has them too, if `keep`."""
    from veridag.study import resuming

    taken: set[str] = set()
    for path, found in exported.items():
        new = {*resuming.missing(results, found)} - taken
        if keep:
            resuming.take_over(results, found)
        say(f"{path}: {len(new)} cells taken over, {len(found.outcomes) - len(new)} there before")
        if found.others:
            say(f"  note: {found.others} of its cells are not in this study at this scale")
        taken |= new
    return taken


def _report_plan(planned: Plan, results: Store, executor: Executor, retry: bool, taken: Set[str]) -> None:
    """What there is to do, before it is done; the cells that are taken over count as finished."""
    from veridag.study import cost, runner

    spec = planned.spec
    say(f"{spec.name}: {spec.title}" + (f" ({spec.scale})" if spec.scale else ""))
    for note in spec.notes:
        say(f"  note: {note}")
    left = [cell for cell in runner.pending(planned, results, retry=retry) if cell.key not in taken]
    say(f"{len(planned.cells)} cells, {len(planned.cells) - len(left)} already finished")
    width = executor.width()
    expected = cost.estimate(planned, left, width, executor.shared_bytes, results)
    say(_describe_cost(expected, width))
    if executor.time_limit is not None:
        say(f"a cell is stopped after {describe_seconds(executor.time_limit)}")


def _describe_cost(expected: Cost, jobs: int) -> str:
    from veridag.work.memory import shown

    if expected.seconds is None:
        return "run time unknown: no cell could be timed"
    said = f"about {describe_seconds(expected.seconds)} with {jobs} at a time, and {shown(expected.bytes)} of memory"
    if not expected.timed:
        return f"{said}, estimated from finished cells"
    slow = f", {expected.stopped} of which took too long to time: it may take much longer" * (expected.stopped > 0)
    return f"{said}, estimated from {expected.timed} cells{slow}"


def _report_state(state: State, planned: Plan, results: Store) -> None:
    echo(
        f"{planned.spec.name}: {state.total} cells, {state.done} done, {state.failed} failed, {state.stopped} stopped, "
        f"{state.missing} to do"
    )
    records = results.records()
    found = [records[cell.key].error for cell in planned.cells if cell.key in records]
    errors = sorted({error for error in found if error is not None}, key=lambda error: -found.count(error))
    for error in errors[:5]:
        echo(f"  {found.count(error)} x {error}")
    if len(errors) > 5:
        echo(f"  and {len(errors) - 5} other errors; `veridag study export` lists all")
